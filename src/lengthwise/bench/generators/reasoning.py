"""The text tasks of Kazemnejad et al. (2023), one string at a time."""

import random
from collections.abc import Callable
from functools import partial

from lengthwise.bench.generators.base import Example, Generator, continued
from lengthwise.tasks import load_task
from lengthwise.tasks.reasoning.base import tokenize
from lengthwise.tasks.reasoning.copying import symbols
from lengthwise.tasks.reasoning.pcfg import BINARY, FUNCTION_SHARES, SYMBOLS, UNARY
from lengthwise.tasks.reasoning.scan import _sentences
from lengthwise.tasks.reasoning.sorting import SortSingle
from lengthwise.tasks.vocabulary import Vocabulary

Strings = tuple[str, str, int]
"""Prompt and target as published, and the length."""
Drawer = Callable[[random.Random, int, int], Strings]


def _example(v: Vocabulary, draw: Drawer, rng: random.Random, low: int, high: int) -> Example:
    prompt, target, length = draw(rng, low, high)
    ids = v.ids
    words = [ids[word] for word in tokenize(prompt)]
    return continued([*words, *(ids[w] for w in tokenize(target)), v.eos], len(words), length)


def _digits(number: int) -> str:
    return ("- " if number < 0 else "") + " ".join(str(abs(number)))


def _single(times: int, rng: random.Random, low: int, high: int) -> Strings:
    length = rng.randint(low, high)
    symbol = rng.choice(_SINGLES)
    return f"Copy: {(symbol + ' ') * length}[SEP]", " ".join([symbol] * (times * length)), length


def _replace(rng: random.Random, low: int, high: int) -> Strings:
    length = rng.randint(low, high)
    old, new = rng.sample(_SYMBOLS[:78], 2)
    source = " ".join([old] * length)
    return f"Replace {old} with {new} in {source} [SEP]", " ".join([new] * length), length


def _many(
    verb: str, writings: tuple[bool, ...], rng: random.Random, low: int, high: int
) -> Strings:
    length = rng.randint(low, high)
    source = rng.choices(_SYMBOLS, k=length)
    backward = source[::-1]
    target = " [NEXT] ".join(" ".join(backward if back else source) for back in writings)
    return f"{verb} {' '.join(source)} [SEP]", target, length


def _addition(rng: random.Random, low: int, high: int) -> Strings:
    while True:
        p, q = rng.randint(1, high), rng.randint(1, high)
        if max(p, q) >= low:
            break
    a, b = (rng.randint(10 ** (n - 1) if n > 1 else 0, 10**n - 1) for n in (p, q))
    answer = f"The answer is {_digits(a + b)}."
    return f"Compute {_digits(a)} + {_digits(b)} ?", answer, max(p, q)


def _polynomial(rng: random.Random, low: int, high: int) -> Strings:
    length, x = rng.randint(low, high), rng.randint(-2, 2)
    terms = [(rng.randint(-3, 3), rng.randint(0, 3)) for _ in range(length)]
    written = " + ".join(f"{_digits(c)} * x ** {e}" for c, e in terms)
    total = sum(c * x**e for c, e in terms) % 10
    return f"Evaluate at x = {_digits(x)} in {written} ?", f"The answer is {total}.", length


def _summation(rng: random.Random, low: int, high: int) -> Strings:
    values = [rng.randint(1, 9) for _ in range(rng.randint(low, high))]
    written = " + ".join(map(str, values))
    return f"Compute: {written} .[SEP]", f"The answer is {sum(values) % 10} .", len(values)


def _parity(rng: random.Random, low: int, high: int) -> Strings:
    bits = [rng.randint(0, 1) for _ in range(rng.randint(low, high))]
    written = ", ".join(map(str, bits))
    answer = "No" if sum(bits) % 2 else "Yes"
    prompt = f"Is the number of 1's even in the sequence [ {written} ] ?"
    return prompt, f"The answer is {answer}.", len(bits)


def _sort_single(rng: random.Random, low: int, high: int) -> Strings:
    order = _ORDERED
    values = [rng.randrange(50) for _ in range(rng.randint(low, high))]
    return _sorted([order[v] for v in values], [order[v] for v in sorted(values)])


def _sort_numbers(rng: random.Random, low: int, high: int) -> Strings:
    values = [rng.randint(10, 9999) for _ in range(rng.randint(low, high))]
    return _sorted([_digits(v) for v in values], [_digits(v) for v in sorted(values)])


