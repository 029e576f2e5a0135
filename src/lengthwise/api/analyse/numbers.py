"""``analyse ranks``, ``perplexity`` and ``cost``: encodings and models in one number each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Shown, rounded
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Processors, Seed, Whole
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.analysis.cost import Cost, Size
    from lengthwise.evaluation.ranks import RankReport
    from lengthwise.runs.trained import TrainedRun


@dataclass(frozen=True)
class Ranked(Shown):
    """Encodings by mean reciprocal rank."""

    found: "RankReport"
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def damaged(self) -> Mapping[str, str]:
        """Runs that could not be ranked."""
        return self.left_out

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per encoding."""
        yield Rows(rounded(self.found.rows()), "mean reciprocal rank (1 is always first)")
        yield f"complete cells: {self.found.complete}; incomplete, dropped: {self.found.dropped}"

    def to_json(self) -> dict[str, Any]:
        """Return the ranks and the cells."""
        return self.found.plain()


@verb()
def ranks(
    *,
    task: str | None = None,
    encoding: Sequence[str] = (),
    store: Path | None = None,
) -> Ranked:
    """Rank the encodings of the store over tasks and seeds, by accuracy beyond the trained lengths.

    A cell is what differs in the encoding alone; cells that lack one of the encodings are dropped.
    Ties share their mean rank (fair), or go by the order of encodings as in the published code.

    Example: lengthwise analyse ranks --encoding nope --encoding t5 --encoding alibi

    Args:
        task: Only runs of this task.
        encoding: Compare these encodings, published ties in this order; by default all of the
            store.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    from lengthwise.evaluation.ranks import rank_report
    from lengthwise.runs.store import Store

    records = list(Store(store).records())
    results = [record.result for record in records if record.result is not None]
    damaged = {record.id: record.problem or "" for record in records if record.state == "damaged"}
    return Ranked(rank_report(results, task=task, encodings=several(encoding)), damaged)


@dataclass(frozen=True)
class Perplexities(Shown):
    """Perplexity of some runs given each context."""

    runs: Sequence["TrainedRun"]
    found: Mapping[str, Mapping[int, float]]
    """The perplexity by context, for the id of every run."""

    def parts(self) -> Iterator[str | Rows]:
        """Yield what was measured and one row per context."""
        for run in self.runs:
            yield f"{run.id}: {run.subject}, trained on lengths to {run.spec.training.length[1]}"
        contexts = next(iter(self.found.values()))
        rows = [
            {"context": context, **{run.id: self.found[run.id][context] for run in self.runs}}
            for context in contexts
        ]
        yield Rows(rounded(rows), "perplexity by context")

    def to_json(self) -> list[dict[str, Any]]:
        """Return the perplexities of every run; what is infinite is null."""
        return [
            {
                "run": run.id,
                "subject": run.subject,
                "perplexity": {
                    str(context): value if isfinite(value) else None
                    for context, value in self.found[run.id].items()
                },
            }
            for run in self.runs
        ]


@verb()
def perplexity(
    *run: str,
    context: Sequence[Count] = (),
    tokens: Count = 32,
    windows: Whole = 256,
    seed: Seed = 0,
    store: Path | None = None,
    trust_code: bool = False,
) -> Perplexities:
    """Measure the perplexity of trained language models against the context they are given.

    The same tokens of test text are predicted in every context, which includes them.

    Example: lengthwise analyse perplexity 3f2a 91bc --context 64 --context 128 --context 256

    Args:
        run: Finished runs of python-source or text, by their ids or the beginnings of them.
        context: Length of the context in tokens; give several to compare. By default half to twice
            the longest that the first run was trained on.
        tokens: How many tokens at the end of every context are predicted.
        windows: How many pieces of test text; 0 takes the end of every test file.
        seed: Of the pieces of text.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    from lengthwise.evaluation.perplexity import default_contexts, perplexity_by_context
    from lengthwise.runs.store import Store
    from lengthwise.runs.trained import load_run

    if not run:
        raise InputError(
            "perplexity: name at least one finished run; `lengthwise runs` lists them."
        )
    loaded = [load_run(Store(store), name, trust_code=trust_code) for name in run]
    asked = context or [
        n for n in default_contexts(loaded[0].spec.training.length[1]) if n >= tokens
    ]
    return Perplexities(
        loaded,
        {
            one.id: perplexity_by_context(
                one.model, one.task, asked, scored=tokens, windows=windows, seed=seed
            )
            for one in loaded
        },
    )


@dataclass(frozen=True)
class Costs(Shown):
    """Time and memory of encodings at several lengths."""

    found: Sequence["Cost"]
    size: "Size"
    threads: int

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per encoding and length."""
        rows = [
            {
                "encoding": one.encoding,
                "length": one.length,
                "forward, ms": f"{1000 * one.forward:.1f}",
                "step, ms": f"{1000 * one.step:.1f}",
                "memory, MB": f"{one.memory:.1f}",
            }
            for one in self.found
        ]
        size = f"{self.size.layers} layers of width {self.size.width}, batch {self.size.batch}"
        yield Rows(rows, f"{size}, threads: {self.threads}")

    def to_json(self) -> list[dict[str, Any]]:
        """Return seconds and megabytes."""
        return [asdict(one) for one in self.found]


@verb()
def cost(
    *,
    encoding: Sequence[str] = ("nope", "sinusoidal", "rope", "alibi", "t5"),
    length: Sequence[Count] = (128, 256, 512),
    layers: Count = 4,
    heads: Count = 4,
    width: Count = 128,
    batch: Count = 1,
    rounds: Count = 3,
    threads: Processors = 1,
) -> Costs:
    """Measure what encodings cost as inputs grow: a forward pass, a training step, memory.

    Encodings take turns and the best of the rounds counts; models are untrained.

    Example: lengthwise analyse cost --encoding nope --encoding t5 --length 128 --length 512

    Args:
        encoding: A position encoding; give several to compare.
        length: Tokens of the input; give several to compare.
        layers: Blocks of the model.
        heads: Heads of each block.
        width: Width of the model.
        batch: Sequences at once.
        rounds: Turns of each encoding at each length.
        threads: Threads of one computation; with one, processor time is measured, else wall time.
    """
    from lengthwise.analysis.cost import Size, cost_by_length

    size = Size(layers=layers, heads=heads, width=width, batch=batch)
    found = cost_by_length(several(encoding), length, size=size, rounds=rounds, threads=threads)
    return Costs(found, size, threads)
