"""Position without encodings: weights for this package's decoder that build it from the mask.

:func:`position_decoder` returns a two-block NoPE decoder whose first block writes the absolute
position into one channel and whose second block has logits that fall with the distance;
:func:`verify` measures how exactly. Kazemnejad et al. (2023, arXiv 2305.19466), Theorems 1 and 2.
"""

from lengthwise.theory.nope.construction import (
    Construction,
    alibi_twin,
    knot_weights,
    position_decoder,
)
from lengthwise.theory.nope.inspection import attention_logits, hidden_states
from lengthwise.theory.nope.verification import Verification, read_positions, verify

__all__ = [
    "Construction",
    "Verification",
    "alibi_twin",
    "attention_logits",
    "hidden_states",
    "knot_weights",
    "position_decoder",
    "read_positions",
    "verify",
]
