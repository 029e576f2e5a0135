"""Third pass: scheduled nodes become heads and hidden units; linear forms are fused on the way.

All prefix counts of a block share one uniform head. Its values are whole linear forms, so that an
average holds ``sum a * #P`` over the number of tokens in one channel (fused before averaging, which
keeps the sign right in low precision). The constant of a comparison rides on the begin token, or on
a shared channel ``1/i`` when several comparisons use one form. Local and periodic heads follow
Huang et al. 2025, Theorem 9; the constants and both forms of the periodic head are our derivation.
"""

from collections.abc import Iterable
from typing import Literal as Choice

from lengthwise.theory.limit.begin import begin_values
from lengthwise.theory.limit.circuit import (
    CircuitGate,
    Near,
    Periodic,
    Threshold,
    TokenInput,
    averaged,
)
from lengthwise.theory.limit.layering import Schedule
from lengthwise.theory.limit.plan import (
    Head,
    LinearReading,
    ModelPlan,
    PlannedBlock,
    Unit,
    Value,
    total,
)

PeriodicForm = Choice["short", "constrained"]

NEAR_LOGIT, BEGIN_LOGIT = 3.0, 1.0
COPY_LOGIT, MATCH_LOGIT, SAME_LOGIT = 6.0, 4.0, 2.0


def assemble(scheduled: Schedule, periodic: PeriodicForm = "constrained") -> ModelPlan:
    """Return the plan of a schedule; ``periodic`` chooses the construction of residues.

    ``short`` lets an MLP read residues of absolute positions; ``constrained`` compares positions
    inside attention only, as the hypothesis class of Huang et al. 2025 asks.
    """
    return _Assembler(scheduled, periodic).plan()


