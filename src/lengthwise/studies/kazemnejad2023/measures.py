"""Attention, perplexity, cost and constructions of the Kazemnejad et al. (2023) study."""

from dataclasses import asdict
from statistics import fmean
from typing import Any

from lengthwise.studies.kazemnejad2023.splits import ENCODINGS, NAMES, PADS, TEXTS
from lengthwise.studies.study import Bench, Measure

ATTENDED = "addition-text"
"""Task whose scratchpad runs show attended distances, as published."""


def measures(size: str) -> list[Measure]:
    """Return the measures of a size."""
    return [
        Measure("similarity", similarity),
        Measure("distances", distances),
        Measure("perplexity", perplexity),
        Measure("cost", cost_smoke if size == "smoke" else cost),
        Measure("theorems", theorems),
    ]


def similarity(bench: Bench) -> list[dict[str, Any]]:
    """Compare every encoding's attention with NoPE's on SCAN, in both published ways.

    Mean over seeds; NoPE' is NoPE with the next seed.
    """
    from lengthwise.analysis.attention import capture, examples
    from lengthwise.analysis.similarity import METHODS
    from lengthwise.analysis.similarity import similarity as compare
    from lengthwise.runs.trained import load_run

    runs = {
        name: {r.spec.seed: r for r in bench.evidence.find("split", "scan", name)}
        for name in ENCODINGS
    }
    seeds = sorted(runs["nope"])
    first = runs["nope"][seeds[0]].spec
    task = load_run(bench.store, first.id).task
    low, high = first.bins[-1]
    batch = examples(task, [int(n) for n in task.possible_lengths(low, high)[:4]])
    seen = {
        name: {s: capture(load_run(bench.store, r.spec.id).model, batch) for s, r in found.items()}
        for name, found in runs.items()
    }
    rows: list[dict[str, Any]] = []
    if len(seeds) > 1:
        following = zip(seeds, (*seeds[1:], seeds[0]), strict=True)
        seen = {"NoPE'": {s: seen["nope"][after] for s, after in following}, **seen}
    for name, found in seen.items():
        if name == "nope" or not found:
            continue
        row: dict[str, Any] = {"encoding": NAMES.get(name, name)}
        for method in METHODS:
            row[method] = round(
                fmean(compare(found[s], seen["nope"][s], method).mean for s in found), 4
            )
        rows.append(row)
    return rows


def distances(bench: Bench) -> list[dict[str, Any]]:
    """Return histograms of normalised attended distances of final answers.

    Of the full scratchpad where it was run, as published: what stands behind its end.
    """
    from lengthwise.analysis.attention import behind, capture, examples
    from lengthwise.analysis.distances import attended_distances
    from lengthwise.runs.trained import load_run

    rows: list[dict[str, Any]] = []
    for encoding in ENCODINGS:
        found = [
            record
            for record in bench.evidence.find("scratchpad", ATTENDED, encoding)
            if record.task.endswith(PADS[1])
        ] or bench.evidence.find("split", ATTENDED, encoding)
        if not found:
            continue
        run = load_run(bench.store, found[0].spec.id)
        low, high = found[0].spec.bins[-1]
        batch = examples(run.task, range(low, high + 1), count=3)
        padded = "scratchpad" in found[0].task
        queries = behind(batch, run.task.vocabulary.ids["Thus"]) if padded else "answer"
        seen = attended_distances(capture(run.model, batch), queries)
        rows.append(
            {
                "encoding": NAMES[encoding],
                "task": found[0].task,
                "histogram": [round(float(share), 4) for share in seen.histogram()],
                **{k: round(v, 3) for k, v in asdict(seen.summary()).items()},
            }
        )
    return rows


def perplexity(bench: Bench) -> list[dict[str, Any]]:
    """Measure the language models at contexts from half to three times the trained one."""
    from lengthwise.evaluation.perplexity import perplexity_by_context
    from lengthwise.runs.trained import load_run

    rows: list[dict[str, Any]] = []
    for encoding in TEXTS:
        for record in bench.evidence.find("text", None, encoding):
            trained = record.spec.training.length[1]
            contexts = [round(trained * s) for s in (0.5, 0.75, 1, 1.2, 1.4, 1.6, 2, 2.5)]
            run = load_run(bench.store, record.spec.id)
            found = perplexity_by_context(
                run.model, run.task, contexts, scored=max(4, trained // 4)
            )
            rows.append(
                {
                    "encoding": NAMES[encoding],
                    "trained": trained,
                    "perplexity": {str(c): round(p, 3) for c, p in found.items()},
                }
            )
    return rows


def cost(bench: Bench) -> list[dict[str, Any]]:
    """Measure time and memory by length for every encoding."""
    return _costs((128, 512), 3)


def cost_smoke(bench: Bench) -> list[dict[str, Any]]:
    """Measure as little as exercises the machinery."""
    return _costs((16,), 1)


def _costs(lengths: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    from lengthwise.analysis.cost import cost_by_length

    return [
        {**asdict(row), "encoding": NAMES[row.encoding]}
        for row in cost_by_length(ENCODINGS, lengths, rounds=rounds)
    ]


def theorems(bench: Bench) -> list[dict[str, Any]]:
    """Build Theorems 1 and 2 as weights and measure how exactly they hold."""
    from lengthwise.theory.nope import position_decoder, verify

    return [asdict(verify(position_decoder(positions))) for positions in (8, 64, 512)]
