"""The relation that a finished run has learned."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lengthwise.analysis.relation_tables import (
    Comparison,
    Mask,
    Readout,
    causal,
    compare,
    ideal_values,
    read_relation_from,
)
from lengthwise.relations.tables import Relation, from_callable, read_relation
from lengthwise.runs.store import Store
from lengthwise.runs.trained import load_run
from lengthwise.tasks.base import Task


@dataclass(frozen=True)
class RunRelation:
    """A run's learned relation beside a given one."""

    subject: str
    readout: Readout
    queries: list[int]
    """The positions at which the task asks for something."""
    given: str | None
    trained: Comparison | None
    """Over the queries that training has seen, and the keys before them."""
    beyond: Comparison | None
    """Over the queries that only longer instances have."""

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "run": self.subject,
            "values": self.readout.values.tolist(),
            "queries": self.queries,
            "against": self.given,
            "trained": None if self.trained is None else asdict(self.trained),
            "beyond": None if self.beyond is None else asdict(self.beyond),
        }

    def lines(self) -> list[str]:
        """Write the values of every asked query, then the comparison."""
        lines = [f"{self.subject}: value of each key before the query"]
        lines += [f"  query {q:3d}: {self.readout.row(q)}" for q in self.queries if q > 1]
        for where, result in (("trained", self.trained), ("longer", self.beyond)):
            if result is not None:
                lines.append(
                    f"{where} lengths: {result.distinct} values in use; against {self.given} "
                    f"({result.distinct_given} values): equal up to renaming "
                    f"{_yes(result.equal)}, determines it {_yes(result.refines)}, "
                    f"agreement {result.agreement:.1%}"
                )
        return lines


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def read_run(
    store: Store,
    run: str,
    *,
    length: int | None = None,
    scale: int | None = None,
    against: str | None = None,
    trust_code: bool = False,
) -> RunRelation:
    """Load a finished run with a learned relation, read it and compare it."""
    loaded = load_run(store, run, trust_code=trust_code)
    spec, task, model = loaded.spec, loaded.task, loaded.model
    size = length or model.context
    readout = read_relation_from(model.encoding, size, scale)
    trained = asked(task, *spec.training.length, scale)
    every = asked(task, min(low for low, _ in spec.bins), spec.longest, scale)
    queries = [q for q in every if q <= size]
    given = _given(task, against)
    pairs = {
        "trained": causal(size, [q for q in queries if q in trained], itself=False),
        "beyond": causal(size, [q for q in queries if q not in trained], itself=False),
    }
    found = {name: _compare(readout, given, mask, scale) for name, mask in pairs.items()}
    return RunRelation(loaded.subject, readout, queries, given and given.name, **found)


def asked(task: Task, low: int, high: int, scale: int | None = None) -> list[int]:
    """List the positions (from 1) at which instances of these lengths are supervised."""
    lengths = task.check_range(low, high) if scale is None else np.array([scale])
    batch = task.sample(np.random.default_rng(0), lengths)
    return sorted({int(t) + 1 for t in np.argwhere(batch.supervised)[:, 1]})


def _given(task: Task, against: str | None) -> Relation | None:
    if against is not None:
        return read_relation(against)
    return None if task.relation is None else from_callable(task.name, task.relation)


def _compare(
    readout: Readout, given: Relation | None, pairs: Mask, scale: int | None
) -> Comparison | None:
    if given is None or not pairs.any():
        return None
    return compare(readout.values, ideal_values(given, len(pairs), scale), pairs)
