"""The published strings, character for character after collapsing spaces; parsing and scores."""

# ruff: noqa: E501 - the published strings are long

import itertools

import numpy as np
import pytest

from lengthwise.core.errors import InputError
from lengthwise.tasks import load_task
from lengthwise.tasks.reasoning.base import tokenize
from lengthwise.tasks.reasoning.extraction import extract
from lengthwise.tasks.reasoning.scratchpad import Scratchpad, parse_pad, score_pad
from tests.tasks import references

EXAMPLES = [
    # (task, parts, prompt, target), from the authors' format
    ("addition-text", "icovr", "Compute 5 3 7 2 6 + 1 9 1 7 ?", "Thinking step by step: in 6, 7 comp 6 + 7 + carry = 13 + 0 = 13 out 3 [ carry: 1 ] re 5 3 7 2 + 1 9 1 # in 2, 1 comp 2 + 1 + carry = 3 + 1 = 4 out 4 [ carry: 0 ] re 5 3 7 + 1 9 # in 7, 9 comp 7 + 9 + carry = 16 + 0 = 16 out 6 [ carry: 1 ] re 5 3 + 1 # in 3, 1 comp 3 + 1 + carry = 4 + 1 = 5 out 5 [ carry: 0 ] re 5 + 0 # in 5, 0 comp 5 + 0 + carry = 5 + 0 = 5 out 5 [ carry: 0 ] re + . Thus, The answer is 5 5 6 4 3."),
    ("addition-text", "icovr", "Compute 8 7 + 6 5 ?", "Thinking step by step: in 7, 5 comp 7 + 5 + carry = 12 + 0 = 12 out 2 [ carry: 1 ] re 8 + 6 # in 8, 6 comp 8 + 6 + carry = 14 + 1 = 15 out 5 [ carry: 1 ] re + # in 0, 0 comp 0 + 0 + carry = 0 + 1 = 1 out 1 [ carry: 0 ] re + . Thus, The answer is 1 5 2."),
    ("addition-text", "co", "Compute 8 7 + 6 5 ?", "Thinking step by step: comp 7 + 5 + carry = 12 + 0 = 12 out 2 # comp 8 + 6 + carry = 14 + 1 = 15 out 5 # comp 0 + 0 + carry = 0 + 1 = 1 out 1 . Thus, The answer is 1 5 2."),
    ("addition-text", None, "Compute 5 3 7 2 6 + 1 9 1 7 ?", "The answer is 5 5 6 4 3."),
    ("polynomial-text", "icovr", "Evaluate at x = 2 in 3 * x ** 1 + - 1 * x ** 3 ?", "Thinking step by step: in 3 * x ** 1 comp 3 * 2 ** 1 = 3 * 2 out 6 [ sum: 0 + 6 = 6 ] re - 1 * x ** 3 # in - 1 * x ** 3 comp - 1 * 2 ** 3 = - 1 * 8 out - 8 [ sum: 6 + - 8 = 8 ] re . Thus, The answer is 8."),
    ("polynomial-text", "icovr", "Evaluate at x = - 2 in - 2 * x ** 2 + 1 * x ** 0 + 3 * x ** 3 ?", "Thinking step by step: in - 2 * x ** 2 comp - 2 * - 2 ** 2 = - 2 * 4 out - 8 [ sum: 0 + - 8 = 2 ] re 1 * x ** 0 + 3 * x ** 3 # in 1 * x ** 0 comp 1 * - 2 ** 0 = 1 * 1 out 1 [ sum: 2 + 1 = 3 ] re 3 * x ** 3 # in 3 * x ** 3 comp 3 * - 2 ** 3 = 3 * - 8 out - 2 4 [ sum: 3 + - 2 4 = 9 ] re . Thus, The answer is 9."),
    ("summation-text", "icovr", "Compute: 3 + 8 + 6 .[SEP]", "Thinking step by step: in 3 comp 3 + sum = 3 + 0 = out 3 [ sum: 3 = 3 ] re 8 + 6 # in 8 comp 8 + sum = 8 + 3 = out 1 1 [ sum: 1 1 = 1 ] re 6 # in 6 comp 6 + sum = 6 + 1 = out 7 [ sum: 7 = 7 ] re . Thus, The answer is 7 ."),
    ("summation-text", "icovr", "Compute: 9 + 9 + 4 + 1 .[SEP]", "Thinking step by step: in 9 comp 9 + sum = 9 + 0 = out 9 [ sum: 9 = 9 ] re 9 + 4 + 1 # in 9 comp 9 + sum = 9 + 9 = out 1 8 [ sum: 1 8 = 8 ] re 4 + 1 # in 4 comp 4 + sum = 4 + 8 = out 1 2 [ sum: 1 2 = 2 ] re 1 # in 1 comp 1 + sum = 1 + 2 = out 3 [ sum: 3 = 3 ] re . Thus, The answer is 3 ."),
    ("parity-text", "icovr", "Is the number of 1's even in the sequence [ 1, 0, 1, 1 ] ?", "Thinking step by step: in 1 comp 1 ** par = 1 ** 0 out 1 [ par: 1 ] re [ 0, 1, 1 ] # in 0 comp 0 ** par = 0 ** 1 out 1 [ par: 1 ] re [ 1, 1 ] # in 1 comp 1 ** par = 1 ** 1 out 0 [ par: 0 ] re [ 1 ] # in 1 comp 1 ** par = 1 ** 0 out 1 [ par: 1 ] re [ ] . Thus, The answer is No."),
    ("parity-text", "icovr", "Is the number of 1's even in the sequence [ 0, 1, 1, 0 ] ?", "Thinking step by step: in 0 comp 0 ** par = 0 ** 0 out 0 [ par: 0 ] re [ 1, 1, 0 ] # in 1 comp 1 ** par = 1 ** 0 out 1 [ par: 1 ] re [ 1, 0 ] # in 1 comp 1 ** par = 1 ** 1 out 0 [ par: 0 ] re [ 0 ] # in 0 comp 0 ** par = 0 ** 0 out 0 [ par: 0 ] re [ ] . Thus, The answer is Yes."),
    ("sort-text", "icor", "Sort the following list [ M, E, F, F ].", "Thinking step by step: in M comp The minimum of the unsorted portion out E re [ M, F, F ] # in M comp The minimum of the unsorted portion out F re [ M, F ] # in M comp The minimum of the unsorted portion out F re [ M ] # in M comp The minimum of the unsorted portion out M re [ ] . Thus, The sorted list is [ E, F, F, M ]."),
    ("sort-multi-text", "icor", "Sort the following list [ 2 4 6 8, 8 1, 1 9 9 9 ].", "Thinking step by step: in 2 4 6 8 comp The minimum of the unsorted portion out 8 1 re [ 2 4 6 8, 1 9 9 9 ] # in 2 4 6 8 comp The minimum of the unsorted portion out 1 9 9 9 re [ 2 4 6 8 ] # in 2 4 6 8 comp The minimum of the unsorted portion out 2 4 6 8 re [ ] . Thus, The sorted list is [ 8 1, 1 9 9 9, 2 4 6 8 ]."),
    ("lego-text", "icor", "If q = -1, t = - q, c = + t, f = - c. Then, what is the value of f?", "Thinking step by step: in q comp out -1 re t = - q, c = + t, f = - c # in t comp - q = - -1 out +1 re c = + t, f = - c # in c comp + t = + +1 out +1 re f = - c # in f comp - c = - +1 out -1 re . Thus, The answer is -1."),
    ("lego-text", "icor", "If a = +1, k = + a, z = - k, b = - z. Then, what is the value of z?", "Thinking step by step: in a comp out +1 re k = + a, z = - k, b = - z # in k comp + a = + +1 out +1 re z = - k, b = - z # in z comp - k = - +1 out -1 re b = - z . Thus, The answer is -1."),
]  # fmt: skip
FLAGS = ["".join(p for p, on in zip("icovr", f, strict=True) if on) for f in itertools.product((0, 1), repeat=5)]  # fmt: skip


