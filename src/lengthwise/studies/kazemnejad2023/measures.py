"""Attention, perplexity, cost and constructions of the Kazemnejad et al. (2023) study."""

from dataclasses import asdict
from typing import Any

from lengthwise.studies.evidence import Record
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


def _runs(bench: Bench, group: str, task: str) -> dict[str, Record]:
    return {record.encoding: record for record in bench.evidence.find(group, task)}


def similarity(bench: Bench) -> list[dict[str, Any]]:
    """Compare every encoding's attention with NoPE's on SCAN, in both published ways."""
    from lengthwise.analysis.attention import capture, examples
    from lengthwise.analysis.similarity import similarity as compare
    from lengthwise.analysis.trained import load_run

    runs = _runs(bench, "split", "scan")
    base = load_run(bench.store, runs["nope"].spec.id)
    low, high = runs["nope"].spec.bins[-1]
    lengths = base.task.possible_lengths(low, high)
    batch = examples(base.task, [int(n) for n in lengths[:4]])
    reference = capture(base.model, batch)
    others = {NAMES[name]: run for name, run in runs.items() if name != "nope"}
    second = bench.evidence.find("second") or [
        r for r in bench.evidence.find("split", "scan", "nope") if r.spec.id != base.id
    ]
    if second:
        others = {"NoPE'": second[0], **others}
    rows: list[dict[str, Any]] = []
    for name, record in others.items():
        seen = capture(load_run(bench.store, record.spec.id).model, batch)
        row: dict[str, Any] = {"encoding": name}
        for method in ("jensen-shannon", "published"):
            row[method] = round(compare(seen, reference, method).mean, 4)
        rows.append(row)
    return rows


def distances(bench: Bench) -> list[dict[str, Any]]:
    """Return histograms of normalised attended distances of final answers.

    Of the full scratchpad where it was run, as published: what stands behind its end.
    """
    from lengthwise.analysis.attention import behind, capture, examples
    from lengthwise.analysis.distances import attended_distances
    from lengthwise.analysis.trained import load_run

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
    from lengthwise.analysis.trained import load_run
    from lengthwise.evaluation.perplexity import perplexity_by_context

    rows: list[dict[str, Any]] = []
    for encoding in TEXTS:
        for record in bench.evidence.find("text", None, encoding):
            trained = record.spec.training.length[1]
            contexts = [round(trained * s) for s in (0.5, 0.75, 1, 1.2, 1.4, 1.6, 2, 2.5)]
            run = load_run(bench.store, record.spec.id)
            found = perplexity_by_context(run, contexts, scored=max(4, trained // 4))
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
