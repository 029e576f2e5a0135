"""Confidence intervals for proportions."""

import math


def wilson(correct: int, total: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion (95% by default).

    Example:
        >>> low, high = wilson(95, 100)
        >>> round(low, 3), round(high, 3)
        (0.888, 0.978)
    """
    if not total:
        return 0.0, 1.0
    p, square = correct / total, z * z
    centre = p + square / (2 * total)
    spread = z * math.sqrt(p * (1 - p) / total + square / (4 * total * total))
    scale = 1 + square / total
    # rounding must not push an end past the proportion itself
    return max(0.0, min(p, (centre - spread) / scale)), min(1.0, max(p, (centre + spread) / scale))
