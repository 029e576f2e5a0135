"""Runs for questions the papers leave open, with the settings of the study's frozen file.

Scale: counting in text at four model sizes, NoPE against the others, all trained until they fit.
Regularise: the penalty of Huang et al. (2024) at several strengths, on a language whose seeds
differ. Encoder: models that look both ways and read a label off, with and without positions, beside
causal ones. Impossible: copying with repeats and addition, which no model of this kind can do at
all lengths; where their answers go wrong is looked at more closely.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lengthwise.models.config import ModelConfig
from lengthwise.records.spec import RunSpec
from lengthwise.studies.evidence import StudyEvidence
from lengthwise.studies.frozen_file import frozen
from lengthwise.studies.study import Planned

CAUSAL, BOTH = "causal", "both ways"
DIRECTIONS = (CAUSAL, BOTH)


def settings(size: str) -> Mapping[str, Any]:
    """Return the settings of a size; smoke takes those of a laptop and shrinks them."""
    return frozen("questions").of_size("paper" if size == "paper" else "laptop")


def seeds(size: str) -> range:
    """Return the seeds of every cell."""
    return range(1 if size == "smoke" else settings(size)["seeds"])


def plan(size: str, evidence: StudyEvidence) -> list[Planned]:
    """Return the runs of all questions, seed by seed; no outcome changes what is asked."""
    return list(_runs(size, settings(size)))


def _runs(size: str, given: Mapping[str, Any]) -> Iterator[Planned]:
    for seed in seeds(size):
        yield from _scale(size, given["scale"], seed)
        yield from _regularise(size, given["regularise"], seed)
        yield from _encoder(size, given["encoder"], seed)
    yield from _impossible(size, given["impossible"])


def scale_group(task: str, shape: Any, encoding: str) -> str:
    """Name a cell of the question of size.

    Example:
        >>> scale_group("copy-v1-text", (2, 2, 32), "nope")
        'scale/copy-v1-text/2x32/nope'
    """
    return f"scale/{task}/{shape[0]}x{shape[2]}/{encoding}"


def _scale(size: str, given: Mapping[str, Any], seed: int) -> Iterator[Planned]:
    for shape in given["shapes"][:2] if size == "smoke" else given["shapes"]:
        for encoding in given["encodings"]:
            layers, heads, width = shape
            style = ModelConfig.preset("t5", layers=layers, heads=heads, width=width, dropout=0.0)
            spec = _spec(size, given, f"{given['task']}:symbols=26", encoding, seed, style)
            yield Planned(scale_group(given["task"], shape, encoding), spec)


def regularised_group(strength: float) -> str:
    """Name a cell of the question of strengths.

    Example:
        >>> regularised_group(1e-4)
        'regularise/0.0001'
    """
    return f"regularise/{strength:g}"


def _regularise(size: str, given: Mapping[str, Any], seed: int) -> Iterator[Planned]:
    for strength in given["strengths"]:
        model, more = ModelConfig(**given["model"]), {"regularize": float(strength)}
        spec = _spec(size, given, given["task"], "ape", seed, model, more)
        yield Planned(regularised_group(strength), spec)


def encoder_group(task: str, encoding: str, direction: str) -> str:
    """Name a cell of the question of encoders.

    Example:
        >>> encoder_group("parity", "nope", "both ways")
        'encoder/parity/nope/both ways'
    """
    return f"encoder/{task.partition(':')[0]}/{encoding}/{direction}"


def _encoder(size: str, given: Mapping[str, Any], seed: int) -> Iterator[Planned]:
    for task in given["tasks"]:
        for encoding in given["encodings"]:
            for direction in DIRECTIONS:
                model = ModelConfig(**given["model"], bidirectional=direction == BOTH)
                spec = _spec(size, given, f"label:{task}", encoding, seed, model)
                yield Planned(encoder_group(task, encoding, direction), spec)


def _impossible(size: str, given: Mapping[str, Any]) -> Iterator[Planned]:
    for task in given["tasks"]:
        for encoding in ("ape", "nope"):
            spec = _spec(size, given, task, encoding, 0, ModelConfig(**given["model"]))
            yield Planned(f"impossible/{task}/{encoding}", spec)


def _spec(
    size: str,
    given: Mapping[str, Any],
    task: str,
    encoding: str,
    seed: int,
    model: ModelConfig,
    more: Mapping[str, Any] | None = None,
) -> RunSpec:
    training = {**given["training"], "length": given["trained"], **(more or {})}
    instances = given["instances"]
    if size == "smoke":
        model = model.model_copy(update={"layers": 1, "heads": 2, "width": 16})
        training |= {"steps": 4, "batch": 8, "evaluate_every": 4, "settle": 0.0, "warmup": 0}
        training["stop_when_perfect"], instances = False, 8
    return RunSpec.create(
        task=task,
        position=encoding,
        seed=seed,
        model=model.model_dump(),
        training=training,
        evaluation={"lengths": given["tested"], "instances": instances},
    )