class _Assembler:
    def __init__(self, scheduled: Schedule, periodic: PeriodicForm) -> None:
        self.schedule, self.circuit = scheduled, scheduled.circuit
        self.nodes = self.circuit.nodes
        self.letters = self.circuit.letters
        self.begin = begin_values(self.circuit)
        self.counted = averaged(self.nodes)
        self.periodic: PeriodicForm = periodic
        self.codes = _maximal({n.modulus for n in self.nodes if isinstance(n, Periodic)})
        self.blocks = [PlannedBlock() for _ in range(scheduled.depth)]

    def plan(self) -> ModelPlan:
        if self.codes:
            self._residues()
        for number in range(1, self.schedule.depth + 1):
            self._uniform(number)
            self._near(number)
        for number, node in enumerate(self.nodes):
            block = self.blocks[self.schedule.block[number] - 1]
            if isinstance(node, CircuitGate):
                block.units.append(self._gate(number, node))
            elif isinstance(node, Periodic):
                block.units.extend(self._periodic(number, node))
        outputs = {
            name: (self._centred(literal.node), -1.0 if literal.negated else 1.0)
            for name, literal in self.circuit.outputs.items()
        }
        lasting = (("code", m, r) for m in self.codes for r in range(m))
        copies = (("copy", m, r) for m in self.codes for r in range(m))
        return ModelPlan(
            self.letters, self.blocks, self.codes, outputs, frozenset((*lasting, *copies))
        )

    # --- readings ------------------------------------------------------------------------------

    def _token(self, letters: Iterable[str], begin: float = 0.0) -> LinearReading:
        wanted = set(letters)
        return LinearReading({}, (begin, *(float(letter in wanted) for letter in self.letters)))

    def _begin(self, weight: float) -> LinearReading:
        return self._token((), weight)

    def _constant(self) -> LinearReading:
        return self._token(self.letters, 1.0)

    def _read(self, number: int) -> LinearReading:
        node = self.nodes[number]
        if isinstance(node, TokenInput):
            return self._token(node.letters)
        return LinearReading({("node", number): 1.0})

    # --- prefix counts -------------------------------------------------------------------------

    def _uniform(self, number: int) -> None:
        """One uniform head for all prefix counts of a block, and their thresholds."""
        thresholds = {
            n: node
            for n in self.schedule.at(number)
            if isinstance(node := self.nodes[n], Threshold)
        }
        residues = any(isinstance(self.nodes[n], Periodic) for n in self.schedule.at(number))
        needs_share = residues and self.periodic == "constrained"
        if not thresholds and not needs_share:
            return
        forms = {node.form for node in thresholds.values()}
        shared = needs_share or len(thresholds) > len(forms) + 1
        head = Head()
        if shared:
            head.writes["share", number] = self._begin(1.0)
        for n, node in thresholds.items():
            reading, constant = self._form(node), 0.5 - node.least
            if shared:
                head.writes["form", number, node.form] = reading
                z = LinearReading({("form", number, node.form): 1.0, ("share", number): constant})
            else:
                head.writes["form", number, n] = reading + self._begin(constant)
                z = LinearReading({("form", number, n): 1.0})
            self.blocks[number - 1].units.append(self._threshold(n, node, z))
        self.blocks[number - 1].heads.append(head)

    def _form(self, node: Threshold) -> LinearReading:
        return total(self._read(operand).times(a) for operand, a in node.form)

    def _threshold(self, number: int, node: Threshold, z: LinearReading) -> Unit:
        if node.least <= 0 and not self.begin[number]:
            z = z + self._begin(node.least - 1.0)
        bound = max(self._largest_step(node), abs(0.5 - node.least))
        return Unit(z, 0.0, {("node", number): 1.0}, margin=0.5, shrinks=True, bound=bound)

    def _largest_step(self, node: Threshold) -> float:
        """Return a bound on what one position adds to a form, and so on its average."""
        reading = self._form(node)
        return max(map(abs, reading.token), default=0.0) + sum(map(abs, reading.values.values()))

    # --- earlier positions ---------------------------------------------------------------------

    def _near(self, number: int) -> None:
        """One head for each distance used in a block; the begin token catches what is missing."""
        heads: dict[int, Head] = {}
        for n in self.schedule.at(number):
            node = self.nodes[n]
            if not isinstance(node, Near):
                continue
            head = heads.setdefault(node.distance, self._local_head(node.distance))
            head.writes["near", n] = self._read(node.operand)
            margin = min(0.3, 0.5 / (2 * node.distance - 1))
            unit = Unit(LinearReading({("near", n): 1.0}), -0.5, {("node", n): 1.0}, margin=margin)
            self.blocks[number - 1].units.append(unit)
        self.blocks[number - 1].heads.extend(heads.values())

    def _local_head(self, distance: int) -> Head:
        content = [(self._begin(BEGIN_LOGIT), self._constant())]
        return Head(content, {distance: NEAR_LOGIT})

    # --- gates ---------------------------------------------------------------------------------

    def _gate(self, number: int, node: CircuitGate) -> Unit:
        z = total(self._read(operand).times(weight) for operand, weight in node.terms)
        bias = 0.5 - node.least
        at_begin = bias + sum(weight for operand, weight in node.terms if self.begin[operand])
        if (at_begin > 0) != self.begin[number]:
            z = z + self._begin((0.5 if self.begin[number] else -0.5) - at_begin)
        low = bias + sum(min(weight, 0) for _, weight in node.terms)
        high = bias + sum(max(weight, 0) for _, weight in node.terms)
        bound = max(abs(low), abs(high))
        return Unit(z, bias, {("node", number): 1.0}, margin=0.5, bound=bound)

    def _centred(self, number: int) -> Value:
        """Move an output's 0 and 1 to -1/2 and 1/2 in the last block."""
        value = ("node", number)
        last = self.blocks[-1].units
        constant = next((unit for unit in last if not unit.step and unit.bias), None)
        if constant is None:
            constant = Unit(LinearReading(), 1.0, {}, step=False)
            last.append(constant)
        constant.writes[value] = -0.5
        return value

    # --- residues of the position --------------------------------------------------------------

    def _residues(self) -> None:
        """Block 1: bring residues where later blocks may compare them."""
        codes = [(m, r) for m in self.codes for r in range(m)]
        reads = {(m, r): LinearReading({("code", m, r): 1.0}) for m, r in codes}
        if self.periodic == "constrained":
            writes: dict[Value, LinearReading] = {("copy", *code): reads[code] for code in codes}
            self.blocks[0].heads.append(Head([], {0: COPY_LOGIT}, writes))
            return
        content = [(self._begin(SAME_LOGIT), self._constant())]
        raw: dict[Value, LinearReading] = {("raw", *code): reads[code] for code in codes}
        self.blocks[0].heads.append(Head(content, {}, raw))
        for code in codes:
            reading = LinearReading({("raw", *code): 1.0})
            self.blocks[0].units.append(Unit(reading, -0.5, {("origin", *code): 1.0}, margin=0.25))

    def _periodic(self, number: int, node: Periodic) -> list[Unit]:
        """Block 2: compare the residue here with the begin token's."""
        code = next(m for m in self.codes if m % node.modulus == 0)
        if self.periodic == "constrained":
            return [self._compare_inside(number, node, code)]
        target: dict[Value, float] = {("node", number): 1.0}
        return [
            Unit(
                LinearReading({("code", code, here): 1.0, ("origin", code, origin): 1.0})
                + self._begin(-2.0),
                -1.5,
                dict(target),
                bound=4.0,
            )
            for here in range(code)
            for origin in range(code)
            if (here - origin - node.residue) % node.modulus == 0
        ]

    def _compare_inside(self, number: int, node: Periodic, code: int) -> Unit:
        """A head whose weight on the begin token is 1/i or more iff the residue is right."""
        head = Head(writes={("weight", number): self._begin(1.0)})
        for key in range(code):
            same = [q for q in range(code) if (q - key) % node.modulus == 0]
            match = [q for q in range(code) if (q - key - node.residue) % node.modulus == 0]
            query = LinearReading(
                {("copy", code, q): MATCH_LOGIT * (q in match) + SAME_LOGIT * (q in same)
                 for q in {*same, *match}}
            )  # fmt: skip
            head.content.append((LinearReading({("copy", code, key): 1.0}), query))
        self.blocks[1].heads.append(head)
        z = LinearReading({("weight", number): 1.0, ("share", 2): -0.5}) + self._begin(-1.0)
        return Unit(z, 0.0, {("node", number): 1.0}, margin=0.2, shrinks=True, bound=2.0)


def _maximal(moduli: set[int]) -> tuple[int, ...]:
    """Return the moduli that divide no other one."""
    return tuple(sorted(m for m in moduli if not any(o != m and o % m == 0 for o in moduli)))
