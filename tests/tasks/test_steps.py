"""Steps inside: formats of random automata against a simulation that knows nothing of them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.embedding import Q, count, prev
from lengthwise.crasp.program import Program
from lengthwise.crasp.window_program import window_program
from lengthwise.crasp.writers import predictions
from lengthwise.evaluation.answers import answers, written
from lengthwise.evaluation.exact import correct_rows
from lengthwise.languages.dfa import DFA
from lengthwise.languages.formats import to_json
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.window_answers import all_windows, window_answers
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.nope import NoPE
from lengthwise.predict.prediction import predict
from lengthwise.predict.providers.count_check import solved_cases
from lengthwise.predict.providers.labels import decide_questions
from lengthwise.predict.providers.window_check import looks_back_only, reach, solved_windows
from lengthwise.tasks import load_task
from lengthwise.tasks.following import check_answers, check_task
from lengthwise.tasks.formal.word_problem import generators, group_automaton

CASES = [
    "steps:parity",
    "steps:parity;every=2",
    "steps:parity;every=0",
    "steps:tomita-3",
    "steps:flip-flop",
    "steps:flip-flop;every=2",
    "steps:word-problem:S3",
    "steps:regex:(aa)*;every=3",
    "steps:flip-flop;write=change",
    "steps:word-problem:S3;write=change",
]


@st.composite
def automata(draw):
    states, letters = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    table = rng.integers(0, states, (states, letters))
    accepting = rng.random(states) < 0.5
    accepting[0] = True  # not empty
    return DFA("abc"[:letters], table, 0, accepting)


def stepped(tmp_path, dfa, every):
    path = tmp_path / "x.json"
    path.write_text(to_json(dfa))
    return load_task(f"steps:dfa:{path};every={every}")


@settings(max_examples=40, deadline=None)
@given(automata(), st.integers(0, 3), st.integers(0, 100))
def test_random_automata_are_simulated(tmp_path_factory, dfa, every, seed):
    """States of equal name lead to the same answers; the answer is that of the automaton."""
    task = stepped(tmp_path_factory.mktemp("steps"), dfa, every)
    batch = task.draw(np.random.default_rng(seed), 0, 9, 20)
    name_of: dict[str, set[bool]] = {}
    for tokens, targets, size in zip(batch.tokens, batch.targets, batch.size, strict=True):
        text = [task.vocabulary.text(int(t)) for t in tokens[:size]]
        asked = [task.vocabulary.text(int(t)) if t >= 0 else None for t in targets[:size]]
        assert text[0] == "<bos>"
        assert text[-1] == "<eos>"
        state, seen = dfa.initial, 0
        place = 1
        while text[place] != "<sep>":
            state = int(dfa.transitions[state, dfa.alphabet.index(text[place])])
            seen += 1
            if every and seen % every == 0:
                assert asked[place] == text[place + 1]
                name_of.setdefault(text[place + 1], set()).add(bool(dfa.accepting[state]))
                place += 1
                assert asked[place] is None
            else:
                assert asked[place] is None
            place += 1
        right = "accept" if dfa.accepting[state] else "reject"
        assert (asked[place], asked[place + 1], text[place + 1 :]) == (
            right,
            "<eos>",
            [right, "<eos>"],
        )
    assert all(len(answers) == 1 for answers in name_of.values())


@settings(max_examples=25, deadline=None)
@given(automata(), st.integers(1, 2))
def test_the_program_writes_its_own_steps_on_every_short_word(tmp_path_factory, dfa, every):
    """Generated token by token, with letters given in between, it ends in the right answer."""
    task = stepped(tmp_path_factory.mktemp("steps"), dfa, every)
    program = task.program
    assert isinstance(program, Program)
    for size in range(5):
        for word in itertools.product(dfa.alphabet, repeat=size):
            text: list[str] = []
            for number, letter in enumerate(word, 1):
                text.append(letter)
                if number % every == 0:
                    text.append(one_token(program, text))
            text.append("<sep>")
            answer = one_token(program, text)
            assert answer == ("accept" if dfa.accepts(word) else "reject")
            assert one_token(program, [*text, answer]) == "<eos>"


def one_token(program, text):
    index = int(predictions(program, [text])[0, len(text) - 1])
    assert index >= 0
    return list(program.next)[index]


@settings(max_examples=25, deadline=None)
@given(automata(), st.integers(1, 2))
def test_windows_are_a_complete_check(tmp_path_factory, dfa, every):
    """All windows are met by words of the format, and a wrong program is not passed."""
    task = stepped(tmp_path_factory.mktemp("steps"), dfa, every)
    found = solved_windows(task.program, task.answers)
    assert found is not None
    assert looks_back_only(task.program)
    windows = dict(found.answers)
    victim = sorted(windows)[len(windows) // 2]
    names = sorted({*windows.values()})
    if len(names) > 1:
        windows[victim] = next(name for name in names if name != windows[victim])
        wrong = window_program(windows, task.answers.automaton.alphabet, task.answers.names)
        assert solved_windows(wrong, task.answers) is None


def test_distances_inside_one_another_add_up():
    program = Program([], next={"x": prev(Q["a"] & prev(Q["b"], 2), 3), "y": Q["a"]})
    assert reach(program) == 5


def test_every_window_is_shown_by_texts_as_long_as_said():
    """Against all texts of the format, made one by one."""
    task = load_task("steps:parity")
    table = all_windows(task.answers, 2)
    texts, met = [()], {}
    for size in range(1, table.shown + 1):
        texts = [(*text, s) for text in texts for s in task.answers.automaton.alphabet]
        texts = [t for t in texts if _possible(task, t)]
        for text in texts:
            if task.answers.answer(text) is not None:
                met.setdefault(text[-2:], size)
    assert set(met) == set(table.answers)
    assert max(met.values()) == table.shown


def _possible(task, text):
    """Whether the text can go on or is asked about: letters and steps in turn, then the answer."""
    dead = next(
        q
        for q in range(task.answers.automaton.states)
        if (task.answers.automaton.transitions[q] == q).all()
    )
    dfa = task.answers.automaton
    return dfa.step(dfa.initial, dfa.encode(text)) != dead


def test_windows_that_do_not_decide():
    even = DFA("01", [[0, 1], [1, 0]], 0, [True, False])
    table = np.array([[0, 0], [1, 1]])
    answers = RegularAnswers(even, ("e", "o"), table, "labels")
    assert window_answers(answers) is None
    assert all_windows(answers, 3) is None
    assert window_answers(RegularAnswers.behind(even, ("e", "o"))) is None


@pytest.mark.parametrize("name", CASES)
def test_declared_answers_are_those_of_the_instances(name):
    task = load_task(name)
    assert check_answers(task.answers, task) is None
    if task.program is not None:
        assert check_task(task.program, task).mistake is None


def test_steps_make_parity_a_yes_with_positions_and_not_without():
    found = predict("steps:parity", encodings=["nope", "ape"])
    assert [(v.answer, v.strength) for v in found.verdicts] == [
        ("no", "conjecture"),
        ("yes", "proof"),
    ]
    assert predict("steps:parity;every=0", encodings=["ape"]).verdict("ape").answer == "no"


def test_the_answer_is_read_behind_own_steps():
    """A model that writes a wrong step is not helped by the right one."""
    task = load_task("steps:parity")
    batch = task.draw(np.random.default_rng(0), 0, 7, 12)
    model = Decoder(ModelConfig(), len(task.vocabulary), NoPE(), context=40)
    rows = written(model, task, batch)
    for row, tokens, targets, size in zip(
        rows, batch.tokens, batch.targets, batch.size, strict=True
    ):
        for place in range(1, min(size, len(row))):
            if targets[place - 1] < 0:
                assert row[place] == tokens[place]
    right = answers(model, task, batch)
    exact = correct_rows(model, batch)
    assert (right | ~exact).all()


def test_bad_steps():
    with pytest.raises(InputError, match="prefix"):
        load_task("steps:regex:(0|1)*1;prefix=")
    with pytest.raises(InputError, match="every=9"):
        load_task("steps:parity;every=9")
    with pytest.raises(InputError, match="no states are known"):
        load_task("steps:repeat-copy")
    with pytest.raises(InputError, match="too many to spell"):
        load_task("steps:word-problem:S6")
    with pytest.raises(InputError, match="needs a task"):
        load_task("steps")
    with pytest.raises(InputError, match="not known"):
        load_task("word-problem:B5")


@pytest.mark.parametrize(
    ("group", "size"), [("S3", 6), ("A4", 12), ("A5", 60), ("S5", 120), ("Z7", 7)]
)
def test_groups_have_their_size(group, size):
    dfa = group_automaton(generators(group))
    assert dfa.states == size
    assert dfa.minimise().states == size
    assert (np.sort(dfa.transitions, axis=0) == np.arange(size)[:, None]).all()


@settings(max_examples=20, deadline=None)
@given(automata())
def test_changes_are_written_by_counting_on_every_short_word(tmp_path_factory, dfa):
    """Generated token by token: what is written is the change, and the answer is right."""
    path = tmp_path_factory.mktemp("steps") / "x.json"
    path.write_text(to_json(dfa))
    task = load_task(f"steps:dfa:{path};write=change")
    machine = task.question.steps
    for size in range(5):
        for word in itertools.product(dfa.alphabet, repeat=size):
            text: list[str] = []
            state = machine.initial
            for letter in word:
                new = int(machine.transitions[state, dfa.alphabet.index(letter)])
                text.append(letter)
                step = one_token(task.program, text)
                assert step == ("q=" if new == state else f"q{state}>q{new}")
                text.append(step)
                state = new
            answer = one_token(task.program, [*text, "<sep>"])
            assert answer == ("accept" if dfa.accepts(word) else "reject")
    assert solved_cases(task.program, task.answers)
    assert check_answers(task.answers, task) is None


def test_changes_are_a_yes_without_positions_too():
    """Two ways: the complete check of the program, and the decision that knows nothing of it."""
    found = predict("steps:parity;write=change", encodings=["nope", "ape"], time_limit=120)
    assert [(v.answer, v.strength) for v in found.verdicts] == [
        ("yes", "derivation"),
        ("yes", "proof"),
    ]
    answers = load_task("steps:tomita-3;write=change").answers
    plain, _ = decide_questions(answers.automaton, answers.parts(), Limits(120.0))
    assert plain.is_in


def test_a_program_that_counts_wrongly_is_not_passed():
    task = load_task("steps:parity;write=change")
    names = dict(task.program.next)
    swapped = names | {"q0>q1": names["q1>q0"], "q1>q0": names["q0>q1"]}
    wrong = Program([], alphabet=task.program.alphabet, next=swapped)
    assert solved_cases(wrong, task.answers) is None
    assert solved_cases(load_task("steps:parity").program, task.answers) is None  # looks back
    free = Program([], alphabet=task.program.alphabet, next=names | {"e": count(Q["0"]) > 3})
    assert solved_cases(free, task.answers) is None  # values without end


def test_symbols_that_change_nothing_are_left_out():
    task = load_task("steps:zero-twos;every=0,drop=2")
    batch = task.draw(np.random.default_rng(0), 1, 12, 60)
    for line in task.render(batch):
        text = line.split()
        word = [s for s in text[1:] if s in "012"]
        assert "2" not in word
        assert text[-2] == ("[accept]" if word[-1:] == ["0"] else "[reject]")
    assert check_answers(task.answers, task) is None
    assert check_task(task.program, task).mistake is None
    with pytest.raises(InputError, match="change nothing"):
        load_task("steps:zero-twos;drop=1")
    with pytest.raises(InputError, match="write=change needs"):
        load_task("steps:parity;write=change,every=2")


@pytest.mark.parametrize(
    ("operation", "base"), [("sum", 2), ("sum", 10), ("times", 10), ("times", 3)]
)
def test_digits_in_columns_are_those_of_integers(operation, base):
    task = load_task(f"columns:operation={operation},base={base}")
    assert check_answers(task.answers, task) is None
    assert check_task(task.program, task, instances=200).mistake is None
    for line in task.render(task.draw(np.random.default_rng(1), 1, 9, 100)):
        text = (
            line.removeprefix("<bos> ").removesuffix(" [<eos>]").replace("[", "").replace("]", "")
        )
        columns, carry = text.split(" <sep> ")
        digits = columns.split()
        first, second, result = (int("".join(reversed(digits[k::3])), base) for k in range(3))
        result += int(carry) * base ** (len(digits) // 3)
        factor = int(digits[0])
        assert result == (first + second if operation == "sum" else factor * second)
    with pytest.raises(InputError, match="base=11"):
        load_task("columns:base=11")
    with pytest.raises(InputError, match="operation"):
        load_task("columns:operation=minus")
