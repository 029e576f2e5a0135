"""The step-by-step tasks by name, each a declaration of fields and slots.

Parity, Addition, Multiplication (1*N), Division (N/1) and the three selections are named by Chen,
Liang and Lin (2025, arXiv 2510.04130); Copy and Shift are known to us from summaries only. All
formats are our reconstruction.
"""

from collections.abc import Callable, Mapping
from functools import partial

from lengthwise.core.errors import unknown
from lengthwise.core.registry import load_from_file
from lengthwise.relations import operators as op
from lengthwise.relations.controls import CONTROLS
from lengthwise.relations.gates import CircuitFamily
from lengthwise.relations.own_circuit import user_family
from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.relations.step_circuits import Field, Layout, Slot, StepCircuit
from lengthwise.relations.symbols import DIVIDE, PLUS, TIMES

_X = Field("x")
_CURRENT = Slot()

STEP_CIRCUITS: Mapping[str, StepCircuit] = {
    circuit.name: circuit
    for circuit in (
        StepCircuit("copy", (_X,), (Slot("x"),), op.copy_answer, op.copy_step),
        StepCircuit(
            "shift",
            (_X,),
            (Slot("x", 1), Slot("x"), Slot("x", fixed=1)),
            op.shift_answer,
            op.shift_step,
        ),
        StepCircuit(
            "shift-drop-first",
            (_X,),
            (Slot("x", 1),),
            op.drop_first_answer,
            op.copy_step,
            extra_outputs=-1,
        ),
        StepCircuit(
            "parity",
            (Field("x", high=1),),
            (Slot("x"), _CURRENT),
            op.parity_answer,
            op.parity_step,
        ),
        StepCircuit(
            "addition",
            (Field("a"), Field("b", PLUS)),
            (Slot("a"), Slot("b"), Slot("a", -1), Slot("b", -1), _CURRENT),
            op.addition_answer,
            op.addition_step,
            extra_outputs=1,
            symmetric=((1, 2), (3, 4)),
        ),
        StepCircuit(
            "multiplication",
            (Field("b", long=False), Field("a", TIMES)),
            (Slot("a"), Slot("b", fixed=1), Slot("a", -1), _CURRENT),
            op.multiplication_answer,
            op.multiplication_step,
            extra_outputs=1,
        ),
        StepCircuit(
            "division",
            (Field("a"), Field("b", DIVIDE, long=False, low=1)),
            (Slot("a"), Slot("b", fixed=1), Slot("a", -1), _CURRENT),
            op.division_answer,
            op.division_step,
            fill_left=True,
        ),
    )
}
"""Copy, Shift (cyclic and drop-first), Parity with steps, Addition, Multiplication, Division."""

SELECT_CIRCUITS: Mapping[str, SelectCircuit] = {
    circuit.name: circuit
    for circuit in (SelectCircuit("first"), SelectCircuit("middle"), SelectCircuit("last"))
}
"""SelectFirst, SelectMiddle, SelectLast."""

NAMES: tuple[str, ...] = (*STEP_CIRCUITS, *SELECT_CIRCUITS, *CONTROLS)
"""Every built-in circuit family: steps, selections, then the families of growing complexity."""


def circuit(
    name: str, *, layout: Layout = "aligned", reference: int = 20, begin: bool = False
) -> CircuitFamily:
    """Return the circuit family called ``name``; ``file.py:Name`` loads the user's own.

    Parameters
    ----------
    name
        One of :data:`NAMES`, or ``path/to/file.py:Name`` of a class or value with ``gates(scale)``.
    layout
        ``aligned``, ``zero`` or ``unaligned``; only the step-by-step tasks have layouts.
    reference
        Largest scale of the aligned and zero layouts.
    begin
        Whether the selection tasks start with a begin token.

    Example:
        >>> circuit("copy", layout="unaligned").gates(1)[0]
        Gate(query=3, operator='copy', arguments=(2,))
    """
    builders: dict[str, Callable[[], StepCircuit | SelectCircuit]] = {
        **{n: partial(c.in_layout, layout, reference) for n, c in STEP_CIRCUITS.items()},
        **{n: partial(SelectCircuit, c.which, begin) for n, c in SELECT_CIRCUITS.items()},
    }
    if ".py:" in name:
        return user_family(load_from_file(name, "circuit"), name)
    if name in CONTROLS:
        return CONTROLS[name]
    if name not in builders:
        raise unknown("circuit", name, NAMES)
    return builders[name]()


def step_circuit(name: str, *, layout: Layout = "aligned", reference: int = 20) -> StepCircuit:
    """Return a built-in step-by-step task, with its tokens and relation (see :func:`circuit`).

    Example:
        >>> [str(formula) for formula in step_circuit("parity").formulas()]
        ['j = i - W', 'j = i']
    """
    if name not in STEP_CIRCUITS:
        raise unknown("step-by-step task", name, STEP_CIRCUITS)
    return STEP_CIRCUITS[name].in_layout(layout, reference)
