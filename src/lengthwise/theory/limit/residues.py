"""Compact position codes: which moduli tell apart all positions of a context.

With pairwise coprime moduli whose product exceeds the context, the residues of a position determine
it, so ``matches`` of residues single out one key (the Chinese remainder theorem). The code of a
context of 65,536 has 49 channels instead of 65,536; the price is that far positions no longer score
exactly 0, so such a model is not LOCAL and its positional regulariser grows with the context.
"""

from math import gcd, prod


def coprime_moduli(size: int) -> tuple[int, ...]:
    """Return pairwise coprime moduli with product at least ``size`` and a small sum.

    Example:
        >>> coprime_moduli(65_536)
        (4, 5, 7, 9, 11, 13)
    """
    choices = [_smallest(size, count) for count in range(1, 7)]
    return min(choices, key=lambda moduli: (sum(moduli) + 4 * len(moduli), moduli))


def _smallest(size: int, count: int) -> tuple[int, ...]:
    base = max(2, int(size ** (1 / count)) - 4 * count)
    while True:
        moduli: list[int] = []
        number = base
        while len(moduli) < count:
            if all(gcd(number, other) == 1 for other in moduli):
                moduli.append(number)
            number += 1
        if prod(moduli) >= size:
            return tuple(moduli)
        base += 1
