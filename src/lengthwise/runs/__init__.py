"""Where results live: specifications, one folder per run, and how runs are executed."""
