"""The campaign: every kind of fault in turn, counted."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from lengthwise.bench.faults.broken_writes import try_errors, try_kills
from lengthwise.bench.faults.commands_called import Main
from lengthwise.bench.faults.flipped_bytes import try_flips
from lengthwise.bench.faults.foreign_files import try_foreign
from lengthwise.bench.faults.hard_questions import try_questions
from lengthwise.bench.faults.hostile_functions import hostile, try_functions
from lengthwise.bench.faults.killed_sweeps import try_sweeps
from lengthwise.bench.faults.ledger import Fault, Ledger
from lengthwise.bench.faults.malformed_inputs import Signature, try_inputs
from lengthwise.bench.faults.other_files import try_files
from lengthwise.bench.faults.other_structure import try_structure
from lengthwise.bench.faults.sandbox import warm_up
from lengthwise.core.errors import unknown

INPUTS, STRUCTURES, FILES = 2_000, 200, 300
SWEEP, LONG_SWEEP = 20, 200
LONGER = 20
"""How many times more of what is random is tried with ``--long``."""

Part = Callable[[Path], Iterator[Fault]]
KINDS = (
    *("kill at every write", "error at every write", "flip of every byte", "other structure"),
    *(
        "other files",
        "malformed input",
        "hostile function",
        "hard question",
        "foreign code",
        "kills in a sweep",
    ),
)


def parts(main: Main, signatures: Sequence[Signature], seed: int, *, long: bool) -> dict[str, Part]:
    """Return the kinds of faults; each is tried in a folder of its own."""
    times = LONGER if long else 1
    made: tuple[Part, ...] = (
        try_kills,
        try_errors,
        lambda folder: try_flips(folder, every_bit=long),
        lambda folder: try_structure(main, STRUCTURES * times, seed, folder),
        lambda folder: try_files(main, FILES * times, seed, folder),
        lambda folder: try_inputs(main, signatures, INPUTS * times, seed, folder),
        lambda folder: try_functions(main, len(hostile()), folder),
        lambda folder: try_questions(main, signatures, None, folder),
        lambda folder: try_foreign(main, folder),
        lambda folder: try_sweeps(LONG_SWEEP if long else SWEEP, seed, folder, long=long),
    )
    return dict(zip(KINDS, made, strict=True))


def campaign(
    main: Main,
    signatures: Sequence[Signature],
    kinds: Sequence[str] = (),
    *,
    seed: int = 0,
    long: bool = False,
    heard: Callable[[Ledger, Fault], None] = lambda ledger, trial: None,
) -> Iterator[Ledger]:
    """Yield the counts of each kind when it is through."""
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("--kind", kind, KINDS)
    torch.set_num_threads(1)  # processes are forked: there must be no threads to lose
    warm_up()
    for kind, part in parts(main, signatures, seed, long=long).items():
        if kinds and kind not in kinds:
            continue
        ledger = Ledger(kind)
        with tempfile.TemporaryDirectory() as folder:
            for trial in ledger.add(part(Path(folder, "faults"))):
                heard(ledger, trial)
        yield ledger
