"""Programs that come in families: one function per family, one program per choice of symbols.

The word formats are those of the algorithmic tasks: ``input <sep> output <eos>``, with ``<bos>``
before position 1, seen only by programs that name it.
"""

import re
from collections.abc import Sequence

from lengthwise.core.errors import InputError
from lengthwise.crasp.embedding import (
    Q,
    all_of,
    any_of,
    count,
    count_before,
    exists,
    never,
    pos,
    prev,
)
from lengthwise.crasp.program import Program
from lengthwise.crasp.simplify import simplify
from lengthwise.crasp.syntax import Bool, Expression

BOS, SEP, EOS = "<bos>", "<sep>", "<eos>"


def _distinct(symbols: Sequence[str], least: int = 1) -> tuple[str, ...]:
    letters = tuple(symbols)
    if len(letters) < least or len(set(letters)) < len(letters):
        raise InputError(f"need at least {least} distinct symbols, not {' '.join(letters)!r}.")
    return letters


def subsequence(word: Sequence[str], alphabet: Sequence[str]) -> Program:
    """Words that contain ``word`` as a scattered subsequence (letters may repeat).

    Counts are strict, otherwise ``aa`` would match a single ``a``. Program ours; that piecewise
    testable languages are in C-RASP is from Huang et al. (2025).

    Example:
        >>> print(subsequence("ab", "ab"), end="")
        alphabet "a" "b"
        empty reject
        E1 = "a"
        E2 = "b" && #"a" - (1 if "a" else 0) >= 1
        accept = #E2 >= 1
    """
    if not word:
        raise InputError("the subsequence needs at least one symbol.")
    event = Q[word[0]]
    definitions: list[tuple[str, Expression]] = [("E1", event)]
    for index, letter in enumerate(word[1:], 2):
        event = Q[letter] & (count_before(event) >= 1)
        definitions.append((f"E{index}", event))
    definitions.append(("accept", exists(event)))
    return Program(definitions, alphabet=alphabet, empty=False)


def blocks(number: int) -> Program:
    """On prefixes of L_k = a+ b+ a+ ... (k blocks): is the prefix a word of L_k?

    On such prefixes it is enough to see an alternating subsequence of length k - 2 that starts with
    b, and the letter of block k here: depth k - 2 (Yang et al. 2025; program ours).
    """
    if number < 3:
        raise InputError(f"blocks({number}): the shortcut needs at least 3 blocks.")
    word = ["b" if index % 2 == 0 else "a" for index in range(number - 2)]
    inner = subsequence(word, "ab")
    last = Q["a" if number % 2 else "b"]
    return inner.replace(definitions=[*inner.definitions[:-1], ("accept", inner.accept & last)])


def majority(symbols: Sequence[str]) -> Program:
    """Write the most frequent input symbol after ``<sep>``, then ``<eos>``; a tie has none."""
    letters = _distinct(symbols, 2)
    before = never(Q[SEP])
    counts = {s: count(Q[s] & before) for s in letters}
    wins = {s: all_of(counts[t] < counts[s] for t in letters if t != s) for s in letters}
    outputs = {s: Q[SEP] & wins[s] for s in letters}
    outputs[EOS] = ~before & ~Q[SEP]
    definitions: dict[str, Expression] = {"PRE": before}
    definitions |= {f"C{index}": node for index, node in enumerate(counts.values())}
    return Program(definitions, alphabet=(*letters, SEP, EOS), next=outputs)


def interleaved_majority(period: int = 3) -> Program:
    """Write the majority bit of each of ``period`` interleaved streams, then ``<eos>``."""
    before = never(Q[SEP])
    step = count(~before)
    zero: list[Bool] = []
    one: list[Bool] = []
    for stream in range(period):
        here = before & (pos % period == (stream + 1) % period)
        zeros, ones = count(Q["0"] & here), count(Q["1"] & here)
        zero.append((step == stream + 1) & (ones < zeros))
        one.append((step == stream + 1) & (zeros < ones))
    outputs = {"0": any_of(zero), "1": any_of(one), EOS: step == period + 1}
    return Program({"PRE": before, "R": step}, alphabet=("0", "1", SEP, EOS), next=outputs)


def sort(symbols: Sequence[str]) -> Program:
    """Write the distinct input symbols in the order of ``symbols``, then ``<eos>``."""
    letters = _distinct(symbols)
    after = exists(Q[SEP])
    present = {s: exists(Q[s]) for s in letters}

    def absent(low: int, high: int) -> Bool:
        return all_of(~present[s] for s in letters[low:high])

    outputs: dict[str, Bool] = {}
    for index, letter in enumerate(letters):
        steps = [Q[SEP] & absent(0, index)]
        steps += [Q[letters[cur]] & absent(cur + 1, index) for cur in range(index)]
        outputs[letter] = after & present[letter] & any_of(steps)
    last = [Q[SEP] & absent(0, len(letters))]
    last += [Q[s] & absent(cur + 1, len(letters)) for cur, s in enumerate(letters)]
    outputs[EOS] = after & any_of(last)
    definitions: list[tuple[str, Expression]] = [("POST", after)]
    definitions += [(f"IN{index}", node) for index, node in enumerate(present.values())]
    return simplify(Program(definitions, alphabet=(*letters, SEP, EOS), next=outputs))


