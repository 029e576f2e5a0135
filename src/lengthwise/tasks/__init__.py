"""What is learned: tasks by name, each a frozen value that samples batches with numpy."""

from lengthwise.registry import Registry
from lengthwise.tasks.base import Task as Task
from lengthwise.tasks.batch import IGNORE as IGNORE
from lengthwise.tasks.batch import Batch as Batch
from lengthwise.tasks.vocabulary import Vocabulary as Vocabulary

_ALGORITHMIC = "lengthwise.tasks.algorithmic"

TASKS = Registry(
    "task",
    "lengthwise.tasks",
    {
        "addition": f"{_ALGORITHMIC}.addition:Addition",
        "binary-majority": f"{_ALGORITHMIC}.majority:BinaryMajority",
        "interleaved-majority": f"{_ALGORITHMIC}.interleaved:InterleavedMajority",
        "majority": f"{_ALGORITHMIC}.majority:Majority",
        "parity": f"{_ALGORITHMIC}.parity:Parity",
        "repeat-copy": f"{_ALGORITHMIC}.copying:RepeatCopy",
        "sort": f"{_ALGORITHMIC}.copying:Sort",
        "unique-copy": f"{_ALGORITHMIC}.copying:UniqueCopy",
    },
)


def load_task(text: str) -> Task:
    """Build a task from its name, ``name:option=value,...`` or ``file.py:Class``.

    Example:
        >>> load_task("majority:letters=3").vocabulary.symbols[:3]
        ('a', 'b', 'c')
    """
    from lengthwise.components import Component

    return Component.parse(text, TASKS).build(TASKS, Task)
