"""The learning rate by step."""

import math

from lengthwise.records.spec import TrainingConfig


def learning_rate(config: TrainingConfig, step: int, fitted: int | None = None) -> float:
    """Return the rate used at ``step`` (0-based): linear warm-up, then the schedule.

    A run that settles leaves the schedule at its first fit: from there the rate falls linearly to
    zero at the last step.

    Example:
        >>> config = TrainingConfig(steps=10, learning_rate=1.0, warmup=2)
        >>> [learning_rate(config, step) for step in (0, 1, 2, 6)]
        [0.5, 1.0, 1.0, 0.5]
        >>> settling = TrainingConfig(schedule="constant", learning_rate=1.0, settle=2)
        >>> [learning_rate(settling, step, fitted=1000) for step in (999, 1000, 1500)]
        [1.0, 1.0, 0.5]
    """
    if config.settle and fitted is not None and step > fitted:
        last = config.settled(fitted)
        return _scheduled(config, fitted) * (last - step) / (last - fitted)
    return _scheduled(config, step)


def _scheduled(config: TrainingConfig, step: int) -> float:
    if step < config.warmup:
        return config.learning_rate * (step + 1) / config.warmup
    left = (config.steps - step) / max(1, config.steps - config.warmup)
    factor = {
        "constant": 1.0,
        "linear": left,
        "cosine": 0.5 * (1 - math.cos(math.pi * left)),
    }[config.schedule]
    return config.learning_rate * factor
