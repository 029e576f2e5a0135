"""The runs of Figures 2 to 5 of Chen, Liang and Lin (2025), and a control, at three sizes.

First-hand: the tasks of Figure 3 and 4 and parity, the numbers of samples and epochs, the scales,
the checkpoints. Reconstructed: everything about model and optimiser, the formats, the baselines
besides APE and RPE (`docs/papers/chen2025.md` lists it).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.study import Planned

RPE = "shaw:clip=0"
"""A learned vector for every distance, none clipped."""

ENCODINGS = ("ape", RPE, "rope", "alibi", "nope", "ipe")
SIMPLE = ("copy-steps", "shift-steps", "parity-steps")
ARITHMETIC = ("addition-steps", "multiplication-steps", "division-steps")
TASKS = (*SIMPLE, *ARITHMETIC)
SELECT = ("select-first", "select-middle", "select-last")
CONTROL = "parity"
"""Parity in one answer: a new operator at every scale."""

CONTROL_IDEAL = "ipe-sh:relation=(i==n+2)*(j>1)*(j<i)"
"""At the answer's query all bits have one role, as XOR is symmetric; nothing else has any."""

FITS = 0.95
"""Exact match that counts as fitting the trained scales."""

LONGEST = 20
UNSEEN = ((6, 10), (11, 15), (16, 20))

Group = str
"""``encodings`` (Figure 2), ``hint`` (3), ``variants``, ``relations`` (4, 5) or ``control``."""


