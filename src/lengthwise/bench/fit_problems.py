"""What is fitted: the problems of the three studies, and a development set that none of them uses.

Recipes are chosen on the development set alone (`bench/fit_search.py`): languages and tasks that
resemble the studies' and are not among them, with seeds from 1000 on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from lengthwise.models.config import ModelConfig
from lengthwise.records.recipes import Rung
from lengthwise.records.spec import Range, RunSpec, further_ranges
from lengthwise.studies.chen2025.runs import SIZES as STEP_SIZES
from lengthwise.studies.chen2025.runs import TASKS as STEP_TASKS
from lengthwise.studies.climbing import thirds
from lengthwise.studies.huang2024.problems import COPIES, ENCODINGS, LENGTHS, PROBLEMS, named
from lengthwise.studies.scoreboard import TRAINED

INSTANCES = 500
FIRST_DEVELOPMENT_SEED = 1000


@dataclass(frozen=True, kw_only=True)
class FitProblem:
    """A task with an encoding, its lengths, the style of its models and how it is trained today."""

    study: str
    task: str
    encoding: str
    trained: Range
    tests: tuple[Range, ...]
    style: dict[str, Any] = field(default_factory=dict)
    """Fields of the model that belong to the problem: a recipe chooses layers, heads and width."""
    metric: str = "exact"
    offsets: bool = True
    today: tuple[Rung, ...] = ()
    first_seed: int = 0

    @property
    def name(self) -> str:
        """The task and the encoding, as tables name the problem."""
        return f"{self.task} {self.encoding}"

    def spec(self, rung: Rung, seed: int) -> RunSpec:
        """Return the run of one setting."""
        return rung.spec(
            task=self.task,
            position=self.encoding,
            seed=seed,
            style=self.style,
            training={"length": self.trained, "offsets": self.offsets},
            evaluation={"lengths": self.tests, "instances": INSTANCES, "metric": self.metric},
        )


def study_problems() -> list[FitProblem]:
    """Return the problems of all three studies at laptop size."""
    return [*_huang(), *_kazemnejad(), *_chen()]


def _rung(layers: int, heads: int, width: int, **training: Any) -> Rung:
    usual = {"warmup": 100, "evaluate_every": 625, "stop_when_perfect": False}
    model = {"layers": layers, "heads": heads, "width": width}
    return Rung(model=model, training={**usual, **training})


TODAY = _rung(2, 2, 64, steps=2500)
"""The studies' usual setting before there were recipes."""
LANGUAGES = (
    _rung(1, 2, 64, steps=2500),
    TODAY,
    _rung(1, 2, 64, steps=2500, weight_decay=1.0),
    _rung(1, 4, 128),
)
LONG_ANSWERS = (_rung(2, 1, 64, steps=6000, evaluate_every=1500),)
"""What was tried for the problems of Huang et al. before there were recipes, in order. A decay of
1.0 is meant to shrink position vectors that a language has no use for: in a few thousand steps the
usual 0.01 hardly changes a weight."""


def _huang() -> Iterator[FitProblem]:
    for name, encoding in product(PROBLEMS, ENCODINGS):
        longest = LENGTHS.get(name, TRAINED["laptop"])
        yield FitProblem(
            study="huang2024",
            task=named(name, 3 * longest),
            encoding=encoding,
            trained=(1, longest),
            tests=thirds(longest),
            today=LONG_ANSWERS if name in COPIES else LANGUAGES,
        )


