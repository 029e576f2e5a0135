"""The driver: candidates of every kind, judged, priced and ranked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.languages.convention import LanguageConvention
from lengthwise.predict.prediction import predict, predict_subject, read_in_time
from lengthwise.predict.types import STRENGTHS, Prediction, Verdict
from lengthwise.proposals import KINDS, ChangedTask, Unsatisfied
from lengthwise.proposals.writer_weights import LARGEST_TEXT, WriterWeights, writer_weights
from lengthwise.subjects import as_task
from lengthwise.tasks import load_task
from lengthwise.tasks.base import Task

EXAMPLES = 3
MOST_TIME = 1 / 6
"""Share of the time for the judgement of one candidate."""
PRICED_AT = 40
"""Length of the inputs whose tokens are counted."""
_ORDER = list(STRENGTHS)


@dataclass(frozen=True)
class Proposal:
    """A changed task: what changed, what is predicted, what it costs, what writes it."""

    kind: str
    task: str
    change: str
    prediction: Prediction
    examples: tuple[str, ...] = ()
    tokens: float | None = None
    """Tokens for each symbol of the input, all that is written included."""
    longest: int | None = None
    """The longest input there is, where marks run out."""
    program: str | None = None
    weights: WriterWeights | None = None
    made: Task | None = field(default=None, repr=False, compare=False)
    """The changed task itself, with the program and the tables that it has made by now."""

    @property
    def yes(self) -> tuple[Verdict, ...]:
        """The encodings for which the changed task is a yes, best known first."""
        found = [v for v in self.prediction.verdicts if v.answer == "yes"]
        return tuple(sorted(found, key=lambda v: _ORDER.index(v.strength or "measured")))

    @property
    def window(self) -> int:
        """How many symbols back its program looks."""
        return int(self.prediction.facts.get("window") or 0)

    @property
    def rank(self) -> tuple[float, ...]:
        """What is known best comes first, then inputs as they are, less counting, fewer tokens."""
        best = _ORDER.index(self.yes[0].strength or "measured") if self.yes else len(_ORDER)
        depth, size = int(self.prediction.facts.get("depth") or 0), len(self.program or "")
        other = self.kind == "format"
        return best, other, depth, self.window, self.tokens or float("inf"), size

    def helps(self, encoding: str = "") -> bool:
        """Whether it is a yes with an encoding, or with any."""
        return any(encoding in ("", verdict.encoding) for verdict in self.yes)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, certificates included."""
        return {
            "kind": self.kind,
            "task": self.task,
            "change": self.change,
            "verdicts": [verdict.to_json() for verdict in self.prediction.verdicts],
            "evidence": [item.to_json() for item in self.prediction.evidence],
            "examples": list(self.examples),
            "tokens": self.tokens,
            "longest": self.longest,
            "shown": self.prediction.facts.get("shown"),
            "layers": None if self.weights is None else self.weights.layers,
            "program": self.program,
            "weights": None if self.weights is None else self.weights.to_json(),
        }


@dataclass(frozen=True)
class Improvement:
    """What was predicted for a subject, and the changes that were tried, best first."""

    before: Prediction
    question: str
    """The bare question that proposals answer too, as a task to compare with; empty if none."""
    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...]

    @property
    def satisfied(self) -> bool:
        """Whether nothing has to change: every encoding is a yes already."""
        return all(verdict.answer == "yes" for verdict in self.before.verdicts)

    @property
    def best(self) -> Proposal | None:
        """The first proposal that is a yes for some encoding."""
        return self.best_for("")

    def best_for(self, encoding: str) -> Proposal | None:
        """The first proposal that is a yes for an encoding; for any, if nothing is known of it."""
        said = {v.encoding for one in self.proposals for v in one.prediction.verdicts}
        encoding = encoding if encoding in said else ""
        return next((proposal for proposal in self.proposals if proposal.helps(encoding)), None)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "subject": self.before.subject,
            "before": [verdict.to_json() for verdict in self.before.verdicts],
            "satisfied": self.satisfied,
            "question": self.question or None,
            "proposals": [proposal.to_json() for proposal in self.proposals],
            "notes": list(self.notes),
        }


def improve(
    text: str,
    *,
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    time_limit: float = 30.0,
) -> Improvement:
    """Propose changes of a subject and judge each as the task that it is.

    Args:
        text: what the command line takes; see ``subjects.read_subject``.
        alphabet: the symbols, where the subject itself does not say.
        accept: where a language is read.
        time_limit: seconds for everything; what cannot be judged within is named in the notes.

    Example:
        >>> improve("parity", time_limit=20).best.task
        'steps:parity;every=1'
    """
    clock = Limits(time_limit)
    before = predict(text, alphabet=alphabet, accept=accept, time_limit=clock.left() / 4)
    if all(verdict.answer == "yes" for verdict in before.verdicts):
        return Improvement(before, "", (), ())
    task, notes = _task(text, before.kind)
    extra = alphabet or "" if before.kind == "regex" else ""
    asked = Unsatisfied(task, before, extra)
    judged = _judged(asked, clock, notes)
    ranked = sorted(judged, key=lambda proposal: proposal.rank)
    return Improvement(before, _question(ranked), tuple(_built(ranked, clock)), tuple(notes))


