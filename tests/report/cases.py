"""Small results that many tests of the report look at."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.result import Evaluation, RunResult
from lengthwise.records.spec import RunSpec
from lengthwise.report.measured import Measured, from_result

EVIL = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>"


def result(
    position: str = "nope", seed: int = 0, correct: int = 5, task: str = "parity", **fields: Any
) -> RunResult:
    spec = RunSpec.create(
        task=task,
        position=position,
        seed=seed,
        **{"training": {"length": (1, 3)}, "evaluation": {"lengths": ((4, 6),)}} | fields,
    )
    bins = (
        AccuracyByLength(low=1, high=3, correct={1: 10, 2: 10, 3: 10}, total={1: 10, 2: 10, 3: 10}),
        AccuracyByLength(low=4, high=6, correct={4: correct, 6: 0}, total={4: 10, 6: 10}),
    )
    history = (Evaluation(step=9, loss=0.5, bins=bins),)
    return RunResult(
        spec=spec, steps=9, stopped="x", bins=bins, history=history, seconds=1.0, environment={}
    )


def runs() -> list[Measured]:
    """Two tasks, two encodings, and two seeds of one of them."""
    return [
        from_result(one)
        for one in (
            result(seed=0, correct=9),
            result(seed=1, correct=7),
            result("rope", correct=2),
            result("rope", correct=3, task="sort"),
        )
    ]


def write_store(root: Path, *results: RunResult) -> Path:
    """Write finished runs as the store keeps them."""
    for one in results:
        folder = root / one.spec.id
        folder.mkdir(parents=True)
        (folder / "spec.json").write_text(one.spec.model_dump_json())
        (folder / "result.json").write_text(one.model_dump_json(exclude={"spec"}))
    return root


def study(**changes: Any) -> dict[str, Any]:
    """A study's file with everything in it."""
    cells = [
        {
            "group": "main",
            "task": task,
            "encoding": encoding,
            "model": "2/2/64",
            "seed": 0,
            "trained": [1, 3],
            "command": "lengthwise train something",
            "bins": [
                {"low": 1, "high": 3, "correct": {"1": 10, "3": 9}, "total": {"1": 10, "3": 10}},
                {"low": 4, "high": 6, "correct": {"4": right, "6": 1}, "total": {"4": 9, "6": 9}},
            ],
        }
        for task, encoding, right in (("parity", "nope", 2), ("parity", "ape", 8))
    ]
    return {
        "format": "lengthwise-study",
        "study": "someone2025",
        "title": "Someone (2025)",
        "size": "smoke",
        "machine": {"cores": 2},
        "seconds": 61,
        "command": "lengthwise reproduce someone2025 --size smoke",
        "claims": [
            {
                "id": "c1",
                "sentence": "it works",
                "paper": "90%",
                "ours": "91%",
                "status": "held",
                "section": "4.1",
                "interval": [0.8, 0.95],
                "reason": "",
            },
            {
                "id": "c2",
                "sentence": "it fails",
                "paper": "0%",
                "ours": "-",
                "status": "inconclusive",
                "section": "4.2",
                "interval": None,
                "reason": "too small",
            },
        ],
        "runs": cells,
        "tables": [
            {
                "title": "Numbers",
                "columns": ["name", "value"],
                "note": "a note",
                "rows": [["b", 10], ["a", 9.5], ["c", None]],
            },
        ],
        "figures": [
            {
                "title": "Lines",
                "kind": "line",
                "x": "length",
                "y": "accuracy",
                "series": "pe",
                "data": [
                    {"length": n, "accuracy": a, "pe": p, "low": a - 0.1, "high": a + 0.1}
                    for p, a in (("nope", 0.5), ("ape", 0.8))
                    for n in (1, 2, 4)
                ],
            },
            {
                "title": "Heat",
                "kind": "heatmap",
                "x": "width",
                "y": "depth",
                "data": [{"width": w, "depth": d, "value": w * d} for w in (1, 2) for d in (1, 2)],
            },
            {
                "title": "Bars",
                "kind": "bars",
                "x": "task",
                "y": "accuracy",
                "data": [{"task": "parity", "accuracy": 0.4}, {"task": "sort", "accuracy": 0.9}],
            },
        ],
    } | changes


def write_study(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(study(**changes)))
    return path


def board(**changes: Any) -> dict[str, Any]:
    """A scoreboard's file: one prediction that held, one that did not."""
    cells = [
        {
            "subject": "parity",
            "encoding": pe,
            "predicted": said,
            "strength": "conjecture",
            "fragment": None,
            "depth": None,
            "accuracy": [1.0, 0.9, right],
            "reach": 2.0,
            "outcome": "holds" if right >= 0.7 else "fails",
            "seeds": [right],
            "source": "huang2024",
            "margin": abs(right - 0.7),
            "agrees": (said == "yes") == (right >= 0.7),
        }
        for pe, said, right in (("nope", "no", 0.2), ("ape", "yes", 0.5))
    ]
    confusion = [{"encoding": "nope", "yes, holds": 0, "precision": 0.5, "recall": None}]
    return {
        "format": "lengthwise-scoreboard",
        "version": 2,
        "suite": "small",
        "size": "smoke",
        "line": 0.7,
        "agreement": 0.5,
        "confusion": confusion,
        "cells": cells,
    } | changes


def positional_products() -> Any:
    """What positions alone do in an untrained model."""
    from lengthwise.models.config import ModelConfig
    from lengthwise.models.decoder import Decoder
    from lengthwise.positions.learned import LearnedAbsolute
    from lengthwise.theory.limit.logits_inside import PlacedRows
    from lengthwise.theory.limit.readout import read_positions

    model = Decoder(ModelConfig(width=8), 5, LearnedAbsolute(), context=8)
    rows = PlacedRows(torch.zeros(4, 5, dtype=torch.long), torch.arange(4))
    return read_positions(model, [rows], "a run")


def learned_relation() -> Any:
    """A relation of three values, compared with another at the trained lengths."""
    from lengthwise.analysis.relation_tables import Comparison, Readout
    from lengthwise.analysis.run_relation import RunRelation

    readout = Readout(np.random.default_rng(0).random((4, 4, 3)))
    compared = Comparison(3, 2, False, True, 0.75)
    return RunRelation("a run", readout, [2, 3], "ideal", compared, None)
