"""``predict``: verdicts, one per encoding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Sentence, Shown, writes
from lengthwise.api.verb import named, several, verb
from lengthwise.core.bounds import Seconds
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import LanguageConvention

if TYPE_CHECKING:
    from lengthwise.predict.types import Prediction, Verdict
    from lengthwise.report.document import Document


@dataclass(frozen=True)
class Predicted(Shown):
    """A prediction: as a card, or with the whole argument."""

    prediction: "Prediction"
    explain: bool = False
    training: "dict[str, Any] | None" = None
    """The length complexity of a language, as :func:`lengthwise.length` gives it."""

    @property
    def verdicts(self) -> "tuple[Verdict, ...]":
        """The answers, one per encoding."""
        return self.prediction.verdicts

    def verdict(self, encoding: str) -> "Verdict":
        """Return the answer for one encoding.

        Example:
            >>> predict("(aa)*").verdict("ape").answer
            'yes'
        """
        known = [verdict.encoding for verdict in self.verdicts]
        if encoding not in known:
            raise InputError(f"no verdict for {encoding!r}; there is one for {', '.join(known)}.")
        return self.prediction.verdict(encoding)

    def parts(self) -> Iterator[str | Rows]:
        """Yield the card, or the argument in words."""
        from lengthwise.predict import card

        found = self.prediction
        if self.explain:
            yield Sentence(card.explain(found))
            yield from map(Sentence, self._training())
            return
        if found.read:
            yield Sentence(f"read: {found.read}")
        yield Rows(card.rows(found), f"{found.subject} ({found.kind}): {found.question}")
        yield from map(Sentence, card.card(found))
        yield from map(Sentence, self._training())

    def laid_out(self) -> "Document":
        """Return what the page shows before anything is unfolded."""
        from lengthwise.report.document import unfolded
        from lengthwise.report.prediction_page import document

        return unfolded(document(self.prediction))

    def _training(self) -> Iterator[str]:
        """Yield how long training words must be: a line, or with its reasons."""
        if self.training is None:
            return
        from lengthwise.theory.length import length_words as words

        yield f"{words.training_line(self.training)}; `lengthwise length` shows the rivals"
        if self.explain:
            yield from words.sentences(self.training)

    def to_json(self) -> dict[str, Any]:
        """Return everything, certificates included."""
        return self.prediction.to_json() | {"training_length": self.training}

    @writes(".html", ".htm")
    def report(self, path: Path) -> None:
        """Write everything as one self-contained page to this .html file."""
        from lengthwise.report.prediction_page import save_page

        save_page(self.prediction, path)


@verb()
def predict(
    subject: str,
    *,
    encoding: Sequence[str] = (),
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    time_limit: Seconds = 30.0,
    store: Path | None = None,
    scoreboard: Path | None = None,
    explain: bool = False,
) -> Predicted:
    """Predict whether a transformer trained on short inputs will work on long ones.

    Example: lengthwise predict '(aa)*' --explain

    Args:
        subject: A regular expression, a task (`parity`), a program (`x.cr`), an automaton
            (`x.json`, `x.att`), or a Python predicate on words (`file.py:name`, with --alphabet).
            Write `regex:parity` for an expression that is also a name.
        encoding: A position encoding to answer for: nope, ape, sinusoidal, rope, alibi or ipe; may
            be repeated. Default: all that the evidence speaks about.
        alphabet: The symbols, e.g. abc; needed for a function.
        accept: Where a language is read: end (behind the word), last (at the last letter) or
            predict (at every letter). Default: last. Tasks and programs say themselves.
        time_limit: Seconds for everything; what is not finished is listed.
        store: Directory of runs whose measurements are quoted; by default $LENGTHWISE_STORE or
            ./runs.
        scoreboard: A file written by `lengthwise lab scoreboard`, for the expected reach; by
            default the one in the store, if there is one.
        explain: Print the whole argument: every piece of evidence, programs and refutations.
    """
    from lengthwise.predict.prediction import predict as predict_named
    from lengthwise.studies.known_results import known_suite

    text = named("predict", subject)
    found = predict_named(
        text,
        encodings=several(encoding),
        alphabet=alphabet,
        accept=accept,
        time_limit=time_limit,
        measurements=_measured(text, store),
        suite=known_suite(store, None if scoreboard is None else Path(scoreboard)),
    )
    if all(verdict.answer != "yes" for verdict in found.verdicts):  # a no needs no length
        return Predicted(found, explain)
    left = time_limit - found.seconds
    return Predicted(found, explain, _training_length(text, found.kind, alphabet, left))


COMPUTED = 0.5
"""Most seconds for the training length of a language that is not in the kept table."""


def _training_length(
    text: str, kind: str, alphabet: str | None, left: float
) -> "dict[str, Any] | None":
    """Return the length complexity: from the kept table, or computed in what time is left."""
    if kind == "function" or left < COMPUTED / 5:
        return None
    from lengthwise.api.length import target_of
    from lengthwise.core.limits import Limits
    from lengthwise.subjects import read_subject
    from lengthwise.theory.length.kept import look_up

    limits = Limits(min(left, COMPUTED))
    try:
        side, letters = target_of(read_subject(text, limits, alphabet=alphabet))
        known = look_up(side, letters)
    except InputError:
        return None
    if known is None and limits.left() > COMPUTED / 2:
        from lengthwise.theory.length.complexity import complexity
        from lengthwise.theory.length.length_record import record

        known = record(complexity(side, letters, limits))
    dropped = ("seconds", "key", "names", "order")
    return known and {name: value for name, value in known.items() if name not in dropped}


def _measured(text: str, store: Path | None) -> list[dict[str, Any]]:
    """Return what was measured on a task; nothing else is trained, and needs no store."""
    from lengthwise.subjects import name_subject

    read = name_subject(text)
    if read.kind != "task":
        return []
    from lengthwise.runs.finished import measured_rows
    from lengthwise.runs.store import Store

    return measured_rows(Store(store), read.text)
