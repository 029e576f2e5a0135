"""What every command takes, as plain data: for tools that call commands with made-up words."""

from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from lengthwise.bench.faults.malformed_inputs import Kind, Signature
from lengthwise.cli.main import COMMANDS, build_app


def signatures() -> list[Signature]:
    """Return the arguments and options of every command, by kind."""
    return [_signature(words) for words in COMMANDS]


def _signature(words: str) -> Signature:
    app = build_app([words])
    for word in words.split():
        app = app[word]
    arguments: list[Kind] = []
    options: dict[str, Kind] = {}
    for argument in app.assemble_argument_collection():
        kind = _kind(argument.hint)
        named = [name for name in argument.names if name.startswith("-")]
        if argument.index is not None:
            arguments.append(kind)
        options |= {name: kind for name in named if not name.startswith("--no-")}
    return Signature(tuple(words.split()), tuple(arguments), options)


def _kind(hint: Any) -> Kind:
    if get_origin(hint) is Annotated or get_origin(hint) is tuple:
        return _kind(get_args(hint)[0])
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return _kind(next(kind for kind in get_args(hint) if kind is not NoneType))
    kinds: dict[Any, Kind] = {bool: "flag", int: "number", float: "number", Path: "path"}
    return kinds.get(hint, "text")
