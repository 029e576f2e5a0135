"""The 17 splits of Kazemnejad et al. (2023) and the other runs of the study, at every size.

Published settings: sections 3 to 4 and appendices D to F of the paper and the authors' code. On a
laptop four splits are trained, those that carry the paper's argument and that small models fit;
their settings stand in the study's frozen file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.models.config import ModelConfig
from lengthwise.records.spec import Metric, Range, RunSpec
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import Planned

NAMES: dict[str, str] = {
    "nope": "NoPE",
    "t5": "T5",
    "alibi": "ALiBi",
    "rope": "Rotary",
    "sinusoidal": "APE",
}
"""Encodings as the paper calls them."""
PUBLISHED_ORDER = ("Rotary", "ALiBi", "T5", "APE", "NoPE")
"""Order of rows by which the released code breaks ties of ranks."""
SEEDS = (256788, 234054, 146317)
"""The seeds of the published runs."""


def name_of(encoding: str) -> str:
    """Return what the paper calls an encoding.

    Example:
        >>> name_of("rope:fraction=0.25")
        'Rotary'
    """
    return NAMES[encoding.partition(":")[0]]


def encodings(size: str) -> tuple[str, ...]:
    """Return the five encodings; Rotary turns by the eight published angles at every size.

    As published a quarter of a head of 64 turns; in the heads of 16 of smaller models all of it.

    Example:
        >>> encodings("laptop")[3], encodings("paper")[3]
        ('rope', 'rope:fraction=0.25')
    """
    return tuple(f"{n}:fraction=0.25" if (n, size) == ("rope", "paper") else n for n in NAMES)


@dataclass(frozen=True)
class SplitPlan:
    """One data split as published: its lengths and how many instances it has."""

    task: str
    group: str
    lengths: tuple[Range, Range]
    examples: int = 100_000
    held: int = -1
    """Instances held out; 15% unless said."""

    @property
    def data(self) -> str:
        """Options of the published data set; SCAN is divided, the others are drawn."""
        options = [f"size={self.examples}"]
        if self.held > 0:
            options += [f"held={self.held}", "distinct=true"]
        return ",".join(options)


_LONG = ((2, 20), (21, 40))
_MATHS = ((1, 8), (9, 16))
_LISTS = ((2, 8), (9, 16))
_FOUR = ((4, 8), (9, 16))

SPLITS = (
    *(
        SplitPlan(f"{name}-text", "primitive", _LONG)
        for name in (
            *("copy-v1", "copy-v1-2x", "copy-v2", "copy-v3", "copy-v3-2x"),
            *("reverse-v1", "reverse-v1-2x", "reverse-v2"),
        )
    ),
    SplitPlan("addition-text", "maths", _MATHS),
    SplitPlan("polynomial-text", "maths", _MATHS),
    SplitPlan("sort-text", "maths", _LISTS),
    SplitPlan("sort-multi-text", "maths", _LISTS),
    SplitPlan("summation-text", "maths", _LISTS),
    SplitPlan("parity-text", "maths", _FOUR),
    SplitPlan("lego-text", "maths", _FOUR),
    SplitPlan("scan", "classic", ((1, 25), (26, 48)), 15_997, held=1_777),
    SplitPlan("pcfg", "classic", ((1, 8), (9, 35)), 72_909, held=8_101),
)
BY_TASK = {split.task: split for split in SPLITS}
GROUPS = ("primitive", "maths", "classic")

MINIMAL, FULL = "i0_c1_o1_v0_r0", "i1_c1_o1_v1_r1"
"""Which of input, computation, output, variables and rest a scratchpad has."""
_WITHOUT_ONE = tuple(
    "_".join(f"{part}{int(part != left_out)}" for part in "icovr") for left_out in "icovr"
)
STEPPED = (
    *("addition-text", "polynomial-text", "summation-text", "parity-text"),
    *("sort-text", "sort-multi-text", "lego-text"),
)
TEXTS = ("nope", "rope", "alibi")
"""Encodings of the language models."""


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every run: splits, scratchpads, language models; no outcome changes what is asked."""
    return list(_published() if size == "paper" else _small(size))


def pad_task(task: str, pad: str) -> str:
    """Return a task with a scratchpad of the given parts; sorting and LEGO have no variables."""
    if task.startswith(("sort", "lego")):
        pad = pad.replace("v1", "v0")
    return f"{task}:scratchpad={pad}"


# ---- as published ----


