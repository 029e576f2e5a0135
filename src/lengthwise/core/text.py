"""How numbers and foreign names are said to people."""

_CONTROL = {
    sign: f"\\x{sign:02x}" for sign in (*range(32), *range(127, 160)) if chr(sign) not in "\t\n"
}
_TURNING = {sign: f"\\u{sign:04x}" for sign in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def printable(text: str) -> str:
    """Escape signs that command a terminal or turn the direction of writing.

    Example:
        >>> print(printable("parity\\x1b]0;title\\x07"))
        parity\\x1b]0;title\\x07
    """
    return text.translate(_CONTROL | _TURNING)


def duration(seconds: float) -> str:
    """Say a time in the unit that suits it.

    Example:
        >>> duration(90), duration(900), duration(7200)
        ('90 s', '15 min', '2.0 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
