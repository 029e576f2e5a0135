"""How fast: ratios against what people use today, measured interleaved in one run."""
