"""The two numbers by which a measurement becomes an answer."""

FITTED = 0.99
"""Exact match in distribution from which a run counts as having learned its training lengths."""

LINE = 0.70
"""Exact match at two to three times the training length that counts as carrying over: the values
published by Huang et al. (2024) separate there."""
