"""A sweep as plain data: axes, what is fixed, what is excluded, and named sizes.

In TOML::

    name = "encodings"

    [axes]                                  # every combination is a run
    task = ["binary-majority", "parity"]
    position = ["nope", "rope"]
    "model.layers" = [1, 2]
    seed = "0:2"                            # a range of seeds, both ends included
    shape = [                               # several fields that change together
      { "model.width" = 16, "training.learning_rate" = 1e-3 },
      { "model.width" = 64, "training.learning_rate" = 3e-4 },
    ]

    [fixed]                                 # the same for all runs
    "training.steps" = 3000

    [[exclude]]                             # combinations that are left out
    position = "rope"
    "model.layers" = 1

    [sizes.smoke]                           # `--size smoke` changes these
    "training.steps" = 20
    seed = [0]
"""

import hashlib
import itertools
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.files import read_json, read_text, write_json
from lengthwise.core.registry import load_from_file
from lengthwise.models.config import ModelConfig, Preset
from lengthwise.records.spec import (
    EvaluationConfig,
    RunSpec,
    TrainingConfig,
    content_id,
    first_problem,
    further_ranges,
    read_range,
    read_strictly,
)
from lengthwise.runs.experiment import check
from lengthwise.runs.store import Store

PARTS: dict[str, type[BaseModel]] = {
    "model": ModelConfig,
    "training": TrainingConfig,
    "evaluation": EvaluationConfig,
}
FIELDS: tuple[str, ...] = (
    "task",
    "position",
    "seed",
    "preset",
    *(f"{part}.{name}" for part, kind in PARTS.items() for name in kind.model_fields),
)
"""What an axis may vary, in the words of a specification."""

SWEEPS = ".sweeps"
MOST_RUNS = 1_000_000


