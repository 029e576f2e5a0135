"""Verbs: functions whose signature is at once the Python interface and the command line."""

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from lengthwise.core.bounds import bounds_of
from lengthwise.records.options import options

Function = TypeVar("Function", bound=Callable[..., Any])


def verb(*configurations: type[BaseModel]) -> Callable[[Function], Function]:
    """Check numbers against their bounds and offer the fields of configurations as keywords.

    A function with configurations takes ``**settings``; its signature then lists every field as a
    keyword that is None when it is not given.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)
        fields = options(*configurations)
        hints = typing.get_type_hints(function, include_extras=True)
        limits = {
            name: bounds
            for name in signature.parameters
            if (bounds := bounds_of(hints.get(name))) is not None
        }

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in limits and isinstance(value, int | float):
                    limits[name].check(name, value)
            return function(*args, **kwargs)

        checked.__signature__ = _with_fields(signature, fields)  # type: ignore[attr-defined]
        checked.__options__ = fields  # type: ignore[attr-defined]
        return typing.cast(Function, checked)

    return wrap


def _with_fields(signature: inspect.Signature, fields: dict[str, Any]) -> inspect.Signature:
    """Replace ``**settings`` by one keyword per field."""
    kept = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=option.info.annotation,
        )
        for name, option in fields.items()
    ]
    return signature.replace(parameters=[*kept, *added])
