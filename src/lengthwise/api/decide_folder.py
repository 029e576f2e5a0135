"""``decide --suite FOLDER``: all automata of a folder, several at once, with resume."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lengthwise.api.shown import PartlyDoneError, Rows, Sentence, Shown, writes
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.core.limits import Limits
    from lengthwise.theory.decide.folder import FileDecision


class DecidedFolder(Shown):
    """What was decided of a folder's automata: one row per file, a table by class."""

    unwritable: ClassVar[str] = "a folder of automata has no single program or certificate."

    def __init__(self, folder: Path, rows: "Sequence[FileDecision]", wanted: int) -> None:
        self.folder, self.rows, self.wanted = folder, tuple(rows), wanted

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table by class and what is left open."""
        from lengthwise.theory.decide.folder import by_family

        yield Rows(by_family(self.rows), f"{self.folder.name}: {len(self.rows):,} automata")
        checked = sum(row.checked for row in self.rows)
        seconds = sum(row.seconds for row in self.rows)
        yield Sentence(f"{checked:,} certificates were accepted; {seconds:.0f} s in all.")
        if len(self.rows) < self.wanted:
            yield Sentence(f"{self.wanted - len(self.rows):,} automata are still to be decided.")
        for row in self.rows:
            if row.problem:
                yield Sentence(f"{row.name}: {row.problem}.")

    def to_json(self) -> list[dict[str, Any]]:
        """Return one object per automaton."""
        return [row.to_json() for row in self.rows]

    def failed(self) -> bool:
        """Whether a certificate was refused or a file could not be read."""
        return any(row.problem and row.where != "undecided" for row in self.rows)

    @writes(".svg")
    def plot(self, path: Path) -> None:
        """Draw where the classes of languages lie."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_families
        from lengthwise.theory.decide.folder import by_family

        save_drawn(draw_families(by_family(self.rows)), path)


def decide_folder(
    folder: Path, accept: str, limits: "Limits", jobs: int, kept: Path | None, shown: bool
) -> DecidedFolder:
    """Decide every automaton of a folder in ``jobs`` processes.

    ``kept`` names a file that gets one JSON line per automaton as it is decided; what stands there
    already, for the same file and convention, is not decided again.
    """
    from lengthwise.theory.decide.folder import automaton_files, digest_of, read_kept

    files = automaton_files(folder)
    names = [file.relative_to(folder).as_posix() for file in files]
    known = {} if kept is None else read_kept(kept, accept)
    done = {
        name: known[name]
        for name, file in zip(names, files, strict=True)
        if name in known and known[name].digest == digest_of(file)
    }
    try:
        for row in _fresh(folder, [n for n in names if n not in done], accept, limits, jobs, shown):
            done[row.name] = row
            _append(kept, row)
    except KeyboardInterrupt:
        rows = [done[name] for name in names if name in done]
        raise PartlyDoneError(DecidedFolder(folder, rows, len(names))) from None
    return DecidedFolder(folder, [done[name] for name in names], len(names))


def _fresh(
    folder: Path, names: list[str], accept: str, limits: "Limits", jobs: int, shown: bool
) -> "Iterator[FileDecision]":
    """Yield decisions as they come."""
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    hidden = not shown or not sys.stderr.isatty()
    with Progress(console=screen, transient=True, disable=hidden) as bar:
        task = bar.add_task("deciding", total=len(names))
        for row in _decided(folder, names, accept, limits, jobs):
            bar.advance(task)
            yield row


def _decided(
    folder: Path, names: list[str], accept: str, limits: "Limits", jobs: int
) -> "Iterator[FileDecision]":
    """Decide in this process, or in several; those still waiting are dropped when it is stopped."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from lengthwise.theory.decide.folder import decide_apart, decide_file, end_all

    if jobs == 1 or len(names) < 2:
        yield from (decide_file(folder, name, accept, limits) for name in names)
        return
    with ThreadPoolExecutor(jobs) as pool:  # each thread waits for one process at a time
        waiting = [pool.submit(decide_apart, folder, name, accept, limits) for name in names]
        try:
            yield from (future.result() for future in as_completed(waiting))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()


def _append(kept: Path | None, row: "FileDecision") -> None:
    if kept is None:
        return
    try:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"--kept: cannot write {kept}: {error.strerror}.") from None
