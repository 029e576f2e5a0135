"""Verbs: functions whose signature is at once the Python interface and the command line."""

import functools
import inspect
import os
import typing
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from lengthwise.core.bounds import bounds_of
from lengthwise.core.errors import InputError, nearest

if TYPE_CHECKING:
    from pydantic import BaseModel

Function = TypeVar("Function", bound=Callable[..., Any])


def verb(*configurations: "type[BaseModel]") -> Callable[[Function], Function]:
    """Check numbers and choices, and offer the fields of configurations as keywords.

    A function with configurations takes ``**settings``; its signature then lists every field as a
    keyword that is None when it is not given.
    """

    def wrap(function: Function) -> Function:
        signature = inspect.signature(function)
        fields = _options(configurations)
        hints = typing.get_type_hints(function, include_extras=True)
        limits = {
            name: bounds
            for name in signature.parameters
            if (bounds := bounds_of(hints.get(name))) is not None
        }
        choices = {
            name: known for name in signature.parameters if (known := _choices(hints.get(name)))
        }

        texts = {
            name
            for name, one in signature.parameters.items()
            if one.kind is one.KEYWORD_ONLY and hints.get(name) in (str, str | None)
        }

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in texts and isinstance(value, list | tuple):
                    raise InputError(f"{name} {value!r}: give one text, not several.")
                for number in value if isinstance(value, list | tuple) else (value,):
                    if name in limits and isinstance(number, int | float):
                        limits[name].check(name, number)
                if value is not None and name in choices and value not in choices[name]:
                    known = [str(choice) for choice in choices[name]]
                    hint = nearest(str(value), known)
                    raise InputError(f"{name} {value!r}: choose one of {', '.join(known)}.{hint}")
            return function(*args, **kwargs)

        checked.__signature__ = _with_fields(signature, fields)  # type: ignore[attr-defined]
        checked.__options__ = fields  # type: ignore[attr-defined]
        return typing.cast(Function, checked)

    return wrap


def _options(configurations: "Sequence[type[BaseModel]]") -> dict[str, Any]:
    """Return the fields of configurations; a verb without any does not load what reads them."""
    if not configurations:
        return {}
    from lengthwise.records.options import options

    return dict(options(*configurations))


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


def _choices(hint: Any) -> tuple[Any, ...]:
    """Return what ``Literal[...] | None`` allows, or nothing."""
    kinds = [hint, *typing.get_args(hint)]
    return next((typing.get_args(k) for k in kinds if typing.get_origin(k) is Literal), ())


def named(verb: str, subject: object) -> str:
    """Return what somebody named, from a string or a path, or say what to pass.

    Example:
        >>> named("predict", "(ab)*")
        '(ab)*'
        >>> named("predict", ["(ab)*"])
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: predict: pass a string, as in predict("(ab)*"), \
predict("parity") or predict("file.py:name"), not of type list.
    """
    if isinstance(subject, str | os.PathLike):
        return os.fspath(subject)
    forms = f'{verb}("(ab)*"), {verb}("parity") or {verb}("file.py:name")'
    raise InputError(f"{verb}: pass a string, as in {forms}, not of type {type(subject).__name__}.")


def several(encodings: str | Sequence[str]) -> list[str]:
    """Return encodings that were given as one name or as several, each once.

    Example:
        >>> several("rope:base=100,fraction=0.5")
        ['rope:base=100,fraction=0.5']
        >>> several("nope,ape")
        Traceback (most recent call last):
        lengthwise.core.errors.InputError: encoding 'nope,ape': name one at a time, as in \
--encoding nope --encoding ape.
    """
    listed = [encodings] if isinstance(encodings, str) else list(dict.fromkeys(encodings))
    for name in listed:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and ":" not in parts[0]:
            typed = " ".join(f"--encoding {part}" for part in parts if part)
            raise InputError(
                f"encoding {name!r}: name one at a time, as in {typed or '--encoding nope'}."
            )
    return listed
