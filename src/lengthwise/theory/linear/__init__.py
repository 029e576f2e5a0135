"""Position-only linear attention: what an encoding can and cannot extrapolate, in closed form.

:func:`target` makes a concept, :func:`train` fits it on short inputs under an encoding,
:func:`lrc_by_scale` measures its complexity, and the theorems tell what to expect.
"""

from lengthwise.theory.linear.demonstrations import TARGETS, load_target, target
from lengthwise.theory.linear.fitting import LinearFit, draw_inputs, gradient_descent, train
from lengthwise.theory.linear.lrc import (
    classes_by_scale,
    lrc,
    lrc_by_scale,
    lrc_nonzero,
    representable,
)
from lengthwise.theory.linear.partitions import (
    ENCODINGS,
    absolute,
    basis_of,
    constant,
    from_relation,
    ideal,
    relative,
    rotary_basis,
    set_partitions,
)
from lengthwise.theory.linear.position_only import (
    advised_output,
    cells,
    last_output,
    outputs,
    triangular,
)
from lengthwise.theory.linear.theorems import (
    Dimensions,
    count_generalizing,
    encoding_generalizes,
    exhaustive_check,
    generalizing_fraction,
    some_encoding_generalizes,
    theorem1_dimensions,
)

__all__ = [
    "ENCODINGS",
    "TARGETS",
    "Dimensions",
    "LinearFit",
    "absolute",
    "advised_output",
    "basis_of",
    "cells",
    "classes_by_scale",
    "constant",
    "count_generalizing",
    "draw_inputs",
    "encoding_generalizes",
    "exhaustive_check",
    "from_relation",
    "generalizing_fraction",
    "gradient_descent",
    "ideal",
    "last_output",
    "load_target",
    "lrc",
    "lrc_by_scale",
    "lrc_nonzero",
    "outputs",
    "relative",
    "representable",
    "rotary_basis",
    "set_partitions",
    "some_encoding_generalizes",
    "target",
    "theorem1_dimensions",
    "train",
    "triangular",
]
