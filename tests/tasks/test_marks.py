"""Formats with marks: programs that write them, against simulation and ordinary arithmetic."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.crasp.writers import generate
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import to_json
from lengthwise.languages.machine import Machine
from lengthwise.predict.prediction import predict
from lengthwise.predict.providers.trace_rows import asked_words, traces, two_loops
from lengthwise.tasks import load_task
from lengthwise.tasks.steps.end_question import end_question
from lengthwise.tasks.steps.known_problems import known_problem, spelled
from tests.tasks.test_steps import automata


@settings(max_examples=15, deadline=None)
@given(automata(), st.sampled_from(["index", "signpost"]), st.integers(0, 1000))
def test_the_program_writes_the_trace_of_random_automata(tmp_path_factory, dfa, hints, seed):
    """From the prompt alone: every mark, state, answer and end is its own."""
    path = tmp_path_factory.mktemp("trace") / "x.json"
    path.write_text(to_json(dfa))
    task = load_task(f"trace:dfa:{path};hints={hints},marks=7")
    rng = np.random.default_rng(seed)
    names = task.mark_names
    for size in range(5):
        for word in itertools.islice(itertools.product(dfa.alphabet, repeat=size), 12):
            start = int(rng.integers(0, 7 - size + 1))
            marks = names[start : start + size] if hints == "index" else rng.permutation(names)
            prompt = [s for pair in zip(marks, word, strict=False) for s in pair]
            (written,) = generate(task.program, [[*prompt, "<sep>"]], stop="<eos>")
            assert [s for s in written if s in names] == list(marks[:size])
            right = "accept" if dfa.accepts(word) else "reject"
            assert written[-2:] == (right, "<eos>")
            assert len(written) == 2 * size + 2


@pytest.mark.parametrize("hints", ["index", "signpost"])
@pytest.mark.parametrize("order", ["same", "reversed"])
def test_copies_by_marks(order, hints):
    task = load_task(f"hinted-copy:marks=6,order={order},hints={hints}")
    rng = np.random.default_rng(0)
    for size in range(1, 6):
        for word in itertools.product("ab", repeat=size):
            marks = list(task.mark_names[6 - size :])
            if hints == "signpost":
                marks = rng.permutation(task.mark_names)[:size].tolist()
            pairs = list(zip(marks, word, strict=True))
            prompt = [s for pair in pairs for s in pair]
            wanted = [s for pair in (pairs if order == "same" else pairs[::-1]) for s in pair]
            (written,) = generate(task.program, [[*prompt, "<sep>"]], stop="<eos>")
            assert list(written) == [*wanted, "<eos>"]


def test_numbers_with_repeats_are_sorted():
    task = load_task("sort:symbols=4,repeats=true")
    for size in range(1, 5):
        for word in itertools.product("0123", repeat=size):
            (written,) = generate(task.program, [[*word, "<sep>"]], stop="<eos>")
            assert list(written) == [*sorted(word), "<eos>"]
    assert (
        predict("sort:symbols=4,repeats=true", encodings=["nope"]).verdict("nope").answer == "yes"
    )


def test_sums_are_those_of_integers():
    task = load_task("hinted-addition:marks=8")
    names = task.mark_names
    for first, second in itertools.product(range(1, 5), repeat=2):
        for u, v in itertools.product(range(2**first), range(2**second)):
            if (u + v) % 3 and first + second > 5:
                continue  # some of the longer ones
            low = [f"{u:0{first}b}"[::-1], f"{v:0{second}b}"[::-1]]
            marked = [
                [s for pair in zip(names[1:], bits, strict=False) for s in pair] for bits in low
            ]
            (written,) = generate(task.program, [[*marked[0], "+", *marked[1], "="]], stop="<eos>")
            bits = [s for s in written if s in "01"]
            assert int("".join(reversed(bits)), 2) == u + v
            assert len(bits) == max(first, second) + 1


def test_instances_are_right():
    task = load_task("hinted-addition:marks=20")
    for line in task.render(task.draw(np.random.default_rng(0), 4, 18, 200)):
        numbers = [0, 0, 0]
        which, weight = 0, 0
        for symbol in line.removeprefix("<bos> ").removesuffix(" <eos>").split():
            if symbol in "+=":
                which, weight = which + 1, 0
            elif symbol in "01":
                numbers[which] += int(symbol) << weight
                weight += 1
        assert numbers[0] + numbers[1] == numbers[2]


@settings(max_examples=60, deadline=None)
@given(automata())
def test_two_loops_have_different_traces(dfa):
    """The family of inputs is what it is said to be; without one the traces are few."""
    machine = end_question_of(dfa)
    found = two_loops(machine, np.arange(machine.states))
    if found is None:
        every = itertools.product(range(len(machine.alphabet)), repeat=7)
        several = {row.tobytes() for row in traces(machine, [list(w) for w in every])}
        assert len(several) <= machine.states**3 * 64
        return
    one, two = found.loops
    assert len(one) == len(two)
    words = [
        [*found.to, *itertools.chain.from_iterable(choice)]
        for choice in itertools.product((one, two), repeat=4)
    ]
    assert len({row.tobytes() for row in traces(machine, words)}) == 16


def end_question_of(dfa: DFA):
    return Machine(dfa.alphabet, dfa.transitions, dfa.initial, dfa.accepting.astype(int)).minimise()


def test_bare_traces_are_excluded_and_marks_help():
    bare = predict("trace:parity;hints=none", encodings=["ape"], time_limit=20)
    assert (bare.verdict("ape").answer, bare.verdict("ape").strength) == ("no", "derivation")
    marked = predict("trace:parity;hints=index,marks=12", encodings=["ape"], time_limit=20)
    assert (marked.verdict("ape").answer, marked.verdict("ape").strength) == ("yes", "derivation")


@pytest.mark.parametrize("name", ["flip-flop", "tomita-3", "zero-twos"])
@pytest.mark.parametrize("hints", ["none", "reversed"])
def test_the_inputs_that_exclude_a_trace_are_asked_about(name, hints):
    """Every input of the family has an answer of its own task, and no two have one trace."""
    task = load_task(f"trace:{name};hints={hints}")
    question = task.question
    found = two_loops(*asked_words(question))
    words = [
        [*found.to, *itertools.chain.from_iterable(choice), *found.end]
        for choice in itertools.product(found.loops, repeat=4)
    ]
    assert len({row.tobytes() for row in traces(question.steps, words)}) == 16
    for word in words:
        assert question.asked[question.read.step(question.read.initial, word)] >= 0
    verdict = predict(str(task.name) + f":{name};hints={hints}", time_limit=60).verdict("ape")
    assert (verdict.answer, verdict.strength) == ("no", "derivation")


def test_a_trace_of_one_cycle_is_not_excluded():
    found = predict("trace:regex:(aa)*;hints=none", encodings=["ape"], time_limit=20)
    assert all(item.provider != "trace rows" for item in found.evidence)


@pytest.mark.parametrize(
    ("name", "problem"),
    {
        "repeat-copy": "copy",
        "unique-copy": "copy",
        "copy-v3-text": "copy",
        "copy-steps:layout=unaligned": "copy",
        "reverse-v1-text": "reverse",
        "sort": "sort",
        "sort-text": "sort",
        "addition": "sum",
        "addition-text": "sum",
        "addition-steps": "sum",
        "addition-steps:layout=zero": "sum",
        "multiplication-steps": "times",
        "division-steps": None,
        "copy-v3-2x-text": None,
        "parity": None,
        "tomita-3": None,
        "flip-flop": None,
        "binary-majority": None,
    }.items(),
)
def test_problems_are_known_by_their_instances_not_by_names(name, problem):
    found = known_problem(load_task(name))
    assert (found and found.name) == problem


def test_frames_are_not_symbols():
    assert spelled(known_problem(load_task("repeat-copy")).symbols) == "letters=ab"
    assert len(known_problem(load_task("sort-text")).symbols) == 50
    assert known_problem(load_task("addition")).base == 2
    assert known_problem(load_task("addition-text")).base == 10


def test_bad_marks():
    for text, message in {
        "trace:parity;marks=1": "marks=1",
        "trace:repeat-copy": "no states",
        "hinted-copy:letters=aa": "different",
        "trace": "needs a task",
    }.items():
        with pytest.raises(InputError, match=message):
            load_task(text)
    with pytest.raises(InputError, match="no instances"):
        load_task("trace:parity;marks=5").draw(np.random.default_rng(0), 6, 9, 2)
    assert end_question(load_task("parity")).steps.states == 2
