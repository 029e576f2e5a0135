"""What learns: one decoder, GPT-2-like or T5-like by configuration, and its generator."""
