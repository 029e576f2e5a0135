"""``lengthwise predict`` and ``lengthwise scoreboard``: verdicts, and how they fared."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, console, print_json, print_table
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.predict.types import Prediction
    from lengthwise.studies.scoreboard import Cell, Scoreboard

Many = Parameter(consume_multiple=False, negative="")
Flag = Annotated[bool, Parameter(negative="")]


def predict(
    subject: str,
    *,
    pe: Annotated[tuple[str, ...], Many] = (),
    alphabet: str | None = None,
    accept: Literal["end", "last", "predict"] | None = None,
    time_limit: float = 60.0,
    store: Path | None = None,
    scoreboard: Path | None = None,
    explain: Flag = False,
    html: Path | None = None,
    as_json: Json = False,
) -> None:
    """Predict whether a transformer trained on short inputs will work on long ones.

    Example: lengthwise predict '(aa)*' --explain

    Parameters
    ----------
    subject
        A regular expression, a task (`parity`), a program (`x.cr`), an automaton (`x.json`,
        `x.att`), or a Python predicate on words (`file.py:name`, with --alphabet).
    pe
        A position encoding to answer for: nope, ape, sinusoidal, rope, alibi or ipe; may be
        repeated. Default: all that the evidence speaks about.
    alphabet
        The symbols, e.g. abc; needed for a function.
    accept
        Where a language is read: end (behind the word), last (at the last letter) or predict
        (at every letter). Default: predict; end for functions.
    time_limit
        Seconds for everything; what is not finished is listed.
    store
        Directory of runs whose measurements are quoted; by default $LENGTHWISE_STORE or ./runs.
    scoreboard
        A file written by `lengthwise scoreboard`, for the expected reach; by default the one in
        the store, if there is one.
    explain
        Print the whole argument: every piece of evidence, programs and refutations.
    html
        Write everything as one self-contained page to this .html file.
    as_json
        Print everything as JSON, certificates included.
    """
    from lengthwise.predict import predict as predict_subject
    from lengthwise.studies.known_results import known_measurements

    measured, suite = known_measurements(store, subject, scoreboard)
    found = predict_subject(
        subject,
        encodings=pe,
        alphabet=alphabet,
        accept=accept,
        time_limit=time_limit,
        measurements=measured,
        suite=suite,
    )
    if html is not None:
        from lengthwise.report.prediction_page import save_page

        save_page(found, html)
        sys.stderr.write(f"page: {html}\n")
    if as_json:
        print_json(found.to_json())
    elif explain:
        from lengthwise.predict.card import explain as explanation

        console().print(explanation(found), markup=False, highlight=False)
    else:
        _print_card(found)


def _print_card(found: "Prediction") -> None:
    from lengthwise.predict.card import card, rows

    shown = rows(found)
    title = f"{found.subject} ({found.kind}): {found.question}"
    print_table(shown, title=title)
    for line in card(found):
        console().print(line, markup=False, highlight=False)


def scoreboard(
    *,
    suite: str = "huang2024",
    size: Literal["smoke", "laptop"] = "smoke",
    against: Literal["runs", "published"] = "runs",
    pe: Annotated[tuple[str, ...], Many] = ("nope", "ape"),
    count: Count = 30,
    seed: Seed = 0,
    store: Path | None = None,
    output: Path | None = None,
    report: Path | None = None,
    jobs: Count | None = None,
    time_limit: float = 60.0,
    dry_run: Flag = False,
    as_json: Json = False,
) -> None:
    """Hold predictions against measurements over a suite: who was right, and where not.

    Stopped runs continue and finished ones are not repeated when the command is given again.

    Example: lengthwise scoreboard --suite huang2024 --against published

    Parameters
    ----------
    suite
        huang2024 (25 published problems), random (regexes balanced over classes), or a file with
        one task or regular expression per line.
    size
        How much is trained: smoke (a test of the machinery, minutes) or laptop (hours).
    against
        Measurements to compare with: our runs, or the accuracies published with the suite.
    pe
        Position encodings to train and predict; may be repeated.
    count
        How many regexes the random suite has.
    seed
        Seed of the random suite.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    output
        Write the scoreboard to this .json file; by default scoreboard.json in the store.
    report
        Write the curves of all runs to this .html file.
    jobs
        Runs at the same time; by default as many as there are cores.
    time_limit
        Seconds for each prediction.
    dry_run
        Say what would be trained and how long it would take, and stop.
    as_json
        Print the scoreboard as JSON.
    """
    from lengthwise.runs.store import Store
    from lengthwise.studies import scoreboard as study
    from lengthwise.studies.known_results import FILE
    from lengthwise.studies.ladder import TRAINED
    from lengthwise.studies.suites import load_suite

    if report is not None and against == "published":
        raise InputError("--report shows curves of runs; --against published has none.")
    where = Store(store)
    longest = 150 if against == "published" else 3 * TRAINED[study.find_size(size)]
    tasks = load_suite(suite, longest=longest, count=count, seed=seed)
    if dry_run:
        wanted = study.problems(suite, tasks, pe, size)
        _print_plan(study.plan_runs(wanted, where, jobs), as_json)
        return
    found = study.predictions(tasks, pe, time_limit=time_limit, listen=_announce)
    if against == "published":
        board = study.published_board(suite, found, pe)
    else:
        board = _trained(suite, size, found, pe, where, jobs, report, quiet=as_json)
    target = output or (where.root / FILE if against == "runs" else None)
    if target is not None:
        study.save(board, target)
        sys.stderr.write(f"scoreboard: {target}\n")
    if as_json:
        print_json(board.to_json())
    else:
        _print_board(board)


def _announce(task: str) -> None:
    sys.stderr.write(f"predicting {task}\n")


def _trained(
    suite: str,
    size: str,
    found: "dict[str, Prediction]",
    pe: tuple[str, ...],
    where: Any,
    jobs: int | None,
    report: Path | None,
    *,
    quiet: bool,
) -> "Scoreboard":
    from lengthwise.cli.progress import show_progress
    from lengthwise.studies import scoreboard as study
    from lengthwise.studies.reproduce import train

    wanted = study.problems(suite, list(found), pe, size)
    with show_progress(quiet=quiet) as listener:
        evidence = train(
            lambda _, known: [run for problem in wanted for run in problem.runs(known)],
            size,
            where,
            jobs=jobs,
            on_progress=listener,
        )
    if report is not None:
        from lengthwise.report.predicted import plain
        from lengthwise.report.run_page import save_page
        from lengthwise.runs.store import load_result

        results = [load_result(where.find(record.spec.id)) for record in evidence.records]
        known = {task: plain(prediction) for task, prediction in found.items()}
        save_page(results, report, f"Scoreboard: {suite}, {size}", found=known)
        sys.stderr.write(f"page: {report}\n")
    return study.score(suite, size, found, evidence)


def _print_plan(plan: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    for name, value in plan.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        console().print(f"{name}: {shown}", markup=False, highlight=False)


def _print_board(board: "Scoreboard") -> None:
    print_table([_row(cell) for cell in board.cells], title=f"{board.suite}, {board.size}")
    encodings = dict.fromkeys(cell.encoding for cell in board.cells)
    print_table([_confusion(board, name) for name in encodings], title="predicted, measured")
    wrong = board.disagreements()
    console().print(
        f"{len(board.cells) - len(wrong)} of {len(board.cells)} cells agree "
        f"({board.agreement:.0%}).",
        highlight=False,
    )
    if wrong:
        print_table([_row(cell) for cell in wrong], title="disagreements, clearest first")


def _confusion(board: "Scoreboard", encoding: str) -> dict[str, Any]:
    table = board.confusion(encoding)
    return {k: f"{v:.1%}" if isinstance(v, float) else v for k, v in table.items()}


def _row(cell: "Cell") -> dict[str, Any]:
    return {
        "problem": cell.subject,
        "encoding": cell.encoding,
        "predicted": cell.predicted,
        "strength": cell.strength,
        "exact match": " / ".join(f"{value:.1%}" for value in cell.accuracy),
        "measured": "yes" if cell.held else "no",
        "margin": f"{cell.margin:.1%}",
        "agrees": "yes" if cell.agrees else "no",
        "curve": cell.source,
    }
