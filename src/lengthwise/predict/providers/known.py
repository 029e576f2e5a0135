"""Known programs, held against the task: attached to it, or from the library.

The library's families are tried on every task whatever its name: each is instantiated with the
task's own symbols and kept if it solves the drawn instances, rare ones among them. A program that
solves them all is evidence of strength ``sampled``; nothing is said when none does.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError
from lengthwise.crasp import families
from lengthwise.predict.classes import CLASSES, of_fragment
from lengthwise.predict.instances import draw_examples
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.tasks.following import BOS, TaskReport, check_task, mistakes

if TYPE_CHECKING:
    from lengthwise.crasp.program import Program

DECLARED = "attached to the task"
FEW, MANY, RARE = 25, 400, 200
SYMBOLS = 12
"""Tasks over more symbols are checked with this many: a family is one schema for all alphabets."""
LARGEST = 40
"""Families are not tried over more symbols: their size grows with the square."""


def known(context: Context) -> list[Evidence]:
    """Return one piece of evidence per class that a known program witnesses."""
    task = context.subject.task
    if task is None or task.answers is not None:
        return []
    small, note = small_alphabet(task)
    found: dict[str, Evidence] = {}
    for name, build in candidates(small):
        program = _solves(build, small)
        if program is None:
            continue
        facts = program_facts(program)
        group = of_fragment(facts["fragment"])
        if group not in found:
            found[group] = _evidence(name, program, facts, group, small, note)
        if group == "plain" and name == DECLARED:
            break  # nothing smaller can be found
    return [found[group] for group in CLASSES if group in found]


def _evidence(
    name: str, program: "Program", facts: dict[str, Any], group: str, task: Any, note: str
) -> Evidence:
    report = check_task(program, task, instances=MANY, longest=_longest(task), seed=1)
    assert report.mistake is None, "checked before"
    shown = str(program)
    reason = task.reason if name == DECLARED else None
    return Evidence(
        "known programs",
        f"program {name!r} ({facts['fragment']}, depth {facts['depth']}, size {facts['size']}) "
        f"{_solved(report, reason)}{note}",
        "sampled" if reason is None else "derivation",
        {group: True},
        basis="program checked against drawn instances" + (f"; {reason}" if reason else ""),
        facts=facts,
        certificate={"program": shown if len(shown) < 20_000 else shown[:20_000] + "\n..."},
    )


def _solved(report: TaskReport, reason: str | None) -> str:
    """Say what was tried; with a reason it is more than a sample."""
    text = report.sentence().rstrip(".")
    return text.removesuffix(" (sampled, not proved)") if reason else text


def small_alphabet(task: Any) -> tuple[Any, str]:
    """Return the task over fewer symbols, if it has many and can be cut down."""
    options = {field.name for field in fields(task)}
    large = [n for n in task.sizes if n in options and getattr(task, n) > SYMBOLS]
    if not large:
        return task, ""
    told = " and ".join(f"{SYMBOLS} {name}" for name in large)
    return replace(task, **dict.fromkeys(large, SYMBOLS)), f"; checked with {told}"


def candidates(task: Any) -> Iterator[tuple[str, Callable[[], "Program"]]]:
    """Name every program that might solve a task, the declared one first; built when tried."""
    if task.program is not None:
        yield DECLARED, lambda: task.program
    yield from _families(task.vocabulary.symbols)


def _families(symbols: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], "Program"]]]:
    """Name the programs of every family over some symbols."""
    if len(symbols) > LARGEST:
        return
    yield "majority", lambda: families.majority(symbols)
    yield "sort", lambda: families.sort(symbols)
    yield "sort with repeats", lambda: families.sort_repeats(symbols)
    yield "unique copy by rank", lambda: families.rank_copy(symbols)
    yield "unique copy by neighbours", lambda: families.unique_copy(symbols)
    yield "induction head", lambda: families.induction_head(symbols)
    yield "anti-induction", lambda: families.anti_induction(symbols)
    yield "first occurrence", lambda: families.first_occurrence(symbols)


def _solves(build: Callable[[], "Program"], task: Any) -> "Program | None":
    """Build a program and try it on a few, then on more instances."""
    try:
        program = build()
        if not program.is_generator:
            return None
        longest = _longest(task)
        for instances in (FEW, MANY):
            if check_task(program, task, instances=instances, longest=longest).mistake is not None:
                return None
        bos = BOS in program.letters()
        rare = draw_examples(task, task.min_length, longest, RARE, seed=5, bos=bos)
        if mistakes(program, rare):
            return None
    except InputError:  # its symbols do not fit the task
        return None
    return program


def _longest(task: Any) -> int:
    return min(50, task.longest or 50)
