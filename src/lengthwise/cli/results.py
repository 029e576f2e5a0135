"""How results of training look in the terminal."""

from collections.abc import Sequence
from typing import Any

from lengthwise.cli.console import console, print_table
from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.records.result import RunResult
from lengthwise.report.curves import Curve, curves
from lengthwise.report.terminal import draw


def print_results(results: Sequence[RunResult]) -> None:
    """Print one table and one plot per task."""
    drawn = curves(results)
    for task in dict.fromkeys(curve.task for curve in drawn):
        members = [curve for curve in drawn if curve.task == task]
        print_table([_row(curve) for curve in members], title=f"\n{task}: exact match by length")
        console().print(draw(members), markup=False, highlight=False)


def _row(curve: Curve) -> dict[str, Any]:
    cells = {
        f"{bin_.name}{' (trained)' if number == 0 else ''}": _percent(bin_)
        for number, bin_ in enumerate(curve.bins)
    }
    return {"encoding": curve.encoding, "seeds": curve.seeds, **cells}


def _percent(bin_: AccuracyByLength) -> str:
    low, high = bin_.interval
    return f"{bin_.accuracy:6.1%}  {low:.1%}-{high:.1%}"


def results_json(results: Sequence[RunResult]) -> list[dict[str, Any]]:
    """Return results as plain data, with the accuracy of every bin spelled out."""
    return [
        {
            "id": result.spec.id,
            "task": str(result.spec.task),
            "position": str(result.spec.position),
            "seed": result.spec.seed,
            "steps": result.steps,
            "stopped": result.stopped,
            "seconds": round(result.seconds, 3),
            "bins": [
                {
                    "low": b.low,
                    "high": b.high,
                    "accuracy": b.accuracy,
                    "interval": b.interval,
                    "instances": b.counts[1],
                }
                for b in result.bins
            ],
        }
        for result in results
    ]
