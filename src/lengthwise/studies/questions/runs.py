"""Runs for questions the papers leave open: size, failures against the prediction, impossibility.

Scale: counting in text at four model sizes, NoPE against the others. Failures: problems
that the theory predicts to succeed, again with other seeds, more depth, more steps and the
regulariser. Impossible: copying with repeats and addition, which no model of this kind can do at
all lengths; these are runs of the study of Huang et al. (2024) and are looked at more closely.
"""

from collections.abc import Iterator
from dataclasses import replace

from lengthwise.models.config import ModelConfig
from lengthwise.records.spec import RunSpec
from lengthwise.studies.huang2024.problems import ENCODINGS, published_problem, small
from lengthwise.studies.study import Planned
from lengthwise.studies.tuning import Attempt, Problem

SHAPES = {
    "smoke": ((1, 2, 16), (1, 2, 32)),
    "laptop": ((1, 2, 16), (2, 4, 32), (2, 4, 64), (4, 4, 64)),
}
PAPER_SHAPES = ((2, 4, 64), (4, 8, 256), (8, 8, 512), (12, 12, 768))
SCALED = ("copy-v1-text",)
SCALED_ENCODINGS = ("nope", "t5", "alibi", "sinusoidal")
FAILING = ("aa-star", "interleaved-majority")
"""Problems in the class of learned positions whose first runs fell short on a laptop."""
IMPOSSIBLE = ("repeat-copy", "addition")
VARIANTS = ("as before", "seed 1", "seed 2", "regularised", "deeper", "longer")


def plan(size: str) -> Iterator[Planned]:
    """Yield the runs of all three questions."""
    yield from _scale(size)
    for name in FAILING[:1] if size == "smoke" else FAILING:
        for variant in VARIANTS:
            yield Planned(f"failure/{name}/{variant}", failing(name, variant, size))
    for name in IMPOSSIBLE:
        for encoding in ENCODINGS:
            problem = _problem(name, encoding, size)
            yield Planned(f"impossible/{name}/{encoding}", problem.spec(problem.attempts[0]))


def _problem(name: str, encoding: str, size: str) -> Problem:
    """At paper size: the published lengths with one published setting that fits the task."""
    if size != "paper":
        return small(name, encoding, size)

    problem = published_problem(name, encoding)
    return replace(problem, attempts=problem.attempts[-1:])


def failing(name: str, variant: str, size: str) -> RunSpec:
    """Return one variation of a problem that should carry over with learned positions."""
    problem = _problem(name, "ape", size)
    attempt: Attempt = problem.attempts[min(1, len(problem.attempts) - 1)]
    seed = int(variant.removeprefix("seed ")) if variant.startswith("seed") else 0
    if variant == "regularised":
        problem = replace(problem, regularize=1e-4)
    elif variant == "deeper":
        attempt = replace(attempt, layers=2 * attempt.layers)
    elif variant == "longer":
        attempt = replace(attempt, steps=3 * attempt.steps)
    return problem.spec(attempt, seed)


def _scale(size: str) -> Iterator[Planned]:
    shapes = PAPER_SHAPES if size == "paper" else SHAPES[size]
    longest = 20 if size == "paper" else 10
    steps = {"smoke": 4, "laptop": 1000, "paper": 40_000}[size]
    for layers, heads, width in shapes:
        for task in SCALED:
            for encoding in SCALED_ENCODINGS:
                model = ModelConfig.preset(
                    "t5", layers=layers, heads=heads, width=width, dropout=0.0
                )
                spec = RunSpec.create(
                    task=f"{task}:symbols=26",
                    position=encoding,
                    model=model.model_dump(),
                    training={
                        "length": (2, longest),
                        "steps": steps,
                        "batch": 32,
                        "learning_rate": 2e-3 if width < 256 else 3e-4,
                        "weight_decay": 0.05,
                        "warmup": steps * 6 // 100,
                        "evaluate_every": steps,
                        "stop_when_perfect": False,
                    },
                    evaluation={
                        "lengths": ((longest + 1, 2 * longest),),
                        "instances": 8 if size == "smoke" else 400,
                    },
                )
                yield Planned(f"scale/{layers}x{width}", spec)
