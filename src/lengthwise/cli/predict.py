"""``lengthwise predict``: verdicts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Json, console, print_json, print_table
from lengthwise.languages.convention import LanguageConvention

if TYPE_CHECKING:
    from lengthwise.predict.types import Prediction

Many = Parameter(consume_multiple=False, negative="")
Flag = Annotated[bool, Parameter(negative="")]


def predict(
    subject: str,
    *,
    encoding: Annotated[tuple[str, ...], Many] = (),
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    time_limit: float = 60.0,
    store: Path | None = None,
    scoreboard: Path | None = None,
    explain: Flag = False,
    report: Path | None = None,
    as_json: Json = False,
) -> None:
    """Predict whether a transformer trained on short inputs will work on long ones.

    Example: lengthwise predict '(aa)*' --explain

    Parameters
    ----------
    subject
        A regular expression, a task (`parity`), a program (`x.cr`), an automaton (`x.json`,
        `x.att`), or a Python predicate on words (`file.py:name`, with --alphabet). Write
        `regex:parity` for an expression that is also a name.
    encoding
        A position encoding to answer for: nope, ape, sinusoidal, rope, alibi or ipe; may be
        repeated. Default: all that the evidence speaks about.
    alphabet
        The symbols, e.g. abc; needed for a function.
    accept
        Where a language is read: end (behind the word), last (at the last letter) or predict
        (at every letter). Default: last. Tasks and programs say themselves.
    time_limit
        Seconds for everything; what is not finished is listed.
    store
        Directory of runs whose measurements are quoted; by default $LENGTHWISE_STORE or ./runs.
    scoreboard
        A file written by `lengthwise lab scoreboard`, for the expected reach; by default the one in
        the store, if there is one.
    explain
        Print the whole argument: every piece of evidence, programs and refutations.
    report
        Write everything as one self-contained page to this .html file.
    as_json
        Print everything as JSON, certificates included.
    """
    from lengthwise.predict import predict as predict_subject
    from lengthwise.studies import scoreboard as study

    measured, suite = study.known_measurements(store, subject, scoreboard)
    found = predict_subject(
        subject,
        encodings=encoding,
        alphabet=alphabet,
        accept=accept,
        time_limit=time_limit,
        measurements=measured,
        suite=suite,
    )
    if report is not None:
        from lengthwise.report.prediction_page import save_page

        save_page(found, report)
        sys.stderr.write(f"page: {report}\n")
    if as_json:
        print_json(found.to_json())
    elif explain:
        from lengthwise.predict.card import explain as explanation

        console().print(explanation(found), markup=False, highlight=False)
    else:
        _print_card(found)


def _print_card(found: "Prediction") -> None:
    from lengthwise.predict.card import card, rows

    if found.read:
        text = f"read: {found.read}"
        console().print(text, markup=False, highlight=False)
    shown = rows(found)
    title = f"{found.subject} ({found.kind}): {found.question}"
    print_table(shown, title=title)
    for line in card(found):
        console().print(line, markup=False, highlight=False)
