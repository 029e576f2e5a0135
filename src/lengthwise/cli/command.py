"""A command from a verb: options from its signature, files from its result, ``--json``."""

import inspect
import sys
import typing
from collections.abc import Callable, Collection, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from cyclopts import Group, Parameter, Token
from docstring_parser.google import parse

from lengthwise.api.shown import PartlyDoneError, Shown, Writer, writers
from lengthwise.cli.console import name_damage, show
from lengthwise.core.bounds import Bounds, bounds_of
from lengthwise.core.errors import InputError
from lengthwise.core.outputs import check_output
from lengthwise.core.text import printable
from lengthwise.runs.distributed import leader

if TYPE_CHECKING:
    from lengthwise.records.options import Option

HIDDEN = ("progress", "announce")
"""Parameters of verbs that a command sets itself."""
NOUNS = {
    ".html": "page",
    ".htm": "page",
    ".png": "figure",
    ".svg": "figure",
    ".pdf": "figure",
    ".safetensors": "weights",
    ".cr": "program",
}
"""What a written file is called, by its suffix."""


def command(verb: Callable[..., Shown]) -> Callable[..., None]:
    """Return the function that cyclopts turns into a command: it calls the verb and prints."""
    signature = inspect.signature(verb)
    hints = typing.get_type_hints(inspect.unwrap(verb), include_extras=True)
    told = {p.arg_name: p.description or "" for p in parse(verb.__doc__ or "").params}
    if not verb.__doc__:  # under ``python -OO``, which removes it
        told = dict.fromkeys(signature.parameters, "")
    fields: dict[str, Option] = getattr(verb, "__options__", {})
    methods = writers(*_members(hints["return"]))
    files: dict[str, Writer] = {name: vars(m)["__writer__"] for name, m in methods.items()}
    parameters = [
        _field(fields[name]) if name in fields else _plain(parameter, hints[name], told[name])
        for name, parameter in signature.parameters.items()
        if name not in HIDDEN
    ]
    assert not {p.name for p in parameters} & (files.keys() | {"as_json"}), verb
    parameters += [_file(name, files[name], methods[name]) for name in files]
    parameters.append(_JSON)

    def run(*args: Any, **options: Any) -> None:
        as_json = options.pop("as_json", False)
        named = {name: options.pop(name, None) for name in files}
        wanted: dict[str, Path] = {name: path for name, path in named.items() if path is not None}
        for name, path in wanted.items():
            file = files[name]
            check_output(f"--{file.option}", path, file.suffixes, folder=file.folder)
        if not wanted and not as_json:
            _need(verb.__name__, files)
        if "progress" in signature.parameters:
            options["progress"] = not as_json
        if "announce" in signature.parameters and not as_json:
            options["announce"] = show
        try:
            result = verb(*args, **options)
        except PartlyDoneError as stopped:
            if not as_json:
                show(stopped.result)
            raise
        for name in list(wanted):
            if not hasattr(result, name):
                if not result.failed():
                    raise InputError(f"--{files[name].option}: {result.unwritable}")
                del wanted[name]  # what failed is said, and the exit code says so too
            elif problem := result.missing(name):
                raise InputError(f"--{files[name].option}: {problem}")
        if as_json or not any(files[name].instead for name in wanted):
            show(result, as_json=as_json)
        if not as_json:
            wanted |= _usual(result, files, wanted)
        _write(result, wanted)
        name_damage(result.damaged)
        if not as_json and leader():
            sys.stderr.writelines(f"{printable(note)}\n" for note in result.notes())
        if result.failed():
            sys.exit(1)

    run.__name__ = verb.__name__
    run.__doc__ = _description(verb)
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=None
    )
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _members(hint: Any) -> tuple[type, ...]:
    """Return the classes of a result: a verb may have results of several kinds."""
    return get_args(hint) if isinstance(hint, UnionType) else (hint,)


