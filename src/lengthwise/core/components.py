"""A named thing with options, as people type it and as specifications store it.

``rotary:fraction=0.5,base=1000`` on the command line is
``{"name": "rotary", "options": {"fraction": 0.5, "base": 1000}}`` in a specification.
A class may name one field as its ``argument``: the text after the colon then fills that field
whole, up to a ``;`` behind which further options may follow (``regex:(ab)*;supervision=state``).
A class that reads files in its own way has a static method ``reads``, which returns their contents
for given options: they are part of the digest, and so of every run's identity.
"""

import dataclasses
import hashlib
import inspect
import os
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.opened import imported_files
from lengthwise.core.registry import Registry, files_read, is_file

T = TypeVar("T")


class Component(BaseModel):
    """The name and options of a task or an encoding, plus a digest when it is a user's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    options: dict[str, Any] = {}
    digest: str | None = None

    @classmethod
    def parse(cls, text: str, registry: Registry) -> Self:
        """Read ``name``, ``name:key=value,...`` or ``file.py:Name[:key=value,...]``."""
        name, rest = _split_name(text)
        target = registry.load(name)
        options = _read_options(name, rest, target, registry.kind)
        return cls(name=name, options=options, digest=_digest(name, options, target))

    def contents(self, registry: Registry) -> dict[str, bytes]:
        """Return what the component reads, by name: files, and whatever else its class says."""
        return _contents(self.name, self.options, registry.load(self.name))

    def check_read(self, registry: Registry, files: Iterable[str]) -> None:
        """Refuse files that a user's class reads and that are not part of its identity."""
        if ".py:" not in self.name:
            return
        known = {os.path.realpath(path) for path in self.contents(registry)}
        for path in sorted(files_read(registry.load(self.name), files) - known):
            raise InputError(
                f"{registry.kind} {str(self)!r} reads {path!r}, and an edited copy would be taken "
                "for the same run; return its content from a static method: "
                "def reads(options): return {path: content}."
            )

    def build(self, registry: Registry, kind: type[T]) -> T:
        """Construct the object; wrong options are named together with the allowed ones."""
        self._check_files(registry)
        target = registry.load(self.name)
        if not (isinstance(target, type) and issubclass(target, kind)):
            raise InputError(
                f"{registry.kind} {self.name!r} is not a class derived from {kind.__name__}."
            )
        for name, annotation in inspect.get_annotations(kind).items():
            if "ClassVar" in str(annotation) and not hasattr(target, name):
                raise InputError(
                    f"{registry.kind} {self.name!r}: the class says no {name}; write "
                    f"`{name} = ...` in it."
                )
        allowed = _fields(target)
        for key in self.options:
            if key not in allowed:
                raise unknown(f"option of {registry.kind} {self.name!r}:", key, allowed)
        try:
            return target(**self.options)
        except TypeError as error:
            raise InputError(f"{registry.kind} {self.name!r}: {error}.") from error

    def _check_files(self, registry: Registry | None = None) -> None:
        """Refuse files that are not those the specification was made with.

        Without a registry only the named files are looked at, and nothing is loaded.
        """
        if self.digest is None:
            return
        target = None if registry is None else registry.load(self.name)
        found = _digest(self.name, self.options, target)
        if found == self.digest or (target is None and found == self.digest[:12]):
            return
        missing = [path for path in _named(self.name, self.options) if not is_file(path)]
        what = f"the file {missing[0]!r} has gone" if missing else "its file has been edited"
        raise InputError(
            f"{str(self)!r}: {what} since the run was specified (digest {self.digest})."
        )

    def check_trusted(self, trust: bool) -> None:
        """Refuse to build what would execute a file, unless the user trusts it and it is known.

        For components that come from a store: whoever wrote it may have named any file.
        """
        named = sum(len(_PYTHON.findall(text)) for text in _texts([self.name, self.options]))
        if not named:
            return
        if not trust:
            raise InputError(
                f"{str(self)!r} is a Python file that a stored run names; it is executed only "
                "with --trust-code, and if its content is still the same."
            )
        known = [path for path in _named(self.name, self.options) if path.endswith(".py")]
        if self.digest is None or named != len(known):
            raise InputError(
                f"{str(self)!r}: the run does not know the content of every file that it names, "
                "so that none is executed."
            )
        self._check_files()

    def __str__(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name}:{options}" if options else self.name


