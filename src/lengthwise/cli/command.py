"""A command from a verb: options from its signature, files from its result, ``--json``."""

import inspect
import sys
import typing
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

from cyclopts import Group, Parameter, Token
from docstring_parser import parse

from lengthwise.api.shown import Shown, check_path, writers
from lengthwise.cli.console import show
from lengthwise.core.bounds import bounds_of
from lengthwise.core.errors import InputError
from lengthwise.records.options import Option

HIDDEN = ("progress",)
"""Parameters of verbs that a command sets itself."""


def command(verb: Callable[..., Shown]) -> Callable[..., None]:
    """Return the function that cyclopts turns into a command: it calls the verb and prints."""
    signature = inspect.signature(verb)
    hints = typing.get_type_hints(inspect.unwrap(verb), include_extras=True)
    told = {p.arg_name: p.description or "" for p in parse(verb.__doc__ or "").params}
    fields: dict[str, Option] = getattr(verb, "__options__", {})
    files = writers(hints["return"])
    parameters = [
        _field(fields[name]) if name in fields else _plain(parameter, hints[name], told[name])
        for name, parameter in signature.parameters.items()
        if name not in HIDDEN
    ]
    taken = {parameter.name for parameter in parameters}
    assert not taken & (files.keys() | {"as_json"}), verb
    parameters += [_file(name, method) for name, method in files.items()]
    parameters.append(_JSON)

    def run(*args: Any, **options: Any) -> None:
        as_json = options.pop("as_json", False)
        paths = {name: options.pop(name, None) for name in files}
        wanted = {name: path for name, path in paths.items() if path is not None}
        for name, path in wanted.items():
            check_path(f"--{name}", path, files[name].__writes__[0])  # type: ignore[attr-defined]
        if "progress" in signature.parameters:
            options["progress"] = not as_json
        result = verb(*args, **options)
        show(result, as_json=as_json)
        for name, path in wanted.items():
            getattr(result, name)(path)
            sys.stderr.write(f"{name}: {path}\n")
        if result.failed():
            sys.exit(1)

    run.__name__ = verb.__name__
    run.__doc__ = _description(verb)
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=None
    )
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _description(verb: Callable[..., Any]) -> str:
    """Return the docstring without its arguments; those are told option by option."""
    parsed = parse(verb.__doc__ or "")
    return "\n\n".join(filter(None, (parsed.short_description, parsed.long_description)))


def _plain(parameter: inspect.Parameter, hint: Any, told: str) -> inspect.Parameter:
    """Turn a parameter of the verb into one that cyclopts reads."""
    positional = parameter.kind is not parameter.KEYWORD_ONLY
    kind, options = _read(hint)
    if positional and parameter.kind is not parameter.VAR_POSITIONAL:
        parameter = parameter.replace(kind=parameter.POSITIONAL_ONLY)
    default = parameter.default
    if isinstance(default, list | tuple):
        default = tuple(default)
    shown = options | {"help": _sentence(told), "show_default": _default(default)}
    return parameter.replace(annotation=Annotated[kind, Parameter(**shown)], default=default)


def _field(option: Option) -> inspect.Parameter:
    """Turn a field of a configuration into an option that is None when it is not given."""
    info = option.info
    kind, options = (str, {}) if option.is_range else _read(info.annotation)
    if option.is_ranges:
        kind, options = tuple[str, ...], {"consume_multiple": False, "negative": ""}
    if kind is bool:
        options = {"negative": f"--no-{option.name.replace('_', '-')}"}
    told = _sentence(info.description or "")
    usual = "" if option.is_ranges else _default(info.default)
    owner = option.owner.__name__.removesuffix("Config")
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            kind | None,
            Parameter(
                help=f"{told} [default: {usual}]" if usual else told,
                group=_group(owner),
                show_default=False,
                **options,
            ),
        ],
    )


@cache
def _group(title: str) -> Group:
    """Return the one group of a title: cyclopts compares them by identity."""
    return Group(title, sort_key=10)


def _file(name: str, method: Any) -> inspect.Parameter:
    _, aliases = method.__writes__
    told = inspect.getdoc(method) or ""
    names = (f"--{name.replace('_', '-')}", *aliases)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None, Parameter(name=names, help=told.partition("\n")[0], show_default=False)
        ],
    )


def _read(hint: Any) -> tuple[Any, dict[str, Any]]:
    """Return the type that cyclopts parses and the options of its parameter."""
    bounds, bare = bounds_of(hint), _bare(hint)
    if bare is bool:
        return bool, {"negative": ""}
    if get_origin(bare) in (tuple, Sequence) or bare in (tuple, list):
        inner = _bare(get_args(bare)[0])
        read = _number(inner) if inner in (int, float) else None
        return tuple[inner, ...], {"consume_multiple": False, "negative": ""} | (
            {"converter": lambda _, tokens: tuple(read(None, [t]) for t in tokens)} if read else {}
        )
    if bare in (int, float):
        return (bare | None if _optional(hint) else bare), {
            "converter": _number(bare),
            "validator": _within(bounds) if bounds else (),
        }
    return (bare | None if _optional(hint) else bare), {}


def _optional(hint: Any) -> bool:
    return NoneType in get_args(hint)


def _bare(hint: Any) -> Any:
    """Strip bounds and ``| None``; ``str | Sequence[str]`` is several strings."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if isinstance(hint, UnionType) or get_origin(hint) is typing.Union:
        kinds = [_bare(kind) for kind in get_args(hint) if kind is not NoneType]
        several = [kind for kind in kinds if get_origin(kind) is not None]
        literal = [kind for kind in kinds if get_origin(kind) is Literal]
        return (literal or several or kinds)[0]
    return hint


def _number(kind: type) -> Callable[[Any, Sequence[Token]], Any]:
    """Read a number strictly: 2.5 is not a whole number, nan and inf are none."""

    def read(_: Any, tokens: Sequence[Token]) -> Any:
        text = tokens[0].value
        if len(text) > 40:
            raise ValueError(f"{text[:20]}... is too long for a number.")
        try:
            return kind(text)
        except ValueError:
            noun = "a whole number" if kind is int else "a number"
            raise ValueError(f"{text!r} is not {noun}.") from None

    return read


def _within(bounds: Any) -> Callable[[Any, Any], None]:
    def check(_: Any, value: Any) -> None:
        if isinstance(value, int | float):
            try:
                bounds.check("", value)
            except InputError as error:
                raise ValueError(str(error).strip().partition(": ")[2]) from None

    return check


def _default(value: Any) -> Any:
    """Say a default as it would be typed, never as Python."""
    if value is None or value is inspect.Parameter.empty or value == () or value is False:
        return False
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, int) for v in value):
        return "{}:{}".format(*value)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if value is True:
        return "yes"
    return str(value)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ":")) or not text else ".")


_JSON = inspect.Parameter(
    "as_json",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        Parameter(
            name="--json", negative="", help="Print JSON instead of tables.", show_default=False
        ),
    ],
)
