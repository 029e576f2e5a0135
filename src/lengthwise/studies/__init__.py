"""The papers and the suites: runs at several sizes, claims, and predictions held against them."""
