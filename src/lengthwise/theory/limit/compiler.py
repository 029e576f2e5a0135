"""The compiler: a C-RASP[periodic, local] program in, a limit transformer out.

Theorem 9 of Huang et al. 2025 says that it exists; the construction here is our own (their proof
follows Yang & Chiang 2024 with counts stored as averages). Each pass is one module.
"""

from lengthwise.core.bounds import COMPILED
from lengthwise.core.errors import InputError
from lengthwise.crasp.interpreter import accepts_empty
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import LocalCount, Residue, postorder
from lengthwise.languages.convention import Accept
from lengthwise.theory.limit.assemble import PeriodicForm, assemble
from lengthwise.theory.limit.begin import settle_outputs
from lengthwise.theory.limit.channels import allocate
from lengthwise.theory.limit.emit import emit
from lengthwise.theory.limit.layering import schedule
from lengthwise.theory.limit.normalise import normalise
from lengthwise.theory.limit.transformer import LimitTransformer


def compile_program(
    program: Program,
    *,
    accept: Accept = "last",
    periodic: PeriodicForm = "constrained",
    clean: bool = False,
) -> LimitTransformer:
    """Compile a program.

    Parameters
    ----------
    program
        A recogniser or a generator; for a generator every ``next`` is an output.
    accept
        Whether a recogniser is read at the last letter or at an end marker after it. The model
        answers at the last letter in both cases.
    periodic
        ``constrained`` compares positions inside attention only, ``short`` saves heads but lets an
        MLP read absolute positions.
    clean
        Pass what is counted through one more gate, which long inputs in low precision need.

    Example:
        >>> from lengthwise.crasp import Q, count
        >>> model = compile_program(Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab"))
        >>> len(model.layers), model.heads, model.width
        (1, 1, 2)
    """
    _refuse_far(program)
    empty = None if program.is_generator else _empty(program, accept)
    circuit = normalise(program, accept=accept)
    circuit = settle_outputs(circuit, empty)
    scheduled = schedule(circuit, clean=clean)
    plan = assemble(scheduled, periodic)
    return emit(plan, allocate(plan))


def _refuse_far(program: Program) -> None:
    """Refuse periods and offsets for which nobody wants a head or a layer each."""
    for node in postorder(program.roots):
        if isinstance(node, Residue) and node.modulus > COMPILED.high:
            raise InputError(f"pos % {node.modulus}: periods to {COMPILED.high:,} can be compiled.")
        if isinstance(node, LocalCount) and node.distances[-1] > COMPILED.high:
            raise InputError(
                f"#[i-{node.distances[-1]}]: offsets to {COMPILED.high:,} can be compiled."
            )


def _empty(program: Program, accept: Accept) -> bool:
    return accepts_empty(program if accept == "last" else program.replace(empty=None))
