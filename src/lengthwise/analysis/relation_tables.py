"""Read a learned relation out of a trained encoding, compare it, and keep it as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from lengthwise.core.errors import InputError
from lengthwise.positions.base import EncodingModule, Places, shared_positions
from lengthwise.positions.learned_relation import LearnedRelationModule
from lengthwise.relations.tables import Relation, Table, save_table

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Readout:
    """The weights of a learned relation at all pairs up to a length: ``[i - 1, j - 1, value]``."""

    weights: npt.NDArray[np.float64]
    scale: int | None = None

    @property
    def values(self) -> Table:
        """The most likely value of each pair."""
        return self.weights.argmax(axis=-1)

    def ranked(self, rank: int) -> Table:
        """The value with the ``rank``-th largest weight (1 is the largest) of each pair."""
        if not 1 <= rank <= self.weights.shape[-1]:
            raise InputError(f"rank {rank}: there are {self.weights.shape[-1]} values.")
        return np.argsort(-self.weights, axis=-1, kind="stable")[..., rank - 1]

    def row(self, query: int) -> str:
        """Write the values of the keys before a query, as in the paper's figure, row by row."""
        return "".join(np.base_repr(v, 36) for v in self.values[query - 1, : query - 1])

    def save(self, path: Path) -> None:
        """Write the table that ``ipe:relation=PATH`` uses as a fixed relation."""
        if self.scale is None:
            save_table(path, self.values)
        else:
            save_table(path, self.values[None], [self.scale])


@torch.inference_mode()
def read_relation_from(module: EncodingModule, length: int, scale: int | None = None) -> Readout:
    """Return what a trained LBPE has learned, at positions 1 to ``length``."""
    if not isinstance(module, LearnedRelationModule):
        raise InputError("only the encodings lbpe and lbpe-sh learn a relation.")
    if module.options.hint and scale is None:
        raise InputError("lbpe-sh's relation depends on the length of the instance: give it.")
    at = shared_positions(length, module.numbers.device)
    hint = None if scale is None else torch.tensor([scale], device=at.device)
    weights = module.weights(Places(at, at, None, hint))[0]
    return Readout(weights.double().cpu().numpy(), scale)


def causal(length: int, queries: Sequence[int] | None = None, *, itself: bool = True) -> Mask:
    """Mark the pairs j <= i, of some queries only, with or without j = i."""
    mask = np.tri(length, k=0 if itself else -1, dtype=bool)
    if queries is not None:
        chosen = np.zeros(length, dtype=bool)
        chosen[[q - 1 for q in queries if 1 <= q <= length]] = True
        mask &= chosen[:, None]
    return mask


@dataclass(frozen=True)
class Comparison:
    """How a learned relation stands to a given one, over some pairs."""

    distinct: int
    """Values that the learned relation uses."""
    distinct_given: int
    equal: bool
    """Whether the two are equal up to renaming of values."""
    refines: bool
    """Whether the learned value of a pair determines the given one."""
    agreement: float
    """Fraction of pairs that are right when each learned value is read as its most usual one."""


def compare(learned: Table, given: Table, pairs: Mask) -> Comparison:
    """Compare two relations at the marked pairs.

    Example:
        Before, at and behind the middle (2, 1, 0) against middle or not (1, 0):

        >>> learned, given = np.array([[2, 1, 0]]), np.array([[0, 1, 0]])
        >>> result = compare(learned, given, np.ones((1, 3), bool))
        >>> result.equal, result.refines, result.distinct
        (False, True, 3)
    """
    a, a_names = np.unique(learned[pairs], return_inverse=True)
    b, b_names = np.unique(given[pairs], return_inverse=True)
    if not len(a):
        raise InputError("compare: no pairs are marked.")
    joint = np.zeros((len(a), len(b)), dtype=np.int64)
    np.add.at(joint, (a_names, b_names), 1)
    refines = bool(((joint > 0).sum(axis=1) == 1).all())
    return Comparison(
        distinct=len(a),
        distinct_given=len(b),
        equal=refines and bool(((joint > 0).sum(axis=0) == 1).all()),
        refines=refines,
        agreement=float(joint.max(axis=1).sum() / joint.sum()),
    )


def ideal_values(relation: Relation, length: int, scale: int | None = None) -> Table:
    """Return a given relation at positions 1 to ``length``."""
    return relation.table(length, scale if relation.needs_scale else None)
