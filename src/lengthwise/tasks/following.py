"""Holding a generating program against a task: its predictions where the task supervises.

A task's rows start with ``<bos>``, which is position 0 for a program unless it names that symbol.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.program import Program
from lengthwise.crasp.writers import predictions
from lengthwise.crasp.writing.examples import AskedTexts
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.words import Words

if TYPE_CHECKING:
    from lengthwise.tasks.base import Task
    from lengthwise.tasks.batch import Batch

IGNORE = -100
BOS, SEP = "<bos>", "<sep>"


@dataclass(frozen=True)
class TaskReport:
    """How many drawn instances a program solves, and the first that it does not."""

    task: str
    instances: int
    solved: int
    shortest: int
    longest: int
    mistake: str | None

    @property
    def agrees(self) -> bool:
        """Whether all were solved."""
        return self.mistake is None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)

    def sentence(self) -> str:
        """Say in one sentence what was found."""
        span = f"of length {self.shortest} to {self.longest}"
        if self.mistake is None:
            return f"solves all {self.instances:,} drawn instances {span} (sampled, not proved)."
        return f"solves {self.solved:,} of {self.instances:,} instances {span}; not: {self.mistake}"


def examples_of(task: "Task", batch: "Batch", *, bos: bool = False) -> AskedTexts:
    """Return the texts of a batch and what is asked in them.

    ``<bos>`` is left out unless wanted or asked about, as programs count positions behind it.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("repeat-copy")
        >>> batch = task.draw(np.random.default_rng(0), 1, 1, 1)
        >>> examples_of(task, batch).texts[0][1]
        '<sep>'
    """
    vocabulary = task.vocabulary
    marked = batch.targets != IGNORE
    starts = bool((batch.tokens[:, 0] == vocabulary.bos).all())
    skip = int(starts and not bos and not marked[:, 0].any())
    texts: list[tuple[str, ...]] = []
    asked: list[dict[int, str]] = []
    for row, size in enumerate(batch.size.tolist()):
        places = np.flatnonzero(marked[row, :size]).tolist()
        texts.append(tuple(vocabulary.text(int(t)) for t in batch.tokens[row, skip:size]))
        asked.append({t - skip: vocabulary.text(int(batch.targets[row, t])) for t in places})
    return AskedTexts(texts, asked)


def mistakes(program: Program, examples: AskedTexts) -> list[int]:
    """Return the numbers of the texts in which a program says something else than is asked."""
    letters = dict.fromkeys((*program.letters(), *(s for text in examples.texts for s in text)))
    outputs = list(program.next)
    found = predictions(program, Words.encode(examples.texts, tuple(letters)))
    return [
        row
        for row, asked in enumerate(examples.asked)
        if any(
            found[row, place] < 0 or outputs[found[row, place]] != token
            for place, token in asked.items()
        )
    ]


def check_task(
    program: Program, task: "Task", *, instances: int = 1_000, longest: int = 50, seed: int = 0
) -> TaskReport:
    """Draw instances of a task and compare every supervised prediction.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> from lengthwise.crasp.library import load
        >>> report = check_task(load("generate-binary-majority"), load_task("binary-majority"))
        >>> report.solved == report.instances
        True
    """
    _same_symbols(program, task)
    low = task.min_length
    batch = task.draw(np.random.default_rng(seed), low, max(low, longest), instances)
    examples = examples_of(task, batch, bos=BOS in program.letters())
    wrong, texts = mistakes(program, examples), examples.texts
    lengths = batch.length
    mistake = task.render(batch)[min(wrong, key=lambda row: lengths[row])] if wrong else None
    return TaskReport(
        task.name,
        len(texts),
        len(texts) - len(wrong),
        int(lengths.min()),
        int(lengths.max()),
        mistake,
    )


def check_answers(
    answers: RegularAnswers, task: "Task", *, instances: int = 200, longest: int = 40, seed: int = 0
) -> str | None:
    """Hold declared answers against drawn instances; return the first that differs, or None.

    Labels are compared wherever the task supervises, answers at the first supervised position.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity")
        >>> check_answers(task.answers, task) is None
        True
    """
    low, vocabulary = task.min_length, task.vocabulary
    known = set(answers.automaton.alphabet)
    shown = SEP in known
    batch = task.draw(np.random.default_rng(seed), low, max(low, longest), instances)
    for row, (tokens, targets) in enumerate(zip(batch.tokens, batch.targets, strict=True)):
        places = np.flatnonzero(targets[: batch.size[row]] != IGNORE).tolist()
        places = places if answers.read == "labels" else places[:1]
        start = int(tokens[0] == vocabulary.bos)
        ends = [place + int(tokens[place] != vocabulary.sep or shown) for place in places]
        asked = [vocabulary.text(target) for target in targets[places].tolist()]
        word = [vocabulary.text(token) for token in tokens[start : max(ends, default=0)].tolist()]
        if not known.issuperset(word):
            return task.render(batch)[row]
        said = answers.along(word)
        if asked != [said[end - start] for end in ends]:
            return task.render(batch)[row]
    return None


def _same_symbols(program: Program, task: "Task") -> None:
    missing = [s for s in task.vocabulary.symbols if s not in program.letters()]
    if missing:
        shown = " ".join(missing[:8])
        raise InputError(
            f"task {task.name!r} has symbols the program does not know ({shown}); "
            "choose the task's options so that they agree."
        )