def _published() -> Iterator[Planned]:
    for seed in SEEDS:
        for split in SPLITS:
            for encoding in encodings("paper"):
                yield Planned("split", _published_run(split, encoding, seed, split.task))
    for task in STEPPED:
        variants = dict.fromkeys(pad_task(task, pad) for pad in (MINIMAL, FULL, *_WITHOUT_ONE))
        for variant in variants:
            for encoding in encodings("paper"):
                for seed in SEEDS:
                    run = _published_run(BY_TASK[task], encoding, seed, variant)
                    yield Planned("scratchpad", run)
    for encoding in encodings("paper"):
        if encoding.partition(":")[0] in TEXTS:
            yield Planned("text", _published_text(encoding))


def _published_run(split: SplitPlan, encoding: str, seed: int, task: str) -> RunSpec:
    trained, tested = split.lengths
    steps = 100_000 if split.task == "pcfg" else 40_000
    return _spec(
        f"fixed:{task};{split.data}",
        encoding,
        seed,
        model={"layers": 12, "heads": 12, "width": 768, "dropout": 0.1},
        training={
            "length": trained,
            "steps": steps,
            "batch": 64,
            "learning_rate": 3e-5,
            "weight_decay": 0.05,
            "warmup": steps * 6 // 100,
            "evaluate_every": 2000,
            "keep": "best",
        },
        tested=tested,
        instances=10_000,
        metric="answer" if "scratchpad=" in task else "exact",
    )


def _published_text(encoding: str) -> RunSpec:
    """A language model with the published shape; its data are a stand-in."""
    steps = 20_000
    return _spec(
        "python-source:level=token",
        encoding,
        0,
        model={
            "layers": 24,
            "heads": 32,
            "width": 1024,
            "head_width": 128,
            "mlp_width": 16_384,
            "dropout": 0.0,
        },
        training={
            "length": (1024, 1024),
            "steps": steps,
            "batch": 256,
            "learning_rate": 2e-4,
            "weight_decay": 0.1,
            "beta2": 0.95,
            "schedule": "cosine",
            "warmup": steps // 50,
            "evaluate_every": steps,
        },
        tested=(2048, 2048),
        instances=8,
    )


# ---- on a laptop ----


def _small(size: str) -> Iterator[Planned]:
    given = frozen("kazemnejad2023").of_size("laptop")
    seeds = 1 if size == "smoke" else given["seeds"]
    for seed in range(seeds):
        for task, how in given["splits"].items():
            for encoding in encodings(size):
                yield Planned("split", _small_run(task, encoding, seed, size, given, how))
        for task, how in given["scratchpads"].items():
            padded = pad_task(task, how["pad"])
            merged = {**given["splits"][task], **how, "options": "", "metric": "answer"}
            for encoding in encodings(size):
                run = _small_run(padded, encoding, seed, size, given, merged)
                yield Planned("scratchpad", run)
        for encoding in TEXTS:
            yield Planned("text", _small_text(encoding, seed, size, given["text"]))


def _small_run(
    task: str, encoding: str, seed: int, size: str, given: Mapping[str, Any], how: Mapping[str, Any]
) -> RunSpec:
    smoke = size == "smoke"
    layers, heads, width = (1, 2, 16) if smoke else how["shape"]
    steps = 4 if smoke else how["steps"]
    options = how.get("options", "")
    return _spec(
        f"{task}:{options}" if options else task,
        encoding,
        seed,
        model={"layers": layers, "heads": heads, "width": width, "dropout": 0.0},
        training={
            "length": how["trained"],
            "steps": steps,
            "batch": 8 if smoke else given["batch"],
            "learning_rate": how["rate"],
            "weight_decay": 0.05,
            "warmup": steps * 6 // 100,
            "evaluate_every": -(-steps // (1 if smoke else given["evaluations"])),
            "keep": "best",
        },
        tested=how["tested"],
        instances=8 if smoke else how.get("instances", given["instances"]),
        metric=how.get("metric", "exact"),
    )


def _small_text(encoding: str, seed: int, size: str, how: Mapping[str, Any]) -> RunSpec:
    smoke = size == "smoke"
    context, steps = (16, 4) if smoke else (how["context"], how["steps"])
    layers, heads, width = (1, 2, 16) if smoke else how["shape"]
    return _spec(
        "python-source",
        encoding,
        seed,
        model={"layers": layers, "heads": heads, "width": width, "dropout": 0.0},
        training={
            "length": (context, context),
            "steps": steps,
            "batch": 4 if smoke else how["batch"],
            "learning_rate": how["rate"],
            "weight_decay": 0.1,
            "beta2": 0.95,
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
    model: dict[str, Any],
    training: dict[str, Any],
    tested: Range,
    instances: int,
    metric: Metric = "exact",
) -> RunSpec:
    return RunSpec.create(
        task=task,
        position=encoding,
        seed=seed,
        model=ModelConfig.preset("t5", **model).model_dump(),
        training={**training, "stop_when_perfect": False},
        evaluation={"lengths": (tested,), "instances": instances, "metric": metric},
    )