class Sweep(BaseModel):
    """A set of runs, described by what varies.

    Example:
        >>> sweep = Sweep(axes={"task": ["parity"], "position": ["nope", "rope"], "seed": "0:1"})
        >>> [f"{s.position} {s.seed}" for s in sweep.specs()]
        ['nope 0', 'nope 1', 'rope 0', 'rope 1']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default="sweep", pattern=r"^[\w.-]+$")
    axes: dict[str, Any]
    fixed: dict[str, Any] = {}
    exclude: tuple[dict[str, Any], ...] = ()
    sizes: dict[str, dict[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _flatten(cls, data: Any) -> Any:
        """Accept ``[fixed.training]`` tables as well as dotted names."""
        if not isinstance(data, Mapping):
            return data
        flat = dict(data)
        if "axes" not in flat:
            raise ValueError(
                "axes: is missing; every combination of its lists is a run, for example "
                'axes = {task = ["parity"], position = ["nope", "ape"], seed = [0, 1, 2]}'
            )
        for part in ("axes", "fixed"):
            if isinstance(flat.get(part), Mapping):
                flat[part] = _dotted(flat[part])
        if isinstance(flat.get("sizes"), Mapping):
            flat["sizes"] = {
                size: _dotted(changes) if isinstance(changes, Mapping) else changes
                for size, changes in flat["sizes"].items()
            }
        if isinstance(flat.get("exclude"), Sequence):
            flat["exclude"] = [_dotted(e) if isinstance(e, Mapping) else e for e in flat["exclude"]]
        return flat

    @classmethod
    def read(cls, data: Any, where: str = "sweep") -> Self:
        """Validate plain data; a mistake is named by its path."""
        try:
            sweep = cls.model_validate(data)
        except ValidationError as error:
            raise InputError(f"{where}: {first_problem(error)}") from error
        for size in (None, *sweep.sizes):
            sweep.points(size)
        return sweep

    def specs(self, size: str | None = None) -> list[RunSpec]:
        """Return the specification of every run, the last axis varying fastest, each once."""
        specs = {spec.id: spec for spec in map(_specification, self.points(size))}
        for spec in {(str(s.task), str(s.position), s.model): s for s in specs.values()}.values():
            check(spec)
        return list(specs.values())

    def points(self, size: str | None = None) -> list[dict[str, Any]]:
        """Return the field values of every combination that is not excluded."""
        axes, fixed = self._resized(size)
        excluded = [_exclusion(rule, self.axes, axes) for rule in self.exclude]
        _few(prod(map(len, axes.values())))
        points = []
        for values in itertools.product(*axes.values()):
            point = dict(fixed)
            for value in values:
                point |= value
            if not any(_matches(rule, point) for rule in excluded):
                points.append(point)
        if not points:
            raise InputError("sweep: no run is left; some axis is empty or all are excluded.")
        return points

    def _resized(self, size: str | None) -> tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]:
        if size is not None and size not in self.sizes:
            raise unknown("--size", size, self.sizes)
        axes, fixed = dict(self.axes), dict(self.fixed)
        for name, value in self.sizes.get(size or "", {}).items():
            (axes if name in self.axes else fixed)[name] = value
        for name in (*fixed, *_names(axes)):
            _known(name)
        doubled = set(fixed) & set(_names(axes))
        if doubled:
            raise InputError(f"sweep: {min(doubled)!r} is both fixed and an axis.")
        for needed in ("task", "position"):
            if needed not in (*fixed, *_names(axes)):
                raise InputError(f"sweep: say which {needed} to run, as an axis or fixed.")
        return {name: _axis(name, values) for name, values in axes.items()}, fixed


def load_sweep(reference: str | Path) -> Sweep:
    """Read a sweep from ``file.toml`` or from ``file.py[:NAME]`` (by default ``SWEEP``).

    A Python file may hold a ``Sweep``, a dictionary, or a function that returns one; it is
    executed because the user named it.
    """
    text = str(reference)
    if ".py" in text:
        name = text if ".py:" in text else f"{text}:SWEEP"
        value = load_from_file(name, "sweep")
        value = _called(value, text) if callable(value) else value
        return value if isinstance(value, Sweep) else Sweep.read(value, text)
    content = read_text(Path(reference))
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:  # numbers without end, tables in tables
        raise InputError(f"sweep {text!r}: not valid TOML ({error}).") from None
    return Sweep.read({"name": Path(reference).stem, **data}, text)


def _called(function: Callable[[], Any], text: str) -> Any:
    """Return what a user's function says the sweep is."""
    try:
        return function()
    except (Exception, SystemExit, GeneratorExit) as error:
        raise InputError(f"sweep {text!r}: it raised {type(error).__name__}: {error}") from error


def shard(specs: Sequence[RunSpec], text: str) -> list[RunSpec]:
    """Return the part ``i/n`` of a sweep, i from 1 to n; the parts are disjoint and complete."""
    first, _, second = text.partition("/")
    try:
        number, count = int(first), int(second)
    except ValueError:
        raise InputError(f"--shard {text!r}: use i/n with whole numbers, as 1/4.") from None
    if not 1 <= number <= count:
        raise InputError(f"--shard {text!r}: i must lie between 1 and n.")
    return list(specs[number - 1 :: count])


def note_sweep(store: Store, name: str, specs: Sequence[RunSpec]) -> Path:
    """Write down in the store which runs belong to a sweep, so that others can watch or help."""
    path = store.root / SWEEPS / f"{name}-{_digest(spec.id for spec in specs)}.json"
    if not path.exists():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"store {str(store.root)!r}: {error.strerror}.") from error
        data = {"name": name, "specs": [spec.model_dump(mode="json") for spec in specs]}
        write_json(path, data)
    return path


def noted_sweep(path: Path) -> list[RunSpec]:
    """Read the runs of a sweep that ``note_sweep`` wrote down; its name ends with their digest."""
    try:
        written = list(read_json(path)["specs"])
    except (KeyError, TypeError):
        written = []
    if not path.stem.endswith(f"-{_digest(map(content_id, written))}"):
        raise InputError(
            f"{path}: damaged; `lengthwise sweep FILE` writes it anew if it is removed."
        )
    return [RunSpec.read(data) for data in written]