def sort_repeats(symbols: Sequence[str]) -> Program:
    """Write the input symbols in the order of ``symbols``, as often as they occur, then ``<eos>``.

    Plain C-RASP: what is left of a symbol is how often it was read less how often it was written.
    """
    letters = _distinct(symbols)
    reading, after = never(Q[SEP]), exists(Q[SEP])
    left = {s: count(Q[s] & reading) - count(Q[s] & after) for s in letters}
    outputs: dict[str, Bool] = {}
    nothing: Bool = after  # of all symbols before this one
    for letter in letters:
        outputs[letter] = nothing & (left[letter] >= 1)
        nothing = nothing & (left[letter] == 0)
    definitions: list[tuple[str, Expression]] = [("POST", after)]
    definitions += [(f"LEFT{index}", node) for index, node in enumerate(left.values())]
    return Program(definitions, alphabet=(*letters, SEP, EOS), next=outputs | {EOS: nothing})


def _pairs(left: Sequence[str], right: Sequence[str], distance: int) -> dict[tuple[str, str], Bool]:
    """``a`` was followed by ``b``, ``distance`` positions later, somewhere up to here."""
    return {(a, b): exists(Q[b] & prev(Q[a], distance)) for a in left for b in right}


def _named(
    pairs: dict[tuple[str, str], Bool], prefix: str = "BIGRAM"
) -> list[tuple[str, Expression]]:
    """Name the pairs by their symbols' letters and digits, or by number if that is ambiguous."""
    labels = ["_".join(re.sub(r"[^a-zA-Z0-9]", "", part) for part in pair) for pair in pairs]
    if len(set(labels)) < len(labels):
        labels = [str(index) for index in range(len(labels))]
    return [(f"{prefix}_{label}", node) for label, node in zip(labels, pairs.values(), strict=True)]


def induction_head(symbols: Sequence[str], distance: int = 1) -> Program:
    """Write what stood ``distance`` after the present symbol earlier (Huang et al. 2025)."""
    letters = _distinct(symbols)
    seen = _pairs(letters, letters, distance)
    outputs = {a: any_of(Q[s] & seen[s, a] for s in letters) for a in letters}
    return Program(_named(seen), alphabet=letters, next=outputs)


def anti_induction(symbols: Sequence[str]) -> Program:
    """Write what stood before the present symbol at an earlier occurrence.

    After Huang et al. (2025); the pairs are counted strictly before this position (ours), so that
    the symbol just before the query is not an answer.
    """
    letters = _distinct(symbols)
    pairs = {(a, s): Q[s] & prev(Q[a]) for a in letters for s in letters}
    seen = {pair: count_before(node) >= 1 for pair, node in pairs.items()}
    outputs = {a: any_of(Q[s] & seen[a, s] for s in letters) for a in letters}
    definitions = [*_named(pairs, "PAIR"), *_named(seen)]
    return Program(definitions, alphabet=letters, next=outputs)


def first_occurrence(symbols: Sequence[str]) -> Program:
    """Write what followed the first occurrence of the present symbol (formula ours)."""
    letters = _distinct(symbols)
    first = any_of(Q[a] & (count(Q[a]) == 1) for a in letters)
    after = {a: prev(Q[a] & first) for a in letters}
    outputs = {a: any_of(Q[s] & exists(Q[a] & after[s]) for s in letters) for a in letters}
    return Program({"FIRST": first}, alphabet=letters, next=outputs)


def unique_copy(symbols: Sequence[str]) -> Program:
    """Copy the input, whose symbols are distinct, after ``<sep>``; then ``<eos>``.

    An induction head with two boundary rules; it needs to see ``<bos>``. With repeated symbols
    several ``next`` would hold.
    """
    letters = _distinct(symbols)
    after = exists(Q[SEP])
    seen = _pairs((BOS, *letters), (*letters, SEP), 1)
    outputs: dict[str, Bool] = {}
    for a in letters:
        steps = any_of(Q[s] & seen[s, a] for s in letters)
        outputs[a] = after & ((Q[SEP] & seen[BOS, a]) | steps)
    outputs[EOS] = after & any_of(Q[s] & seen[s, SEP] for s in letters)
    definitions = [("POST", after), *_named(seen)]
    return simplify(Program(definitions, alphabet=(BOS, *letters, SEP, EOS), next=outputs))


def rank_copy(symbols: Sequence[str]) -> Program:
    """Copy distinct symbols after ``<sep>``, then ``<eos>``, in plain C-RASP of depth 2.

    By rank instead of by neighbour: the number of positions before the first ``s`` is the rank of
    ``s`` in the input, and the number of positions from ``<sep>`` on says which rank is due. The
    published flag for unique copy without positions is "no program found" (Huang et al. 2025); this
    one is ours. It compares two counts that grow with the input exactly, which trained models
    without positions do not seem to learn (see ``docs/predict.md``).

    Example:
        >>> from lengthwise.crasp import analyse, generate
        >>> program = rank_copy("abc")
        >>> generate(program, [["c", "a", "<sep>"]], stop="<eos>")
        [('c', 'a', '<eos>')]
        >>> analyse(program).fragment, analyse(program).depth
        ('plain', 2)
    """
    before = never(Q[SEP])
    due = count(~before)
    outputs: dict[str, Bool] = {}
    for symbol in symbols:
        rank = count(before & (count(Q[symbol]) == 0))
        outputs[symbol] = exists(Q[symbol] & before) & (due == rank + 1)
    outputs[EOS] = due == count(before) + 1
    return Program({"PRE": before, "DUE": due}, alphabet=(*symbols, SEP, EOS), next=outputs)
