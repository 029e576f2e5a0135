"""The blind suite: drawn by its rule, decided as it says, unlike anything that was tuned on."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.bench.fit_problems import DEVELOPMENT
from lengthwise.core.errors import InputError
from lengthwise.languages.dfa import DFA
from lengthwise.runs.experiment import check
from lengthwise.studies import blind
from lengthwise.studies.blind import FILE, STUDY, board, cells, suite
from lengthwise.studies.blind.draw import KINDS, canonical, certificate_digests, commonest
from lengthwise.studies.climbing import ClimbingStudy, digest
from lengthwise.studies.evidence import StudyEvidence, StudyRun
from lengthwise.tasks import load_task
from lengthwise.tasks.formal.lengths import LANGUAGES
from lengthwise.theory.decide.decision import decide
from tests.studies.synthetic import record

TASKS = [language["task"] for language in suite()]


def language(task: str) -> DFA:
    found = load_task(task).language
    assert isinstance(found, DFA)
    return found.minimise()


def test_it_is_balanced_over_classes_and_sources_from_its_first_languages_on():
    assert len(TASKS) == 42 == len({canonical(language(task)) for task in TASKS})
    for many in (6, 12, 42):
        kinds = Counter((one["kind"], one["source"]) for one in suite()[:many])
        assert set(kinds.values()) == {many // 6}
    assert set(KINDS.values()) == {one["kind"] for one in suite()}


def test_none_of_its_languages_is_in_a_study_or_was_searched_on():
    tuned = [task for part in DEVELOPMENT.values() for task, _ in part]
    regular = [task for task in tuned if load_task(task).language is not None]
    known = {canonical(language(task)) for task in (*LANGUAGES, *regular)}
    assert not [task for task in TASKS if canonical(language(task)) in known]


@pytest.mark.parametrize("number", range(0, 42, 5))
def test_predictions_are_what_the_decision_says_now(number):
    one = suite()[number]
    dfa = language(one["task"])
    answer = decide(dfa, "predict")
    assert KINDS[answer.plain.answer, answer.periodic_local.answer] == one["kind"]
    assert certificate_digests(dfa) == one["certificates"]
    said = {name: one["predicted"][name]["answer"] for name in ("nope", "ape")}
    wanted = {"in": ("yes", "yes"), "only with positions": ("no", "yes"), "out": ("no", "no")}
    assert tuple(said.values()) == wanted[one["kind"]]


@pytest.mark.slow
@pytest.mark.parametrize("one", suite(), ids=TASKS)
def test_every_certificate_is_the_one_that_was_kept(one):
    assert certificate_digests(language(one["task"])) == one["certificates"]
    assert commonest(one["task"], 48) <= 0.95


def test_a_changed_suite_is_refused(monkeypatch):
    assert digest(suite()) == FILE.settings["suite"]
    changed = FILE.model_copy(update={"settings": {**FILE.settings, "suite": "other"}})
    monkeypatch.setattr(blind, "FILE", changed)
    suite.cache_clear()
    with pytest.raises(InputError, match="not what was frozen"):
        suite()
    monkeypatch.undo()
    suite.cache_clear()


@pytest.mark.parametrize("size", ["smoke", "laptop"])
def test_every_cell_can_be_trained(size):
    for one in cells(size):
        check(one.ladder(0)[0])


def test_other_recipes_than_the_frozen_ones_are_refused():
    changed = FILE.model_copy(update={"recipes": "other"})
    with pytest.raises(InputError, match="a new edition of the study is needed"):
        ClimbingStudy(changed, cells).plan("laptop", StudyEvidence("laptop"))


def made(far, near=lambda kind, seed: 1.0, many=42, rung=-1) -> StudyEvidence:
    """Runs of every cell; ``far`` is asked for the class, the encoding and the seed."""
    kinds = {one["task"]: one["kind"] for one in suite()[:many]}
    records: list[StudyRun] = []
    for one in cells("laptop"):
        if one.task in kinds:
            for seed in range(one.seeds):
                kind = kinds[one.task]
                value = far(kind, one.encoding, seed)
                ladder = one.ladder(seed)
                reached = record(one.group, ladder[rung], near(kind, seed), value, value)
                records.append(replace(reached, rung=ladder.index(ladder[rung])))
    return StudyEvidence("laptop", tuple(records))


def as_predicted(kind: str, encoding: str, seed: int) -> float:
    return 0.9 if kind == "in" or (kind, encoding) == ("only with positions", "ape") else 0.1


def statuses(evidence: StudyEvidence) -> dict[str, str]:
    return {claim.name: claim.check(evidence).status for claim in STUDY.claims}


def test_claims_can_hold_fail_and_be_left_open():
    assert set(statuses(made(as_predicted)).values()) == {"held"}
    assert set(statuses(made(lambda *a: 1 - as_predicted(*a))).values()) == {"not held"}
    assert set(statuses(StudyEvidence("laptop")).values()) == {"not run"}
    unfitted = made(as_predicted, near=lambda kind, seed: 0.9)
    assert set(statuses(unfitted).values()) == {"inconclusive"}
    part = made(as_predicted, many=12)
    assert set(statuses(part).values()) == {"inconclusive"}
    assert board(part).sentence == "24 of 24 fitted cells agree (100%)"


def test_a_cell_whose_seeds_still_climb_is_not_shown():
    assert not board(made(as_predicted, near=lambda kind, seed: 0.9, rung=0)).cells
    assert len(board(made(as_predicted, rung=0)).cells) == 84


def test_mixed_cells_count_against_and_unfitted_ones_do_not():
    def mixed(kind: str, encoding: str, seed: int) -> float:
        return float(seed % 2) if kind == "out" else as_predicted(kind, encoding, seed)

    found = statuses(made(mixed))
    assert found["agreement"] == found["out-nope"] == "not held"
    assert found["in-nope"] == "held"
    half = made(as_predicted, near=lambda kind, seed: 0.5 if kind == "out" else 1.0)
    assert statuses(half)["agreement"] == "held"
    assert board(half).sentence == "56 of 56 fitted cells agree (100%); 28 of 84 not fitted"


def test_words_have_long_stretches_of_few_letters():
    """In uniform words of four letters a stretch without one of them is hardly ever this long."""
    task = next(task for task in TASKS if "SP" in task)
    plain = task.replace(";words=segments", "")
    longest = []
    for name in (task, plain):
        batch = load_task(name).draw(np.random.default_rng(0), 48, 48, 300)
        words = batch.tokens[:, 1:49]
        letters = [len(np.unique(word)) for word in words]
        longest.append(np.mean([count <= 2 for count in letters]))
    assert longest[0] > longest[1] + 0.05