def _split_name(text: str) -> tuple[str, str]:
    name, _, rest = text.partition(":")
    if name.endswith(".py"):  # not merely somewhere behind the colon, as in ipe:relation=my.py:phi
        attribute, _, rest = rest.partition(":")
        name = f"{name}:{attribute}"
    return name, rest


def _digest(name: str, options: dict[str, Any], target: Any) -> str | None:
    """Identify what a component reads, so that an edited file is another run.

    For a class in a user's file the first half is of what can be known before it is executed.
    """
    named = _named_contents(name, options)
    every = _contents(name, options, target)
    if ".py:" in name and len(every) > len(named):
        return _hash(named) + _hash(every)
    return _hash(every) if every else None


def _hash(contents: dict[str, bytes]) -> str:
    return hashlib.sha256(b"".join(contents.values())).hexdigest()[:12]


def _contents(name: str, options: dict[str, Any], target: Any) -> dict[str, bytes]:
    """Return the files that a user named, then what the class says that it reads besides."""
    named = _named_contents(name, options)
    reads: Callable[[dict[str, Any]], dict[str, bytes]] = getattr(target, "reads", lambda _: {})
    return named | {key: value for key, value in reads(options).items() if key not in named}


def _named_contents(name: str, options: dict[str, Any]) -> dict[str, bytes]:
    """Return the files that a user named, and those beside them that they import."""
    files = [path for path in _named(name, options) if is_file(path)]
    found = {path: Path(path).read_bytes() for path in files}
    for path in files:
        beside = imported_files(Path(path)) if path.endswith(".py") else {}
        found |= {key: value for key, value in beside.items() if key not in found}
    return found


def _named(name: str, options: dict[str, Any]) -> list[str]:
    """Return what looks like a file in a component, each once; a user's class may name any."""
    named = [path for text in (name, *map(str, options.values())) for path in _FILES.findall(text)]
    named += [str(options["path"])] if "path" in options else []
    if ".py:" in name:
        named += [value for value in options.values() if isinstance(value, str) and is_file(value)]
    return list(dict.fromkeys(named))


def _texts(value: Any) -> Iterator[str]:
    """Yield every text inside plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts([key, inner])
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


_PYTHON = re.compile(r"\.py(?!\w)")
"""Where a text may name a Python file, however it is taken apart: more than what is loaded."""
_FILES = re.compile(r"[^:=+,;]+\.(?:py(?=:)|npz(?![^+,;]))")
"""``file.py:Name`` or ``table.npz``, also inside another option."""


def _fields(target: type) -> dict[str, Any]:
    """Option names and types of a dataclass; inherited ones included."""
    if not dataclasses.is_dataclass(target):
        return {}
    hints = typing.get_type_hints(target)
    return {f.name: hints[f.name] for f in dataclasses.fields(target) if f.init}


def _read_options(name: str, rest: str, target: type, kind: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    allowed = _fields(target)
    argument = getattr(target, "argument", None)
    if argument and rest:
        options[argument], _, rest = rest.partition(";")
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"{kind} {name!r}: {part!r} is not of the form option=value.")
        if key not in allowed:
            raise unknown(f"option of {kind} {name!r}:", key, allowed)
        options[key] = _convert(value, allowed[key], f"{kind} {name!r}: option {key}")
    return options


def _convert(text: str, wanted: Any, where: str) -> Any:
    """Turn an option's text into its annotated type."""
    choices = [t for t in typing.get_args(wanted) if t is not type(None)]
    if typing.get_origin(wanted) is typing.Literal:
        if text not in choices:
            raise unknown(f"value ({where}):", text, [str(choice) for choice in choices])
        return text
    plain = [t for t in ([wanted] if isinstance(wanted, type) else choices) if t in _READERS]
    for reader in plain:
        try:
            return _READERS[reader](text)
        except (ValueError, KeyError):
            continue
    names = " or ".join(t.__name__ for t in plain) or "not settable here"
    raise InputError(f"{where}: {text!r} is not valid (expected {names}).")


_READERS: dict[type, Any] = {
    bool: {"true": True, "false": False, "1": True, "0": False}.__getitem__,
    int: int,
    float: float,
    str: str,
}
