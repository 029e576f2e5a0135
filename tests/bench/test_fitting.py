"""How soon models fit: measured once, counted honestly, judged by fit and agreement alone."""

import json
import os
from itertools import permutations, product

import pytest

from lengthwise.bench import fit_group, fit_search
from lengthwise.bench.fit_cells import FitCell, measure_cell
from lengthwise.bench.fit_group import FitJob, fit_jobs, measure_all, read_cells, recipe_name
from lengthwise.bench.fit_problems import (
    DEVELOPMENT,
    FIRST_DEVELOPMENT_SEED,
    FitProblem,
    development_problems,
    study_problems,
)
from lengthwise.bench.fit_search import candidates, ranked, search
from lengthwise.bench.fit_table import fit_rows, fit_table, merit
from lengthwise.cli.main import main
from lengthwise.core.errors import InputError
from lengthwise.records.recipes import Rung
from lengthwise.tasks import load_task

SMALL = {"layers": 1, "heads": 1, "width": 8}
QUICK = Rung(model=SMALL, training={"steps": 60, "learning_rate": 0.02, "batch": 16, "settle": 1.0})
NEVER = Rung(model=SMALL, training={"steps": 2, "batch": 2, "settle": 1.0})


def problem(task="tomita-2", **fields):
    lengths = {"trained": (1, 6), "tests": ((7, 12), (13, 18))}
    return FitProblem(study="here", task=task, encoding="nope", **{**lengths, **fields})


def cell(recipe="ours", seed=0, task="t", **fields):
    plain = {"fitted": True, "fit_seconds": 2.0, "fit_steps": 20, "seconds": 5.0, "steps": 60}
    plain |= {"study": "s", "encoding": "nope", "rung": 0, "accuracies": (1.0, 0.9, 0.5)}
    return FitCell(recipe=recipe, seed=seed, task=task, **{**plain, **fields})


@pytest.fixture(autouse=True)
def _settles_soon(monkeypatch):
    monkeypatch.setattr("lengthwise.records.spec.SETTLE_LEAST", 10)


def test_a_cell_goes_through_the_rungs_until_one_fits():
    found = measure_cell(problem(), "r", (NEVER, QUICK), seed=1)
    assert found.fitted
    assert found.rung == 1
    assert found.fit_steps > 2  # the first rung's are counted
    assert 0 < found.fit_seconds < found.seconds
    assert found.steps > found.fit_steps
    assert found.accuracies[0] >= 0.99
    assert len(found.accuracies) == 3


def test_a_cell_that_does_not_fit_counts_with_the_cap():
    found = measure_cell(problem("parity"), "r", (NEVER, NEVER), seed=1, cap=50.0)
    assert not found.fitted
    assert found.fit_seconds == 50.0
    assert (found.steps, found.rung) == (4, 1)


def test_the_cap_ends_a_cell():
    endless = Rung(model=SMALL, training={"steps": 10**9, "learning_rate": 1e-9})
    found = measure_cell(problem("parity"), "r", (endless, endless), seed=1, cap=0.2)
    assert (found.fitted, found.fit_seconds, found.rung) == (False, 0.2, 0)


def test_what_is_in_the_file_is_not_measured_again(tmp_path, monkeypatch):
    path = tmp_path / "cells.jsonl"
    jobs = [
        FitJob(problem=problem(), recipe=name, rungs=(NEVER,), seed=seed)
        for name in "ab"
        for seed in (0, 1)
    ]
    first = measure_all(jobs[:2], path, processes=1)
    with path.open("a") as file:
        file.write('{"study": "cut sh')
    told = []
    every = measure_all(jobs, path, processes=2, told=told.append)
    assert [c.key for c in every] == [job.key for job in jobs]
    assert every[:2] == first
    assert {c.recipe for c in told} == {"b"}
    assert sorted(c.key for c in read_cells(path)) == sorted(job.key for job in jobs)
    assert measure_all(jobs, path, processes=1, hours=1e-9) == every
    monkeypatch.setattr(fit_group, "_measured", lambda left, *how: iter([]))
    assert measure_all(jobs, tmp_path / "other.jsonl", processes=1, hours=1e-9) == []


