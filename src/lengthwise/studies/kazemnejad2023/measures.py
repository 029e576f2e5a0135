"""Attention, perplexity, cost and constructions of the Kazemnejad et al. (2023) study."""

from dataclasses import asdict
from statistics import fmean
from typing import Any

from lengthwise.analysis.attention import behind, capture, examples
from lengthwise.analysis.cost import cost_by_length
from lengthwise.analysis.distances import attended_distances
from lengthwise.analysis.similarity import METHODS
from lengthwise.analysis.similarity import similarity as compare
from lengthwise.evaluation.answers import written
from lengthwise.evaluation.exact import correct_rows, test_set
from lengthwise.evaluation.perplexity import perplexity_by_context
from lengthwise.runs.trained import load_run
from lengthwise.studies.evidence import StudyRun
from lengthwise.studies.kazemnejad2023.scores import inner, pad_of
from lengthwise.studies.kazemnejad2023.splits import FULL, NAMES, name_of
from lengthwise.studies.study import Bench, Measure
from lengthwise.tasks.fixed import FixedSet
from lengthwise.theory.nope.construction import position_decoder
from lengthwise.theory.nope.verification import verify

COMPARED = ("scan", "reverse-v1-text")
"""Tasks whose models' attention is compared: as published, or the one that a laptop trains."""
ATTENDED = "addition-text"
"""Task whose scratchpad runs show attended distances, as published."""
SCORED = 100
"""Instances whose scratchpads are read part by part."""


def measures(size: str) -> list[Measure]:
    """Return the measures of a size."""
    return [
        Measure("similarity", similarity),
        Measure("distances", distances),
        Measure("scratchpads", scratchpads),
        Measure("perplexity", perplexity),
        Measure("cost", cost_smoke if size == "smoke" else cost, from_runs=False),
        Measure("theorems", theorems, from_runs=False),
    ]


def _compared(bench: Bench) -> dict[str, dict[int, StudyRun]]:
    """Return the runs of the first task that has any, by encoding and seed."""
    for task in COMPARED:
        found = [r for r in bench.evidence.find("split") if inner(r.asked) == task]
        if found:
            by_name: dict[str, dict[int, StudyRun]] = {name: {} for name in NAMES.values()}
            for record in found:
                by_name[name_of(record.encoding)][record.spec.seed] = record
            return by_name
    return {}


def similarity(bench: Bench) -> list[dict[str, Any]]:
    """Compare every encoding's attention with NoPE's, seed by seed, in both published ways.

    NoPE' is NoPE with the next seed.
    """
    runs = _compared(bench)
    if not runs:
        return []
    seeds = sorted(runs["NoPE"])
    first = runs["NoPE"][seeds[0]].spec
    task = load_run(bench.store, first.id).task
    low, high = first.bins[-1]
    batch = examples(task, [int(n) for n in task.possible_lengths(low, high)[:4]])
    seen = {
        name: {s: capture(load_run(bench.store, r.spec.id).model, batch) for s, r in found.items()}
        for name, found in runs.items()
    }
    if len(seeds) > 1:
        following = zip(seeds, (*seeds[1:], seeds[0]), strict=True)
        seen = {"NoPE'": {s: seen["NoPE"][after] for s, after in following}, **seen}
    return [
        {
            "encoding": name,
            "task": str(first.task),
            **{
                method: [
                    round(compare(found[s], seen["NoPE"][s], method).mean, 4) for s in sorted(found)
                ]
                for method in METHODS
            },
        }
        for name, found in seen.items()
        if name != "NoPE" and found
    ]


def distances(bench: Bench) -> list[dict[str, Any]]:
    """Return histograms of normalised attended distances of final answers, for every seed.

    Of the full scratchpad with every encoding, as published: what stands behind its end.
    """
    rows: list[dict[str, Any]] = []
    for name in NAMES.values():
        found = [
            record
            for record in bench.evidence.find("scratchpad")
            if inner(record.asked) == ATTENDED
            and pad_of(record.asked) == FULL
            and name_of(record.encoding) == name
        ]
        seen = [_attended(bench, record) for record in found]
        if seen:
            shares = [one.summary() for one in seen]
            histograms = zip(*(one.histogram() for one in seen), strict=True)
            rows.append(
                {
                    "encoding": name,
                    "task": found[0].task,
                    "histogram": [round(float(fmean(bin_)), 4) for bin_ in histograms],
                    "near": [round(one.near, 3) for one in shares],
                    "middle": [round(one.middle, 3) for one in shares],
                    "far": [round(one.far, 3) for one in shares],
                }
            )
    return rows


def _attended(bench: Bench, record: StudyRun) -> Any:
    run = load_run(bench.store, record.spec.id)
    low, high = record.spec.bins[-1]
    batch = examples(run.task, range(low, high + 1), count=3)
    queries = behind(batch, run.task.vocabulary.ids["Thus"])
    return attended_distances(capture(run.model, batch), queries)


def scratchpads(bench: Bench) -> list[dict[str, Any]]:
    """Look into what was written: whole outputs that are right, and parts of the scratchpads.

    ``whole`` is exact match of the whole output under teacher forcing; ``parts`` is, for every
    part, the share of steps in which it was generated right (all wrong if their number differs).
    """
    rows: list[dict[str, Any]] = []
    for record in bench.evidence.find("scratchpad"):
        run = load_run(bench.store, record.spec.id)
        task = run.task.inner if isinstance(run.task, FixedSet) else run.task
        for number, bin_ in enumerate(record.spec.bins):
            instances = min(SCORED, record.spec.evaluation.instances)
            batch = test_set(run.task, record.spec.seed, bin_, number, instances)
            made = written(run.model, run.task, batch)
            gold = [row[:size] for row, size in zip(batch.tokens, batch.size, strict=True)]
            scored = [
                task.score(task.string(mine), task.string(right.tolist()))  # pyright: ignore
                for mine, right in zip(made, gold, strict=True)
            ]
            parts = sorted({part for one in scored for part in one})
            rows.append(
                {
                    "task": record.asked,
                    "encoding": name_of(record.encoding),
                    "seed": record.spec.seed,
                    "lengths": list(bin_),
                    "whole": round(float(correct_rows(run.model, batch).mean()), 4),
                    "parts": {p: round(fmean(one.get(p, 0.0) for one in scored), 4) for p in parts},
                }
            )
    return rows


def perplexity(bench: Bench) -> list[dict[str, Any]]:
    """Measure the language models at contexts from half to three times the trained one."""

    rows: list[dict[str, Any]] = []
    for record in bench.evidence.find("text"):
        trained = record.spec.training.length[1]
        contexts = [round(trained * s) for s in (0.5, 0.75, 1, 1.2, 1.4, 1.6, 2, 2.5)]
        run = load_run(bench.store, record.spec.id)
        found = perplexity_by_context(run.model, run.task, contexts, scored=max(4, trained // 4))
        rows.append(
            {
                "encoding": name_of(record.encoding),
                "seed": record.spec.seed,
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

    return [
        {**asdict(row), "encoding": NAMES[row.encoding]}
        for row in cost_by_length(tuple(NAMES), lengths, rounds=rounds)
    ]


def theorems(bench: Bench) -> list[dict[str, Any]]:
    """Build Theorems 1 and 2 as weights and measure how exactly they hold."""

    return [asdict(verify(position_decoder(positions))) for positions in (8, 64, 512)]
