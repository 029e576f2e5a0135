import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given

from lengthwise.core.errors import InputError
from lengthwise.crasp import (
    Program,
    Q,
    accepts,
    all_of,
    analyse,
    any_of,
    count,
    count_before,
    evaluate,
    false,
    maximum,
    number,
    pos,
    prev,
    simplify,
    to_latex,
    to_text,
    total,
    true,
    where,
)
from lengthwise.crasp.facts import LARGEST_SIZE, size
from lengthwise.crasp.finite import CountingMachine
from lengthwise.crasp.stepper import Stepper
from lengthwise.crasp.syntax import (
    Connective,
    Counting,
    Subtract,
    Symbol,
    UnknownNodeError,
    postorder,
    rebuild,
)
from lengthwise.theory.communication.program_protocol import run_protocol
from lengthwise.theory.limit.normalise import normalise
from tests.crasp.reference import expressions, programs


def test_equal_operations_are_one_object():
    assert count(Q["a"]) is count(Q["a"])
    assert (count(Q["a"]) > 1) is (count(Q["a"]) > 1)
    assert count(Q["a"], offsets=(2, 1, 1)) is count(Q["a"], offsets=[1, 2])
    assert count(Q["a"]) is not count(Q["a"], offsets=(0,))
    assert number(1) is not number(0)
    assert true is not number(1)


def test_operators_build_the_same_trees_as_functions():
    a, b = count(Q["a"]), count(Q["b"])
    assert repr(2 * a - b + 1 >= 3) == '2 * #"a" - #"b" + 1 >= 3'
    assert repr(1 - a) == '1 - #"a"'
    assert repr(-a) == '-1 * #"a"'
    assert repr((a == b) & ~(a != 0) | Q["c"]) == '#"a" == #"b" && !(#"a" != 0) || "c"'
    assert repr(prev(Q["a"], 3)) == '#[i-3] "a" >= 1'
    assert repr(where(Q["a"], a, 0)) == '#"a" if "a" else 0'
    assert repr(pos % 3 != 1) == "!(pos % 3 == 1)"
    assert repr(maximum(a, 2)) == 'max(#"a", 2)'
    assert (any_of([]), all_of([])) == (false, true)
    assert total([]) is number(0)
    assert (True & Q["a"]).args[0] is true
    assert isinstance(count_before(Q["a"]), Subtract)


@pytest.mark.parametrize(
    "build",
    [
        lambda: count(count(Q["a"])),
        lambda: Q["a"] & count(Q["a"]),
        lambda: count(Q["a"]) + Q["b"],
        lambda: count(Q["a"]) * count(Q["b"]),
        lambda: where(count(Q["a"]), 1, 2),
        lambda: count(Q["a"], offsets=()),
        lambda: count(Q["a"], offsets=(-1,)),
        lambda: Q[""],
        lambda: Q['"'],
        lambda: pos % 0 == 0,
        lambda: count(Q["a"]) < 1.5,
        lambda: count(Q["a"]) == True,  # noqa: E712
    ],
)
def test_ill_typed_trees_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_expressions_have_no_truth_value_and_cannot_change():
    with pytest.raises(TypeError, match="no truth value"):
        bool(count(Q["a"]) == 1)
    with pytest.raises(AttributeError):
        Q["a"].value = "b"


class Xor(Connective):
    """An operation that nothing has a rule for."""

    __slots__ = ()


class Ahead(Counting):
    """A count that nothing has a rule for."""

    __slots__ = ()

    def __new__(cls, operand):
        return cls._shared((), (operand,))


WALKS = {
    "last": lambda program: accepts(program, ["ab"]),
    "end": lambda program: accepts(program, ["ab"], accept="end"),
    "everywhere": lambda program: evaluate(program, ["ab"]),
    "step": lambda program: Stepper([program.accept], letters="ab", batch=1).step(np.array([0])),
    "text": to_text,
    "latex": to_latex,
    "simplify": simplify,
    "automaton": lambda program: CountingMachine(program.accept, "ab", at_end=True),
    "circuit": normalise,
    "protocol": lambda program: run_protocol(program, "a", "b"),
}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("odd", [Xor(Q["a"], Q["b"]), Ahead(Q["a"]) > 1])
def test_every_walk_refuses_a_node_it_does_not_know(walk, odd):
    with pytest.raises(UnknownNodeError, match=r"no rule for the node (Xor|Ahead)"):
        WALKS[walk](Program.of(odd, alphabet="ab"))


def written(node):
    """The size by the letter of its definition: a walk over the tree, constants as binary text."""
    own = {"Number": 0}.get(type(node).__name__, 1)
    for constant in node.constants:
        if type(node).__name__ in ("Number", "Scale"):
            own += len(bin(constant)) - 2
        elif type(node).__name__ == "LocalCount":
            own += sum(len(bin(distance)) - 2 for distance in constant)
    if type(node).__name__ == "Residue":
        own += len(bin(node.modulus)) - 2 + len(bin(node.residue)) - 2
    return own + sum(written(arg) for arg in node.args)


@given(expressions())
def test_the_size_is_that_of_what_is_written_out(root):
    assert size([root]) == analyse(Program.of(root)).size == written(root)


def test_sizes_that_explode_are_not_told_apart():
    node = Q["a"]
    for _ in range(200):
        node = node & node
    assert size([node]) == LARGEST_SIZE


def test_programs_refuse_what_they_cannot_mean():
    with pytest.raises(InputError, match="not in the alphabet"):
        Program.of(Q["c"], alphabet="ab")
    with pytest.raises(InputError, match="defines nothing"):
        Program([])
    with pytest.raises(InputError, match="must be Boolean"):
        Program([], next={"a": count(Q["a"])})
    with pytest.raises(InputError, match="is a count"):
        _ = Program({"x": count(Q["a"])}).accept
    with pytest.raises(InputError, match="generates"):
        _ = Program([], next={"a": Q["a"]}).accept


@given(programs())
def test_programs_survive_pickling_and_copying(program):
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert hash(again) == hash(program)
    assert copy.deepcopy(program) == program


@given(expressions())
def test_postorder_meets_each_node_once_and_operands_first(root):
    order = list(postorder([root]))
    place = {id(node): index for index, node in enumerate(order)}
    assert len(place) == len(order)
    assert all(place[id(arg)] < place[id(node)] for node in order for arg in node.args)
    assert all(rebuild(node, node.args) is node for node in order)


def test_twelve_thousand_levels_are_fine():
    node = Symbol("a")
    for _ in range(12_000):
        node = ~node & Q["b"]
    program = Program.of(node)
    assert pickle.loads(pickle.dumps(program)) == program
    assert sum(1 for _ in postorder([node])) == 24_002
    del node, program
    gc.collect()
