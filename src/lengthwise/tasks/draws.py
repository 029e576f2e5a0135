"""One look at what a task draws, before anything is trained on it.

A task is often a user's own class. What would otherwise train in silence on nonsense, or fail deep
inside a model, is said in a line that names the class, the field and what was expected.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.fixed import FixedSet

ROWS = 16
FIELDS = ("tokens", "targets", "length", "size")


def check_draws(task: Task, low: int, high: int, *, once: bool = False) -> Batch:
    """Draw a batch of some lengths, refuse it if it is not what a task promises, and return it.

    ``once`` asks for more: one target in each row, at its end, as models need that look both ways.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> len(check_draws(load_task("parity"), 1, 5).size)
        16
    """
    if isinstance(task, FixedSet):  # to draw the whole set takes long, and it is drawn from this
        task = task.inner
    where = f"task {task.name!r}, {type(task).__name__}"
    try:
        lengths = task.draw_lengths(np.random.default_rng(0), low, high, ROWS)
        batch, again = (task.sample(np.random.default_rng(1), lengths.copy()) for _ in range(2))
        most = {int(length): task.max_tokens(int(length)) for length in np.unique(lengths)}
    except (InputError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise InputError(f"{where}: raised {type(error).__name__}: {error}") from error
    if not isinstance(batch, Batch):
        raise InputError(f"{where}.sample: returned {type(batch).__name__}, not a Batch.")
    for problem in chain(_shapes(batch, len(lengths)), _values(task, batch, lengths, most)):
        raise InputError(f"{where}.sample: {problem}")
    if not all(np.array_equal(getattr(batch, f), getattr(again, f)) for f in FIELDS):
        raise InputError(
            f"{where}.sample: two calls with equal generators differ; draw from rng and nothing "
            "else, and change nothing."
        )
    if once and not _asks_once(batch):
        raise InputError(
            f"{where}: a bidirectional model sees whole rows, so a task must ask once, at the end "
            f"of each; label:{task.name} asks for a single answer this way."
        )
    return batch


def _shapes(batch: Batch, rows: int) -> Iterator[str]:
    """Say what is wrong with the arrays as arrays; the first problem is enough."""
    for name in FIELDS:
        values, axes = getattr(batch, name), 2 if name in ("tokens", "targets") else 1
        if not (isinstance(values, np.ndarray) and values.dtype == np.int64):
            kind = getattr(values, "dtype", type(values).__name__)
            yield f"{name} are {kind}, a numpy array of int64 was expected."
        elif values.ndim != axes:
            yield f"{name} have shape {values.shape}, {axes} axes were expected."
        elif len(values) != rows:
            yield f"{name} have {len(values)} rows, {rows} lengths were asked for."
    if batch.targets.shape != batch.tokens.shape:
        yield (
            f"targets have shape {batch.targets.shape} and tokens {batch.tokens.shape}; each token "
            "has a target, -100 where nothing is asked."
        )


def _values(
    task: Task, batch: Batch, lengths: Int[np.ndarray, "b"], most: dict[int, int]
) -> Iterator[str]:
    """Say what is wrong with what the arrays hold, given that their shapes are right."""
    column, width = np.arange(batch.tokens.shape[1]), batch.tokens.shape[1]
    if (batch.length != lengths).any():
        row = int(np.argmax(batch.length != lengths))
        yield f"length says {batch.length[row]} where {lengths[row]} was asked for."
    if (batch.size < 1).any() or (batch.size > width).any():
        sizes = f"{batch.size.min()} to {batch.size.max()}"
        yield f"size goes from {sizes}; tokens have {width} columns."
    inside, symbols = column < batch.size[:, None], len(task.vocabulary)
    for name, used in (("tokens", inside), ("targets", batch.supervised)):
        values = getattr(batch, name)[used]
        bad = values[(values < 0) | (values >= symbols)]
        if len(bad):
            yield f"{name} hold {bad[0]}; the vocabulary has ids 0 to {symbols - 1}."
    if (batch.supervised & ~inside).any():
        yield "targets are asked for behind the end of a row; size says where it ends."
    if not batch.supervised.any(axis=1).all():
        row = int(np.argmin(batch.supervised.any(axis=1)))
        yield f"targets of a row of length {lengths[row]} ask for nothing; one at least must."
    room = np.array([most[int(length)] for length in lengths])
    if (batch.size > room).any():
        row = int(np.argmax(batch.size > room))
        yield (
            f"a row of length {lengths[row]} has {batch.size[row]} tokens, but "
            f"max_tokens({lengths[row]}) is {room[row]}."
        )


def _asks_once(batch: Batch) -> bool:
    asked = batch.supervised.sum(axis=1) == 1
    return bool(asked.all() and (np.argmax(batch.supervised, axis=1) == batch.size - 1).all())
