"""Accuracy against length, drawn with characters."""

from collections.abc import Sequence

from lengthwise.report.curves import Curve

MARKS = "ox+*#@%&"


def draw(
    curves: Sequence[Curve], width: int = 64, height: int = 11, *, seen: str = "trained lengths"
) -> str:
    """Draw the curves of one task; the lengths that were seen are underlined.

    Later curves are drawn over earlier ones; the legend says which mark is which.
    """
    longest = max(point.middle for curve in curves for point in curve.points)
    shortest = min(point.middle for curve in curves for point in curve.points)
    span = max(longest - shortest, 1)
    grid = [[" "] * width for _ in range(height)]

    def column(length: float) -> int:
        return round((length - shortest) / span * (width - 1))

    for mark, curve in zip(_marks(len(curves)), curves, strict=True):
        for point in curve.points:
            row = round((1 - point.accuracy) * (height - 1))
            grid[row][column(point.middle)] = mark
    lines = []
    for row, cells in enumerate(grid):
        percent = 100 * (1 - row / (height - 1))
        label = f"{percent:4.0f}% " if row % 5 == 0 else "      "
        lines.append(f"{label}|{''.join(cells)}".rstrip())
    edge = max(0, min(width - 1, column(curves[0].trained_to)))
    axis = "=" * (edge + 1) + "-" * (width - edge - 1)
    lines.append(f"      +{axis}")
    lines.append(_scale(shortest, longest, curves[0].trained_to, edge, width))
    legend = (f"{m} {c.encoding}" for m, c in zip(_marks(len(curves)), curves, strict=True))
    lines.append(f"       {'   '.join(legend)}   (= {seen})")
    return "\n".join(lines)


def _marks(count: int) -> list[str]:
    return [MARKS[i % len(MARKS)] for i in range(count)]


def _scale(shortest: float, longest: float, trained: int, edge: int, width: int) -> str:
    """Name both ends, and the longest training length where it is between them and fits."""
    cells = [" "] * (width + 12)
    ends = ((f"{shortest:.0f}", 0), (f"{longest:.0f}", width - 2))
    for text, at in (*ends, (str(trained), edge)):
        start = max(0, at - len(text) // 2)
        end = start + len(text)
        if (text, at) in ends or not "".join(cells[max(0, start - 1) : end + 1]).strip():
            cells[start:end] = text
    return "       " + "".join(cells).rstrip()