def _need(verb: str, files: dict[str, Writer]) -> None:
    """Refuse a command whose result is a file when none is named."""
    options = [f"--{file.option}" for file in files.values() if file.needed]
    if options:
        raise InputError(f"{verb}: name a file with {' or '.join(options)}.")


def _usual(result: Shown, files: dict[str, Writer], wanted: Collection[str]) -> dict[str, Path]:
    """Return the files that are written although none was named."""
    return {
        name: Path(file.usual.format(result=result))
        for name, file in files.items()
        if file.usual is not None and name not in wanted and hasattr(result, name)
    }


def _write(result: Shown, wanted: dict[str, Path]) -> None:
    """Write files and say so; under ``torchrun`` one process writes for all."""
    if not leader():
        return
    for name, path in wanted.items():
        getattr(result, name)(path)
        sys.stderr.write(f"{NOUNS.get(path.suffix.lower(), 'file')}: {path}\n")


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
    if default is True:
        options["negative"] = f"--no-{parameter.name.replace('_', '-')}"
    shown: dict[str, Any] = options | {
        "help": _sentence(told),
        "show_default": _default(default),
    }
    return parameter.replace(annotation=Annotated[kind, Parameter(**shown)], default=default)


def _field(option: "Option") -> inspect.Parameter:
    """Turn a field of a configuration into an option that is None when it is not given."""
    info = option.info
    kind: Any = str
    options: dict[str, Any] = {}
    if not option.is_range:
        kind, options = _read(info.annotation)
    if option.is_ranges:
        kind, options = tuple[str, ...], {"consume_multiple": False, "negative": ""}
    if kind is bool:
        options = {"negative": f"--no-{option.name.replace('_', '-')}"}
    told = _sentence(info.description or "")
    usual = "" if option.is_ranges else _default(info.default, as_range=option.is_range)
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


def _file(name: str, file: Writer, method: Any) -> inspect.Parameter:
    told = inspect.getdoc(method) or ""
    usual = file.usual if file.usual and "{" not in file.usual else None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None,
            Parameter(
                name=(f"--{file.option.replace('_', '-')}", *file.aliases),
                help=told.partition("\n")[0] + (f" [default: {usual}]" if usual else ""),
                show_default=False,
            ),
        ],
    )


def _read(hint: Any) -> tuple[Any, dict[str, Any]]:
    """Return the type that cyclopts parses and the options of its parameter."""
    bounds, bare = bounds_of(hint), _bare(hint)
    if bare is bool:
        return bool, {"negative": ""}
    if get_origin(bare) in (tuple, Sequence) or bare in (tuple, list):
        inner = _bare(get_args(bare)[0])
        several: dict[str, Any] = {"consume_multiple": False, "negative": ""}
        if inner in (int, float):
            several |= {"converter": _numbers(inner), "validator": _within(bounds)}
        return tuple[inner, ...], several
    if bare in (int, float):
        return (bare | None if _optional(hint) else bare), {
            "converter": _number(bare),
            "validator": _within(bounds),
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


def _numbers(kind: type) -> Callable[[Any, Sequence[Token]], Any]:
    read = _number(kind)
    return lambda hint, tokens: tuple(read(hint, [token]) for token in tokens)


def _within(bounds: Bounds | None) -> Callable[[Any, Any], None]:
    def check(_: Any, value: Any) -> None:
        for number in value if isinstance(value, tuple) else (value,):
            if bounds is None or not isinstance(number, int | float):
                continue
            try:
                bounds.check("", number)
            except InputError as error:
                reason = str(error).partition(": ")[2]
                raise ValueError(reason[:1].upper() + reason[1:]) from None

    return check


def _default(value: Any, *, as_range: bool = False) -> Any:
    """Say a default as it would be typed, never as Python."""
    if value is None or value is inspect.Parameter.empty or value in ((), "") or value is False:
        return False
    if as_range:
        return "{}:{}".format(*value)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if value is True:
        return "yes"
    return f"{value:g}" if isinstance(value, float) else str(value)


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
