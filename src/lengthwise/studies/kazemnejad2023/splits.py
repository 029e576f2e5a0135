"""The 17 splits of Kazemnejad et al. (2023) and the other runs of the study, at every size.

Published settings: sections 3 to 4 and appendices D to F of the paper and the authors' code. The
laptop settings shorten the training lengths, test at about twice them, use 26 symbols instead of
up to thousands, and train four layers of width 64, or of 128 where claims speak about a split
and 64 did not do: T5's bias falls behind, or (polynomials) the training lengths are not fitted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lengthwise.models.config import ModelConfig
from lengthwise.records.spec import Range, RunSpec
from lengthwise.studies.study import Planned

ENCODINGS: tuple[str, ...] = ("nope", "t5", "alibi", "rope:fraction=0.25", "sinusoidal")
NAMES: dict[str, str] = dict(zip(ENCODINGS, ("NoPE", "T5", "ALiBi", "Rotary", "APE"), strict=True))
PUBLISHED_ORDER = ("rope:fraction=0.25", "alibi", "t5", "sinusoidal", "nope")
"""Order of rows by which the released code breaks ties of ranks."""
SEEDS = (256788, 234054, 146317)
"""The seeds of the published runs."""


@dataclass(frozen=True)
class SplitPlan:
    """One data split: where it is trained and tested as published, and on a laptop."""

    task: str
    group: str
    published: tuple[Range, Range]
    small: tuple[Range, Range]
    steps: int
    """Steps on a laptop."""
    options: str = ""
    """Options of the task on a laptop."""
    shape: tuple[int, int, int] = (4, 4, 64)
    """Layers, heads and width on a laptop."""
    rate: float = 2e-3
    """Learning rate on a laptop."""
    seeds: int = 1
    """Models per encoding on a laptop; SCAN has three, since seeds differ most there."""
    examples: int = 100_000
    """Training instances as published."""

    @property
    def laptop_task(self) -> str:
        """The task with its options on a laptop."""
        return f"{self.task}:{self.options}" if self.options else self.task


_LONG = ((2, 20), (21, 40))
_MATHS = ((1, 8), (9, 16))
_LISTS = ((2, 8), (9, 16))
_FOUR = ((4, 8), (9, 16))
_SCAN = ((1, 25), (26, 48))
_WIDE = (4, 8, 128)


def _counting(task: str, steps: int = 1500, **more: Any) -> SplitPlan:
    return SplitPlan(task, "primitive", _LONG, ((2, 10), (11, 20)), steps, "symbols=26", **more)


def _symbols(task: str, **more: Any) -> SplitPlan:
    return SplitPlan(task, "primitive", _LONG, ((2, 6), (7, 12)), 3000, "symbols=26", **more)


SPLITS = (
    _counting("copy-v1-text", 2500, shape=_WIDE, rate=1e-3),
    _counting("copy-v1-2x-text"),
    _counting("copy-v2-text"),
    _symbols("copy-v3-text"),
    _symbols("copy-v3-2x-text"),
    _symbols("reverse-v1-text", shape=_WIDE, rate=1e-3),
    _symbols("reverse-v1-2x-text"),
    _symbols("reverse-v2-text"),
    SplitPlan("addition-text", "maths", _MATHS, ((1, 2), (3, 5)), 3000),
    SplitPlan("polynomial-text", "maths", _MATHS, ((1, 2), (3, 4)), 6000, shape=_WIDE, rate=1e-3),
    SplitPlan("sort-text", "maths", _LISTS, _LISTS, 6000, shape=_WIDE, rate=1e-3),
    SplitPlan("sort-multi-text", "maths", _LISTS, ((2, 3), (4, 6)), 3000),
    SplitPlan("summation-text", "maths", _LISTS, ((2, 3), (4, 6)), 2000),
    SplitPlan("parity-text", "maths", _FOUR, ((2, 7), (8, 14)), 3000, shape=_WIDE, rate=1e-3),
    SplitPlan("lego-text", "maths", _FOUR, ((2, 3), (4, 6)), 2000),
    SplitPlan("scan", "classic", _SCAN, _SCAN, 3000, rate=1e-3, seeds=3, examples=15_997),
    SplitPlan("pcfg", "classic", ((1, 8), (9, 35)), ((1, 4), (5, 8)), 1000, examples=72_909),
)
BY_TASK = {split.task: split for split in SPLITS}
GROUPS = ("primitive", "maths", "classic")

PADS = ("i0_c1_o1_v0_r0", "i1_c1_o1_v1_r1")
"""Minimal and full: which of input, computation, output, variables and rest are written."""
_WITHOUT_ONE = tuple(
    "_".join(f"{part}{int(part != left_out)}" for part in "icovr") for left_out in "icovr"
)
STEPPED = (
    *("addition-text", "polynomial-text", "summation-text", "parity-text"),
    *("sort-text", "sort-multi-text", "lego-text"),
)
TEXTS = ("nope", "rope:fraction=0.25", "alibi")
"""Encodings of the language models."""


def plan(size: str) -> Iterator[Planned]:
    """Yield every run: splits, scratchpads, language models."""
    most = max(split.seeds for split in SPLITS)
    for number, seed in enumerate(SEEDS if size == "paper" else range(most)):
        for split in SPLITS:
            if size == "paper" or number < split.seeds:
                for encoding in ENCODINGS:
                    yield Planned("split", _run(split, encoding, size, seed))
    yield from _scratchpads(size)
    for encoding in TEXTS:
        yield Planned("text", _text(encoding, size))


def pad_task(task: str, pad: str) -> str:
    """Return a task with a scratchpad of the given parts; sorting and LEGO have no variables."""
    if task.startswith(("sort", "lego")):
        pad = pad.replace("v1", "v0")
    return f"{task}:scratchpad={pad}"


def _scratchpads(size: str) -> Iterator[Planned]:
    if size == "paper":
        for task in STEPPED:
            variants = dict.fromkeys(pad_task(task, pad) for pad in (*PADS, *_WITHOUT_ONE))
            for variant in variants:
                for encoding in ENCODINGS:
                    for seed in SEEDS:
                        spec = _run(BY_TASK[task], encoding, size, seed, variant)
                        yield Planned("scratchpad", spec)
        return
    for task, pads, encodings in SMALL_PADS:
        for pad in pads:
            for encoding in encodings:
                spec = _run(BY_TASK[task], encoding, size, 0, pad_task(task, pad))
                yield Planned("scratchpad", spec)


SMALL_PADS = (
    ("addition-text", PADS, ("nope",)),
    ("addition-text", PADS[:1], ("t5", "sinusoidal")),
    ("summation-text", PADS[:1], ("nope",)),
    ("parity-text", PADS[:1], ("nope",)),
)


def _run(split: SplitPlan, encoding: str, size: str, seed: int, task: str | None = None) -> RunSpec:
    if size == "paper":
        return _published(split, encoding, seed, task or split.task)
    trained, tested = split.small
    smoke = size == "smoke"
    return _spec(
        task or split.laptop_task,
        encoding,
        seed,
        shape=(1, 2, 16) if smoke else split.shape,
        training={
            "length": trained,
            "steps": 4 if smoke else split.steps,
            "batch": 8 if smoke else 32,
            "learning_rate": split.rate,
            "weight_decay": 0.05,
            "warmup": 0 if smoke else split.steps * 6 // 100,
            "evaluate_every": 4 if smoke else split.steps,
        },
        tested=tested,
        instances=8 if smoke else 400,
    )


def _published(split: SplitPlan, encoding: str, seed: int, task: str) -> RunSpec:
    trained, tested = split.published
    steps = 100_000 if split.task == "pcfg" else 40_000
    return _spec(
        f"fixed:{task};size={split.examples}",
        encoding,
        seed,
        shape=(12, 12, 768),
        training={
            "length": trained,
            "steps": steps,
            "batch": 64,
            "learning_rate": 3e-5,
            "weight_decay": 0.05,
            "warmup": steps * 6 // 100,
            "evaluate_every": 2000,
        },
        tested=tested,
        instances=10_000,
        dropout=0.1,
    )


def _text(encoding: str, size: str) -> RunSpec:
    """A language model; the published one has 1.3B parameters and other data (a stand-in)."""
    context, steps, shape, batch = {
        "smoke": (16, 4, (1, 2, 16), 4),
        "laptop": (64, 1000, (2, 4, 64), 32),
        "paper": (1024, 20_000, (24, 32, 1024), 64),
    }[size]
    task = "python-source:level=token" if size == "paper" else "python-source"
    return _spec(
        task,
        encoding,
        0,
        shape=shape,
        training={
            "length": (context, context),
            "steps": steps,
            "batch": batch,
            "learning_rate": 2e-4 if size == "paper" else 1e-3,
            "weight_decay": 0.1,
            "schedule": "cosine",
            "warmup": steps // 50,
            "evaluate_every": steps,
        },
        tested=(2 * context, 2 * context),
        instances=8,
    )


def _spec(
    task: str,
    encoding: str,
    seed: int,
    *,
    shape: tuple[int, int, int],
    training: dict[str, Any],
    tested: Range,
    instances: int,
    dropout: float = 0.0,
) -> RunSpec:
    layers, heads, width = shape
    model = ModelConfig.preset("t5", layers=layers, heads=heads, width=width, dropout=dropout)
    return RunSpec.create(
        task=task,
        position=encoding,
        seed=seed,
        model=model.model_dump(),
        training={**training, "stop_when_perfect": False},
        evaluation={"lengths": (tested,), "instances": instances},
    )
