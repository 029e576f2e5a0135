"""The learning rate by step."""

import math

from lengthwise.records.spec import TrainingConfig


def learning_rate(config: TrainingConfig, step: int) -> float:
    """Return the rate used at ``step`` (0-based): linear warm-up, then the schedule.

    Example:
        >>> config = TrainingConfig(steps=10, learning_rate=1.0, warmup=2)
        >>> [learning_rate(config, step) for step in (0, 1, 2, 6)]
        [0.5, 1.0, 1.0, 0.5]
    """
    if step < config.warmup:
        return config.learning_rate * (step + 1) / config.warmup
    left = (config.steps - step) / max(1, config.steps - config.warmup)
    factor = {
        "constant": 1.0,
        "linear": left,
        "cosine": 0.5 * (1 - math.cos(math.pi * left)),
    }[config.schedule]
    return config.learning_rate * factor
