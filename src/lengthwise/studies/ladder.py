"""Lengths, instances and seeds at the sizes a laptop can do."""

from lengthwise.records.spec import Range

TRAINED = {"smoke": 8, "laptop": 20}
"""Longest training length; tests go to two and three times that."""
INSTANCES = {"smoke": 20, "laptop": 500}
SEEDS = {"smoke": 1, "laptop": 5}


def thirds(trained: int) -> tuple[Range, Range]:
    """Return the test lengths: to twice, and from twice to three times the training length.

    Example:
        >>> thirds(10)
        ((11, 20), (21, 30))
    """
    return (trained + 1, 2 * trained), (2 * trained + 1, 3 * trained)