class _Dies(FitProblem):
    def spec(self, rung, seed):
        os._exit(9)


def test_a_process_that_is_killed_is_one_line_and_loses_nothing(tmp_path):
    path = tmp_path / "cells.jsonl"
    good = FitJob(problem=problem(), recipe="r", rungs=(NEVER,), seed=0)
    fields = {name: getattr(problem(), name) for name in ("study", "task", "encoding")}
    dying = _Dies(trained=(1, 6), tests=((7, 12),), **{**fields, "task": "parity"})
    bad = FitJob(problem=dying, recipe="r", rungs=(NEVER,), seed=0)
    with pytest.raises(InputError, match="the same command goes on"):
        measure_all([good, bad], path, processes=1)
    assert [c.task for c in read_cells(path)] == ["tomita-2"]


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text('{"mine": 1}\n{"mine": 2}\n')
    with pytest.raises(InputError, match=r"line 1 is not a cell"):
        read_cells(path)


def test_jobs_cover_every_recipe_of_every_problem():
    jobs = fit_jobs(["parity"], seeds=2)
    assert {job.problem.encoding for job in jobs} == {"ape", "nope"}
    assert {job.recipe for job in jobs} == {recipe_name(), "today"}
    assert len({job.key for job in jobs}) == len(jobs) == 8
    assert {job.recipe for job in fit_jobs(["aa-star"], 1)} == {recipe_name(), "today", "published"}
    with pytest.raises(InputError, match="Did you mean 'parity'"):
        fit_jobs(["paritty"], 1)


def test_the_problems_are_those_of_the_studies():
    problems = study_problems()
    assert len(problems) == 50 + 16 + 12
    assert len({(p.study, p.name) for p in problems}) == len(problems)
    for one in problems:
        for rung in one.today:
            one.spec(rung, 0)  # every one can be built


def test_no_study_uses_a_development_problem():
    studied = {(p.task, p.trained) for p in study_problems()}
    for rung, encoding in product(DEVELOPMENT, ("ape", "nope")):
        for one in development_problems(rung, encoding):
            assert (one.task, one.trained) not in studied
            assert one.first_seed == FIRST_DEVELOPMENT_SEED
            for candidate in candidates(rung, encoding).values():
                one.spec(candidate, one.first_seed)


def shape(dfa):
    """Return a minimal automaton up to the names of its letters."""
    found = []
    for order in permutations(range(dfa.symbols)):
        numbers, queue = {dfa.initial: 0}, [dfa.initial]
        rows = []
        for state in queue:
            for letter in order:
                target = int(dfa.transitions[state, letter])
                if target not in numbers:
                    numbers[target] = len(numbers)
                    queue.append(target)
                rows.append(numbers[target])
        found.append((tuple(rows), tuple(bool(dfa.accepting[state]) for state in queue)))
    return min(found)


def test_no_study_has_a_language_of_the_development_set_under_another_name():
    automata = {
        kind: {shape(task.language.minimise()) for task in tasks if task.language is not None}
        for kind, tasks in {
            "studied": [load_task(p.task) for p in study_problems() if p.encoding == "ape"],
            "development": [load_task(t) for part in DEVELOPMENT.values() for t, _ in part],
        }.items()
    }
    assert len(automata["studied"]) == 18
    assert not automata["studied"] & automata["development"]


def test_merit_is_over_seeds():
    cells = [cell(seed=n, accuracies=(1.0, 1.0, a)) for n, a in enumerate((0.2, 0.4, 0.6))]
    found = merit([*cells, cell(seed=3, fitted=False, fit_seconds=10.0, accuracies=(0.5, 0, 0.4))])
    assert (found.fitted, found.seeds) == (3, 4)
    assert found.fit_seconds == 4.0
    assert found.furthest == pytest.approx(0.4)
    assert found.spread == pytest.approx(0.141421, abs=1e-6)


