"""Folders of automata: which files are decided, what is kept of each, and tables by class."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from lengthwise.core.channel import Channel, GoneError
from lengthwise.core.child import nursery
from lengthwise.core.errors import InputError
from lengthwise.core.files import read_bytes, read_text
from lengthwise.core.limits import Limits
from lengthwise.languages.formats import read_automaton
from lengthwise.theory.decide.check_certificate import Refused, check_certificate
from lengthwise.theory.decide.decision import Answer, answers_of

ENDINGS = (".att", ".json")
NAMED = re.compile(r"\d+\.\d+\.([A-Za-z]+)\.\d+\.\d+\.\d+\.att")
"""File names of MLRegTest: alphabet, tier, class, k, threshold, number."""
WHERE = ("plain", "periodic or local", "outside", "undecided")
"""Where a language can lie: in plain C-RASP, only with positions or windows, in neither."""


@dataclass(frozen=True)
class FileDecision:
    """What is kept of one automaton: its answers, what a program sees, its cost.

    ``digest`` identifies the file's content, so that a changed file is decided again.
    ``checked`` counts certificates that the checker accepted; ``problem`` says why there is none.
    """

    name: str
    digest: str
    accept: str
    family: str
    states: int
    letters: int
    plain: str
    periodic_local: str
    modulus: int | None
    window: int | None
    kind: str
    checked: int
    seconds: float
    problem: str = ""

    @property
    def where(self) -> str:
        """Where the language lies, one of ``WHERE``."""
        if self.plain == "in":
            return "plain"
        if "undecided" in (self.plain, self.periodic_local):
            return "undecided"
        return "outside" if self.periodic_local == "out" else "periodic or local"

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def automaton_files(folder: Path) -> list[Path]:
    """Return the automata in a folder and its folders, in order of their names."""
    found = sorted(p for p in folder.rglob("*") if p.suffix in ENDINGS and p.is_file())
    if not found:
        raise InputError(f"{folder} holds no automata ({', '.join(ENDINGS)}).")
    return found


def family_of(name: str) -> str:
    """Return the class that a file name says, or the folder it lies in.

    Example:
        >>> family_of("16.08.TLT.2.1.3.att"), family_of("mine/a.json"), family_of("b.att")
        ('TLT', 'mine', '-')
    """
    path = Path(name)
    named = NAMED.fullmatch(path.name)
    if named:
        return named.group(1)
    return path.parent.name or "-"


def digest_of(file: Path) -> str:
    """Return the first digits of SHA-256 of a file; nothing where it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(file)).hexdigest()[:16]
    except InputError:
        return ""


def decide_file(folder: Path, name: str, accept: str, limits: Limits) -> FileDecision:
    """Decide the automaton of one file and check both certificates; problems are kept, not raised.

    No program is written: certificates stand without.
    """
    clock, digest = limits.restarted(), digest_of(folder / name)
    try:
        dfa = read_automaton(folder / name).minimise()
    except InputError as error:
        return _nothing(name, digest, accept, clock.spent(), str(error))
    plain, general = answers_of(dfa, accept, clock)
    problems = [problem for answer in (plain, general) if (problem := _check(answer))]
    undecided = [answer.tried for answer in (plain, general) if answer.answer == "undecided"]
    return FileDecision(
        name,
        digest,
        accept,
        family_of(name),
        dfa.states,
        dfa.symbols,
        plain.answer,
        general.answer,
        general.modulus,
        general.window,
        general.kind,
        2 - len(problems) - len(undecided),
        round(clock.spent(), 3),
        "; ".join([*problems, *undecided]),
    )


def _nothing(name: str, digest: str, accept: str, spent: float, problem: str) -> FileDecision:
    """Return what is kept of a file about which nothing could be found out."""
    undecided = ("undecided", "undecided", None, None, "none", 0)
    return FileDecision(
        name, digest, accept, family_of(name), 0, 0, *undecided, round(spent, 3), problem
    )


def decide_apart(folder: Path, name: str, accept: str, limits: Limits) -> FileDecision:
    """Decide a file in a process of its own: one that explodes is the only one undecided."""
    asked = {f.name: getattr(limits, f.name) for f in fields(limits) if f.compare}
    given = {"folder": str(folder), "name": name, "accept": accept, "asked": asked}
    clock = limits.restarted()
    with nursery(__name__).start(f"{__name__}:send_decision", limits, **given) as child:
        try:
            return FileDecision(**child.receive())
        except GoneError:
            ended = f"its process ended ({child.how()})"
            return _nothing(name, digest_of(folder / name), accept, clock.spent(), ended)


def send_decision(
    channel: Channel, folder: str, name: str, accept: str, asked: dict[str, Any]
) -> None:
    """Decide a file in this process and say what came out."""
    channel.send(decide_file(Path(folder), name, accept, Limits(**asked)).to_json())


def end_all() -> None:
    """End every process in which a file is being decided."""
    nursery(__name__).close()


def _check(answer: Answer) -> str:
    if answer.answer == "undecided":
        return ""
    try:
        checked = check_certificate(answer.certificate(program=False))
    except Refused as error:
        return f"the certificate is refused: {error}"
    return "" if checked.answer == answer.answer else "the certificate shows something else"


def read_kept(file: Path, accept: str) -> dict[str, FileDecision]:
    """Read decisions of an earlier run; a line that is cut off is decided again.

    Decisions under another convention, and undecided ones, do not count.
    """
    if not file.exists():
        return {}
    found: dict[str, FileDecision] = {}
    for line in read_text(file).splitlines():
        try:
            row = FileDecision(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if row.accept == accept and row.where != "undecided" and row.checked == 2:
            found[row.name] = row
    return found


def by_family(rows: Iterable[FileDecision]) -> list[dict[str, Any]]:
    """Count, for every class of languages, where its languages lie.

    Example:
        >>> one = FileDecision("x", "0", "end", "SL", 3, 2, "out", "in", 1, 3, "potentials", 2, 0.1)
        >>> by_family([one])
        [{'class': 'SL', 'languages': 1, 'plain': 0, 'periodic or local': 1, 'outside': 0, \
'undecided': 0, 'window': '3', 'modulus': '1'}]
    """
    groups: dict[str, list[FileDecision]] = {}
    for row in rows:
        groups.setdefault(row.family, []).append(row)
    table: list[dict[str, Any]] = []
    for family, members in sorted(groups.items()):
        counts = {where: sum(row.where == where for row in members) for where in WHERE}
        needed = [row for row in members if row.where == "periodic or local"]
        table.append(
            {
                "class": family,
                "languages": len(members),
                **counts,
                "window": _span([row.window or 0 for row in needed]),
                "modulus": _span([row.modulus or 1 for row in needed]),
            }
        )
    return table


def _span(values: Sequence[int]) -> str | None:
    if not values:
        return None
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"
