"""One-way communication: protocols that are really run, and lower bounds on what they must send."""
