"""``runs verify``: a whole store looked through, and what to do about what is wrong."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb

if TYPE_CHECKING:
    from lengthwise.runs.audit import Audit

MOST_SHOWN = 50
EVERY = 1000
"""Folders between two lines of progress."""


@dataclass(frozen=True)
class VerifiedStore(Shown):
    """What a look through a store found."""

    found: "Audit"

    def parts(self) -> Iterator[str | Rows]:
        """Yield the counts, and what is wrong, damage first."""
        found = self.found
        counts = ", ".join(f"{count:,} {state}" for state, count in found.states.items() if count)
        yield f"{found.store}: {counts or 'no runs'}"
        if found.without_digests:
            yield f"{len(found.without_digests):,} of those done are without digests (made before)"
        rows = [asdict(f) for f in sorted(found.findings, key=lambda f: f.severity)]
        if rows:
            yield Rows([_row(row) for row in rows[:MOST_SHOWN]])
        if len(rows) > MOST_SHOWN:
            yield f"and {len(rows) - MOST_SHOWN:,} more; --json has all"
        if not self.failed():
            yield "nothing is damaged" + ("" if found.digests else "; weights were not read")

    def to_json(self) -> dict[str, Any]:
        """Return counts, runs without digests, and every finding."""
        found = self.found
        return {
            "store": str(found.store),
            "digests": found.digests,
            "states": dict(found.states),
            "without_digests": list(found.without_digests),
            "findings": [asdict(finding) for finding in found.findings],
        }

    @property
    def damaged(self) -> Mapping[str, str]:
        """Nothing to be named besides: the table names it."""
        return {}

    def failed(self) -> bool:
        """Whether something is damaged."""
        return bool(self.found.damaged)


@verb()
def verify(
    *, digests: bool = False, store: Path | None = None, progress: bool | None = None
) -> VerifiedStore:
    """Look through a whole store and say what is wrong, where, and what to do; exit code 1 then.

    Every folder is read anew: specification, evaluations, result and digests must fit together and
    to the folder's name. Weights are told by their size unless `--digests` is given.

    Example: lengthwise runs verify --digests

    Args:
        digests: Also read weights and checkpoints, and compare them with what was written.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        progress: Print how many folders were read.
    """
    from lengthwise.runs.audit import audit
    from lengthwise.runs.store import Store

    deep = None
    if digests:
        from lengthwise.runs.repair import check_tensors as deep
    shown = sys.stderr.isatty() if progress is None else progress
    return VerifiedStore(audit(Store(store), deep, _say if shown else lambda done, of: None))


def _say(done: int, of: int) -> None:
    if done and done % EVERY == 0:
        sys.stderr.write(f"{done:,} of {of:,} runs read\n")


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("severity", "run", "file", "problem", "remedy")}
