"""``crasp show``, ``crasp simplify`` and ``crasp format``: a program as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.core.limits import Limits
    from lengthwise.crasp import Program

FACTS = ("depth", "size", "layers", "periods", "offsets", "fragment", "positive")


@dataclass(frozen=True)
class ProgramFacts(Shown):
    """A program with its depth, size and fragment."""

    program: "Program"
    as_latex: bool = False

    def facts(self) -> dict[str, Any]:
        """Return what can be read off the program."""
        from lengthwise.crasp.facts import analyse

        return analyse(self.program).to_dict()

    def latex(self) -> str:
        """Return the program in LaTeX."""
        from lengthwise.crasp import to_latex

        return to_latex(self.program)

    def parts(self) -> Iterator[str | Rows]:
        """Yield the text and a comment with the facts, or LaTeX."""
        if self.as_latex:
            yield self.latex().rstrip()
            return
        facts = self.facts()
        yield str(self.program).rstrip()
        yield "// " + ", ".join(f"{name} {_plain(facts[name])}" for name in FACTS)

    def to_json(self) -> dict[str, Any]:
        """Return text and analysis."""
        return {"program": str(self.program), "latex": self.latex()} | self.facts()


@verb()
def show(program: str, *, set_: str = "", latex: bool = False) -> ProgramFacts:
    """Print a program with its depth, size and fragment.

    Example: lengthwise crasp show dyck-1 --latex

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        set_: Values of the program's parameters, e.g. n=3.
        latex: Print LaTeX instead of the program's text.
    """
    return ProgramFacts(find(program, set_), latex)


@dataclass(frozen=True)
class ProgramText(Shown):
    """A program in the standard layout."""

    program: "Program"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the text."""
        yield str(self.program).rstrip()

    def to_json(self) -> dict[str, str]:
        """Return the text."""
        return {"program": str(self.program)}

    @writes(".cr", option="output", aliases=("-o",), instead=True)
    def save(self, path: Path) -> None:
        """Write the program to this .cr file instead of printing it."""
        from lengthwise.core.outputs import save_text

        save_text(path, str(self.program))


@verb()
def simplify(program: str, *, set_: str = "") -> ProgramText:
    """Print an equivalent program without superfluous operations.

    Example: lengthwise crasp simplify dyck-1

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        set_: Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import simplify as make_simple

    return ProgramText(make_simple(find(program, set_)))


@verb()
def format_program(program: str, *, released: bool = False, set_: str = "") -> ProgramText:
    """Print a program in the standard layout (comments are not kept).

    Example: lengthwise crasp format dyck-1

    Args:
        program: A program (`x.cr`, or a name from `list programs`), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        released: Read the file with the released interpreter's precedence (there !P && Q is
            !(P && Q)).
        set_: Values of the program's parameters, e.g. n=3.
    """
    from lengthwise.crasp import parse_file

    if released:
        return ProgramText(parse_file(program, precedence="released"))
    return ProgramText(find(program, set_))


def find(
    name: str, parameters: str = "", accept: Accept = "last", limits: "Limits | None" = None
) -> "Program":
    """Return the program that a user named, or one that the decision of a language writes."""
    from lengthwise.core.limits import Limits
    from lengthwise.subjects import as_program, read_subject

    clock = limits or Limits()
    with clock.alarm("the search for a program"):
        read = read_subject(name, clock, parameters=parameters, wanted="program")
        return as_program(read, accept, clock)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else value
