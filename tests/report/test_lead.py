"""The first sentences of a page say what came out, and nothing that was not measured."""

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.report.curves import pool_runs
from lengthwise.report.lead import lead
from lengthwise.report.measured import Measured


def run(task, encoding, *accuracies):
    ranges = [(1, 10), (11, 20), (21, 30)]
    bins = tuple(
        AccuracyByLength(low=low, high=high, correct={low: round(100 * a)}, total={low: 100})
        for (low, high), a in zip(ranges, accuracies, strict=True)
    )
    return Measured(task, encoding, (1, 10), bins, 0)


def told(*runs, **answers):
    found = {
        task: {name: {"answer": answer} for name, answer in by.items()}
        for task, by in answers.items()
    }
    return lead(pool_runs(runs), found)


def test_all_right():
    text = told(
        run("majority", "nope", 1, 1, 1),
        run("majority", "ape", 1, 1, 0.9),
        run("parity", "ape", 1, 0.7, 0.5),
        majority={"nope": "yes", "ape": "yes"},
        parity={"ape": "no"},
    )
    assert text == (
        "All three predictions were right. majority carries to length 30, 3 times the training "
        "length, with nope and ape. parity falls to 50% with ape at lengths 21-30."
    )


def test_wrong_ones_are_named_and_unfitted_ones_confirm_nothing():
    text = told(
        run("majority", "nope", 1, 1, 0.4),
        run("parity", "nope", 0.6, 0.5, 0.5),
        run("parity", "ape", 1, 0.7, 0.5),
        majority={"nope": "yes"},
        parity={"nope": "no", "ape": "no"},
    )
    assert text.startswith("One of two predictions was right; not for majority with nope. One ")
    assert "inconclusive: the models did not fit" in text
    assert "parity falls to 50% with ape" in text


def test_without_predictions_and_with_many_tasks_counts_are_said():
    assert told(run("a", "nope", 1, 1, 1)).startswith("a carries to length 30")
    many = [run(f"t{k}", "nope", 1, 1, k % 2) for k in range(6)]
    assert told(*many) == ("6 cells at the longest lengths, by the line of 70%: holds 3, fails 3.")
