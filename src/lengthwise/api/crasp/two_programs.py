"""``crasp compare``: how two languages lie to each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Seconds
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import Accept

if TYPE_CHECKING:
    from lengthwise.crasp.comparing import Region, Side, Venn
    from lengthwise.subjects.subject import Subject

SENTENCES = {
    "equal": "{one} and {two} are equal: they accept the same words, of every length.",
    "included": "every word of {one} is in {two}, and {two} has others.",
    "includes": "every word of {two} is in {one}, and {one} has others.",
    "disjoint": "no word is in both {one} and {two}.",
    "different": "{one} and {two} differ.",
    "open": "no difference between {one} and {two} is known; equality is not proved.",
}


@dataclass(frozen=True)
class TwoLanguages(Shown):
    """How two languages lie to each other, with a word or a proof for each part of the picture."""

    one: str
    two: str
    comparison: "Venn"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the relation, the four regions, and what else follows from them."""
        names = {"one": self.one, "two": self.two}
        yield SENTENCES[self.comparison.relation].format(**names)
        yield Rows([self._row(key) for key in self.comparison.regions])
        yield from self._further()

    def _row(self, key: tuple[bool, bool]) -> dict[str, Any]:
        inside = {True: "in", False: "not in"}
        region = self.comparison.regions[key]
        word = None if region.word is None else " ".join(region.word) or "(empty word)"
        return {
            self.one: inside[key[0]],
            self.two: inside[key[1]],
            "shortest word" if region.shortest else "a word": word or "",
            "known by": _known_by(region),
        }

    def _further(self) -> Iterator[str]:
        """Yield which of the two is empty or holds every word."""
        empty = {key: region.empty for key, region in self.comparison.regions.items()}
        for place, name in enumerate((self.one, self.two)):
            for inside, what in ((True, "is empty"), (False, "holds every word")):
                if all(empty[key] for key in empty if key[place] is inside):
                    yield f"{name} {what}."

    @writes(".json")
    def certificate(self, path: Path) -> None:
        """Write the words and proofs to this .json file, for `lengthwise verify`."""
        import json

        from lengthwise.core.outputs import save_text
        from lengthwise.crasp.comparison_certificate import certificate

        made = certificate(self.comparison, (self.one, self.two))
        save_text(path, json.dumps(made, ensure_ascii=False) + "\n")

    def to_json(self) -> dict[str, Any]:
        """Return the relation and the regions."""
        regions = [
            {
                "first": key[0],
                "second": key[1],
                "known": region.how,
                "word": None if region.word is None else list(region.word),
                "shortest": region.shortest,
                "searched": region.searched,
                "systems": region.systems,
            }
            for key, region in self.comparison.regions.items()
        ]
        return {
            "first": self.one,
            "second": self.two,
            "relation": self.comparison.relation,
            "accept": self.comparison.accept,
            "alphabet": list(self.comparison.letters),
            "regions": regions,
        }


def _known_by(region: "Region") -> str:
    if region.how == "word":
        return "the word" if region.shortest else "the word; shorter ones were not excluded"
    if region.how == "configurations":
        return "no word: all configurations were compared"
    if region.how == "form":
        return "no word: its normal form is that of nothing"
    if region.how == "walk":
        return "no word: none gets there, with counts followed near their bounds"
    if region.how == "linear":
        return f"no word: {region.systems:,} linear systems without a solution"
    return f"open: no word up to length {region.searched}"


@verb()
def compare(
    one: str,
    two: str,
    *,
    accept: Accept = "last",
    alphabet: str = "",
    time_limit: Seconds = 30.0,
) -> TwoLanguages:
    """Compare two languages: equal, included, disjoint or different, with words or proofs.

    Exact for automata, for programs with finitely many configurations and for programs of one layer
    of counting; elsewhere normal forms are compared and words are searched, and what is not known
    is said to be open.

    Example: lengthwise crasp compare majority majority-weak

    Args:
        one: A program (`x.cr`, or a name from `list programs`), a regular expression, an automaton
            (`x.json`) or a task about a language.
        two: Another one.
        accept: Read the answer at the last symbol or at an end marker after it.
        alphabet: The letters, separated by spaces or run together; by default those of both.
        time_limit: Seconds for the whole comparison.
    """
    from lengthwise.core.limits import GRACE, Limits
    from lengthwise.crasp.comparing import compare as regions
    from lengthwise.languages.words import read_word
    from lengthwise.subjects import read_subject

    limits = Limits(time_limit)
    with limits.alarm("the reading"):
        subjects = [read_subject(text, limits, wanted="program") for text in (one, two)]
        sides = [_side(subject) for subject in subjects]
    own = dict.fromkeys(letter for side in sides for letter in _letters(side))
    letters = read_word(alphabet, ()) if alphabet else tuple(own)
    missing = [letter for letter in own if letter not in letters]
    if missing:
        raise InputError(f"--alphabet {alphabet!r}: {missing[0]!r} is missing, which is used.")
    with limits.alarm("the comparison", GRACE):
        found = regions(sides[0], sides[1], letters, accept=accept, limits=limits)
    return TwoLanguages(one, two if two != one else f"{two} (again)", found)


def _side(subject: "Subject") -> "Side":
    """Return the program or automaton of a subject."""
    own = subject.program or (subject.task.program if subject.task is not None else None)
    if own is not None and not own.is_generator:
        return own
    if subject.dfa is not None:
        return subject.dfa
    what = "a function has no program" if subject.function is not None else "it accepts no words"
    raise InputError(
        f"{subject.name}: {what}; compare a program with it by `lengthwise crasp check PROGRAM "
        f"--against {subject.name}`."
    )


def _letters(side: "Side") -> tuple[str, ...]:
    from lengthwise.languages.dfa import DFA

    return side.alphabet if isinstance(side, DFA) else side.letters()
