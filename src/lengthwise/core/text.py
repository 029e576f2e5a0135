"""How numbers are said to people."""


def duration(seconds: float) -> str:
    """Say a time in the unit that suits it.

    Example:
        >>> duration(90), duration(900), duration(7200)
        ('90 s', '15 min', '2.0 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
