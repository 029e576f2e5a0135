"""The first sentences of a page say what came out, and nothing that was not measured."""

from dataclasses import replace

from lengthwise.records.accuracy import AccuracyByLength
from lengthwise.report.curves import pool_runs
from lengthwise.report.guessing import with_chance
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
        "All three predictions were right. Majority carries to three times the training length "
        "with both encodings. Parity falls to 50% with ape at lengths 21\N{EN DASH}30."
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
    assert "Parity falls to 50% with ape" in text
    assert "Parity was not learned with nope" in text


def test_without_predictions_and_with_many_tasks_counts_are_said():
    assert told(run("a", "nope", 1, 1, 1)).startswith(
        "A carries to three times the training length"
    )
    many = [run(f"t{k}", "nope", 1, 1, k % 2) for k in range(6)]
    assert told(*many) == (
        "3 of 6 curves stay above 70% at the longest lengths. Of the others 3 fall."
    )


def test_chance_is_said_only_where_the_runs_show_it():
    answers = {"parity": {"nope": {"answer": "no"}, "ape": {"answer": "no"}}}
    low = [run("parity", name, 1, 0.7, share) for name, share in (("nope", 0.48), ("ape", 0.43))]
    text = lead(with_chance(pool_runs(low)), answers)
    assert "Parity falls to chance with both encodings (48% with nope and 43% with ape" in text
    text = lead(with_chance(pool_runs([run("parity", "nope", 1, 0.8, 0.68)])), answers)
    assert "falls to 68% with nope at lengths 21\N{EN DASH}30, where guessing gives 5" in text
    two = [replace(run("parity", "nope", 1, 0.8, 0.4 + 0.2 * seed), seed=seed) for seed in (0, 1)]
    assert "to chance" not in lead(with_chance(pool_runs(two)), answers)  # says nothing either way


def test_seeds_that_differ_are_not_pooled_into_an_answer():
    two = [replace(run("a", "nope", 1, 1, share), seed=seed) for seed, share in enumerate((1, 0))]
    text = told(*two, a={"nope": "yes"})
    assert "carries with some seeds and falls with others" in text
    assert "right; not for a with nope" in text


def test_some_right_and_the_others_inconclusive():
    text = told(
        run("a", "nope", 1, 1, 1), run("b", "nope", 0.5, 0, 0), a={"nope": "yes"}, b={"nope": "no"}
    )
    assert text.startswith("One of one predictions was right. One inconclusive: ")
