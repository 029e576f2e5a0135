"""Holding a generating program against a task: its predictions where the task supervises.

A task's rows start with ``<bos>``, which is position 0 for a program unless it names that symbol.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.crasp.generation import predictions
from lengthwise.crasp.program import Program
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.words import Words

if TYPE_CHECKING:
    from lengthwise.tasks.base import Task

IGNORE = -100
BOS = "<bos>"


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
    skip = 0 if BOS in program.letters() else 1
    texts = [
        [task.vocabulary.text(int(token)) for token in row[skip:size]]
        for row, size in zip(batch.tokens, batch.size, strict=True)
    ]
    letters = tuple(dict.fromkeys((*program.letters(), *(s for text in texts for s in text))))
    found = predictions(program, Words.encode(texts, letters))
    outputs = [*program.next, "?"]
    wrong: list[int] = []
    for index, text in enumerate(texts):
        wanted = batch.targets[index, skip : skip + len(text)]
        for place in np.flatnonzero(wanted != IGNORE):
            said = outputs[found[index, place]] if found[index, place] >= 0 else None
            if said != task.vocabulary.text(int(wanted[place])):
                wrong.append(index)
                break
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
    batch = task.draw(np.random.default_rng(seed), low, max(low, longest), instances)
    for row, (tokens, targets) in enumerate(zip(batch.tokens, batch.targets, strict=True)):
        places = np.flatnonzero(targets[: batch.size[row]] != IGNORE)
        for place in places if answers.read == "labels" else places[:1]:
            start = int(tokens[0] == vocabulary.bos)
            end = int(place) + int(tokens[place] != vocabulary.sep)
            word = [vocabulary.text(int(token)) for token in tokens[start:end]]
            known = set(word) <= set(answers.automaton.alphabet)
            if not known or answers.answer(word) != vocabulary.text(int(targets[place])):
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
