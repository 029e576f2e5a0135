"""The command that makes a run again, exactly: same specification, same id."""

import shlex
from contextlib import suppress

from lengthwise.core.components import Component
from lengthwise.core.errors import InputError
from lengthwise.core.registry import Registry
from lengthwise.models.config import ModelConfig, Preset
from lengthwise.positions import POSITIONS
from lengthwise.records.options import options
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig, further_ranges
from lengthwise.tasks import TASKS

CONFIGURATIONS = (ModelConfig, TrainingConfig, EvaluationConfig)


def command(spec: RunSpec) -> str:
    """Return one line for `lengthwise train`; settings that are defaults are left out.

    Example:
        >>> spec = RunSpec.create(task="parity", position="nope", seed=2)
        >>> command(spec)
        'lengthwise train parity --encoding nope --first-seed 2'
    """
    task, encoding = typed(spec.task, TASKS), typed(spec.position, POSITIONS)
    words = ["lengthwise", "train", task, "--encoding", encoding, *_settings(spec)]
    if spec.start is not None:  # there, what is left out is as in that run: everything is said
        words = ["lengthwise", "train", task, "--from", spec.start.run, *_every_setting(spec)]
    return shlex.join([*words, *(["--first-seed", str(spec.seed)] if spec.seed else [])])


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


def _every_setting(spec: RunSpec) -> list[str]:
    """Return every option of training and evaluation, whether it is a default or not."""
    parts = {TrainingConfig: spec.training, EvaluationConfig: spec.evaluation}
    return [
        word
        for option in options(TrainingConfig, EvaluationConfig).values()
        for word in option.write(getattr(parts[option.owner], option.field))
    ]


def _settings(spec: RunSpec) -> list[str]:
    """Return the options that differ from what `train` would choose; the nearer preset first."""
    names: tuple[Preset, ...] = ("gpt2", "t5")
    presets = {name: ModelConfig.preset(name) for name in names}
    preset = min(names, key=lambda name: len(_changed(spec.model, presets[name])))
    tests = EvaluationConfig(lengths=further_ranges(spec.training.length))
    usual = {
        ModelConfig: presets[preset],
        TrainingConfig: TrainingConfig(),
        EvaluationConfig: tests,
    }
    words = [] if preset == "gpt2" else ["--preset", preset]
    for option in options(*CONFIGURATIONS).values():
        owner = {ModelConfig: spec.model, TrainingConfig: spec.training}.get(
            option.owner, spec.evaluation
        )
        value = getattr(owner, option.field)
        if value != getattr(usual[option.owner], option.field):
            words += option.write(value)
    return words


def _changed(one: ModelConfig, other: ModelConfig) -> list[str]:
    return [name for name in ModelConfig.model_fields if getattr(one, name) != getattr(other, name)]
