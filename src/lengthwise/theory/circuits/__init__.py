"""Circuit families of step-by-step tasks, their ideal position relations, and their complexity.

Start with :func:`circuit` (or :func:`step_circuit`) for a task, ``.gates(scale)`` for its steps,
``.relation(query, key, scale)`` for the ideal relation that an encoding can use, and
:func:`src_verdict` for what the conjecture of Chen, Liang and Lin (2025) says about it.
"""

from lengthwise.relations.formulas import SlotFormula, fit_formulas
from lengthwise.relations.gates import (
    ABSENT,
    CircuitFamily,
    Gate,
    Relation,
    SampledFamily,
    Wiring,
    wiring_of,
)
from lengthwise.relations.library import (
    CONTROLS,
    NAMES,
    SELECT_CIRCUITS,
    STEP_CIRCUITS,
    circuit,
    step_circuit,
)
from lengthwise.relations.own_circuit import user_family
from lengthwise.relations.relation import (
    RELATIONS,
    IdealRelation,
    ideal_relation,
    ideal_table,
    relation_formulas,
)
from lengthwise.relations.select_circuits import SelectCircuit
from lengthwise.relations.step_circuits import LAYOUTS, Field, Slot, StepCircuit
from lengthwise.relations.symbols import VOCABULARY, codes, text
from lengthwise.theory.circuits.checks import (
    Clash,
    Coverage,
    TruthTable,
    coverage,
    gate_rows,
    injectivity,
    separation,
    truth_tables,
)
from lengthwise.theory.circuits.merging import merge_operators, merged_src
from lengthwise.theory.circuits.src import (
    Circuits,
    SrcVerdict,
    src_by_scale,
    src_verdict,
)

__all__ = [
    "ABSENT",
    "CONTROLS",
    "LAYOUTS",
    "NAMES",
    "RELATIONS",
    "SELECT_CIRCUITS",
    "STEP_CIRCUITS",
    "VOCABULARY",
    "CircuitFamily",
    "Circuits",
    "Clash",
    "Coverage",
    "Field",
    "Gate",
    "IdealRelation",
    "Relation",
    "SampledFamily",
    "SelectCircuit",
    "Slot",
    "SlotFormula",
    "SrcVerdict",
    "StepCircuit",
    "TruthTable",
    "Wiring",
    "circuit",
    "codes",
    "coverage",
    "fit_formulas",
    "gate_rows",
    "ideal_relation",
    "ideal_table",
    "injectivity",
    "merge_operators",
    "merged_src",
    "relation_formulas",
    "separation",
    "src_by_scale",
    "src_verdict",
    "step_circuit",
    "text",
    "truth_tables",
    "user_family",
    "wiring_of",
]