def _digest(ids: Iterable[str]) -> str:
    return hashlib.sha256("".join(ids).encode()).hexdigest()[:8]


def _specification(point: Mapping[str, Any]) -> RunSpec:
    """Build one run from its field values."""
    parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for name, value in point.items():
        part, _, key = name.partition(".")
        if key:
            parts[part][key] = value
    preset = next((p for p in get_args(Preset) if p == point.get("preset", "gpt2")), None)
    if preset is None:
        raise unknown("preset", str(point["preset"]), get_args(Preset))
    training = read_strictly(TrainingConfig, parts["training"], "sweep: training.")
    if "length" in parts["training"] and "lengths" not in parts["evaluation"]:
        parts["evaluation"]["lengths"] = further_ranges(training.length)
    styled = ModelConfig.preset(preset).model_dump() | parts["model"]
    return RunSpec.create(
        task=_text("task", point["task"]),
        position=_text("position", point["position"]),
        seed=point.get("seed", 0),
        model=read_strictly(ModelConfig, styled, "sweep: model."),
        training=training,
        evaluation=read_strictly(EvaluationConfig, parts["evaluation"], "sweep: evaluation."),
    )


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"sweep: {name}: Input should be a valid string (got {value!r}).")
    return value


def _dotted(table: Mapping[str, Any]) -> dict[str, Any]:
    """Turn ``{"training": {"steps": 5}}`` into ``{"training.steps": 5}``."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if name in PARTS and isinstance(value, Mapping):
            flat |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def _axis(name: str, values: Any) -> list[dict[str, Any]]:
    """Return an axis as a list of field settings."""
    if name == "seed" and isinstance(values, str):
        low, high = read_range(values, "sweep: seed")
        _few(high + 1 - low)
        values = range(low, high + 1)
    if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
        raise InputError(f"sweep: axis {name!r} must be a list with at least one value.")
    for value in values:
        if isinstance(value, Mapping) == (name in FIELDS):
            wanted = "a plain value" if name in FIELDS else "a table of fields"
            raise InputError(f"sweep: axis {name!r}: {value!r} is not {wanted}.")
    return [_dotted(v) if isinstance(v, Mapping) else {name: v} for v in values]


def _few(runs: int) -> None:
    if runs > MOST_RUNS:
        raise InputError(f"sweep: {runs:,} runs; at most {MOST_RUNS:,} are allowed.")


def _names(axes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that the axes set; an axis of tables sets those inside."""
    for name, values in axes.items():
        listed = values if isinstance(values, Sequence) and name not in FIELDS else ()
        tables = [v for v in listed if isinstance(v, Mapping)]
        if tables:
            yield from dict.fromkeys(key for table in tables for key in _dotted(table))
        else:
            yield name


def _known(name: str) -> None:
    if name not in FIELDS:
        raise unknown("field in sweep", name, FIELDS)


def _exclusion(
    rule: Mapping[str, Any], all_axes: Mapping[str, Any], axes: Mapping[str, list[dict[str, Any]]]
) -> dict[str, list[Any]]:
    """Check a rule against the axes; one that can never apply is a mistake."""
    wanted = {name: v if isinstance(v, list) else [v] for name, v in rule.items()}
    full = {name: _axis(name, values) for name, values in all_axes.items()}
    for name, values in wanted.items():
        _known(name)
        offered = [s[name] for axis in (*full.values(), *axes.values()) for s in axis if name in s]
        for value in values:
            if offered and value not in offered:
                shown = ", ".join(map(repr, dict.fromkeys(map(str, offered))))
                raise InputError(f"sweep: exclude {name} = {value!r}: no axis has it, but {shown}.")
        if not offered:
            raise InputError(f"sweep: exclude {name}: there is no such axis.")
    return wanted


def _matches(rule: Mapping[str, list[Any]], point: Mapping[str, Any]) -> bool:
    return all(point.get(name) in values for name, values in rule.items())
