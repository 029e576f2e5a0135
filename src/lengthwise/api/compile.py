"""``compile``: programs and regular languages to weights."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import named, verb
from lengthwise.core.bounds import Count, Seconds, Whole
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.theory.limit.compare import Check
    from lengthwise.theory.limit.compiled import CompiledModel


@dataclass(frozen=True)
class Compiled(Shown):
    """A transformer that answers like the program it came from, to a stated length."""

    model: "CompiledModel"
    check: "Check | None" = None
    """How it compared with the interpreter, if that was asked for."""

    def parts(self) -> Iterator[str | Rows]:
        """Yield sizes, the length to which it is exact, and what was checked."""
        about, sizes, limit = self.model.description, self.model.sizes(), self.model.limit
        assert limit is not None
        yield (
            f"limit transformer: {len(limit.layers)} layers, {limit.heads} heads, "
            f"width {limit.width}"
        )
        yield "decoder: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items())
        if about.exact >= about.length:
            left = f"margin {about.slack:.1%} left"
            yield f"exact to length {about.length:,} in {about.dtype} ({left})"
        else:
            yield (
                f"warning: exact only to length {about.exact:,} in {about.dtype}, "
                f"not to {about.length:,}"
            )
        if self.check is not None:
            yield _checked(self.check)

    def to_json(self) -> dict[str, Any]:
        """Return sizes, the description, and what was checked."""
        about = asdict(self.model.description)
        check = None if self.check is None else asdict(self.check)
        return {**self.model.sizes(), **about, "check": check}

    @writes(".safetensors", option="output", aliases=("-o",))
    def save(self, path: Path) -> None:
        """Where to write the weights; a description is written beside it as JSON."""
        from lengthwise.theory.limit.compiled import save

        save(self.model, path)

    @writes(folder=True)
    def gpt2(self, path: Path) -> None:
        """Also write a GPT-2 of the transformers library to this folder."""
        from lengthwise.theory.limit.gpt2 import export_gpt2

        export_gpt2(self.model, path)


def _checked(check: "Check") -> str:
    return (
        f"checked: all {check.short_words:,} words to length {check.short_length} and "
        f"{check.long_words:,} random words to length {check.longest:,}; "
        f"{check.answers:,} answers, {check.errors} errors"
    )


@verb()
def compile(
    subject: str,
    *,
    length: Count = 1024,
    alphabet: str | None = None,
    set_: str | None = None,
    check: bool = False,
    words: Whole | None = None,
    short: Whole | None = None,
    dtype: Literal["float32", "float64"] = "float32",
    layout: Literal["compact", "unit"] = "compact",
    periodic: Literal["constrained", "short"] = "constrained",
    accept: Accept = "last",
    force: bool = False,
    time_limit: Seconds = 60.0,
) -> Compiled:
    """Compile a C-RASP program or a regular language to a transformer, exact to a chosen length.

    Example: lengthwise compile dyck-1 -o dyck1.safetensors --length 4096 --check

    Args:
        subject: A program (`x.cr`, or a name from ``list programs``), or a regular language with a
            program: a regular expression, an automaton (`x.json`), a task.
        length: Longest word, in letters, on which the model must be exact.
        alphabet: Letters of the regular expression; default: those it mentions.
        set_: Values of the program's parameters, e.g. n=3.
        check: Compare the model with the interpreter, on short words and on random ones to the
            length.
        words: How many random words to check; default: 100, or fewer when they are very long.
        short: Check all words to this length; default: 8, or less when there are very many.
        dtype: Precision of the weights.
        layout: Position code for local heads: compact (residues, any length) or unit (one channel
            per position, as in the theory).
        periodic: Construction of periodic predicates: constrained (positions meet only inside
            attention) or short (an MLP reads absolute residues).
        accept: Whether the program is meant to be read at the last letter or at an end marker after
            it.
        force: Go on when rounding may change answers at this length.
        time_limit: Seconds for finding the program of a language, and for compiling.
    """
    from lengthwise.core.limits import Limits
    from lengthwise.subjects import as_program, read_subject
    from lengthwise.theory.limit.compare import check as compare
    from lengthwise.theory.limit.compiled import build

    text, clock = named("compile", subject), Limits(time_limit)
    with clock.alarm("the compilation"):
        read = read_subject(text, clock, alphabet=alphabet, parameters=set_ or "", wanted="program")
        program = as_program(read, accept, clock.part(0.8))
        model = build(
            program,
            length,
            dtype=dtype,
            layout=layout,
            periodic=periodic,
            accept=accept,
            force=force,
        )
    report = compare(model, program, short=short, words=words) if check else None
    if report is not None and report.errors:
        word = " ".join(report.counterexample or ())
        raise InputError(
            f"the compiled model differs from the program, first on {word!r}; {_checked(report)}."
        )
    return Compiled(model, report)
