"""``lab draw`` and ``lab reach``: the blind suite drawn again, and how calibrated the reach is."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Seed

if TYPE_CHECKING:
    from lengthwise.predict.types import Calibration, ReachPoint


@dataclass(frozen=True)
class DrawnSuite(Shown):
    """Languages drawn by the rule of the blind suite, with their predictions."""

    suite: Mapping[str, Any]

    def parts(self) -> Iterator[str | Rows]:
        """Yield the languages, and whether they are those that were frozen."""
        yield Rows(
            [
                {
                    "language": language["task"].partition(";")[0],
                    "class": language["kind"],
                    "states": language["states"],
                    **{name: said["answer"] for name, said in language["predicted"].items()},
                }
                for language in self.suite["languages"]
            ]
        )
        same = "this is" if self.suite["digest"] == self.suite["frozen"] else "this is not"
        yield f"{self.suite['digest']}: {same} the suite that was frozen ({self.suite['frozen']})."

    def to_json(self) -> dict[str, Any]:
        """Return the suite with its automata and where they come from."""
        return dict(self.suite)

    @writes(".json", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the suite to this .json file."""
        from lengthwise.core.outputs import save_json

        save_json(path, self.to_json())


@verb()
def draw(*, data: Path, seed: Seed | None = None) -> DrawnSuite:
    """Draw the blind suite again, by its rule, and predict its languages.

    Example: lengthwise lab draw --data mlregtest --output suite.json

    Args:
        data: Folder with the automata of MLRegTest in OpenFst's text form (04.*.att).
        seed: Draw another suite by the same rule; by default the seed that was frozen.
    """
    from lengthwise.studies.blind.draw import ATTRIBUTION, draw_frozen

    found = draw_frozen(data, seed, _announce)
    return DrawnSuite({"about": ATTRIBUTION, **found})


def _announce(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@dataclass(frozen=True)
class ReachTable(Shown):
    """Accuracy against length over training length, and how well it predicts another language."""

    curves: Sequence[tuple[str, str, "tuple[ReachPoint, ...]"]]
    calibration: "Sequence[Calibration]"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the curves at quarters of the training length, then the calibration."""
        rows = [
            {
                "encoding": encoding,
                "predicted": answer,
                "length / trained": f"{point.at:g}",
                "exact match": f"{point.mean:.1%}",
                "a further language": f"{point.low:.0%}-{point.high:.0%} ({point.chance:.0%})",
                "languages": point.languages,
            }
            for encoding, answer, points in self.curves
            for point in points
            if point.at >= 1 and 4 * point.at == int(4 * point.at)
        ]
        yield Rows(rows, "expected reach")
        yield Rows(
            [
                {
                    "encoding": one.encoding,
                    "predicted": one.predicted,
                    "languages left out": one.languages,
                    "points inside": f"{one.inside} of {one.points}",
                    "expected inside": f"{one.expected:.0f}",
                    "squared error": f"{one.score:.3f}",
                    "without theory": f"{one.base:.3f}",
                }
                for one in self.calibration
            ],
            "calibration, each language left out",
        )

    def to_json(self) -> dict[str, Any]:
        """Return curves and calibration."""
        return {
            "curves": [
                {"encoding": encoding, "predicted": answer, "points": [vars(p) for p in points]}
                for encoding, answer, points in self.curves
            ],
            "calibration": [vars(one) for one in self.calibration],
        }


@verb()
def reach(*, scoreboard: Path | None = None, store: Path | None = None) -> ReachTable:
    """Show how far measured languages reach, and how well that predicts a language left out.

    Example: lengthwise lab reach

    Args:
        scoreboard: A file written by `lab scoreboard`, or a study's results that hold one; by
            default the store's scoreboard, else the results that come with the library.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.predict.reach import calibrate, expected_curve
    from lengthwise.studies.known_results import known_suite

    rows = [row for row in known_suite(store, scoreboard) if row["outcome"] != "not fitted"]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((str(row["encoding"]), str(row["predicted"])), []).append(row)
    curves = [(*key, expected_curve(members)) for key, members in groups.items()]
    return ReachTable([one for one in curves if one[2]], calibrate(rows))
