import numpy as np
import pytest
from hypothesis import given

from lengthwise.core.errors import InputError
from lengthwise.crasp import Program, Q, count, generate, parse, predictions, teacher_forced
from lengthwise.crasp.library import load
from lengthwise.crasp.writers import NONE, SEVERAL
from tests.crasp.reference import expressions, value
from tests.crasp.reference import words as word_lists


@given(expressions(), expressions(), word_lists)
def test_predictions_equal_the_reference(one, two, words):
    program = Program([], next={"x": one, "y": two})
    found = predictions(program, words)
    for row, word in enumerate(words):
        for i in range(1, len(word) + 1):
            holds = [k for k, node in enumerate((one, two)) if value(node, word, i)]
            expected = holds[0] if len(holds) == 1 else SEVERAL if holds else NONE
            assert found[row, i - 1] == expected


def test_autoregressive_equals_teacher_forced():
    program = load("generate-sort")
    rng = np.random.default_rng(0)
    prompts = [[*rng.permutation(list("01234"))[: rng.integers(1, 6)], "<sep>"] for _ in range(50)]
    written = generate(program, prompts, stop="<eos>")
    whole = [[*p, *w[:-1]] for p, w in zip(prompts, written, strict=True)]
    assert teacher_forced(program, whole, start="<sep>") == written
    assert written == [(*sorted(prompt[:-1]), "<eos>") for prompt in prompts]


def test_none_or_several_is_an_error():
    both = parse('next "x" = "a"\nnext "y" = "a"')
    with pytest.raises(InputError, match=r"after 1 symbols \(a\) several `next` hold: x, y"):
        generate(both, ["a"])
    with pytest.raises(InputError, match="no `next` holds"):
        generate(both, ["b"])
    with pytest.raises(InputError, match="several `next` hold"):
        teacher_forced(both, ["ba"], start="a")
    tie = [["0", "1", "<sep>"]]
    with pytest.raises(InputError, match="no `next` holds"):
        generate(load("generate-binary-majority"), tie, stop="<eos>")


def test_limits_and_mistakes():
    loop = parse('next "x" = true')
    with pytest.raises(InputError, match="no 'EOS' within 5 symbols"):
        generate(loop, ["x"], limit=5)
    with pytest.raises(InputError, match="at least one symbol"):
        generate(loop, [""])
    with pytest.raises(InputError, match="has no `next"):
        predictions(load("majority"), ["a"])
    with pytest.raises(InputError, match="has no 'z' to start from"):
        teacher_forced(loop, ["x"], start="z")
    with pytest.raises(InputError, match="not in the alphabet"):
        generate(load("generate-sort"), [["9", "<sep>"]])


def test_prompts_of_different_lengths_stop_on_their_own():
    more = count(Q["x"]) < 4
    program = Program([], next={"x": more, "EOS": ~more})
    assert generate(program, ["x", "xxxx", "xyx"]) == [
        ("x", "x", "x", "EOS"),
        ("EOS",),
        ("x", "x", "EOS"),
    ]
