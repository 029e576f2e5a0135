"""Shapes that annotations name are checked while tests run: jaxtyping binds axes, beartype asks.

``q: Float[Tensor, "b h s e"]`` and ``k: Float[Tensor, "b h t e"]`` must agree in b, h and e at each
call. Only what names axes is wrapped, and only those annotations are asked about: everything else
costs nothing and may be what it likes to be (compiled, abstract, a command).
"""

import dataclasses
import inspect
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, get_args

from beartype import beartype
from jaxtyping import AbstractArray, jaxtyped

_NAMES = ("tasks", "positions", "models", "evaluation", "training")
ROOMS = tuple(f"lengthwise.{room}" for room in _NAMES)
"""Rooms whose shapes are checked."""


CALLS = 100
"""Calls of a function that are checked in each test: training calls the same ones for minutes."""
_calls: Counter[Callable[..., Any]] = Counter()


def begin() -> None:
    """Count calls anew, as a test begins."""
    _calls.clear()


def install() -> None:
    """Check every module of these rooms that is imported from now on."""
    sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith(ROOMS):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(value):
                setattr(module, name, checked(value))
            elif inspect.isclass(value):
                check_class(value)


def check_class(cls: type) -> None:
    """Check the methods of a class, and the fields of a dataclass when one is made."""
    for name, value in list(vars(cls).items()):
        if inspect.isfunction(value):
            setattr(cls, name, checked(value))
        elif isinstance(value, staticmethod | classmethod):
            setattr(cls, name, type(value)(checked(value.__func__)))
        elif isinstance(value, property) and value.fget is not None:
            setattr(cls, name, value.getter(checked(value.fget)))
        elif isinstance(value, cached_property):
            value.func = checked(value.func)
    if dataclasses.is_dataclass(cls) and "__init__" in vars(cls):
        cls.__init__ = checked(cls.__init__)


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses arguments and results whose axes do not agree."""
    named = {
        name: annotation
        for name, annotation in getattr(function, "__annotations__", {}).items()
        if any(names_axes(part) for part in parts(annotation))
    }
    if not named or inspect.isgeneratorfunction(function):
        return function
    kept = function.__annotations__
    function.__annotations__ = named
    wrapped = jaxtyped(typechecker=beartype)(function)
    function.__annotations__ = kept

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        _calls[function] += 1
        return (wrapped if _calls[function] <= CALLS else function)(*args, **options)

    return call


def parts(annotation: Any) -> Iterator[Any]:
    """Yield an annotation and what it is made of."""
    yield annotation
    for part in get_args(annotation):
        yield from parts(part)


def names_axes(annotation: Any) -> bool:
    """Say whether this is one of jaxtyping's arrays."""
    return inspect.isclass(annotation) and issubclass(annotation, AbstractArray)