@dataclass(frozen=True)
class Recipe:
    """How the runs of one group are trained at one size."""

    model: dict[str, Any]
    steps: int
    batch: int
    learning_rate: float
    instances: int
    length: tuple[int, int] = (1, 5)
    unseen: tuple[tuple[int, int], ...] = UNSEEN
    warmup: int = 100
    checkpoints: int = 10
    samples: int | None = None
    """Instances drawn once and used in every epoch; None draws new ones all the time."""

    def spec(self, task: str, encoding: str, seed: int) -> RunSpec:
        """Return the specification of one run."""
        drawn = task if self.samples is None else f"fixed:{task};size={self.samples},seed={seed}"
        return RunSpec.create(
            task=drawn,
            position=encoding,
            seed=seed,
            model=self.model,
            training={
                "length": self.length,
                "steps": self.steps,
                "batch": self.batch,
                "learning_rate": self.learning_rate,
                "weight_decay": 0.0,
                "schedule": "cosine",
                "warmup": self.warmup,
                "evaluate_every": -(-self.steps // self.checkpoints),
                "stop_when_perfect": False,
                "offsets": False,
            },
            evaluation={"lengths": self.unseen, "instances": self.instances},
        )


SMALL: dict[str, Any] = {
    "layers": 2,
    "heads": 8,
    "width": 64,
    "activation": "relu",
    "tied": False,
    "init": "t5",
    "scale_output": True,
}
"""With GPT-2's small initial weights APE did not even fit the trained scales; with these it did."""

SMALL_START: dict[str, Any] = {**SMALL, "init": "gpt2", "scale_output": False}

SELECTING: dict[str, Any] = {"layers": 1, "heads": 4, "width": 32}


@dataclass(frozen=True)
class Variant:
    """A run beside the figures: another realisation of IPE, or other initial weights."""

    task: str
    encoding: str
    model: dict[str, Any] | None = None
    """None for the model of all other runs."""


@dataclass(frozen=True)
class SizeRecipes:
    """The recipes of one size.

    ``ideal`` is for IPE and IPE-SH on the arithmetic tasks, which must learn large truth tables to
    show anything; an encoding that did not fit the trained scales decides nothing.
    """

    simple: Recipe
    arithmetic: Recipe
    ideal: Recipe
    relations: Recipe
    control: Recipe
    seeds: int
    relation_seeds: int
    variants: Sequence[Variant] = ()
    again: Recipe | None = None
    """How a short task is trained once more where the trained scales were not fitted."""

    def recipe(self, task: str, encoding: str) -> Recipe:
        """Return how an encoding is trained on a step-by-step task."""
        if task.partition(":")[0] in SIMPLE:
            return self.simple
        return self.ideal if encoding.startswith("ipe") else self.arithmetic


SMALL_VARIANTS = (
    Variant("parity-steps", "ipe:attention=gap"),
    Variant("parity-steps", "ipe:attention=soft"),
    Variant("parity-steps", RPE, SMALL_START),
    Variant("parity-steps", "ape", SMALL_START),
)
VARIANTS = (
    *(Variant(task, f"ipe:attention={kind}") for task in TASKS for kind in ("gap", "soft")),
    *(Variant(f"{task}:layout=unaligned", "ipe-sh:attention=gap") for task in ARITHMETIC),
    *(Variant("parity-steps", encoding, SMALL_START) for encoding in (RPE, "ape")),
)
"""IPE that does not mask irrelevant keys, aligned and not; parity from smaller initial weights."""

_TINY = {"layers": 1, "heads": 4, "width": 16}
_SMOKE = Recipe(
    _TINY, steps=20, batch=16, learning_rate=2e-3, instances=20, warmup=5, checkpoints=2
)
_SMOKE_SELECT = replace(_SMOKE, length=(1, 10), unseen=((11, 20),))
_EPOCH = 10_000 / 128  # steps per epoch
_PAPER = Recipe(
    SMALL,
    steps=round(300 * _EPOCH),
    batch=128,
    learning_rate=1e-3,
    instances=5_000,
    samples=10_000,
)

SIZES: dict[str, SizeRecipes] = {
    "smoke": SizeRecipes(_SMOKE, _SMOKE, _SMOKE, _SMOKE_SELECT, _SMOKE, seeds=1, relation_seeds=1),
    "laptop": SizeRecipes(
        simple=Recipe(SMALL, steps=400, batch=64, learning_rate=2e-3, instances=500),
        arithmetic=Recipe(SMALL, steps=1_500, batch=64, learning_rate=2e-3, instances=500),
        ideal=Recipe(SMALL, steps=800, batch=128, learning_rate=2e-3, instances=500),
        relations=Recipe(
            SELECTING,
            steps=2_000,
            batch=100,
            learning_rate=3e-3,
            instances=1_000,
            length=(1, 10),
            unseen=((11, 15), (16, 20)),
            warmup=0,
        ),
        control=Recipe(SMALL, steps=1_000, batch=64, learning_rate=1e-3, instances=500),
        seeds=1,
        relation_seeds=4,
        variants=SMALL_VARIANTS,
        again=Recipe(SMALL, steps=1_500, batch=64, learning_rate=2e-3, instances=500),
    ),
    "paper": SizeRecipes(
        simple=_PAPER,
        arithmetic=_PAPER,
        ideal=_PAPER,
        relations=Recipe(
            SELECTING,
            steps=20_000,
            batch=100,
            learning_rate=3e-3,
            instances=10_000,
            length=(1, 10),
            unseen=((11, 20),),
            warmup=0,
            checkpoints=100,
            samples=1_000,
        ),
        control=_PAPER,
        seeds=3,
        relation_seeds=4,
        variants=VARIANTS,
    ),
}


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every run of a size, and longer ones where a short task was not fitted."""
    first = list(_runs(SIZES[size]))
    return [*first, *_again(SIZES[size], first, evidence)]


def _again(
    size: SizeRecipes, first: Sequence[Planned], evidence: StudyEvidence
) -> Iterator[Planned]:
    unfitted = {r.spec.id for r in evidence.find("encodings") if r.accuracies[0] < FITS}
    for one in first:
        spec = one.spec
        if size.again and spec.id in unfitted and str(spec.task) in SIMPLE:
            longer = size.again.spec(str(spec.task), str(spec.position), spec.seed)
            yield Planned(one.group, longer)


def _runs(size: SizeRecipes) -> Iterator[Planned]:
    for seed in range(size.seeds):
        for task in TASKS:
            for encoding in ENCODINGS:
                yield Planned("encodings", size.recipe(task, encoding).spec(task, encoding, seed))
        for task in ARITHMETIC:
            hinted = f"{task}:layout=unaligned"
            yield Planned("hint", size.ideal.spec(hinted, "ipe-sh", seed))
        for variant in size.variants:
            recipe = size.recipe(variant.task, variant.encoding)
            recipe = replace(recipe, model=variant.model or recipe.model)
            yield Planned("variants", recipe.spec(variant.task, variant.encoding, seed))
        for encoding in (*ENCODINGS[:-1], CONTROL_IDEAL):
            yield Planned("control", size.control.spec(CONTROL, encoding, seed))
    for seed in range(size.relation_seeds):
        for task in SELECT:
            yield Planned("relations", size.relations.spec(task, "lbpe", seed))
