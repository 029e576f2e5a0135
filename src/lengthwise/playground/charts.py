"""Accuracy against length as shapes: bands, lines, trained lengths shaded, values on hover."""

import math
from collections.abc import Sequence

from lengthwise.report.curves import Curve
from lengthwise.report.shapes import Picture, path

WIDTH, HEIGHT = 640.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 12.0, 40.0
COLOURS = 8
"""Series colours of the style sheet; further series repeat them with dashes."""


def chart(curves: Sequence[Curve], names: Sequence[str], *, log: bool = False) -> Picture:
    """Draw curves into one frame; series k has the classes ``line s<k>`` and ``band s<k>``.

    Example:
        >>> from lengthwise.records.accuracy import AccuracyByLength
        >>> point = AccuracyByLength(low=5, high=5, correct={5: 1}, total={5: 2})
        >>> chart([Curve("parity", "nope", (1, 9), 1, (point,), ())], ["parity, nope"]).label
        'Exact match against length. parity, nope: 50.0% at length 5.'
    """
    lengths = [p.middle for curve in curves for p in curve.points] or [1.0]
    low, high = min(lengths), max(lengths)
    scale = _Scale(low, high if high > low else low + 1, log)
    picture = Picture(_sentence(curves, names))
    picture.box = (0.0, 0.0, WIDTH, HEIGHT)
    _trained(picture, curves, scale)
    _axes(picture, scale)
    for number, (curve, name) in enumerate(zip(curves, names, strict=True)):
        _series(picture, curve, name, number, scale)
    return picture


class _Scale:
    """From lengths and accuracies to places."""

    def __init__(self, low: float, high: float, log: bool) -> None:
        self.low, self.high = max(low, 1.0) if log else low, high
        self.log = log and self.high > self.low

    def x(self, length: float) -> float:
        if self.log:
            part = math.log(max(length, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = (length - self.low) / (self.high - self.low)
        return LEFT + min(1.0, max(0.0, part)) * (WIDTH - LEFT - RIGHT)

    def y(self, accuracy: float) -> float:
        return TOP + (1 - accuracy) * (HEIGHT - TOP - BOTTOM)

    def ticks(self) -> list[int]:
        if self.log:
            powers = range(math.floor(math.log2(self.low)), math.ceil(math.log2(self.high)) + 1)
            found = [2**power for power in powers]
        else:
            step = _step(self.high - self.low)
            first = math.ceil(self.low / step)
            found = [step * k for k in range(first, math.floor(self.high / step) + 1)]
        return [tick for tick in found if self.low <= tick <= self.high]


def _step(span: float) -> int:
    """Return a round step that gives at most eight ticks."""
    size = 10 ** max(0, math.floor(math.log10(max(span, 1))) - 1)
    return next(size * k for k in (1, 2, 5, 10, 20, 50, 100) if span / (size * k) <= 8)


def _trained(picture: Picture, curves: Sequence[Curve], scale: _Scale) -> None:
    """Shade the trained lengths, where all curves share them."""
    trained = {curve.trained for curve in curves}
    if len(trained) != 1:
        return
    low, high = trained.pop()
    left, right = scale.x(low), scale.x(high)
    picture.add(
        "rect",
        class_="trained",
        title=f"trained lengths {low} to {high}",
        x=left,
        y=TOP,
        width=right - left,
        height=HEIGHT - TOP - BOTTOM,
    )


def _axes(picture: Picture, scale: _Scale) -> None:
    for percent in (0, 25, 50, 75, 100):
        y = scale.y(percent / 100)
        picture.add("line", x1=LEFT, y1=y, x2=WIDTH - RIGHT, y2=y, class_="grid")
        picture.add("text", x=LEFT - 6, y=y + 4, class_="tick end", text=f"{percent}%")
    for tick in scale.ticks():
        x = scale.x(tick)
        bottom = HEIGHT - BOTTOM
        picture.add("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, class_="grid")
        picture.add("text", x=x, y=bottom + 18, class_="tick", text=str(tick))
    middle = (LEFT + WIDTH - RIGHT) / 2
    picture.add("text", x=middle, y=HEIGHT - 4, class_="tick", text="length")


def _series(picture: Picture, curve: Curve, name: str, number: int, scale: _Scale) -> None:
    kind = f"s{number % COLOURS}" + (" dashed" if number >= COLOURS else "")
    upper = [(scale.x(p.middle), scale.y(p.interval[1])) for p in curve.points]
    lower = [(scale.x(p.middle), scale.y(p.interval[0])) for p in reversed(curve.points)]
    if upper:
        picture.add("path", d=path([*upper, *lower]) + "Z", class_=f"band {kind}")
        line = [(scale.x(p.middle), scale.y(p.accuracy)) for p in curve.points]
        picture.add("path", d=path(line), class_=f"line {kind}")
    for p in curve.points:
        at = f"length {p.low}" if p.low == p.high else f"lengths {p.low} to {p.high}"
        around = "{:.1%} to {:.1%}".format(*p.interval)
        title = f"{name}, {at}: {p.accuracy:.1%} ({around}, {p.counts[1]} tests)"
        x, y = scale.x(p.middle), scale.y(p.accuracy)
        picture.add("circle", class_=f"dot {kind}", title=title, cx=x, cy=y, r=3.5)


def _sentence(curves: Sequence[Curve], names: Sequence[str]) -> str:
    parts = [
        f"{name}: {curve.points[-1].accuracy:.1%} at length {curve.points[-1].middle:g}"
        for curve, name in zip(curves, names, strict=True)
        if curve.points
    ]
    return "Exact match against length. " + "; ".join(parts) + "."
