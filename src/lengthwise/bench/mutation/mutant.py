"""One small fault: a place in a file and what stands there instead."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Mutant:
    """A change of one file: the characters from ``start`` to ``end`` become ``replacement``.

    ``where`` is the function around it, ``text`` the line it begins on; ``before`` and ``after``
    say the change as people read it. ``name`` stays the same while that line is not edited.
    """

    file: str
    line: int
    where: str
    text: str
    before: str
    after: str
    start: int
    end: int
    replacement: str

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What a list of accepted survivors refers to."""
        return self.file, self.where, self.text, self.change

    @property
    def change(self) -> str:
        """The change in one line: ``a < b -> a <= b``."""
        return f"{self.before} -> {self.after}"

    def applied(self, source: str) -> str:
        """Return the source with this fault in it."""
        return source[: self.start] + self.replacement + source[self.end :]


def unique(mutants: list[Mutant]) -> list[Mutant]:
    """Sort by place, drop what another one does as well, and number those that are named alike.

    Example:
        >>> one = Mutant("f.py", 1, "", "a < b", "a < b", "a <= b", 0, 5, "(a <= b)")
        >>> len(unique([one, one]))
        1
    """
    seen = {(m.start, m.end, m.replacement): m for m in mutants}
    names: Counter[tuple[str, ...]] = Counter()
    found: list[Mutant] = []
    for mutant in sorted(seen.values(), key=lambda m: (m.start, m.end, m.after)):
        names[mutant.name] += 1
        times = names[mutant.name]
        found.append(mutant if times == 1 else replace(mutant, after=f"{mutant.after} #{times}"))
    return found


def is_script(file: str) -> bool:
    """Say whether a file is JavaScript."""
    return PurePosixPath(file).suffix == ".js"
