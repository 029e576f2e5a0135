"""The command that makes a run again, exactly: same specification, same id."""

import json
import shlex
from contextlib import suppress
from typing import Any

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry
from lengthwise.models.config import ModelConfig, Preset
from lengthwise.positions import POSITIONS
from lengthwise.records.spec import RunSpec, TrainingConfig
from lengthwise.runs.experiment import further_ranges
from lengthwise.tasks import TASKS

_MODEL = ("layers", "heads", "width", "dropout", "attention_scale")
_TRAINING = {
    "steps": "steps",
    "batch": "batch",
    "learning_rate": "learning-rate",
    "weight_decay": "weight-decay",
    "schedule": "schedule",
    "warmup": "warmup",
    "regularize": "regularize",
    "evaluate_every": "evaluate-every",
    "precision": "precision",
}


def command(spec: RunSpec) -> str:
    """Return one line for `lengthwise train`, or a sweep file where `train` has no such option.

    Settings that are defaults are left out.

    Example:
        >>> spec = RunSpec.create(task="parity", position="nope", seed=2)
        >>> command(spec)
        'lengthwise train parity --pe nope --first-seed 2'
    """

    task, position = typed(spec.task, TASKS), typed(spec.position, POSITIONS)
    style = _preset(spec.model)
    plain = {"length", "stop_when_perfect", "compiled", *_TRAINING}
    usual = TrainingConfig().model_dump(exclude=plain)
    offered = style is not None and spec.training.model_dump(exclude=plain) == usual
    if style is None or not offered or not spec.evaluation.lengths:
        return _sweep(spec, task, position)
    words = ["lengthwise", "train", task, "--pe", position]
    for name, value in _options(spec, style).items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name}"] if one is True else [f"--{name}", str(one)]
    return shlex.join(words)


def typed(component: Component, registry: Registry) -> str:
    """Return a component as it is typed on the command line.

    Example:
        >>> from lengthwise.tasks import TASKS
        >>> typed(Component.parse("regex:(ab)*", TASKS), TASKS)
        'regex:(ab)*'
    """
    options = dict(component.options)
    argument = None
    if options and ".py" not in component.name:  # a report executes nobody's file
        with suppress(InputError):  # written by a plugin that is not installed here
            argument = getattr(registry.load(component.name), "argument", None)
    if argument not in options:
        return str(component)
    first = f"{component.name}:{options.pop(argument)}"
    rest = ",".join(f"{name}={value}" for name, value in sorted(options.items()))
    return f"{first};{rest}" if rest else first


def _preset(model: ModelConfig) -> Preset | None:
    """Return the preset of which only fields that `train` offers were changed."""
    changes = {name: getattr(model, name) for name in _MODEL}
    names: tuple[Preset, ...] = ("gpt2", "t5")
    return next((name for name in names if ModelConfig.preset(name, **changes) == model), None)


def _options(spec: RunSpec, style: Preset) -> dict[str, Any]:
    """Return the options of `train` that are not its defaults."""
    options: dict[str, Any] = {} if style == "gpt2" else {"preset": style}
    usual, model = ModelConfig.preset(style), spec.model
    options |= {
        name.replace("_", "-"): getattr(model, name)
        for name in _MODEL
        if getattr(model, name) != getattr(usual, name)
    }
    training, default = spec.training, TrainingConfig()
    if training.length != default.length:
        options["train-length"] = "{}:{}".format(*training.length)
    options |= {
        option: getattr(training, name)
        for name, option in _TRAINING.items()
        if getattr(training, name) != getattr(default, name)
    }
    if not training.stop_when_perfect:
        options["to-the-end"] = True
    if training.compiled:
        options["compile"] = True
    if spec.evaluation.lengths != further_ranges(training.length):
        options["test-length"] = [f"{low}:{high}" for low, high in spec.evaluation.lengths]
    if spec.evaluation.instances != 2000:
        options["instances"] = spec.evaluation.instances
    return options | ({"first-seed": spec.seed} if spec.seed else {})


def _sweep(spec: RunSpec, task: str, position: str) -> str:
    """Write a sweep of one run to a file, and run it."""
    changed = spec.model_dump(
        mode="json", include={"model", "training", "evaluation"}, exclude_defaults=True
    )
    lines = ["cat > run.toml <<'END'", "[axes]", f"task = [{json.dumps(task)}]"]
    lines += [f"position = [{json.dumps(position)}]", f"seed = [{spec.seed}]", "[fixed]"]
    flat = {f"{part}.{name}": v for part, values in changed.items() for name, v in values.items()}
    flat.setdefault("evaluation.lengths", [list(bin_) for bin_ in spec.evaluation.lengths])
    lines += [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in flat.items()]
    return "\n".join([*lines, "END", "lengthwise sweep run.toml"])
