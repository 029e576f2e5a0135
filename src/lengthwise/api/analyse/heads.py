"""``analyse attention`` and ``analyse probe``: where heads look, what layers know of positions."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, rounded, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Length, Seed

if TYPE_CHECKING:
    from lengthwise.analysis.heads import AttentionReport
    from lengthwise.analysis.probes import ProbeReport
    from lengthwise.report.document import Document


@dataclass(frozen=True)
class AttentionSeen(Shown):
    """How far heads look, and how alike two runs are."""

    found: "AttentionReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one table per run and one of their divergence."""
        for seen in (self.found.first, self.found.second):
            if seen is not None:
                yield Rows(rounded(seen.rows()), f"{seen.run.subject}: distance of attention")
        if self.found.alike is not None:
            yield Rows(rounded(self.found.layers()), "divergence of the two (0 is equal)")

    def laid_out(self) -> "Document":
        """Return what the page shows."""
        from lengthwise.report.attention_page import document

        return document(self.found)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of every head."""
        return self.found.plain()

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw every head's attention on the first sequence to this .png, .svg or .pdf file."""
        from lengthwise.report.attention_page import save_figure

        save_figure(self.found, path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write a page with tables and maps to this .html file."""
        from lengthwise.report.attention_page import save_page

        save_page(self.found, path)


@verb()
def attention(
    run: str,
    *,
    input_: str | None = None,
    length: Length | None = None,
    count: Count | None = None,
    queries: Literal["all", "answer", "asked"] = "all",
    other: str | None = None,
    seed: Seed = 42,
    store: Path | None = None,
    trust_code: bool = False,
) -> AttentionSeen:
    """Show how far each head of a trained model looks, and how alike another model's heads are.

    Example: lengthwise analyse attention 3f2a --length 12 --other 91bc --plot heads.svg

    Args:
        run: A finished run, by its id or the beginning of it (see `lengthwise runs`).
        input_: Look at this sequence: symbols of the task with spaces between.
        length: Look at drawn instances of this length; by default the longest that was trained.
        count: Number of drawn instances; by default 10.
        queries: Which queries count: all, the tokens of the answer, or the positions asked for
            something.
        other: Compare with this finished run, on the same sequences.
        seed: Of the drawn instances.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.analysis.heads import attention_report
    from lengthwise.runs.store import Store

    found = attention_report(
        Store(store),
        run,
        text=input_,
        length=length,
        count=count,
        queries=queries,
        other=other,
        seed=seed,
        trust_code=trust_code,
    )
    return AttentionSeen(found)


@dataclass(frozen=True)
class Probed(Shown):
    """How well each layer tells the position, in a run, untrained, and in the construction."""

    found: "ProbeReport"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per model and layer."""
        title = f"{self.found.subject}: position read linearly from each layer"
        yield Rows(self.found.rows(), title)

    def to_json(self) -> dict[str, Any]:
        """Return every probe."""
        return self.found.plain()

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the probes layer by layer to this .png, .svg or .pdf file."""
        from lengthwise.report.model_figures import draw_probes
        from lengthwise.report.static import save_drawn

        save_drawn(draw_probes(self.found), path)


@verb()
def probe(
    run: str,
    *,
    store: Path | None = None,
    trust_code: bool = False,
    instances: Count = 200,
    seed: Seed = 0,
) -> Probed:
    """Show how well each layer of a trained model tells the position, by a linear probe.

    Beside it: the same model before training, and the construction that holds positions exactly.

    Example: lengthwise analyse probe 3f2a --plot probe.svg

    Args:
        run: A finished run, by its id or the beginning of it (see `lengthwise runs`).
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
        instances: Sequences for fitting the probe, and for each range of lengths in its test.
        seed: Of these sequences.
    """
    from lengthwise.analysis.probes import probe_run
    from lengthwise.runs.store import Store

    return Probed(
        probe_run(Store(store), run, instances=instances, seed=seed, trust_code=trust_code)
    )
