"""Automata drawn without help: states in columns by distance from the start, arrows that dodge.

Each arrow and each loop takes, among a few ways of bending, the one that crosses the fewest states
and labels already placed. That is quadratic, which is fine for the few dozen states one can read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.dfa import DFA
from lengthwise.report.shapes import Picture, path

RADIUS, COLUMN, ROW, TIP = 19.0, 118.0, 92.0, 8.0
BENDS = (0.0, 34.0, -34.0, 64.0, -64.0, 110.0, -110.0, 170.0, -170.0, 250.0, -250.0)
ANGLES = (-90, 90, -45, -135, 45, 135, 0, 180)
LETTERS = 6
"""Symbols written on one arrow before the rest is only counted."""
DRAWN_STATES = 40

Point = NDArray[np.float64]


@dataclass(frozen=True)
class MergedArrow:
    """All transitions from one state to another."""

    source: int
    target: int
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Diagram:
    """What is to be drawn; ``hidden`` states are left out, ``notes`` stand under states.

    Pages draw it here; the playground sends it to the browser, where Graphviz lays it out.
    """

    alphabet: Sequence[str]
    transitions: Sequence[Sequence[int]]
    initial: int
    accepting: Iterable[int]
    hidden: Iterable[int] = ()
    notes: Sequence[str] = ()
    marked: Iterable[int] = ()
    """States that stand out."""

    @cached_property
    def kept(self) -> list[int]:
        """The states that are drawn."""
        gone = set(self.hidden)
        return [q for q in range(len(self.transitions)) if q not in gone]

    @cached_property
    def arrows(self) -> list[MergedArrow]:
        """Their arrows, parallel ones joined."""
        return merge(self.alphabet, self.transitions, self.kept)

    @property
    def label(self) -> str:
        """The picture in words."""
        return _sentence(self.kept, self.arrows, self.initial, set(self.accepting))

    def to_json(self) -> dict[str, Any]:
        """Return plain data: all transitions, to run words on, and what is to be drawn of them."""
        labels = _short(self.alphabet, self.arrows)
        return {
            "alphabet": list(self.alphabet),
            "transitions": [list(row) for row in self.transitions],
            "initial": self.initial,
            "accepting": sorted(self.accepting),
            "drawn": self.kept,
            "arrows": [
                {
                    "from": arrow.source,
                    "to": arrow.target,
                    "label": labels[arrow],
                    "symbols": [shown(symbol) for symbol in arrow.symbols],
                }
                for arrow in self.arrows
            ],
            "notes": list(self.notes),
            "label": self.label,
        }

    def draw(self) -> Picture:
        """Draw it.

        Example:
            >>> Diagram("a", [[1], [0]], 0, [0]).draw().label
            'Automaton with 2 states; start 0; accepting: 0; 0 to 1 on a; 1 to 0 on a.'
        """
        final = set(self.accepting)
        picture = Picture(self.label)
        places = _places(self.kept, self.arrows, self.initial)
        board = _Board(picture, places, _short(self.alphabet, self.arrows))
        board.start(self.initial)
        for arrow in sorted(self.arrows, key=lambda one: board.distance(one)):
            if arrow.source != arrow.target:
                board.arrow(arrow)
        for arrow in self.arrows:
            if arrow.source == arrow.target:
                board.loop(arrow)
        struck = set(self.marked)
        for state in self.kept:
            kinds = ("accepting",) * (state in final) + ("marked",) * (state in struck)
            board.state(state, kinds, self.notes[state] if self.notes else "")
        board.frame()
        return picture


def diagram(dfa: DFA) -> tuple[Diagram | None, str]:
    """Return an automaton without its dead state, and say what is left out and why.

    Example:
        >>> from lengthwise.languages.regex import compile_regex
        >>> diagram(compile_regex("(ab)*"))[1]
        'The dead state 2 and the arrows into it are left out.'
    """
    alive = dfa.live()
    dead = [q for q in range(dfa.states) if not alive[q] and q != dfa.initial]
    drawn = dfa.states - len(dead)
    if drawn > DRAWN_STATES:
        return None, f"{drawn:,} states are too many to draw (the limit is {DRAWN_STATES})"
    final = [q for q in range(dfa.states) if dfa.accepting[q]]
    table = dfa.transitions.tolist()
    left_out = f"The dead state {dead[0]} and the arrows into it are left out." if dead else ""
    return Diagram(dfa.alphabet, table, dfa.initial, final, hidden=dead), left_out


def draw_automaton(dfa: DFA) -> tuple[Picture | None, str]:
    """Draw an automaton without its dead state, and say what is left out and why."""
    found, note = diagram(dfa)
    return (None if found is None else found.draw()), note


def merge(
    alphabet: Sequence[str], transitions: Sequence[Sequence[int]], kept: Iterable[int]
) -> list[MergedArrow]:
    """Join parallel transitions between states that are kept."""
    found: dict[tuple[int, int], list[str]] = {}
    states = set(kept)
    for source in sorted(states):
        for symbol, target in zip(alphabet, transitions[source], strict=True):
            if target in states:
                found.setdefault((source, target), []).append(symbol)
    return [
        MergedArrow(source, target, tuple(symbols)) for (source, target), symbols in found.items()
    ]


def shown(symbol: str) -> str:
    """Return a symbol so that it can be seen; a space is an open box."""
    return "\u2423" if symbol == " " else symbol if symbol.isprintable() else ascii(symbol)[1:-1]


def _short(alphabet: Sequence[str], arrows: Iterable[MergedArrow]) -> dict[MergedArrow, str]:
    labels: dict[MergedArrow, str] = {}
    for arrow in arrows:
        names = [shown(symbol)[:12] for symbol in arrow.symbols]
        if len(names) > LETTERS and len(names) == len(alphabet):
            labels[arrow] = "any"
        elif len(names) > LETTERS:
            labels[arrow] = f"{','.join(names[: LETTERS - 2])},… ({len(names)})"
        else:
            labels[arrow] = ",".join(names)
    return labels


def _sentence(
    kept: Sequence[int], arrows: Iterable[MergedArrow], initial: int, final: set[int]
) -> str:
    moves = [f"{a.source} to {a.target} on {' '.join(map(shown, a.symbols))}" for a in arrows][:60]
    accepting = ", ".join(str(q) for q in kept if q in final) or "none"
    states = "1 state" if len(kept) == 1 else f"{len(kept)} states"
    head = f"Automaton with {states}; start {initial}; accepting: {accepting}"
    return "; ".join([head, *moves]) + "."


def _places(kept: Sequence[int], arrows: Sequence[MergedArrow], initial: int) -> dict[int, Point]:
    """Put states into columns by distance from the start, and order the columns by neighbours."""
    near: dict[int, list[int]] = {q: [] for q in kept}
    forward: dict[int, list[int]] = {q: [] for q in kept}
    for arrow in arrows:
        if arrow.source != arrow.target:
            near[arrow.source].append(arrow.target)
            near[arrow.target].append(arrow.source)
            forward[arrow.source].append(arrow.target)
    columns = _columns(kept, forward, initial)
    height = {q: float(i) for column in columns for i, q in enumerate(column)}
    for _ in range(6):
        for column in columns:
            wish = {q: np.mean([height[p] for p in near[q]] or [height[q]]) for q in column}
            column.sort(key=lambda q: (wish[q], q))
            height |= {q: i - (len(column) - 1) / 2 for i, q in enumerate(column)}
    return {
        q: np.array([number * COLUMN, height[q] * ROW])
        for number, column in enumerate(columns)
        for q in column
    }


def _columns(kept: Sequence[int], forward: dict[int, list[int]], initial: int) -> list[list[int]]:
    columns: list[list[int]] = []
    seen, fresh = {initial}, [initial]
    while fresh:
        columns.append(fresh)
        following = dict.fromkeys(target for q in fresh for target in forward[q])
        fresh = [target for target in following if target not in seen]
        seen |= set(fresh)
    rest = [q for q in kept if q not in seen]
    return [*columns, rest] if rest else columns


class _Board:
    """The picture while it grows: what is placed already, and what a new stroke would hit."""

    def __init__(
        self, picture: Picture, places: dict[int, Point], labels: dict[MergedArrow, str]
    ) -> None:
        self.picture, self.places, self.labels = picture, places, labels
        self.ink: list[Point] = []
        self.boxes: list[tuple[Point, Point]] = []

    def distance(self, arrow: MergedArrow) -> float:
        return float(np.linalg.norm(self.places[arrow.target] - self.places[arrow.source]))

    def start(self, initial: int) -> None:
        end = self.places[initial] - [RADIUS, 0]
        self._stroke(np.linspace(end - [34, 0], end, 6), "edge")

    def arrow(self, arrow: MergedArrow) -> None:
        one, two = self.places[arrow.source], self.places[arrow.target]
        curves = [_bent(one, two, bend) for bend in BENDS]
        ends = {arrow.source, arrow.target}
        costs = [
            self._cost(curve, arrow, ends) + abs(bend) / 40
            for curve, bend in zip(curves, BENDS, strict=True)
        ]
        self._finish(curves[int(np.argmin(costs))], arrow)

    def loop(self, arrow: MergedArrow) -> None:
        centre = self.places[arrow.source]
        curves = [_loop(centre, np.radians(angle)) for angle in ANGLES]
        costs = [
            self._cost(curve, arrow, {arrow.source}) + 0.3 * i for i, curve in enumerate(curves)
        ]
        self._finish(curves[int(np.argmin(costs))], arrow)

    def state(self, state: int, kinds: Sequence[str], note: str) -> None:
        x, y = map(float, self.places[state])
        title = ", ".join([f"state {state}", *kinds, *([note] if note else [])])
        kind = " ".join(["state", *kinds])
        self.picture.add("circle", cx=x, cy=y, r=RADIUS, class_=kind, title=title)
        if "accepting" in kinds:
            self.picture.add("circle", cx=x, cy=y, r=RADIUS - 4, class_="ring")
        self.picture.add("text", x=x, y=y + 5, class_="name", text=str(state))
        if note:
            self.picture.add("text", x=x, y=y + RADIUS + 14, class_="note", text=note)
            self.boxes.append((np.array([x - 40, y]), np.array([x + 40, y + RADIUS + 18])))

    def frame(self) -> None:
        corners = [*self.ink, *(np.stack(box) for box in self.boxes)]
        rim = np.array([[-RADIUS, -RADIUS], [RADIUS, RADIUS]])
        corners += [place + rim for place in self.places.values()]
        points = np.concatenate(corners)
        left, top = map(float, points.min(axis=0) - 10)
        right, bottom = map(float, points.max(axis=0) + 10)
        self.picture.box = (left, top, right - left, bottom - top)

    def _label(self, curve: Point, text: str) -> tuple[Point, Point]:
        """Return the box of a label beside the middle of a curve, on its outer side."""
        middle = curve[len(curve) // 2]
        along = curve[len(curve) // 2 + 1] - curve[len(curve) // 2 - 1]
        normal = np.array([along[1], -along[0]]) / max(1e-9, float(np.linalg.norm(along)))
        outward = middle - (curve[0] + curve[-1]) / 2
        if normal @ outward < -1e-6 or (abs(normal @ outward) <= 1e-6 and normal[1] > 0):
            normal = -normal
        half = np.array([4.2 * len(text) + 2, 9.0])
        centre = middle + normal * (5 + abs(normal) @ half)
        return centre - half, centre + half

    def _cost(self, curve: Point, arrow: MergedArrow, ends: set[int]) -> float:
        low, high = self._label(curve, self.labels[arrow])
        cost = 0.0
        for state, place in self.places.items():
            if state not in ends:
                cost += 30 * float((np.linalg.norm(curve - place, axis=1) < RADIUS + 7).any())
            near = np.clip(place, low, high)
            cost += 30 * float(np.linalg.norm(near - place) < RADIUS)
        for other_low, other_high in self.boxes:
            cost += 12 * float(((low < other_high) & (high > other_low)).all())
            cost += 6 * float(((curve > other_low) & (curve < other_high)).all(axis=1).any())
        for ink in self.ink:
            cost += 5 * float(((ink > low) & (ink < high)).all(axis=1).any())
            gaps = np.linalg.norm(curve[:, None] - ink[None], axis=2)
            cost += 1.5 * float((gaps < 7).sum() > 2)
        return cost

    def _finish(self, curve: Point, arrow: MergedArrow) -> None:
        text = self.labels[arrow]
        low, high = self._label(curve, text)
        names = " ".join(map(shown, arrow.symbols))
        title = f"{arrow.source} to {arrow.target} on {names}"
        self._stroke(curve, "edge", title)
        x, y = map(float, (low + high) / 2)
        self.picture.add("text", x=x, y=y + 4.5, class_="symbol", text=text, title=title)
        self.boxes.append((low, high))

    def _stroke(self, curve: Point, kind: str, title: str = "") -> None:
        """Draw a curve with a tip at its end."""
        end = curve[-1]
        back = end - curve[-2]
        back = back / max(1e-9, float(np.linalg.norm(back)))
        side = np.array([back[1], -back[0]])
        far = np.linalg.norm(curve - end, axis=1) > TIP
        body = [*curve[far], end - back * (TIP - 1)]
        if np.ptp(curve @ side) < 0.5:  # straight
            body = [body[0], body[-1]]
        points = [(float(x), float(y)) for x, y in body]
        self.picture.add("path", d=path(points), class_=kind, title=title)
        tip = [end, end - back * TIP + side * TIP / 2, end - back * TIP - side * TIP / 2]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in tip)
        self.picture.add("polygon", points=corners, class_="tip")
        self.ink.append(curve)


def _bent(one: Point, two: Point, bend: float) -> Point:
    """Return points on the way from one state's rim to another's, bent to a side."""
    along = two - one
    normal = np.array([along[1], -along[0]]) / float(np.linalg.norm(along))
    control = (one + two) / 2 + normal * bend
    return _outside(_bezier([one, control, two], 33), one, two)


def _loop(centre: Point, angle: float) -> Point:
    """Return points of a loop that leaves a state in a direction and comes back."""
    reach, spread = 3.6 * RADIUS, np.radians(30)
    one, two = (
        centre + reach * np.array([np.cos(angle + turn), np.sin(angle + turn)])
        for turn in (-spread, spread)
    )
    return _outside(_bezier([centre, one, two, centre], 41), centre, centre)


def _bezier(controls: Sequence[Point], count: int) -> Point:
    levels: list[Point] = [np.repeat(c[None], count, axis=0) for c in controls]
    time = np.linspace(0, 1, count)[:, None]
    while len(levels) > 1:
        levels = [(1 - time) * a + time * b for a, b in pairwise(levels)]
    return levels[0]


def _outside(curve: Point, one: Point, two: Point) -> Point:
    """Cut off what lies inside the two states, and end on their rims."""
    away = (np.linalg.norm(curve - one, axis=1) > RADIUS) & (
        np.linalg.norm(curve - two, axis=1) > RADIUS
    )
    kept = curve[away]
    first, last = (
        place + (point - place) / float(np.linalg.norm(point - place)) * RADIUS
        for place, point in ((one, kept[0]), (two, kept[-1]))
    )
    return np.concatenate([first[None], kept, last[None]])