def _judged(asked: Unsatisfied, clock: Limits, notes: list[str]) -> list[Proposal]:
    """Judge every change as far as the time goes; note what was left out."""
    found: list[Proposal] = []
    open_: list[ChangedTask] = []
    try:
        with clock.alarm("the proposals"):
            open_ = _candidates(asked, notes)
            while open_:
                share = min(MOST_TIME * (clock.seconds or 1.0), 0.7 * clock.left() / len(open_))
                try:
                    found.append(_judge(open_[0], asked, min(clock.left(), max(1.0, share))))
                except InputError as error:  # not read in time, or with a name that cannot be
                    notes.append(str(error))
                open_ = open_[1:]
    except LimitReachedError as error:
        left = ", ".join(one.task for one in open_) or "any change"
        notes.append(f"{error}, before {left} was judged")
    return found


def _task(text: str, kind: str) -> tuple[str, list[str]]:
    """Return the task that is changed; without one say what is missing."""
    if kind == "function":
        return "", [
            "a function has no states to write: give its automaton as a file (x.json) or a regular "
            "expression; `lengthwise decide` names the automaton that it learns from a function."
        ]
    if kind == "program":
        return "", [
            "a program has no instances to train on: give the task that it solves, or an automaton."
        ]
    return as_task(text), []


def _candidates(asked: Unsatisfied, notes: list[str]) -> list[ChangedTask]:
    """Ask every kind of change; where one cannot be made, note why."""
    found: list[ChangedTask] = []
    for name in KINDS:
        try:
            found += KINDS.load(name)(asked)
        except InputError as error:
            note = str(error)
            if note not in notes:
                notes.append(note)
        if found and found[0].kind == "encoding" and _proved(asked.before):
            return found  # another encoding is enough
    return found


def _proved(prediction: Prediction) -> bool:
    """Whether some encoding is a yes that does not rest on a conjecture."""
    return any(v.answer == "yes" and v.strength != "conjecture" for v in prediction.verdicts)


def _judge(candidate: ChangedTask, asked: Unsatisfied, seconds: float) -> Proposal:
    """Predict the changed task, draw examples, count tokens."""
    made = Proposal(candidate.kind, candidate.task, candidate.change, asked.before)
    task: Task | None = None
    if candidate.task not in (asked.task, asked.before.subject):
        clock = Limits(seconds)
        subject = read_in_time(candidate.task, clock)
        made, task = replace(made, prediction=predict_subject(subject, clock)), subject.task
    if candidate.encodings:
        kept = [v for v in made.prediction.verdicts if v.encoding in candidate.encodings]
        made = replace(made, prediction=replace(made.prediction, verdicts=tuple(kept)))
    if not asked.task or (asked.before.kind != "task" and candidate.task == asked.before.subject):
        return made  # judged as a language, not as a task
    if task is None:
        task = asked.load() if candidate.task == asked.task else load_task(candidate.task)
    program = _program_of(task) if made.yes else None
    return replace(
        made,
        examples=_examples(task),
        tokens=_tokens(task),
        longest=task.longest,
        program=None if program is None else str(program),
        made=task,
    )


def _program_of(task: Task) -> Any | None:
    return task.program if task.program is not None and task.program.is_generator else None


def _examples(task: Task) -> tuple[str, ...]:
    lengths = task.possible_lengths(task.min_length, 12)
    if not len(lengths):
        return ()
    chosen = lengths[np.linspace(len(lengths) // 2, len(lengths) - 1, EXAMPLES).astype(int)]
    return tuple(task.render(task.sample(np.random.default_rng(0), chosen)))


def _tokens(task: Task) -> float | None:
    lengths = task.possible_lengths(1, PRICED_AT)
    if not len(lengths):
        return None
    batch = task.sample(np.random.default_rng(0), np.full(16, lengths[-1]))
    return round(float(batch.size.mean() / batch.length.mean()), 2)


def _question(ranked: Sequence[Proposal]) -> str:
    """Return the question of steps inside without steps: same words, same answer."""
    steps = next((p.task for p in ranked if p.kind == "steps inside"), None)
    return "" if steps is None else f"{steps.partition(';every=')[0]};every=0"


def _built(ranked: Sequence[Proposal], clock: Limits) -> list[Proposal]:
    """Compile the programs of proposals that are a yes, best first, as long as there is time."""
    found: list[Proposal] = []
    for number, proposal in enumerate(ranked):
        task = proposal.made if proposal.program is not None and proposal.yes else None
        program = None if task is None else _program_of(task)
        too_large = len(proposal.program or "") > LARGEST_TEXT
        if (
            task is None
            or program is None
            or too_large
            or (number and clock.left() < clock.spent())
        ):
            found.append(proposal)
        else:
            found.append(_built_in_time(proposal, task, program, clock))
    return found


def _built_in_time(proposal: Proposal, task: Task, program: Any, clock: Limits) -> Proposal:
    try:
        with clock.alarm("weights"):
            return replace(proposal, weights=writer_weights(task, program))
    except LimitReachedError:
        return proposal
