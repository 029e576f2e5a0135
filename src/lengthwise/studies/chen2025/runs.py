"""The runs of Figures 2 to 5 of Chen, Liang and Lin (2025), and a control, at three sizes.

First-hand: the tasks of Figure 3 and 4 and parity, the numbers of samples and epochs, the scales,
the checkpoints. Reconstructed: everything about model and optimiser, the formats, the baselines
besides APE and RPE (`docs/papers/chen2025.md` lists it).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import Planned

RPE = "shaw:clip=0"
"""A learned vector for every distance, none clipped."""

IPE, IPE_SH = "ipe:attention=soft", "ipe-sh:attention=soft"
"""As the caption has it: all irrelevant keys share one value, and none is hidden."""
REALISATIONS = ("gap", "hard")
"""Other realisations: that value starts low, or irrelevant keys are hidden."""

ENCODINGS = ("ape", RPE, "rope", "alibi", "nope", IPE)
SIMPLE = ("copy-steps", "shift-steps", "parity-steps")
ARITHMETIC = ("addition-steps", "multiplication-steps", "division-steps")
TASKS = (*SIMPLE, *ARITHMETIC)
SELECT = ("select-first", "select-middle", "select-last")
CONTROL = "parity"
"""Parity in one answer: a new operator at every scale."""

CONTROL_IDEAL = "ipe-sh:relation=(i==n+2)*(j>1)*(j<i)"
"""At the answer's query all bits have one role, as XOR is symmetric; nothing else has any."""

LONGEST = 20
UNSEEN = ((6, 10), (11, 15), (16, 20))


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
        drawn = task
        if self.samples is not None:
            drawn = f"fixed:{task};size={self.samples},held={self.instances},seed={seed}"
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
    division: int = 1
    """How many times as long the ideal encodings are trained on division."""
    baselines: tuple[str, ...] = ENCODINGS[:-1]
    """The other encodings that are trained on the arithmetic tasks."""
    again: Recipe | None = None
    """How a short task is trained once more where the trained scales were not fitted."""

    def recipe(self, task: str, encoding: str) -> Recipe:
        """Return how an encoding is trained on a step-by-step task."""
        name = task.partition(":")[0]
        if name in SIMPLE:
            return self.simple
        if not encoding.startswith("ipe"):
            return self.arithmetic
        longer = self.division if name == "division-steps" else 1
        return replace(self.ideal, steps=longer * self.ideal.steps)

    def encodings(self, task: str) -> tuple[str, ...]:
        """Return what is trained on a task of Figure 2."""
        return ENCODINGS if task in SIMPLE else (*self.baselines, IPE)


def variants() -> Iterator[Variant]:
    """Yield IPE in its other realisations, aligned and not; parity from smaller weights."""
    for kind in REALISATIONS:
        for task in TASKS:
            yield Variant(task, f"ipe:attention={kind}")
        for task in ARITHMETIC:
            yield Variant(f"{task}:layout=unaligned", f"ipe-sh:attention={kind}")
    for encoding in (RPE, "ape"):
        yield Variant("parity-steps", encoding, SMALL_START)


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


def _laptop(given: Mapping[str, Any]) -> SizeRecipes:
    """Read the recipes of the frozen file."""
    shared = {"model": SMALL, "instances": given["instances"]}
    return SizeRecipes(
        simple=Recipe(**shared, **given["simple"]),
        arithmetic=Recipe(**shared, **given["arithmetic"]),
        ideal=Recipe(**shared, **given["ideal"]),
        relations=Recipe(
            SELECTING,
            **given["relations"],
            length=(1, 10),
            unseen=((11, 15), (16, 20)),
            warmup=0,
        ),
        control=Recipe(**shared, **given["control"]),
        seeds=given["seeds"],
        relation_seeds=given["relation_seeds"],
        division=given["division"],
        baselines=("ape", RPE, "rope"),
        again=Recipe(**shared, **given["again"]),
    )


SIZES: dict[str, SizeRecipes] = {
    "smoke": SizeRecipes(_SMOKE, _SMOKE, _SMOKE, _SMOKE_SELECT, _SMOKE, seeds=1, relation_seeds=1),
    "laptop": _laptop(frozen("chen2025").of_size("laptop")),
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
    ),
}


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return every run of a size, and longer ones where a short task was not fitted."""
    first = list(_runs(SIZES[size]))
    return [*first, *_again(SIZES[size], first, evidence)]


def _again(
    size: SizeRecipes, first: Sequence[Planned], evidence: StudyEvidence
) -> Iterator[Planned]:
    fits = frozen("chen2025").lines["fits"]
    unfitted = {r.spec.id for r in evidence.find("encodings") if r.accuracies[0] < fits}
    for one in first:
        spec = one.spec
        if size.again and spec.id in unfitted and str(spec.task) in SIMPLE:
            longer = size.again.spec(str(spec.task), str(spec.position), spec.seed)
            yield Planned(one.group, longer)


def _runs(size: SizeRecipes) -> Iterator[Planned]:
    for seed in range(size.seeds):
        for task in TASKS:
            for encoding in size.encodings(task):
                yield Planned("encodings", size.recipe(task, encoding).spec(task, encoding, seed))
        for task in ARITHMETIC:
            hinted = f"{task}:layout=unaligned"
            yield Planned("hint", size.recipe(task, IPE_SH).spec(hinted, IPE_SH, seed))
        for variant in variants():
            recipe = size.recipe(variant.task, variant.encoding)
            recipe = replace(recipe, model=variant.model or recipe.model)
            yield Planned("variants", recipe.spec(variant.task, variant.encoding, seed))
        for encoding in (*ENCODINGS[:-1], CONTROL_IDEAL):
            yield Planned("control", size.control.spec(CONTROL, encoding, seed))
    for seed in range(size.relation_seeds):
        for task in SELECT:
            yield Planned("relations", size.relations.spec(task, "lbpe", seed))
