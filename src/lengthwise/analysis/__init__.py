"""How a model does it: attention distances and similarity, learned relations, probes."""