def config(parts: str | None) -> str:
    if parts is None:
        return "none"
    return "_".join(f"{part}{int(part in parts)}" for part in "icovr")


def prompt_content(task, prompt: str):
    """Build the arrays of one given instance through the task's own content types."""
    from lengthwise.tasks.reasoning import addition, lego, polynomial, sorting, summation

    words = prompt.split()
    one = np.array
    if task.name == "addition-text":
        a, b = (one([int(d) for d in side.split()][::-1]) for side in prompt[8:-2].split("+"))
        width = max(len(a), len(b))
        low = [np.pad(x, (0, width - len(x)))[None] for x in (a, b)]
        return addition._add(low[0], low[1], one([[len(a)], [len(b)]]))
    if task.name == "polynomial-text":
        x, terms = prompt[16:-2].split(" in ")
        parsed = [term.replace("- ", "-").split() for term in terms.split(" + ")]
        c, e = one([[int(t[0]) for t in parsed]]), one([[int(t[-1]) for t in parsed]])
        present = np.ones_like(c, dtype=bool)
        return polynomial._Polynomial(one([int(x.replace(" ", ""))]), c, e, present)
    if task.name == "summation-text":
        values = one([[int(w) for w in words if w.isdigit()]])
        return summation._row(values, one([values.shape[1]]), 10)
    if task.name == "parity-text":
        bits = one([[int(w.strip(",")) for w in words if w.strip(",") in ("0", "1")]])
        return summation._row(bits, one([bits.shape[1]]), 2)
    if task.name.startswith("sort"):
        items = prompt[prompt.index("[") + 2 : prompt.index(" ]")].split(", ")
        numbers = (
            [int(i.replace(" ", "")) for i in items]
            if "multi" in task.name
            else [task.vocabulary.ids[i] for i in items]
        )
        return sorting._List(one([numbers]), np.ones((1, len(numbers)), dtype=bool))
    clauses = [c.split(" = ") for c in prompt[3 : prompt.index(".")].split(", ")]
    names, values = [c[0] for c in clauses], [int(clauses[0][1])]
    for _, right in clauses[1:]:
        values.append(values[-1] * (1 if right[0] == "+" else -1))
    variables = one([[ord(n) - 97 for n in names]])
    order = np.arange(len(names))[None]
    query = one([names.index(prompt[-2])])
    bits = one([[(v + 1) // 2 for v in values]])
    return lego._Chain(variables, bits, query, one([len(names)]), order)


@pytest.mark.parametrize(("name", "parts", "prompt", "target"), EXAMPLES)
def test_published_examples(name, parts, prompt, target):
    from lengthwise.tasks.reasoning.base import lay_out

    task = load_task(f"{name}:scratchpad={config(parts)}")
    written = task._write(prompt_content(task, prompt))
    batch = lay_out(task.vocabulary, *written, np.array([1]))
    assert task.strings(batch) == [(prompt, target)]
    assert references.target(name, prompt, parts) == target


@pytest.mark.parametrize("name", references.STEPPED)
def test_every_combination_of_parts(name):
    """All 32 settings of the five flags, against the string-by-string reference."""
    for number, parts in enumerate(FLAGS):
        task = load_task(f"{name}:scratchpad={config(parts)}")
        batch = task.draw(np.random.default_rng(number), 2, 9, 40)
        assert batch.size.max() <= task.max_tokens(9)
        for prompt, target in task.strings(batch):
            assert target == references.target(name, prompt, parts)


@pytest.mark.parametrize("name", references.STEPPED)
def test_a_pad_is_read_back(name):
    task = load_task(f"{name}:scratchpad=full")
    batch = task.draw(np.random.default_rng(1), 2, 6, 50)
    for prompt, target in task.strings(batch):
        steps, _ = references.SOLVERS[name](prompt)
        found = parse_pad(target, tokenize)
        wanted = [{k: " ".join(tokenize(v)) for k, v in step.items()} for step in steps]
        assert found == wanted
        assert set(score_pad(target, target, tokenize).values()) == {1.0}
        assert task.correct(target, target)


def test_scores_count_steps():
    gold = "Thinking step by step: in 1 out 2 # in 3 out 4 . Thus, The answer is 1."
    wrong = gold.replace("out 4", "out 5")
    assert score_pad(wrong, gold, tokenize) == {"i": 1.0, "o": 0.5}
    shorter = "Thinking step by step: in 1 out 2 . Thus, The answer is 1."
    assert score_pad(shorter, gold, tokenize) == {"i": 0.0, "o": 0.0}
    assert score_pad("The answer is 1.", gold, tokenize) == {"i": 0.0, "o": 0.0}


def test_answers_are_extracted_by_the_published_rules():
    assert extract("The answer is 1 5 2.", "number") == 152
    assert extract("The answer is - 1 2.", "number") == -12
    assert extract("The answer is 7 .", "number") == 7
    assert extract("x . Thus, The answer is 1. y . Thus, The answer is 2.", "number") == 1
    assert extract("The answer is .", "number") is None
    assert extract("no answer", "number") is None
    assert extract("The answer is 1 2", "number") is None
    assert extract("The answer is No.", "word") == "no"
    assert extract("The sorted list is [ 8 1, 1 9 9 9 ].", "numbers") == [81, 1999]
    assert extract("The sorted list is [ 8 x ].", "numbers") is None
    assert extract("The sorted list is [ E, F ].", "list") == ["E", "F"]
    assert extract("Copy: a b [SEP] a b", "text") == "a b"


def test_a_wrong_pad_with_the_right_answer_is_correct():
    task = load_task("addition-text:scratchpad=full")
    good = "Thinking step by step: in 1 . Thus, The answer is 3."
    assert task.correct(good, "Thinking step by step: in 2 . Thus, The answer is 3.")
    assert not task.correct("The answer is 4.", good)
    assert not task.correct("nothing", good)


@pytest.mark.parametrize("text", ["i1", "i2_c1_o1_v1_r1", "fully", "i1_c1_o1_v1_r1_"])
def test_unknown_settings_are_refused(text):
    with pytest.raises(InputError, match="scratchpad"):
        load_task(f"addition-text:scratchpad={text}")


def test_names_of_settings():
    assert Scratchpad.parse("none") is None
    assert Scratchpad.parse("full") == Scratchpad.parse("i1_c1_o1_v1_r1")
    assert Scratchpad.parse("minimal") == Scratchpad.parse("i0_c1_o1_v0_r0")


WORDY = {  # what a step looks at, what stands before its result and before the rest
    "addition-text": ("For digits", "==", "So, the rest is:"),
    "polynomial-text": ("For term", "==", "So, the rest is:"),
    "summation-text": ("For number", "==", "So, the rest is:"),
    "parity-text": ("For bit", "==", "So, the rest is:"),
    "sort-text": ("For", "is:", "So, the unsorted portion is:"),
    "sort-multi-text": ("For", "is:", "So, the unsorted portion is:"),
    "lego-text": ("For variable", "==", "So, the rest is:"),
}


def wordy_pad(name: str, steps: list[dict[str, str]]) -> str:
    about, out, rest = WORDY[name]
    texts = []
    for step in steps:
        variables = f" . and currently, {step['v']} ." if "v" in step else ""
        texts.append(
            f"{about} {step['i']} We have: {step['c']} {out} {step['o']}{variables} {rest} {step['r']}"
        )
    return f"Thinking step by step: {' ; Next, '.join(texts)} . Thus, "


@pytest.mark.parametrize("name", references.STEPPED)
def test_pads_in_words(name):
    task = load_task(f"{name}:scratchpad=full,markers=wordy")
    batch = task.draw(np.random.default_rng(2), 2, 6, 50)
    for prompt, target in task.strings(batch):
        steps, answer = references.SOLVERS[name](prompt)
        assert target == references.collapse(wordy_pad(name, steps) + answer)
        found = parse_pad(target, tokenize, task.wordy)
        assert found == [{k: " ".join(tokenize(v)) for k, v in step.items()} for step in steps]
        assert set(task.score(target, target).values()) == {1.0}


def unstripped(name: str, step: dict[str, str]) -> dict[str, str]:
    """Write out the reductions that a stripped step leaves out."""
    if name == "addition-text":
        left, middle, total = step["c"].split(" = ")
        c = f"( {left} ) % 10 = ( {middle} ) % 10 = {total} % 10"
        return step | {"c": c, "v": f"carry: {total} // 10 = {step['v'][-1]}"}
    old, new = step["v"].removeprefix("sum: ").split(" = ")
    old = f"( {old} )" if name == "polynomial-text" else old
    return step | {"v": f"sum: {old} % 10 = {new}"}


@pytest.mark.parametrize("name", ["addition-text", "polynomial-text", "summation-text"])
def test_steps_that_are_not_stripped(name):
    task = load_task(f"{name}:scratchpad=full,stripped=false")
    batch = task.draw(np.random.default_rng(3), 2, 6, 50)
    assert batch.size.max() <= task.max_tokens(6)
    for prompt, target in task.strings(batch):
        steps, answer = references.SOLVERS[name](prompt)
        whole = references.pad([unstripped(name, step) for step in steps], "icovr")
        assert target == references.collapse(whole + answer)


def test_forms_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match="one form only"):
        load_task("parity-text:scratchpad=full,stripped=false")
    with pytest.raises(InputError, match="about a scratchpad"):
        load_task("addition-text:markers=wordy")
