"""What the channels of a compiled model's residual stream hold, in words.

A channel is given to several values in turn (:mod:`.channels`), so each stage of the stream, from
the embedding to the last block, has its own list.
"""

from collections.abc import Iterable

import numpy as np

from lengthwise.crasp.interpreter import accepts_empty
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import Accept
from lengthwise.theory.limit.assemble import PeriodicForm, assemble
from lengthwise.theory.limit.begin import settle_outputs
from lengthwise.theory.limit.channels import Channels, allocate
from lengthwise.theory.limit.circuit import Circuit, CircuitGate, Near, Periodic, Threshold
from lengthwise.theory.limit.circuit import TokenInput as Letter
from lengthwise.theory.limit.emit import emit
from lengthwise.theory.limit.layering import Schedule, schedule
from lengthwise.theory.limit.normalise import normalise
from lengthwise.theory.limit.plan import ModelPlan, Value
from lengthwise.theory.limit.transformer import BEGIN, LimitTransformer

LONGEST = 44
"""Characters of one meaning."""


def channel_meanings(
    program: Program,
    model: LimitTransformer,
    *,
    accept: Accept = "last",
    periodic: PeriodicForm = "constrained",
) -> list[list[str]]:
    """Return what every channel holds after the embedding and after every layer; "" for nothing.

    Example:
        >>> from lengthwise.crasp import Q, count
        >>> from lengthwise.theory.limit.compiler import compile_program
        >>> majority = Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab")
        >>> channel_meanings(majority, compile_program(majority))[-1]
        ['accept', 'mean of #a - #b - 1/2']
    """
    empty = None if program.is_generator else _empty(program, accept)
    circuit = settle_outputs(normalise(program, accept=accept), empty)
    for clean in (False, True):
        scheduled = schedule(circuit, clean=clean)
        plan = assemble(scheduled, periodic)
        channels = allocate(plan)
        if _same(emit(plan, channels), model):
            return _stages(scheduled, plan, channels)
    raise AssertionError("the model was not compiled from this program")


def _empty(program: Program, accept: Accept) -> bool:
    return accepts_empty(program if accept == "last" else program.replace(empty=None))


def _same(one: LimitTransformer, two: LimitTransformer) -> bool:
    return len(one.layers) == len(two.layers) and all(
        np.array_equal(a, b)
        for a, b in [
            (one.embedding, two.embedding),
            *((x.a, y.a) for x, y in zip(one.layers, two.layers, strict=True)),
        ]
    )


def _stages(scheduled: Schedule, plan: ModelPlan, channels: Channels) -> list[list[str]]:
    """Replay the blocks: who writes a channel last says what it holds; clearing empties it."""
    say = _Words(scheduled.circuit, plan, channels)
    now = [""] * channels.width
    for value in _embedded(plan, channels):
        now[channels.of[value]] = say.value(value)
    stages = [list(now)]
    for number, block in enumerate(plan.blocks, start=1):
        for when, channel in channels.cleared:
            if when == number:
                now[channel] = ""
        written: Iterable[Value] = (
            *(value for head in block.heads for value in head.writes),
            *(value for unit in block.units for value in unit.writes),
        )
        for value in written:
            cleared_now = (number, channels.of[value]) in channels.cleared
            if not (cleared_now and any(value in head.writes for head in block.heads)):
                now[channels.of[value]] = say.value(value)
        stages.append(list(now))
    for name, (value, sign) in plan.outputs.items():
        said = "accept" if name == "accept" else f"next {name}"
        stages[-1][channels.of[value]] = said if sign > 0 else f"not {said}"
    return stages


def _embedded(plan: ModelPlan, channels: Channels) -> list[Value]:
    tokens: list[Value] = [("token", k) for k in range(len(channels.embedded))]
    return [*tokens, *(("code", m, r) for m in plan.codes for r in range(m))]


class _Words:
    """Values in words."""

    def __init__(self, circuit: Circuit, plan: ModelPlan, channels: Channels) -> None:
        self.circuit, self.channels = circuit, channels
        self.tokens = (BEGIN, *plan.letters)

    def value(self, value: Value) -> str:
        assert isinstance(value, tuple)
        text = self._value(*value)
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    def _value(self, kind: str, *rest: object) -> str:
        match (kind, *rest):
            case ("token", int(k)):
                values = zip(self.tokens, self.channels.embedded[k], strict=True)
                return ", ".join(f"{token}: {value:g}" for token, value in values if value)
            case ("node", int(number)):
                return self.node(number)
            case ("form", _, int(number)):
                return f"mean of {self._form(number)}"
            case ("form", _, tuple(form)):
                return f"mean of {_sum((f'#{self.node(n)}', a) for n, a in form)}"
            case ("share", _):
                return "1 / number of tokens"
            case ("near", int(number)):
                return f"read: {self.node(number)}"
            case ("weight", int(number)):
                return f"weight on {BEGIN}: {self.node(number)}"
            case (_, int(modulus), int(residue)):
                return f"{kind}: token {residue} mod {modulus}"
            case _:
                return kind

    def _form(self, number: int) -> str:
        node = self.circuit.nodes[number]
        assert isinstance(node, Threshold)
        terms = [(f"#{self.node(n)}", a) for n, a in node.form]
        return f"{_sum(terms)} {_signed(0.5 - node.least)}"

    def node(self, number: int) -> str:
        """Say what a Boolean means; parts of parts are cut by the length."""
        match self.circuit.nodes[number]:
            case Letter(letters):
                return "|".join(sorted(letters)) or "no letter"
            case CircuitGate(terms, least):
                return self._gate(terms, least)
            case Threshold(form, least):
                return f"({_sum((f'#{self.node(n)}', a) for n, a in form)} >= {least})"
            case Near(operand, distance):
                return f"{self.node(operand)} at i-{distance}"
            case Periodic(modulus, residue):
                return f"pos % {modulus} == {residue}"

    def _gate(self, terms: tuple[tuple[int, int], ...], least: int) -> str:
        if all(abs(weight) == 1 for _, weight in terms):
            literals = [self.node(n) if w > 0 else f"!{self.node(n)}" for n, w in terms]
            positive = sum(weight > 0 for _, weight in terms)
            if least == positive:
                return f"({' && '.join(literals)})" if len(terms) > 1 else literals[0]
            if least == positive - len(terms) + 1:
                return f"({' || '.join(literals)})"
        return f"({_sum((self.node(n), w) for n, w in terms)} >= {least})"


def _sum(terms: Iterable[tuple[str, int]]) -> str:
    text = " ".join(
        f"{'-' if a < 0 else '+'} {'' if abs(a) == 1 else f'{abs(a)}·'}{name}" for name, a in terms
    )
    return f"-{text[2:]}" if text.startswith("-") else text.removeprefix("+ ")


def _signed(number: float) -> str:
    size = f"{int(2 * abs(number))}/2" if number % 1 else f"{abs(number):g}"
    return f"{'-' if number < 0 else '+'} {size}"
