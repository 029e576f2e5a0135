"""How far a model got: exact match by length."""
