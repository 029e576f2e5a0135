"""How a model learns: data by step, schedules, the loop, checkpoints."""