def _sorted(items: list[str], ordered: list[str]) -> Strings:
    prompt = f"Sort the following list [ {', '.join(items)} ]."
    return prompt, f"The sorted list is [ {', '.join(ordered)} ].", len(items)


def _lego(rng: random.Random, low: int, high: int) -> Strings:
    length = rng.randint(low, high)
    names = rng.sample("abcdefghijklmnopqrstuvwxyz", length)
    values = [rng.choice((-1, 1)) for _ in names]
    clauses = [f"{names[0]} = {values[0]:+d}"]
    for i in range(1, length):
        sign = "+" if values[i] == values[i - 1] else "-"
        clauses.append(f"{names[i]} = {sign} {names[i - 1]}")
    query = rng.randint((length + 1) // 2, length - 1)
    prompt = f"If {', '.join(clauses)}. Then, what is the value of {names[query]}?"
    return prompt, f"The answer is {values[query]:+d}.", length


def _scan(rng: random.Random, low: int, high: int) -> Strings:
    sentences = _SENTENCES
    while True:
        kind = rng.random() * 20910
        one, act_one = rng.choice(sentences)
        command, actions = one, act_one
        if kind >= 102:
            two, act_two = rng.choice(sentences)
            joined = kind < 102 + 10404
            command = f"{one} {'and' if joined else 'after'} {two}"
            actions = act_one + act_two if joined else act_two + act_one
        if low <= len(actions) <= high:
            return f"Solve: {command}[SEP]", " ".join(actions), len(actions)


def _pcfg(rng: random.Random, low: int, high: int) -> Strings:
    count = rng.choices(range(low, high + 1), weights=FUNCTION_SHARES[low - 1 : high])[0]
    words, value = _tree(rng, count)
    return f"Solve: {' '.join(words)}[SEP]", " ".join(value), count


def _tree(rng: random.Random, count: int) -> tuple[list[str], list[str]]:
    """Draw an expression with ``count`` functions, splitting them between arguments at random."""
    if count == 0:
        size = rng.choices((2, 3, 4, 5), weights=(16, 30, 27.5, 27))[0]
        string = rng.choices(SYMBOLS, k=size)
        return string, string
    name = rng.choice(UNARY + BINARY)
    if name in UNARY:
        words, value = _tree(rng, count - 1)
        return [name, *words], _ONE[name](value)
    left = rng.randint(0, count - 1)
    one, x = _tree(rng, left)
    two, y = _tree(rng, count - 1 - left)
    return [name, *one, ",", *two], _TWO[name](x, y)


_ONE: dict[str, Callable[[list[str]], list[str]]] = {
    "copy": lambda x: x,
    "reverse": lambda x: x[::-1],
    "shift": lambda x: x[1:] + x[:1],
    "echo": lambda x: x + x[-1:],
    "swap_first_last": lambda x: [x[-1], *x[1:-1], x[0]],
    "repeat": lambda x: x + x,
}
_TWO: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "append": lambda x, y: x + y,
    "prepend": lambda x, y: y + x,
    "remove_first": lambda x, y: y,
    "remove_second": lambda x, y: x,
}
_SINGLES = symbols(6052)
_SYMBOLS = symbols(100)
_ORDERED = SortSingle.symbols
_SENTENCES = [(command, actions.split()) for command, actions in _sentences().items()]

_DRAWERS: dict[str, Drawer] = {
    "copy-v1-text": partial(_single, 1),
    "copy-v1-2x-text": partial(_single, 2),
    "copy-v2-text": _replace,
    "copy-v3-text": partial(_many, "Copy:", (False,)),
    "copy-v3-2x-text": partial(_many, "Copy:", (False, False)),
    "reverse-v1-text": partial(_many, "Reverse:", (True,)),
    "reverse-v1-2x-text": partial(_many, "Reverse:", (True, True)),
    "reverse-v2-text": partial(_many, "Reverse:", (True, False)),
    "addition-text": _addition,
    "polynomial-text": _polynomial,
    "summation-text": _summation,
    "parity-text": _parity,
    "sort-text": _sort_single,
    "sort-multi-text": _sort_numbers,
    "lego-text": _lego,
    "scan": _scan,
    "pcfg": _pcfg,
}


def generators() -> dict[str, Generator]:
    """Return a generator for each of the seventeen tasks."""
    return {
        name: partial(_example, load_task(name).vocabulary, drawer)
        for name, drawer in _DRAWERS.items()
    }
