"""``lengthwise attention``, ``ranks`` and ``perplexity``: what trained models do, and how far."""

import sys
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, Whole, print_json, print_table, say
from lengthwise.core.errors import InputError

Text = Annotated[str | None, Parameter(name="--input")]
Contexts = Annotated[tuple[int, ...], Parameter(name="--context")]


def attention(
    run: str,
    *,
    text: Text = None,
    length: Count | None = None,
    count: Count | None = None,
    queries: Literal["all", "answer", "asked"] = "all",
    other: str | None = None,
    seed: Seed = 42,
    figure: Path | None = None,
    html: Path | None = None,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Show how far each head of a trained model looks, and how alike another model's heads are.

    Example: lengthwise attention 3f2a --length 12 --other 91bc --figure heads.svg

    Parameters
    ----------
    run
        A finished run, by its id or the beginning of it (see `lengthwise runs`).
    text
        Look at this sequence: symbols of the task with spaces between.
    length
        Look at drawn instances of this length; by default the longest that was trained.
    count
        Number of drawn instances; by default 10.
    queries
        Which queries count: all, the tokens of the answer, or the positions asked for something.
    other
        Compare with this finished run, on the same sequences.
    seed
        Of the drawn instances.
    figure
        Draw every head's attention on the first sequence to this .png, .svg or .pdf file.
    html
        Write a page with tables and maps to this file.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print the numbers as JSON.
    """
    from lengthwise.analysis.heads import attention_report
    from lengthwise.report.output import check_format
    from lengthwise.runs.store import Store

    if figure is not None:
        check_format(figure)
    found = attention_report(
        Store(store), run, text=text, length=length, count=count, queries=queries, other=other,
        seed=seed,
    )  # fmt: skip
    if figure is not None or html is not None:
        from lengthwise.report.attention_page import save_figure, save_page

        if figure is not None:
            save_figure(found, figure)
        if html is not None:
            save_page(found, html)
    if as_json:
        print_json(found.plain())
        return
    for seen in (found.first, found.second):
        if seen is not None:
            print_table(_rounded(seen.rows()), title=f"{seen.run.subject}: distance of attention")
    if found.alike is not None:
        print_table(_rounded(found.layers()), title="divergence of the two (0 is equal)")


def ranks(
    *,
    task: str | None = None,
    pe: Annotated[tuple[str, ...], Parameter(name="--pe")] = (),
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Rank the encodings of the store over tasks and seeds, by accuracy beyond the trained lengths.

    A cell is what differs in the encoding alone; cells that lack one of the encodings are dropped.
    Ties share their mean rank (fair), or go by the order of encodings as in the published code.

    Example: lengthwise ranks --pe nope --pe t5 --pe alibi --pe rope --pe sinusoidal

    Parameters
    ----------
    task
        Only runs of this task.
    pe
        Compare these encodings, published ties in this order; by default all of the store.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print the ranks and the cells as JSON.
    """
    from lengthwise.evaluation.ranks import rank_report
    from lengthwise.runs.store import Store, load_result

    where = Store(store)
    results = [load_result(record) for record in where.records() if record.state == "done"]
    found = rank_report(results, task=task, encodings=pe)
    if as_json:
        print_json(found.plain())
        return
    print_table(_rounded(found.rows()), title="mean reciprocal rank (1 is always first)")
    sys.stderr.write(f"complete cells: {found.complete}; incomplete, dropped: {found.dropped}\n")


def perplexity(
    *runs: str,
    contexts: Contexts = (),
    tokens: Count = 32,
    windows: Whole = 256,
    seed: Seed = 0,
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Measure the perplexity of trained language models against the context they are given.

    The same tokens of test text are predicted in every context, which includes them.

    Example: lengthwise perplexity 3f2a 91bc --context 64 --context 128 --context 256

    Parameters
    ----------
    runs
        Finished runs of python-source or text, by their ids or the beginnings of them.
    contexts
        Length of the context in tokens; repeat for several. By default half to twice the longest
        that the first run was trained on.
    tokens
        How many tokens at the end of every context are predicted.
    windows
        How many pieces of test text; 0 takes the end of every test file.
    seed
        Of the pieces of text.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print the perplexities as JSON.
    """
    from lengthwise.evaluation.perplexity import default_contexts, perplexity_by_context
    from lengthwise.runs.store import Store
    from lengthwise.runs.trained import load_run

    if not runs:
        raise InputError("perplexity: name at least one finished run.")
    loaded = [load_run(Store(store), run) for run in runs]
    asked = contexts or [
        n for n in default_contexts(loaded[0].spec.training.length[1]) if n >= tokens
    ]
    found = {
        run.id: perplexity_by_context(
            run.model, run.task, asked, scored=tokens, windows=windows, seed=seed
        )
        for run in loaded
    }
    if as_json:
        print_json([_plain(run, found[run.id]) for run in loaded])
        return
    for run in loaded:
        say(f"{run.id}: {run.subject}, trained on lengths to {run.spec.training.length[1]}")
    rows = [
        {"context": context, **{run.id: found[run.id][context] for run in loaded}}
        for context in sorted(set(asked))
    ]
    print_table(_rounded(rows), title="perplexity by context")


def _plain(run: Any, values: dict[int, float]) -> dict[str, Any]:
    finite = {context: value if isfinite(value) else None for context, value in values.items()}
    return {"run": run.id, "subject": run.subject, "perplexity": finite}


def _rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]