def test_recipes_are_compared_where_both_were_measured():
    cells = [
        *(cell("ours", seed, "a", fit_seconds=1.0) for seed in (0, 1)),
        *(cell("today", seed, "a", fit_seconds=16.0) for seed in (0, 1)),
        *(cell("ours", seed, "b", fit_seconds=2.0) for seed in (0, 1)),
        *(cell("today", seed, "b", fit_seconds=2.0) for seed in (0, 1)),
        cell("ours", 0, "only ours"),
    ]
    both, slow, *_ = fit_rows(cells, "ours", "today")
    assert both.ratio == pytest.approx(4.0)
    assert (both.low, both.high) == (1.0, 16.0)
    assert slow.ratio == pytest.approx(16.0)
    assert "(1)" in slow.name
    lines = fit_table(cells, "ours")
    assert [line["ratio"] for line in lines] == ["1x", "16x", "1x", "1x", "1x"]


def test_candidates_are_ranked_by_fit_time_and_agreement(monkeypatch):
    left = {"good": QUICK, "slow": NEVER, "torn": Rung()}
    monkeypatch.setattr(fit_search, "labelled", lambda name, rung: name)
    cells = []
    for seed in (0, 1):
        cells.append(cell("good", seed, fit_seconds=1.0, accuracies=(1, 0.0, 0.0)))
        cells.append(cell("slow", seed, fit_seconds=9.0, fitted=bool(seed)))
        cells.append(cell("torn", seed, fit_seconds=1.5, accuracies=(1, seed, seed)))
    order = [one.name for one in ranked(left, cells)]
    assert order[0] == "good"  # it agrees with itself; that it fails further out is not asked
    assert ranked(left, cells)[order.index("torn")].spread == 0.5


def test_a_search_halves_round_by_round(monkeypatch, tmp_path):
    seen = []

    def measured(jobs, processes, end):
        for job in jobs:
            seen.append(job)
            seconds = 1.0 + len(job.recipe)
            yield cell(job.recipe, job.seed, job.problem.task, encoding="nope", fit_seconds=seconds)

    monkeypatch.setattr(fit_group, "_measured", measured)
    monkeypatch.setattr(fit_search, "ROUNDS", {"first": ((1, 2), (2, 2))})
    names = ("a", "bb", "ccc")
    monkeypatch.setattr(fit_search, "candidates", lambda *which: dict.fromkeys(names, QUICK))
    first, second = search("first", "nope", tmp_path / "cells.jsonl", processes=1)
    assert [one.name for one in first] == ["a", "bb", "ccc"]
    assert [one.name for one in second] == ["a", "bb"]
    assert len(seen) == 3 * 2 + 2 * 2  # what the first round measured is not measured again
    assert all(job.seed >= FIRST_DEVELOPMENT_SEED for job in seen)


def test_the_command(tmp_path, monkeypatch, capsys):
    path = tmp_path / "cells.jsonl"
    kept = [
        cell(job.recipe, job.seed, job.problem.task, encoding=job.problem.encoding)
        for job in fit_jobs(["parity"], 2)
    ]
    path.write_text("".join(json.dumps(c.model_dump(mode="json")) + "\n" for c in kept))
    words = ["dev", "bench", "--group", "fitting", "--results", str(path), "--problem", "parity"]
    with pytest.raises(SystemExit) as end:
        main([*words, "--seeds", "2", "--json", "--save", str(tmp_path / "rows.json")])
    assert end.value.code in (0, None)
    found = json.loads(capsys.readouterr().out)
    assert [row["fitted"] for row in found["problems"]] == ["2 of 2"] * 4
    assert found["rows"][0]["ratio"] == 1.0
    assert json.loads((tmp_path / "rows.json").read_text())["groups"]["fitting"]["rows"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--group fitting", "name a file with --results"),
        ("--group fitting --group runs --results x", "is measured alone"),
        ("--group runs --results x", "are for --group fitting"),
        ("--group fitting --results x --problem paritty", "Did you mean 'parity'"),
        ("--group fitting --results x --hours 0", "hours"),
    ],
)
def test_mistakes(words, said, capsys):
    with pytest.raises(SystemExit) as end:
        main(["dev", "bench", *words.split()])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
