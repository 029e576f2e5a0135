"""``lab scoreboard``: predictions beside measurements over a suite of problems."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.outline import Outline
from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Processors, Seconds, Seed

if TYPE_CHECKING:
    from lengthwise.predict.types import Prediction
    from lengthwise.runs.store import Store
    from lengthwise.studies.board import BoardCell, Scoreboard


@dataclass(frozen=True)
class Scored(Shown):
    """Every problem with every encoding: what was predicted, what was measured."""

    board: "Scoreboard"
    store: "Store"

    def parts(self) -> Iterator[str | Rows]:
        """Yield all cells, the confusion of each encoding, the disagreements."""
        board = self.board
        yield Rows([_row(cell) for cell in board.cells], f"{board.suite}, {board.size}")
        encodings = dict.fromkeys(cell.encoding for cell in board.cells)
        yield Rows([_confusion(board, name) for name in encodings], "predicted, measured")
        wrong = board.disagreements()
        yield f"{board.sentence}."
        if wrong:
            yield Rows([_row(cell) for cell in wrong], "disagreements, clearest first")

    def to_json(self) -> dict[str, Any]:
        """Return what the file of a scoreboard holds."""
        return self.board.to_json()

    @writes(".json", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Write the scoreboard to this .json file too; the store keeps one of its runs."""
        from lengthwise.studies.scoreboard import save

        save(self.board, path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write the tables, and the curves of the runs, to this .html file."""
        from lengthwise.report.board_page import board_document
        from lengthwise.report.html import save

        save(board_document(self.to_json(), self.store), path)


@verb()
def scoreboard(
    *,
    suite: str = "huang2024",
    size: Literal["smoke", "laptop"] = "smoke",
    against: Literal["runs", "published"] = "runs",
    encoding: Sequence[str] = ("nope", "ape"),
    count: Count = 30,
    seed: Seed = 0,
    store: Path | None = None,
    jobs: Processors | None = None,
    time_limit: Seconds = 60.0,
    dry_run: bool = False,
    progress: bool | None = None,
) -> Scored | Outline:
    """Compare predictions with measurements over a suite: who was right, and where not.

    Stopped runs continue and finished ones are not repeated when the command is given again.

    Example: lengthwise lab scoreboard --suite huang2024 --against published

    Args:
        suite: huang2024 (25 published problems), random (regexes balanced over classes), or a file
            with one task or regular expression per line.
        size: How much is trained: smoke (a test of the machinery, minutes) or laptop (hours).
        against: Measurements to compare with: our runs, or the accuracies published with the suite.
        encoding: A position encoding to train and predict; give several to compare.
        count: How many regexes the random suite has.
        seed: Seed of the random suite.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        jobs: Runs at the same time; by default as many as there are cores.
        time_limit: Seconds for each prediction.
        dry_run: Say what would be trained and how long it would take, and stop.
        progress: Whether progress is shown; by default in a terminal or a notebook.
    """
    from lengthwise.runs.store import Store
    from lengthwise.studies import scoreboard as study
    from lengthwise.studies.known_results import FILE
    from lengthwise.studies.suites import load_suite

    where, encodings = Store(store), several(encoding)
    longest = 150 if against == "published" else 3 * study.TRAINED[study.find_size(size)]
    tasks = load_suite(suite, longest=longest, count=count, seed=seed)
    if dry_run:
        wanted = study.problems(suite, tasks, encodings, size)
        return Outline(study.plan_runs(wanted, where, jobs))
    found = study.predictions(tasks, encodings, time_limit=time_limit, listen=_announce)
    if against == "published":
        return Scored(study.published_board(suite, found, encodings), where)
    board = _trained(suite, size, found, encodings, where, jobs, progress)
    study.save(board, where.root / FILE)
    sys.stderr.write(f"scoreboard: {where.root / FILE}\n")
    return Scored(board, where)


def _announce(task: str) -> None:
    sys.stderr.write(f"predicting {task}\n")


def _trained(
    suite: str,
    size: str,
    found: "dict[str, Prediction]",
    encodings: Sequence[str],
    store: "Store",
    jobs: int | None,
    progress: bool | None,
) -> "Scoreboard":
    from lengthwise.api.progress_bars import listening
    from lengthwise.studies import scoreboard as study
    from lengthwise.studies.evidence import StudyEvidence
    from lengthwise.studies.reproduce import train

    wanted = study.problems(suite, list(found), encodings, size)
    with listening(progress) as listener:
        evidence = train(
            lambda _, known: [run for problem in wanted for run in problem.runs(known)],
            StudyEvidence(size),
            store,
            jobs,
            listener,
        )
    return study.score(suite, size, found, evidence)


AGREES = {True: "yes", False: "no", None: "-"}


def _confusion(board: "Scoreboard", encoding: str) -> dict[str, Any]:
    table = board.confusion(encoding)
    return {k: f"{v:.1%}" if isinstance(v, float) else v for k, v in table.items()}


def _row(cell: "BoardCell") -> dict[str, Any]:
    return {
        "problem": cell.subject,
        "encoding": cell.encoding,
        "predicted": cell.predicted,
        "strength": cell.strength,
        "exact match": " / ".join(f"{value:.1%}" for value in cell.accuracy),
        "seeds": " ".join(f"{100 * value:.0f}" for value in cell.seeds),
        "measured": cell.outcome,
        "margin": f"{cell.margin:.1%}",
        "agrees": AGREES[cell.agrees],
        "curve": cell.source,
    }
