"""The 25 problems of Huang et al. (2024) with the published settings.

Section 6 and appendix E of the paper, and the authors' code. At smaller sizes the same problems are
trained by the recipe (``trained_cells``).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from lengthwise.records.outcomes import FITTED
from lengthwise.studies.tuning import Attempt, Problem
from lengthwise.tasks.formal.lengths import LANGUAGES, windows

ENCODINGS = ("ape", "nope")
ALGORITHMIC = (
    *("binary-majority", "majority", "interleaved-majority", "sort"),
    *("unique-copy", "repeat-copy", "parity", "addition"),
)
FORMAL = (
    *("aa-star", "aaaa-star", "abab-star", "tomita-3", "tomita-5", "tomita-6"),
    *("d-2", "d-3", "d-4", "d-12", "tomita-1", "tomita-2", "tomita-4", "tomita-7"),
    *("abcde", "ab-d-bc", "zero-twos"),
)
PROBLEMS = (*ALGORITHMIC, *FORMAL)
assert set(FORMAL) == set(LANGUAGES)
SYMBOLS = ("sort", "unique-copy")
"""Tasks with as many symbols as the longest input."""
COPIES = ("unique-copy", "repeat-copy", "addition")
"""Tasks whose answers are long."""
LENGTHS = {**dict.fromkeys(COPIES, 10), "zero-twos": 50}
"""Training lengths on a laptop where they are not the usual one; 50 is as published, because the
failure of this language needs runs of symbols that short inputs lack."""


def cell(problem: str, encoding: str, prefix: str = "cell") -> str:
    """Name the group of runs of one problem with one encoding."""
    return f"{prefix}/{problem}/{encoding}"


def named(name: str, longest: int) -> str:
    """Return the task of a problem whose inputs have at most this length."""
    return f"{name}:symbols={longest}" if name in SYMBOLS else name


def problems() -> Iterator[Problem]:
    """Yield every problem with both encodings, in the order of the published tables."""
    for name, encoding in product(PROBLEMS, ENCODINGS):
        kind = _published_language if name in FORMAL else _published
        yield kind(name, encoding)


def regularised() -> Iterator[Problem]:
    """Yield the problems trained with the regulariser as well (learned positions only)."""
    for problem in problems():
        if problem.encoding == "ape":
            group = problem.group.replace("cell", "regularised")
            yield replace(problem, group=group, regularize=1e-4)


def distance_copies() -> Iterator[Problem]:
    """Yield copying at distances 1 to 3 (appendix G.7)."""
    for distance, encoding in product((1, 2, 3), ENCODINGS):
        yield _far(distance, encoding)


_GRID = tuple(
    Attempt(
        layers=layers,
        heads=heads,
        width=width,
        rate=rate,
        steps=30_000,
        decayed="weights",
        evaluate_every=3000,
        stop_when_perfect=True,
    )
    for layers, heads, width, rate in product((1, 2, 4), (1, 2, 4), (16, 64, 256), (1e-3, 1e-4))
)
_BIG = tuple(
    Attempt(
        layers=12,
        heads=12,
        width=768,
        rate=rate,
        steps=60_000,
        warmup=3000,
        decayed="weights",
        evaluate_every=3000,
        stop_when_perfect=True,
        last_resort=True,
    )
    for rate in (1e-4, 3e-5)
)
_TRAINING_SETS = {"aa-star": 40, "aaaa-star": 125, "abab-star": 125, "d-2": 200}
_TRAINING_SETS |= {"tomita-1": 1000, "tomita-2": 1000}
"""Instances in the authors' training sets; 10,000 where nothing is said."""


def _published(name: str, encoding: str) -> Problem:
    return Problem(
        group=cell(name, encoding),
        task=named(name, 150),
        encoding=encoding,
        trained=(0, 50),
        tests=((51, 100), (101, 150)),
        instances=2000,
        attempts=(*_GRID, *_BIG),
        enough=(1.0, 1.0),
    )


def _published_language(name: str, encoding: str) -> Problem:
    lengths = windows(name, faithful=True)
    size = _TRAINING_SETS.get(name, 10_000)
    return Problem(
        group=cell(name, encoding),
        task=f"fixed:{name}:distribution=published;size={size}",
        encoding=encoding,
        trained=lengths.train,
        tests=lengths.bins[1:],
        instances=2000,
        attempts=tuple(_language_grid(name, size)),
        enough=(1.0, 1.0),
    )


def _language_grid(name: str, size: int) -> Iterator[Attempt]:
    deep = (6,) if name == "aaaa-star" or name in {f"tomita-{n}" for n in range(2, 8)} else ()
    layers = (4, 6) if name == "abab-star" else (1, 2, 4, *deep)
    widths = (32,) if name in ("aa-star", "ab-d-bc", "tomita-1") else (32, 64)
    heads = (2, 4) if name == "abab-star" else (1, 2, 4)
    batch = 4 if name == "abab-star" else 16
    epochs = 150 if name in ("abab-star", "tomita-5") else 100
    steps = max(1, size * epochs // batch)
    for depth, width, count in product(layers, widths, heads):
        yield Attempt(
            layers=depth,
            heads=count,
            width=width,
            rate=1e-5,
            steps=steps,
            batch=batch,
            weight_decay=0.1,
            schedule="constant",
            evaluate_every=max(1, steps // 10),
        )


def _far(distance: int, encoding: str) -> Problem:
    layers, heads = ((2,), (1,)) if encoding == "ape" else ((2, 3, 4, 5), (1, 2, 4))
    attempts = tuple(
        Attempt(
            layers=depth,
            heads=count,
            width=width,
            rate=rate,
            steps=30_000,
            warmup=1500,
            decayed="weights",
            dropout=dropout,
            evaluate_every=3000,
        )
        for depth, count, width, rate, dropout in product(
            layers, heads, (64, 256, 512), (1e-3, 1e-4), (0.0, 0.1)
        )
    )
    return Problem(
        group=cell(f"distance-{distance}", encoding, "distance-copy"),
        task=f"distance-copy:distance={distance}",
        encoding=encoding,
        trained=(distance, 50),
        tests=((51, 100), (101, 150)),
        instances=5000,
        attempts=attempts,
        enough=(FITTED, 1.0),
    )
