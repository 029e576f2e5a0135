"""What a program or a model that writes must be given, and a first word to give it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.evaluation.answers import is_generated
from lengthwise.tasks import TASKS
from lengthwise.tasks.base import Task
from lengthwise.tasks.vocabulary import EOS, SEP

if TYPE_CHECKING:
    from lengthwise.crasp import Program
    from lengthwise.records.spec import RunSpec

TOKENS = 7
"""About how many symbols a first word has."""
BEHIND = (
    f"{SEP} is the separator: it ends the input. Write the input, then {SEP}; what comes behind it "
    f"is the answer, and {EOS} ends that."
)


def writes(program: "Program") -> str:
    """Explain a program that writes; nothing for one that accepts.

    Example:
        >>> from lengthwise.crasp import library
        >>> writes(library.load("generate-majority"))[:40]
        'This program writes: at every position i'
    """
    if not program.is_generator:
        return ""
    said = "This program writes: at every position it says which symbol may come next."
    return f"{said} {BEHIND}" if SEP in program.letters() else said


def example_word(program: "Program") -> tuple[str, ...]:
    """Return a short word over a program's letters; the separator stands last."""
    letters = [letter for letter in program.letters() if not letter.startswith(("<", "{"))]
    word = (letters * TOKENS)[: TOKENS - 3]
    return (*word, *([SEP] if SEP in program.letters() else []))


def example_of(spec: "RunSpec | None") -> dict[str, Any]:
    """Return a first word for a trained run, and what its answer looks like.

    A task in a Python file is not loaded, as that would run the file.
    """
    if spec is None or ".py" in str(spec.task):
        return {"example": "", "writes": ""}
    task = spec.task.build(TASKS, Task)
    lengths = task.possible_lengths(1, max(TOKENS, spec.training.length[1]))
    length = int(lengths[min(TOKENS, len(lengths)) - 1])
    batch = task.sample(np.random.default_rng(0), np.array([length]))
    text = [task.vocabulary.text(int(token)) for token in batch.tokens[0, : int(batch.size[0])]]
    if not is_generated(batch):
        said = "At every position the model says a label."
        return {"example": " ".join(text), "writes": said}
    first = int(np.flatnonzero(batch.supervised[0])[0])
    return {"example": " ".join(text[: first + 1]), "writes": BEHIND if SEP in text else ""}
