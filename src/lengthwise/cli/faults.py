"""``lengthwise dev faults``: what breaks is named, and nothing is silently wrong."""

import sys
import time
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from cyclopts import Parameter

from lengthwise.cli.console import Json, Seed, print_json, print_table

if TYPE_CHECKING:
    from lengthwise.bench.faults.ledger import Fault, Ledger
    from lengthwise.bench.faults.malformed_inputs import Kind, Signature

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")
EVERY_SECONDS = 10.0


def faults(
    *,
    kind: Annotated[tuple[str, ...], Many] = (),
    seed: Seed = 0,
    long: Annotated[bool, Flag] = False,
    as_json: Json = False,
) -> None:
    """Put faults in on purpose and count what must never happen; exit code 1 if something did.

    A process killed and a disk that refuses at every write, every byte of a small run flipped,
    files of another structure, malformed inputs over all commands, hostile functions, questions
    that take too long, foreign code, sweeps whose workers are killed. What must never happen: a
    silent difference, a traceback, a hang, a time limit that is not kept, foreign code that runs,
    an error that is not one line.

    Example: lengthwise dev faults --kind 'malformed input'

    Parameters
    ----------
    kind
        Only this kind of fault; give it several times for several. All by default: kill at every
        write, error at every write, flip of every byte, other structure, other files, malformed
        input, hostile function, hard question, foreign code, kills in a sweep.
    seed
        Of what is drawn at random.
    long
        Hours instead of minutes: all bits of every byte, twenty times as many random faults, 200
        runs with kills on this machine and on Ray.
    as_json
        Print counts and every bad case as JSON.
    """
    from lengthwise.bench.faults.all_faults import campaign
    from lengthwise.cli.main import main

    ledgers = list(campaign(main, signatures(), kind, seed=seed, long=long, heard=_Teller()))
    if as_json:
        print_json([ledger.to_json() for ledger in ledgers])
    else:
        print_table([ledger.row() for ledger in ledgers])
    if any(ledger.examples for ledger in ledgers):
        sys.exit(1)


class _Teller:
    """Says every few seconds how far it is, and at once what must not be."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, ledger: "Ledger", trial: "Fault") -> None:
        if trial.sin is not None:
            sys.stderr.write(f"{ledger.kind}: {trial.sin}: {trial.what} {trial.details}\n")
        elif time.monotonic() - self.last > EVERY_SECONDS:
            self.last = time.monotonic()
            sys.stderr.write(f"{ledger.kind}: {ledger.tried:,} tried\n")
        sys.stderr.flush()


def signatures() -> "list[Signature]":
    """Return the arguments and options of every command, by kind, as plain data."""
    from lengthwise.cli.main import COMMANDS

    return [_signature(words) for words in COMMANDS]


def _signature(words: str) -> "Signature":
    from lengthwise.bench.faults.malformed_inputs import Signature
    from lengthwise.cli.main import build_app

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


def _kind(hint: Any) -> "Kind":
    if get_origin(hint) is Annotated or get_origin(hint) is tuple:
        return _kind(get_args(hint)[0])
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return _kind(next(kind for kind in get_args(hint) if kind is not NoneType))
    kinds: dict[Any, Kind] = {bool: "flag", int: "number", float: "number", Path: "path"}
    return kinds.get(hint, "text")
