"""Check a certificate of ``lengthwise decide``: one file, the standard library, nothing else.

    python check_certificate.py FILE

exits with 0 when every certificate in the file is accepted, 1 when one is refused, 2 when the file
cannot be read as strict JSON. Nothing here is shared with the search that finds certificates.

A certificate holds an automaton, a convention (where the answer is read), a class, an answer and
one *part* per question that the convention asks: the automaton itself for ``end``, else one for
every visible last letter. A part holds a *machine* that must give the answers the automaton asks
for, and about this machine either

* a *proof* (answer ``in``). In every strongly connected component, the places (state, last c
  letters, position mod m) at which letters and position leave several states open get one integer
  per round, a *potential*. Its change along an edge may depend only on the letter and on what
  earlier rounds know; then a sum of counts follows it. At the end no two places may look alike.
* a *refutation* (answer ``out``). Vertices (state, anchor), where the anchor is a word that leaves
  the state where it is, reach each other by arrows (words). Vertices of one block are joined by
  chains of edges whose boundary is a multiple of end - start and whose total is zero for every
  arrow and block, so no bounded sum of counts tells them apart; yet two states of one block need
  different answers after one word. In plain C-RASP the anchor is the empty word and arrows are
  letters. Else anchors have one length t >= 1 and arrows have lengths divisible by t, which makes
  windows and positions blind.

Version 2 is shorter for large automata. Symbols that act alike may share a letter of the machine:
*letters* numbers them, and what holds for the machine holds for the automaton, for symbols and
letters can be put for each other. A proof without window and modulus need not list places: they
are the states. A refutation may hold *joins* instead of chains: trees of edges, taken in
either direction, and cycles. Edges outside the trees, closed by their ways in the tree, are cycles,
and what the ways of two vertices count per arrow and block may differ by a combination of the
totals of cycles: a chain could be written from them. Totals are given in reduced echelon form.

Everything is checked before it is used. Steps are counted, and there may be at most a fixed number
for each number in the certificate beside a fixed allowance: the time is linear in its size.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

CERTIFICATE, BUNDLE, VERSION = "lengthwise-certificate", "lengthwise-certificates", 1
SHORTER = 2
"""The version of certificates that may leave places out and hold joins instead of chains."""
MOST_BYTES, MOST_DIGITS = 100_000_000, 4_000
ALLOWANCE, STEPS_PER_NUMBER = 1_000_000, 64
LARGEST = 10**MOST_DIGITS
FREE = -1
"""The output of a state about which nothing is asked."""

CLASSES = {"plain": "C-RASP", "periodic_local": "C-RASP[periodic, local]"}
NEEDED = ("format", "version", "class", "accept", "answer", "alphabet", "dfa", "parts")
LABELS = ("regex", "union_plus", "source", "learned", "program", "strength", "basis")
"""What a certificate may say about itself; nothing that is shown rests on it."""

Table = list[list[int]]
Word = tuple[int, ...]
Place = tuple[int, Word, int]
Node = TypeVar("Node", bound=Hashable)


class Refused(ValueError):  # noqa: N818 - a verdict rather than a mistake
    """The certificate shows nothing; one line says what is wrong first."""


def _refuse(reason: str) -> NoReturn:
    raise Refused(f"{reason}.")


class Automaton(NamedTuple):
    """A complete automaton with one output per state: 0 and 1, or the numbers of answers."""

    table: Table
    initial: int
    outputs: list[int]


@dataclass(frozen=True)
class Checked:
    """What an accepted certificate shows about the automaton it holds, and what that rests on."""

    class_name: str
    answer: str
    accept: str
    states: int
    alphabet: list[str]
    digest: str
    strength: str
    basis: str
    claimed: dict[str, str]
    steps: int

    @property
    def automaton(self) -> str:
        """The automaton in a few words: ``2 states over a b``."""
        letters = " ".join(map(_shown, self.alphabet[:20]))
        more = f" and {len(self.alphabet) - 20} more" if len(self.alphabet) > 20 else ""
        return f"{self.states} state{'s' if self.states > 1 else ''} over {letters}{more}"

    @property
    def statement(self) -> str:
        """What is shown, in one sentence."""
        verb = "is" if self.answer == "in" else "is not"
        title = CLASSES[self.class_name]
        return f"the automaton's language {verb} in {title} (convention {self.accept})"

    def lines(self) -> Iterator[str]:
        """Yield the report of the command line."""
        yield f"shown: {self.statement}"
        yield f"automaton: {self.automaton} (digest {self.digest})"
        yield f"rests on: {self.basis}"
        yield f"steps: {self.steps:,}"
        for name, value in self.claimed.items():
            yield f"claimed, not checked: {name} {value}"


def check_certificate(certificate: object) -> Checked:
    """Check one certificate, as read from JSON; raise ``Refused`` at the first thing wrong.

    Example:
        >>> automaton = {"transitions": [[0]], "initial": 0}  # of all words over one letter
        >>> proof = {"modulus": 1, "window": 0, "components": []}
        >>> machine = {**automaton, "outputs": [1]}
        >>> found = check_certificate({
        ...     "format": "lengthwise-certificate", "version": 1, "alphabet": ["a"],
        ...     "class": "plain", "accept": "end", "answer": "in",
        ...     "dfa": {**automaton, "accepting": [True]},
        ...     "parts": [{"last": None, "machine": machine, "proof": proof}],
        ... })
        >>> found.statement
        "the automaton's language is in C-RASP (convention end)"
    """
    work, given = Work(), _fields(certificate, "the certificate", NEEDED, LABELS)
    _choice(given["format"], "format", [CERTIFICATE])
    shorter = _version(given["version"], SHORTER) == SHORTER
    kind = _choice(given["class"], "class", CLASSES)
    accept = _choice(given["accept"], "accept", ("end", "last", "predict"))
    answer = _choice(given["answer"], "answer", ("in", "out"))
    claimed = _labels(given)
    alphabet = [_text(symbol, "a symbol") for symbol in _items(given["alphabet"], "alphabet")]
    if not alphabet or len(set(alphabet)) != len(alphabet):
        _refuse("the alphabet is empty, or a symbol stands twice in it")
    dfa = _automaton(given["dfa"], "accepting", len(alphabet), work)
    questions = Questions(dfa, alphabet, accept, answer, work)
    argument = "proof" if answer == "in" else "refutation"
    windows: list[tuple[int, int]] = []
    for value in _items(given["parts"], "parts"):
        allowed = ("kind", "letters") if shorter else ("kind",)
        part = _fields(value, "a part", ("last", "machine", argument), allowed)
        if part.get("kind") is not None:
            claimed["kind"] = _shown(_text(part["kind"], "kind"))
        letters = list(range(len(alphabet)))
        if "letters" in part:
            letters = _letters(part["letters"], len(alphabet), work)
        machine = _automaton(part["machine"], "outputs", len(set(letters)), work)
        questions.check(part["last"], machine, letters)
        if answer == "in":
            windows.append(_check_proof(machine, part["proof"], kind, work, shorter))
        else:
            _check_refutation(machine, part["refutation"], kind, work, shorter)
    questions.check_coverage()
    bare = kind == "plain" or (answer == "in" and set(windows) == {(1, 0)})
    strength, basis = _basis(bare, accept, bool(given.get("learned")))
    shape = (kind, answer, accept, len(dfa.table), alphabet, _digest(alphabet, dfa))
    return Checked(*shape, strength, basis, claimed, work.spent)


def check_refutation(machine: object, refutation: object, class_name: str, letters: int) -> int:
    """Check one refutation of one machine (transitions, initial, outputs); return the steps.

    For questions that no acceptance convention asks, such as the labels of a task.
    """
    work = Work()
    about = _automaton(machine, "outputs", letters, work)
    _check_refutation(about, refutation, _choice(class_name, "class", CLASSES), work, True)
    return work.spent


def _basis(bare: bool, accept: str, learned: bool) -> tuple[str, str]:
    """Say what the accepted argument rests on, whatever the certificate says about itself."""
    basis = "published theorem (Yang, Veseli et al. 2026, Theorem 89)"
    strength = "published"
    if not bare:
        strength, basis = "own derivation", "our own derivation, unpublished"
    elif accept != "end":
        strength = "published + own reduction"
        basis += " after our own, unpublished reduction of the last letter"
    if not learned:
        return strength, basis
    return "sampled", f"an automaton that was learned, not proved equal; about it, {basis}"


def _digest(alphabet: list[str], dfa: Automaton) -> str:
    """Identify the automaton: the first digits of SHA-256 of its compact JSON."""
    text = json.dumps([alphabet, *dfa], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- reading -----------------------------------------------------------------------------------


def read_certificates(data: bytes) -> list[Any]:
    """Read strict JSON: one certificate or a bundle; what is in them is not looked at.

    Example:
        >>> read_certificates(b'{"format": "mine"}')
        [{'format': 'mine'}]
    """
    if len(data) > MOST_BYTES:
        _refuse(f"the file has more than {MOST_BYTES:,} bytes")
    hooks: Any = {"parse_int": _whole, "parse_float": _no_number, "parse_constant": _no_number}
    try:
        found = json.loads(data.decode("utf-8"), object_pairs_hook=_object, **hooks)
    except Refused:
        raise
    except RecursionError:
        _refuse("the file is nested too deeply")
    except ValueError as error:  # not UTF-8 or not JSON
        _refuse(f"the file is not JSON: {error}")
    if type(found) is not dict or found.get("format") != BUNDLE:
        return [found]
    bundle = _fields(found, "the file", ("format", "version", "certificates"))
    _version(bundle["version"])
    if not _items(bundle["certificates"], "certificates"):
        _refuse("the file holds no certificates")
    return bundle["certificates"]


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        _refuse(f"a number has more than {MOST_DIGITS:,} digits")
    return int(text)


def _no_number(text: str) -> NoReturn:
    _refuse(f"{_shown(text)} is not a whole number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _refuse("a field is given twice")
    return found


def _shown(value: object) -> str:
    """Write a value so that it can be printed: short, on one line, nothing that acts."""
    if type(value) is str:
        text = value if len(value) <= 60 else value[:57] + "..."
        return text if text and text.isprintable() else ascii(text)
    if type(value) is int and abs(value) < 10**20:
        return str(value)
    return str(value) if value is None or type(value) is bool else f"a {type(value).__name__}"


def _fields(
    value: object, name: str, needed: Sequence[str], allowed: Sequence[str] = ()
) -> dict[str, Any]:
    """Read an object that has all the needed fields and no others but the allowed ones."""
    if type(value) is not dict:
        _refuse(f"{name} is {_shown(value)}; expected an object")
    for key in value:
        if key not in needed and key not in allowed:
            _refuse(f"{name} has an unknown field {_shown(key)}")
    for key in needed:
        if key not in value:
            _refuse(f"{name} has no field {key}")
    return value


def _items(value: object, name: str, length: int | None = None) -> list[Any]:
    """Read a list, of this length if one is given."""
    if type(value) is not list:
        _refuse(f"{name} is {_shown(value)}; expected a list")
    if length is not None and len(value) != length:
        _refuse(f"{name} has {len(value)} entries; expected {_shown(length)}")
    return value


def _text(value: object, name: str) -> str:
    """Read text; half a surrogate pair is none."""
    if type(value) is not str or any("\ud800" <= character <= "\udfff" for character in value):
        _refuse(f"{name} is {_shown(value)}; expected text")
    return value


def _choice(value: object, name: str, choices: Iterable[str]) -> str:
    if type(value) is not str or value not in choices:
        _refuse(f"{name} is {_shown(value)}; expected {' or '.join(choices)}")
    return value


def _version(value: object, latest: int = VERSION) -> int:
    if type(value) is not int or not VERSION <= value <= latest:
        expected = str(VERSION) if latest == VERSION else f"{VERSION} or {latest}"
        _refuse(f"version is {_shown(value)}; expected {expected}")
    return value


def _labels(given: dict[str, Any]) -> dict[str, str]:
    """Return what the certificate says about itself, for printing as claimed."""
    plus, learned = given.get("union_plus"), given.get("learned")
    if not (plus is None or type(plus) is bool):
        _refuse(f"union_plus is {_shown(plus)}; expected true or false")
    claimed: dict[str, str] = {}
    for name in ("regex", "source", "learned", "program", "strength", "basis"):
        if given.get(name) is not None and not (name == "learned" and type(learned) is bool):
            claimed[name] = _shown(_text(given[name], name))
    if plus and "regex" in claimed:
        claimed["regex"] += " (+ is union)"
    if learned:
        claimed.setdefault("learned", "yes")
    return {name: claimed[name] for name in ("regex", "source", "learned") if name in claimed}


class Work:
    """Counts the steps taken, of which every number read allows some more."""

    def __init__(self) -> None:
        self.spent, self.allowed = 0, ALLOWANCE

    def spend(self, steps: int) -> None:
        """Refuse before taking more steps than the certificate's size allows."""
        self.spent += steps
        if self.spent > self.allowed:
            _refuse(f"checking takes more than the {self.allowed:,} steps that its size allows")

    def number(self, value: object, name: str, low: int = -LARGEST, high: int = LARGEST) -> int:
        """Read an integer, low <= value < high; truth values are none."""
        if type(value) is not int:
            _refuse(f"{name} is {_shown(value)}; expected a whole number")
        if not low <= value < high:
            _refuse(f"{name} is {_shown(value)}, which is out of range")
        self.allowed += STEPS_PER_NUMBER
        return value

    def numbers(
        self, values: object, name: str, low: int = -LARGEST, high: int = LARGEST
    ) -> list[int]:
        """Read a list of integers."""
        return [self.number(value, name, low, high) for value in _items(values, name)]


