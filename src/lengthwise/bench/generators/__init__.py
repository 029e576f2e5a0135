"""Per-example Python generators, the way such data are usually made; for benchmarks only.

Each generator draws one example: token ids, and what to predict at each position. They are plain
and reasonably written; the vectorised samplers are measured against them.
"""