_SMALL_TEXT: dict[str, Any] = {"layers": 4, "heads": 4, "width": 64}
_LARGE_TEXT: dict[str, Any] = {"layers": 4, "heads": 8, "width": 128}
TEXTS: tuple[tuple[str, Range, Range, dict[str, Any], int, float], ...] = (
    ("copy-v1-text:symbols=26", (2, 10), (11, 20), _LARGE_TEXT, 2500, 1e-3),
    ("reverse-v1-text:symbols=26", (2, 6), (7, 12), _LARGE_TEXT, 3000, 1e-3),
    ("parity-text", (2, 7), (8, 14), _LARGE_TEXT, 3000, 1e-3),
    ("addition-text", (1, 2), (3, 5), _SMALL_TEXT, 3000, 2e-3),
    ("sort-text", (2, 8), (9, 16), _LARGE_TEXT, 6000, 1e-3),
    ("scan", (1, 25), (26, 48), _SMALL_TEXT, 3000, 1e-3),
    ("sort-multi-text", (2, 3), (4, 6), _SMALL_TEXT, 3000, 2e-3),
    ("pcfg", (1, 4), (5, 8), _SMALL_TEXT, 1000, 2e-3),
)
"""Text tasks, their lengths, and shape, steps and rate from before there were recipes. They stand
here because the study has chosen anew since, and what is compared with must not move."""
TEXT_ENCODINGS = ("nope", "t5")


def _kazemnejad() -> Iterator[FitProblem]:
    style = ModelConfig.preset("t5", dropout=0.0).model_dump(exclude_defaults=True)
    for (task, trained, tested, shape, steps, rate), encoding in product(TEXTS, TEXT_ENCODINGS):
        training = {"steps": steps, "learning_rate": rate, "batch": 32, "weight_decay": 0.05}
        plan = {"warmup": 3 * steps // 50, "evaluate_every": steps, "stop_when_perfect": False}
        yield FitProblem(
            study="kazemnejad2023",
            task=task,
            encoding=encoding,
            trained=trained,
            tests=(tested,),
            style=style,
            today=(Rung(model=shape, training={**training, **plan}),),
        )


def _chen() -> Iterator[FitProblem]:
    size = STEP_SIZES["laptop"]
    for task in STEP_TASKS:
        for encoding in ("ape", "ipe"):
            yield _as_planned("chen2025", size.recipe(task, encoding).spec(task, encoding, 0))


def _as_planned(study: str, spec: RunSpec) -> FitProblem:
    shape = {"layers", "heads", "width"}
    return FitProblem(
        study=study,
        task=str(spec.task),
        encoding=str(spec.position),
        trained=spec.training.length,
        tests=spec.evaluation.lengths,
        style=spec.model.model_dump(exclude_defaults=True, exclude=shape),
        offsets=spec.training.offsets,
        today=(as_rung(spec),),
    )


def as_rung(spec: RunSpec) -> Rung:
    """Return the settings of a run, apart from what belongs to its problem."""
    return Rung(
        model={name: getattr(spec.model, name) for name in ("layers", "heads", "width")},
        training=spec.training.model_dump(exclude={"length", "offsets"}, exclude_defaults=True),
    )


# ---- problems that no study uses ----

DEVELOPMENT: dict[str, tuple[tuple[str, int], ...]] = {
    "first": (
        # a task and its longest training length, the most telling ones first
        ("regex:(aaa)*", 12),
        ("regex:(aabb)*", 12),
        ("majority:letters=3", 12),
        ("bounded-dyck:depth=5", 12),
        ("regex:(b|ab)*(a|())", 12),
        ("bounded-dyck:depth=7", 14),
        ("regex:(a|b)*c(a|c)*", 12),
        ("regex:a*(b|ca)*c*", 12),
        ("unique-copy:symbols=18", 6),
    ),
    "second": (
        ("interleaved-majority:period=2", 16),
        ("addition", 7),
        ("regex:(b|c|a(b|c)*a)*;supervision=recognition", 20),
        ("regex:(0|10*10*1)*;supervision=recognition", 15),
        ("repeat-copy", 6),
    ),
}
"""Resembling the studies' problems and not among them, for the search of the first rung and, being
harder, of the second, which is for what the first does not fit."""


def development_problems(rung: str, encoding: str) -> list[FitProblem]:
    """Return the problems on which the settings of a rung are chosen for an encoding."""
    return [
        FitProblem(
            study="development",
            task=task,
            encoding=encoding,
            trained=(1, longest),
            tests=further_ranges((1, longest)),
            today=(TODAY,),
            first_seed=FIRST_DEVELOPMENT_SEED,
        )
        for task, longest in DEVELOPMENT[rung]
    ]
