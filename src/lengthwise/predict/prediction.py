"""The driver: gather evidence within the time limit, then one verdict per encoding."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.convention import LanguageConvention
from lengthwise.predict.advice import advise
from lengthwise.predict.classes import ENCODINGS, links
from lengthwise.predict.combine import combine
from lengthwise.predict.providers import PROVIDERS, SPEAKS_OF, Context
from lengthwise.predict.reach import expected_reach
from lengthwise.predict.types import Evidence, Prediction, Reach
from lengthwise.subjects import Kind, Subject, read_subject

if TYPE_CHECKING:
    from lengthwise.subjects.guard import GuardedFunction

TIME_LIMIT = 30.0
Provider = Callable[[Context], list[Evidence]]


def predict(
    text: str,
    *,
    encodings: Sequence[str] = (),
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    time_limit: float = TIME_LIMIT,
    measurements: Sequence[Mapping[str, Any]] = (),
    suite: Sequence[Mapping[str, Any]] = (),
) -> Prediction:
    """Predict length generalization of a regex, file, task or function, per encoding.

    Args:
        text: what the command line takes; see ``subjects.read_subject``.
        encodings: which to answer for; default: all that anything is known about.
        alphabet: the symbols, where the subject itself does not say.
        accept: where a language is read: ``end``, ``last`` (default) or ``predict``.
        time_limit: seconds for everything; what is not finished is listed as skipped.
        measurements: our runs as plain rows (see ``providers.measurements``).
        suite: rows of a measured suite for the expected reach (see ``reach``).

    Example:
        >>> found = predict("(aa)*")
        >>> found.verdict("nope").answer, found.verdict("ape").answer
        ('no', 'yes')
    """
    for name in encodings:
        links(name)
    clock = Limits(time_limit)
    subject = read_in_time(text, clock, alphabet=alphabet, accept=accept)
    return predict_subject(
        subject, clock, encodings=encodings, measurements=measurements, suite=suite
    )


def read_in_time(text: str, clock: Limits, **reading: Any) -> Subject:
    """Read a subject within its time; ``reading`` is what ``read_subject`` takes beside it."""
    try:
        with clock.alarm("the reading of the subject"):
            return read_subject(text, clock, **reading)
    except LimitReachedError:
        raise InputError(
            f"{text[:60]!r} could not be read within {clock.seconds:g} s; give it more "
            "--time-limit or something smaller."
        ) from None


def predict_subject(
    subject: Subject,
    clock: Limits,
    *,
    encodings: Sequence[str] = (),
    measurements: Sequence[Mapping[str, Any]] = (),
    suite: Sequence[Mapping[str, Any]] = (),
) -> Prediction:
    """Predict for a subject that was read already."""
    context = Context(subject, clock, [dict(row) for row in measurements])
    skipped: list[str] = []
    try:
        for name, provider in loaded_providers(subject.kind):
            note = _gather(name, provider, context)
            if note:
                skipped.append(note)
        if subject.function is not None:
            skipped += _ask_again(subject.function)
    finally:
        subject.close()
    return _conclude(context, encodings, suite, skipped)


def _ask_again(function: "GuardedFunction") -> list[str]:
    """Refuse a function that changes its answers; say when there was no time to find out."""
    try:
        function.confirm(seed=1)
    except LimitReachedError:
        return ["asking the function again: no time was left"]
    return []


@cache
def loaded_providers(kind: Kind) -> tuple[tuple[str, Provider], ...]:
    """Return the providers that speak of a kind of subject, in order; looked up once."""
    names = [name for name in PROVIDERS if kind in SPEAKS_OF.get(name, (kind,))]
    return tuple((name, PROVIDERS.load(name)) for name in names)


def _gather(name: str, provider: Provider, context: Context) -> str | None:
    """Run one provider under an alarm; return why it was skipped, if it was."""
    short = name.partition(" ")[2]
    if context.clock.over:
        return f"{short}: no time was left"
    try:
        with context.clock.alarm(short):
            context.found += provider(context)
    except LimitReachedError:
        return f"{short}: not finished within the time limit"
    return None


def _conclude(
    context: Context,
    encodings: Sequence[str],
    suite: Sequence[Mapping[str, Any]],
    skipped: Sequence[str],
) -> Prediction:
    subject, found = context.subject, context.found
    verdicts = tuple(combine(subject.name, name, found) for name in encodings or _encodings(found))
    draft = Prediction(
        subject.name,
        subject.kind,
        subject.question,
        verdicts,
        tuple(found),
        (),
        tuple(advise(verdicts, found)),
        tuple(skipped),
        context.clock.spent(),
        subject.function.sentence if subject.function is not None else "",
    )
    reach: list[Reach] = []
    for verdict in verdicts:
        estimate = expected_reach(verdict, draft.facts, suite)
        if estimate is not None:
            reach.append(estimate)
    return Prediction(**{**vars(draft), "reach": tuple(reach)})


def _encodings(found: Sequence[Evidence]) -> list[str]:
    """All encodings that the programs' theory covers; the ideal relation only with a circuit."""
    circuit = any(name.startswith("src:") for item in found for name in item.claims)
    return [name for name in ENCODINGS if name != "ipe" or circuit]