def _letters(value: object, size: int, work: Work) -> list[int]:
    """Read the number of the letter that stands for each symbol: 0, 1, ... with none left out."""
    listed = _items(value, "letters", size)
    letters = work.numbers(listed, "the letter of a symbol", 0, size)
    if len(set(letters)) != max(letters) + 1:
        _refuse("letters leaves out a number")
    return letters


def _automaton(value: object, outputs: str, letters: int, work: Work) -> Automaton:
    """Read an automaton whose outputs are truth values (``accepting``) or numbers."""
    given = _fields(value, "an automaton", ("transitions", "initial", outputs))
    rows = _items(given["transitions"], "transitions")
    size = len(rows)
    table = [work.numbers(_items(row, "transitions", letters), "a state", 0, size) for row in rows]
    initial = work.number(given["initial"], "the initial state", 0, size)
    answers = _items(given[outputs], outputs, size)
    if outputs != "accepting":
        return Automaton(table, initial, work.numbers(answers, "an output", FREE))
    if any(type(answer) is not bool for answer in answers):
        _refuse("accepting holds something else than true and false")
    return Automaton(table, initial, [int(answer) for answer in answers])


# ---- walks -------------------------------------------------------------------------------------


def _reach(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return everything reachable from ``starts``."""
    seen = set(starts)
    stack = list(seen)
    while stack:
        for node in following(stack.pop()):
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return seen


def _sources(table: Table) -> Table:
    """Return the states that step into each state."""
    sources: Table = [[] for _ in table]
    for state, targets in enumerate(table):
        for target in targets:
            sources[target].append(state)
    return sources


def _tree(table: Table, initial: int) -> list[tuple[int, int | None, int]]:
    """Return (state, state before, letter) for all reachable states, earlier ones first."""
    tree: list[tuple[int, int | None, int]] = [(initial, None, FREE)]
    seen = {initial}
    for state, _, _ in tree:
        for letter, target in enumerate(table[state]):
            if target not in seen:
                seen.add(target)
                tree.append((target, state, letter))
    return tree


def _components(table: Table, initial: int) -> Iterator[set[int]]:
    """Yield the strongly connected parts of what is reachable (Kosaraju: two walks)."""
    order: list[int] = []
    left = {initial}
    stack = [(initial, iter(table[initial]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in left:
                left.add(target)
                stack.append((target, iter(table[target])))
                break
        else:
            order.append(node)
            stack.pop()
    sources = _sources(table)

    def before(q: int) -> list[int]:
        return [p for p in sources[q] if p in left]

    for root in reversed(order):
        if root in left:
            part = _reach([root], before)
            left -= part
            yield part


def _follow(table: Table, state: int, word: Iterable[int]) -> int:
    for letter in word:
        state = table[state][letter]
    return state


# ---- the questions -----------------------------------------------------------------------------


class Questions:
    """What has to be answered about the automaton under its convention.

    ``answers`` holds a number per state: 0 and 1, or for next symbols (``predict``) the number of
    the set of what may follow; nothing is asked where no word of the language can be completed.
    """

    def __init__(
        self, dfa: Automaton, alphabet: list[str], accept: str, answer: str, work: Work
    ) -> None:
        work.spend(4 * len(dfa.table) * len(alphabet))
        self.dfa, self.accept, self.answer, self.work = dfa, accept, answer, work
        self.letters = {symbol: letter for letter, symbol in enumerate(alphabet)}
        self.open: set[str | None] = {None} if accept == "end" else set(alphabet)
        self.parts = 0
        self.sources, self.tree = _sources(dfa.table), _tree(dfa.table, dfa.initial)
        self.answers = dfa.outputs if accept != "predict" else self._continuations()

    def _continuations(self) -> list[int]:
        final = [q for q, output in enumerate(self.dfa.outputs) if output]
        alive = _reach(final, self.sources.__getitem__)
        rows = enumerate(self.dfa.table)
        sets = _numbered((self.dfa.outputs[q], *(t in alive for t in row)) for q, row in rows)
        return [number if q in alive else FREE for q, number in enumerate(sets)]

    def check(self, last: object, machine: Automaton, letters: list[int]) -> None:
        """Check that a machine gives exactly the answers that its last letters ask for.

        The machine reads ``letters[a]`` for symbol a.
        """
        table, work = self.dfa.table, self.work
        if (self.accept == "end") != (last is None):
            _refuse("a part names a last letter exactly when the convention shows one")
        names = [None] if last is None else [_text(x, "a letter") for x in _items(last, "last")]
        if not names:
            _refuse("a part names no last letter, so it says nothing about the automaton")
        for name in names:
            if name not in self.open:
                _refuse(f"the last letter {_shown(name)} does not exist or is answered twice")
            self.open.remove(name)
        work.spend(len(table) * (1 + len(names) + len(self.letters) // 4))
        columns = [
            self.answers
            if name is None
            else [self.answers[row[self.letters[name]]] for row in table]
            for name in names
        ]
        self.parts += 1
        beside = self._run_beside(machine, letters, columns)
        for wanted in columns:
            self._compare(wanted, machine.outputs, beside)

    def check_coverage(self) -> None:
        """A yes must answer every question, a no at least one."""
        if not self.parts:
            _refuse("there are no parts")
        for letter in self.letters:
            if self.answer == "in" and letter in self.open:
                _refuse(f"no part for words that end in {_shown(letter)}")

    def _run_beside(
        self, machine: Automaton, letters: list[int], columns: list[list[int]]
    ) -> list[int | None]:
        """Run the machine beside the automaton; return its state beside each state there.

        A program may do as it likes once nothing is asked any more: a yes is not followed there,
        and the entry is None, as it is at states that no word reaches.
        """
        table, size = self.dfa.table, len(self.dfa.table)
        followed = set(range(size))
        if self.answer == "in":
            asked = {q for wanted in columns for q in followed if wanted[q] != FREE}
            followed = asked if len(asked) == size else _reach(asked, self.sources.__getitem__)
        beside: list[int | None] = [None] * size
        for q, before, letter in self.tree:
            x = None if before is None else beside[before]
            if q in followed:
                beside[q] = machine.initial if x is None else machine.table[x][letters[letter]]
        for q, x in enumerate(beside):
            if x is not None:
                row = machine.table[x]
                for target, letter in zip(table[q], letters, strict=True):
                    if beside[target] not in (None, row[letter]):
                        _refuse(f"state {target} stands beside two states of a machine")
        return beside

    def _compare(self, wanted: list[int], outputs: list[int], beside: list[int | None]) -> None:
        """Outputs are the answers themselves; for next symbols they number them, one to one."""
        meaning: dict[int, int] = {}
        number: dict[int, int] = {}
        for want, x in zip(wanted, beside, strict=True):
            if x is None or (want == FREE and self.answer == "in"):
                continue
            output = outputs[x]
            if (want == FREE) != (output == FREE):
                _refuse(
                    f"state {x} of a machine answers where nothing is asked, or not where it is"
                )
            same = output == want or self.accept == "predict"
            if not same or meaning.setdefault(output, want) != want:
                _refuse(f"state {x} of a machine gives the wrong answer")
            if number.setdefault(want, output) != output:
                _refuse(f"state {x} of a machine gives another answer than its equals")


# ---- yes: potentials ---------------------------------------------------------------------------


def _check_proof(
    machine: Automaton, value: object, kind: str, work: Work, shorter: bool
) -> tuple[int, int]:
    """Every component with several states needs its potentials; return modulus and window."""
    proof = _fields(value, "a proof", ("modulus", "window", "components"))
    modulus = work.number(proof["modulus"], "modulus", 1)
    window = work.number(proof["window"], "window", 0)
    if kind == "plain" and (modulus, window) != (1, 0):
        _refuse("a plain proof uses modulus 1 and window 0")
    needed, allowed = ("states", "vertices", "potentials"), ()
    if shorter and (modulus, window) == (1, 0):  # the places are the states
        needed, allowed = ("states", "potentials"), ("vertices",)
    given: dict[frozenset[int], dict[str, Any]] = {}
    for part in _items(proof["components"], "components"):
        body = _fields(part, "a component", needed, allowed)
        listed = work.numbers(body["states"], "a state of a component")
        states = frozenset(listed)
        if len(states) != len(listed) or states in given:
            _refuse("a state or a component is listed twice")
        given[states] = body
    work.spend(3 * len(machine.table) * len(machine.table[0]))
    for part in _components(machine.table, machine.initial):
        if len(part) > 1:
            body = given.pop(frozenset(part), None)
            if body is None:
                _refuse(f"no potentials for the component of state {min(part)}")
            _check_component(Component(machine.table, part, modulus, window, work), body)
    if given:
        _refuse("a component is listed that is none")
    return modulus, window


def _check_component(component: "Component", body: dict[str, Any]) -> None:
    work = component.work
    if "vertices" in body:
        places = [component.place(value) for value in _items(body["vertices"], "places")]
        component.check_places(places)
    else:
        places = [(q, (), 0) for q in body["states"]]
    edges = component.edges(places)
    rounds = _items(body["potentials"], "potentials")
    if len(rounds) > len(places):
        _refuse("there are more rounds of potentials than places")
    known = _numbered((word, residue) for _, word, residue in places)
    for values in rounds:
        potential = work.numbers(_items(values, "a potential", len(places)), "a potential")
        work.spend(len(edges))
        displacement: dict[tuple[int, int], int] = {}
        for source, letter, target in edges:  # where the state is visible the potential is 0
            change = (0 if target is None else potential[target]) - potential[source]
            if displacement.setdefault((letter, known[source]), change) != change:
                _refuse(f"a potential breaks at state {places[source][0]}, letter number {letter}")
        known = _numbered(zip(known, potential, strict=True))
    if len(set(known)) != len(places):
        _refuse(f"two states of the component of state {component.first} look alike to the end")


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    """Number equal keys alike."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


class Component:
    """A strongly connected part of a machine, seen through a window of letters and a modulus.

    With period d, position and state are tied together modulo g = gcd(d, m): runs are followed from
    a state of level 0 at position 0, other entries only shift this. So after a word the states of
    one level modulo g are possible at every position of that class modulo m.
    """

    def __init__(self, table: Table, states: set[int], modulus: int, window: int, work: Work):
        self.table, self.states, self.work = table, states, work
        self.modulus, self.window = modulus, window
        self.letters, self.first = range(len(table[0])), min(states)
        self.level, period = {self.first: 0}, 0
        queue = [self.first]
        for q in queue:
            for target in table[q]:
                if target in states:
                    if target not in self.level:
                        self.level[target] = self.level[q] + 1
                        queue.append(target)
                    period = gcd(period, self.level[q] + 1 - self.level[target])
        self.cycle = gcd(period, modulus)
        self.lengths: dict[frozenset[int], int] = {}

    def place(self, value: object) -> Place:
        """Read a place."""
        work, (q, word, residue) = self.work, _items(value, "a place", 3)
        state = work.number(q, "the state of a place", 0, len(self.table))
        letters = _items(word, "the word of a place", self.window)
        last = tuple(work.numbers(letters, "a letter", 0, len(self.letters)))
        return state, last, work.number(residue, "the residue of a place", 0, self.modulus)

    def edges(self, places: list[Place]) -> list[tuple[int, int, int | None]]:
        """Return (source, letter, target) inside; None stands for all places that are not open."""
        self.work.spend(len(places) * len(self.letters) * (2 + self.window))
        number = {place: i for i, place in enumerate(places)}
        found: list[tuple[int, int, int | None]] = []
        for source, (q, word, residue) in enumerate(places):
            for letter, target in enumerate(self.table[q]):
                if target in self.states:
                    last = (*word, letter)[1:] if self.window else ()
                    there = (target, last, (residue + 1) % self.modulus)
                    found.append((source, letter, number.get(there)))
        return found

    def check_places(self, places: list[Place]) -> None:
        """The places listed must be all that the last letters and the position leave open."""
        contexts = self._open_contexts({word for _, word, _ in places})
        wanted = sum(map(len, contexts.values())) * (self.modulus // self.cycle)
        listed = all(q in contexts.get((w, r % self.cycle), ()) for q, w, r in places)
        if not listed or wanted != len(places) or wanted != len(set(places)):
            _refuse(
                f"the places listed for the component of state {self.first} are not the open ones"
            )

    def _open_contexts(self, words: set[Word]) -> dict[tuple[Word, int], frozenset[int]]:
        """Return (word, class modulo g) -> states, where a word leaves several of them.

        All words are read from all states of a class at once, along the words that are listed; a
        reading that leaves the list must come down to single states within the window.
        """
        self.work.spend(len(self.states) + len(words) * (1 + self.window))
        tree: dict[tuple[int, int], int] = {}  # (node, letter) -> node; 0 is the empty word
        leaves: dict[int, Word] = {}
        for word in words:
            node = 0
            for letter in word:
                node = tree.setdefault((node, letter), len(tree) + 1)
            leaves[node] = word
        classes: dict[int, set[int]] = {}
        for q in self.states:
            classes.setdefault(self.level[q] % self.cycle, set()).add(q)
        found: dict[tuple[Word, int], frozenset[int]] = {}
        stack = [(0, 0, frozenset(group)) for group in classes.values() if len(group) > 1]
        while stack:
            node, length, group = stack.pop()
            if length == self.window:
                if node not in leaves:
                    _refuse(f"no places for the open states of the component of {self.first}")
                found[leaves[node], self.level[min(group)] % self.cycle] = group
                continue
            for letter, after in self._read(group):
                if (node, letter) in tree:
                    stack.append((tree[node, letter], length + 1, after))
                elif self._lasts(after) >= self.window - length - 1:
                    _refuse(f"states {sorted(after)[:2]} stay open after a word that is not listed")
        return found

    def _read(self, group: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
        """Yield the letters after which several states are left, with these states."""
        self.work.spend(len(group) * len(self.letters))
        for letter in self.letters:
            after = frozenset(self.table[q][letter] for q in group) & self.states
            if len(after) > 1:
                yield letter, after

    def _lasts(self, group: frozenset[int]) -> int:
        """Return how many letters can be read, at most, with several states left after each.

        A set that is met again on its own way lasts longer than any window.
        """
        lengths, longest = self.lengths, {group: 0}
        path = [] if group in lengths else [(group, self._read(group))]
        while path:
            here, rest = path[-1]
            for _, after in rest:
                if after in longest:
                    return LARGEST
                if after not in lengths:
                    longest[after] = 0
                    path.append((after, self._read(after)))
                    break
                longest[here] = max(longest[here], 1 + lengths[after])
            else:
                path.pop()
                lengths[here] = longest.pop(here)
                if path:
                    before = path[-1][0]
                    longest[before] = max(longest[before], 1 + lengths[here])
        return lengths[group]


# ---- no: closed partitions ---------------------------------------------------------------------

Edges = dict[tuple[int, int], int]
"""(arrow, source vertex) -> target vertex."""


def _check_refutation(
    machine: Automaton, value: object, kind: str, work: Work, shorter: bool
) -> None:
    joined = shorter and type(value) is dict and "joins" in value
    names = ("anchors", "arrows", "vertices", "blocks", "pair", "suffix")
    given = _fields(value, "a refutation", (*names, "joins" if joined else "chains"))
    letters = len(machine.table[0])
    anchors = [
        tuple(work.numbers(word, "a letter of an anchor", 0, letters))
        for word in _items(given["anchors"], "anchors")
    ]
    arrows: list[tuple[int, list[int], int]] = []
    for arrow in _items(given["arrows"], "arrows"):
        i, word, j = _items(arrow, "an arrow", 3)
        one, two = work.numbers([i, j], "an anchor of an arrow", 0, len(anchors))
        arrows.append((one, work.numbers(word, "a letter of an arrow", 0, letters), two))
    vertices: list[tuple[int, int]] = []
    for vertex in _items(given["vertices"], "vertices"):
        q, i = _items(vertex, "a vertex", 2)
        state = work.number(q, "the state of a vertex", 0, len(machine.table))
        vertices.append((state, work.number(i, "the anchor of a vertex", 0, len(anchors))))
    blocks = work.numbers(_items(given["blocks"], "blocks", len(vertices)), "a block")
    pair = work.numbers(_items(given["pair"], "pair", 2), "a vertex", 0, len(vertices))
    suffix = work.numbers(given["suffix"], "a letter of the suffix", 0, letters)
    _check_words(anchors, [len(word) for _, word, _ in arrows], kind)
    _check_vertices(machine, anchors, vertices, work)
    edges = _edges(machine.table, arrows, vertices, work)
    _check_connected(edges, len(vertices))
    _check_anchors_of_blocks(vertices, blocks)
    if joined:
        _check_joins(given["joins"], edges, blocks, work)
    else:
        links = [_check_chain(x, edges, blocks, work) for x in _items(given["chains"], "chains")]
        _check_blocks(blocks, links)
    if blocks[pair[0]] != blocks[pair[1]]:
        _refuse("the two states are not in one block")
    ends = [_follow(machine.table, vertices[v][0], suffix) for v in pair]
    answers = [machine.outputs[end] for end in ends]
    if FREE in answers or answers[0] == answers[1]:
        _refuse("the suffix does not tell the two states apart")


def _check_words(anchors: list[Word], lengths: list[int], kind: str) -> None:
    """Check what makes letters, windows and positions say nothing at the vertices."""
    if kind == "plain":
        if anchors != [()] or any(length != 1 for length in lengths):
            _refuse("a plain refutation has the empty anchor and single letters as arrows")
        return
    periods = {len(word) for word in anchors}
    if len(periods) != 1 or periods == {0}:
        _refuse("anchors must be non-empty words of one length")
    if any(length % len(anchors[0]) for length in lengths):
        _refuse("the length of an arrow must be a multiple of the length of the anchors")


def _check_vertices(
    machine: Automaton, anchors: list[Word], vertices: list[tuple[int, int]], work: Work
) -> None:
    table = machine.table
    work.spend(len(table) * len(table[0]) + sum(1 + len(anchors[i]) for _, i in vertices))
    reachable = _reach([machine.initial], table.__getitem__)
    if len(set(vertices)) != len(vertices):
        _refuse("a vertex is listed twice")
    for q, i in vertices:
        if q not in reachable:
            _refuse(f"state {q} is not reachable")
        if _follow(table, q, anchors[i]) != q:
            _refuse(f"anchor {i} moves state {q}")


def _edges(
    table: Table,
    arrows: list[tuple[int, list[int], int]],
    vertices: list[tuple[int, int]],
    work: Work,
) -> Edges:
    number = {vertex: place for place, vertex in enumerate(vertices)}
    at: dict[int, list[tuple[int, int]]] = {}
    for place, (q, i) in enumerate(vertices):
        at.setdefault(i, []).append((place, q))
    edges: Edges = {}
    for arrow, (i, word, j) in enumerate(arrows):
        sources = at.get(i, [])
        work.spend((4 + len(word)) * len(sources))
        for place, q in sources:
            target = number.get((_follow(table, q, word), j))
            if target is not None:
                edges[arrow, place] = target
    return edges


def _check_connected(edges: Edges, size: int) -> None:
    forward: Table = [[] for _ in range(size)]
    backward: Table = [[] for _ in range(size)]
    for (_, source), target in edges.items():
        forward[source].append(target)
        backward[target].append(source)
    for side in (forward, backward):
        if len(_reach([0], side.__getitem__)) != size:
            _refuse("the vertices do not all reach each other")


def _check_chain(value: object, edges: Edges, blocks: list[int], work: Work) -> tuple[int, int]:
    """Boundary: a multiple of end - start. Totals: zero for every arrow and block."""
    chain = _fields(value, "a chain", ("start", "end", "multiple", "edges"))
    ends = [chain["start"], chain["end"]]
    start, end = work.numbers(ends, "the start or end of a chain", 0, len(blocks))
    multiple = work.number(chain["multiple"], "the multiple of a chain")
    if multiple == 0 or blocks[start] != blocks[end]:
        _refuse("a chain joins nothing")
    boundary, totals = {start: multiple}, {}
    boundary[end] = boundary.get(end, 0) - multiple
    for edge in _items(chain["edges"], "the edges of a chain"):
        arrow, source, amount = work.numbers(_items(edge, "an edge", 3), "an edge's number")
        target = edges.get((arrow, source))
        if target is None:
            _refuse(
                f"a chain uses an edge that does not exist: {_shown(arrow)} at {_shown(source)}"
            )
        boundary[target] = boundary.get(target, 0) + amount
        boundary[source] = boundary.get(source, 0) - amount
        total = (arrow, blocks[source])
        totals[total] = totals.get(total, 0) + amount
    if any(boundary.values()) or any(totals.values()):
        _refuse(f"the chain from vertex {start} to vertex {end} does not cancel")
    return start, end


def _check_anchors_of_blocks(vertices: list[tuple[int, int]], blocks: list[int]) -> None:
    """Vertices of one block share an anchor."""
    first: dict[int, int] = {}
    for (_, anchor), block in zip(vertices, blocks, strict=True):
        if first.setdefault(block, anchor) != anchor:
            _refuse("a block joins vertices of different anchors")


def _check_blocks(blocks: list[int], links: list[tuple[int, int]]) -> None:
    """Vertices of one block are joined by chains, which stay in a block."""
    linked: Table = [[] for _ in blocks]
    for start, end in links:
        linked[start].append(end)
        linked[end].append(start)
    first: dict[int, int] = {}
    for place, block in enumerate(blocks):
        first.setdefault(block, place)
    if len(_reach(first.values(), linked.__getitem__)) != len(blocks):
        _refuse("no chain joins two vertices of one block")


# ---- no: joins instead of chains ---------------------------------------------------------------

Group = tuple[int, int]
"""An arrow and the block that it leaves: what a sum of counts can weigh."""
Totals = dict[Group, int]


class Forest:
    """Edges that form trees. A vertex knows its root, its depth and the step from above."""

    def __init__(self, edges: Edges, blocks: list[int], work: Work) -> None:
        self.edges, self.blocks, self.work = edges, blocks, work
        self.above: dict[int, tuple[int, Group, int]] = {}  # vertex, group of the edge, direction
        self.root: dict[int, int] = {}
        self.depth: dict[int, int] = {}
        self.order: list[int] = []

    def edge(self, arrow: object, source: object) -> tuple[int, Group, int]:
        """Read an edge; return its source, group and target."""
        number = self.work.number(arrow, "an arrow of an edge")
        place = self.work.number(source, "the source of an edge", 0, len(self.blocks))
        target = self.edges.get((number, place))
        if target is None:
            _refuse(f"a join uses an edge that does not exist: {_shown(number)} at {place}")
        return place, (number, self.blocks[place]), target

    def grow(self, value: object) -> None:
        """Add an edge between a vertex that is there and one that is not; or begin a tree."""
        source, group, target = self.edge(*_items(value, "an edge of a tree", 2))
        if source not in self.root and target not in self.root:
            self.root[source], self.depth[source] = source, 0
        if (source in self.root) == (target in self.root):
            _refuse("an edge of a tree closes a cycle")
        old, new, sign = (source, target, 1) if source in self.root else (target, source, -1)
        self.above[new] = (old, group, sign)
        self.root[new], self.depth[new] = self.root[old], self.depth[old] + 1
        self.order.append(new)

    def cycle(self, value: object) -> Totals:
        """Add up what edges, each closed by its way in its tree, count per arrow and block."""
        totals: Totals = {}
        for item in _items(value, "the edges of a cycle"):
            arrow, place, factor = _items(item, "an edge", 3)
            source, group, target = self.edge(arrow, place)
            amount = self.work.number(factor, "an amount")
            if source not in self.root or self.root[source] != self.root.get(target):
                _refuse("an edge of a cycle leads from one tree to another")
            totals[group] = totals.get(group, 0) + amount
            while source != target:
                self.work.spend(1)
                lower = self.depth[source] >= self.depth[target]
                above, group, sign = self.above[source if lower else target]
                totals[group] = totals.get(group, 0) + (sign if lower else -sign) * amount
                source, target = (above, target) if lower else (source, above)
        return totals


def _check_joins(value: object, edges: Edges, blocks: list[int], work: Work) -> None:
    """Vertices of one block: in one tree, their ways different by a combination of cycles."""
    given = _fields(value, "joins", ("tree", "multiple", "cycles"))
    forest = Forest(edges, blocks, work)
    for edge in _items(given["tree"], "the tree"):
        forest.grow(edge)
    multiple = work.number(given["multiple"], "the multiple of cycles")
    if multiple == 0:
        _refuse("the multiple of cycles is 0")
    cycles: dict[Group, Totals] = {}
    for cycle in _items(given["cycles"], "cycles"):
        body = _fields(cycle, "a cycle", ("pivot", "edges"))
        arrow, block = work.numbers(_items(body["pivot"], "a pivot", 2), "a pivot's number")
        if (arrow, block) in cycles:
            _refuse("two cycles have one pivot")
        cycles[arrow, block] = forest.cycle(body["edges"])
    for pivot, totals in cycles.items():
        work.spend(len(totals))
        if totals.get(pivot) != multiple or any(
            totals.get(g) for g in totals if g in cycles and g != pivot
        ):
            _refuse("the totals of the cycles are not in echelon form")
    rest = _remainders(forest, multiple, cycles)
    first: dict[int, int] = {}
    for vertex, block in enumerate(blocks):
        other = first.setdefault(block, vertex)
        if vertex == other:
            continue
        if vertex not in forest.root or forest.root[vertex] != forest.root.get(other):
            _refuse("no tree joins two vertices of one block")
        work.spend(1 + len(rest[vertex]))
        if rest[vertex] != rest[other]:
            _refuse(f"the ways to vertices {other} and {vertex} of one block do not cancel")


def _remainders(forest: Forest, multiple: int, cycles: dict[Group, Totals]) -> dict[int, Totals]:
    """Return what is left of the way to each vertex, times the multiple, once cycles are taken off.

    A step of a pivot's group is the pivot's cycle less the other groups of that cycle.
    """
    steps: dict[Group, Totals] = {}
    for pivot, totals in cycles.items():
        steps[pivot] = {
            group: -total for group, total in totals.items() if group != pivot and total
        }
    rest: dict[int, Totals] = {root: {} for root in forest.root.values()}
    for vertex in forest.order:
        above, group, sign = forest.above[vertex]
        step = steps.setdefault(group, {group: multiple})
        if not step:
            rest[vertex] = rest[above]
            continue
        forest.work.spend(len(rest[above]) + len(step))
        total = dict(rest[above])
        for other, amount in step.items():
            total[other] = total.get(other, 0) + sign * amount
            if total[other] == 0:
                del total[other]
        rest[vertex] = total
    return rest


# ---- the command line --------------------------------------------------------------------------


def read_file(path: Path) -> list[Any]:
    """Read the certificates of a file, of bounded size."""
    with path.open("rb") as file:
        return read_certificates(file.read(MOST_BYTES + 1))


def main(arguments: Sequence[str]) -> int:
    """Check the certificates of one file and say what they show; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python check_certificate.py FILE\n")
        return 2
    try:
        found = read_file(Path(arguments[0]))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"unreadable: {error}\n")
        return 2
    for number, certificate in enumerate(found, 1):
        try:
            report = check_certificate(certificate).lines()
        except Refused as error:
            sys.stderr.write(f"certificate {number} of {len(found)}: refused: {error}\n")
            return 1
        sys.stdout.write(f"certificate {number} of {len(found)}: accepted\n")
        sys.stdout.writelines(f"  {line}\n" for line in report)
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
