"""Evidence in, verdict out: one honest answer per position encoding.

``predict`` takes what the command line takes and returns a :class:`Prediction`. Providers of
evidence live in :mod:`.providers`, the rules that combine them in :mod:`.combine`, the classes of
functions and what they say about encodings in :mod:`.classes`.
"""

from lengthwise.predict.combine import combine
from lengthwise.predict.prediction import predict, predict_subject
from lengthwise.predict.providers import PROVIDERS, Context
from lengthwise.predict.types import (
    STRENGTHS,
    Evidence,
    Prediction,
    Reach,
    Verdict,
    weakest,
)

__all__ = [
    "PROVIDERS",
    "STRENGTHS",
    "Context",
    "Evidence",
    "Prediction",
    "Reach",
    "Verdict",
    "combine",
    "predict",
    "predict_subject",
    "weakest",
]
