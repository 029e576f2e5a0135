"""Folders of automata: decided in parallel, kept, taken up again, counted by class."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.languages.formats import to_json
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide import folder as folders
from lengthwise.theory.decide.check_certificate import Refused
from lengthwise.theory.decide.folder import FileDecision, by_family, decide_apart, decide_file

DOCS = Path(__file__).parents[3] / "docs" / "theory"


@pytest.fixture
def automata(tmp_path):
    """A folder with a file of each kind: in, in with a window, outside, and one that is broken."""
    folder = tmp_path / "automata"
    (folder / "mine").mkdir(parents=True)
    (folder / "02.02.SP.1.1.0.att").write_text("0 0 a\n0 1 b\n1 1 b\n0\n1\n")
    (folder / "02.02.SL.2.1.0.att").write_text("0 0 a\n0 1 b\n1 0 a\n0\n1\n")
    (folder / "mine" / "parity.json").write_text(to_json(compile_regex("(b*ab*a)*b*")))
    (folder / "mine" / "broken.json").write_text("{")
    return folder


def test_answers_are_counted_by_class(automata):
    found = lw.decide(suite=str(automata), accept="end", jobs=1)
    rows = {row["class"]: row for row in by_family(found.rows)}
    assert rows["SP"]["plain"] == 1
    assert (rows["SL"]["periodic or local"], rows["SL"]["window"]) == (1, "1")
    assert (rows["mine"]["outside"], rows["mine"]["undecided"]) == (1, 1)
    assert [row.checked for row in found.rows] == [2, 2, 0, 2]
    broken = next(row for row in found.rows if "broken" in row.name)
    assert "not JSON" in broken.problem
    assert any("broken" in part for part in map(str, found.parts()))


def test_processes_agree_with_one(automata):
    one = lw.decide(suite=str(automata), accept="last", jobs=1)
    two = lw.decide(suite=str(automata), accept="last", jobs=2)
    assert [(r.name, r.plain, r.periodic_local) for r in one.rows] == [
        (r.name, r.plain, r.periodic_local) for r in two.rows
    ]


def test_a_file_that_ends_its_process_is_the_only_one_without_an_answer(automata):
    row = decide_apart(automata, "02.02.SP.1.1.0.att", "end", Limits(memory=1 << 20))
    assert (row.where, row.checked, row.family) == ("undecided", 0, "SP")
    assert row.problem.startswith("its process ended")
    assert decide_apart(automata, "02.02.SP.1.1.0.att", "end", Limits()).checked == 2


def test_what_is_kept_is_not_decided_again(automata, tmp_path, monkeypatch):
    kept = tmp_path / "kept.jsonl"
    lw.decide(suite=str(automata), accept="end", jobs=1, kept=kept)
    assert len(kept.read_text().splitlines()) == 4
    kept.write_text(kept.read_text() + '{"name": "cut o')
    decided = []
    real = folders.decide_file
    monkeypatch.setattr(
        folders,
        "decide_file",
        lambda where, name, *rest: decided.append(name) or real(where, name, *rest),
    )
    (automata / "02.02.SL.2.1.0.att").write_text("0 0 a\n0 1 b\n1 0 b\n0\n1\n")  # another language
    found = lw.decide(suite=str(automata), accept="end", jobs=1, kept=kept)
    assert decided == ["02.02.SL.2.1.0.att", "mine/broken.json"]
    assert len(found.rows) == 4
    decided.clear()
    lw.decide(suite=str(automata), accept="last", jobs=1, kept=kept)
    assert len(decided) == 4  # another convention


def test_a_refused_certificate_is_a_failure(automata, monkeypatch):
    def refuse(value):
        raise Refused("nothing is believed.")

    monkeypatch.setattr(folders, "check_certificate", refuse)
    row = decide_file(automata, "02.02.SP.1.1.0.att", "end", Limits())
    assert row.checked == 0
    assert "refused: nothing is believed" in row.problem
    assert lw.decide(suite=str(automata), accept="end", jobs=1).failed()


def test_options_of_folders_are_for_folders(automata, tmp_path):
    with pytest.raises(InputError, match="--kept and --jobs are for"):
        lw.decide("(ab)*", jobs=2)
    with pytest.raises(InputError, match="stands alone"):
        lw.decide("(ab)*", suite=str(automata))
    with pytest.raises(InputError, match=r"must end in \.jsonl"):
        lw.decide(suite=str(automata), kept=tmp_path / "x.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no automata"):
        lw.decide(suite=str(tmp_path / "empty"))


def test_the_picture_is_drawn(automata, tmp_path):
    lw.decide(suite=str(automata), accept="end", jobs=1).plot(tmp_path / "classes.svg")
    assert "<svg" in (tmp_path / "classes.svg").read_text()


def rows_of_the_page():
    rows = []
    for line in (DOCS / "mlregtest.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and cells[2].isdigit():
            rows.append((cells[0], *map(int, cells[2:6]), cells[6] or None))
    return rows


def test_the_page_says_what_the_kept_table_says():
    with (DOCS / "mlregtest.tsv").open() as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    assert len(table) == 1_470
    rows = [
        FileDecision(
            f"{row['automaton']}.att", "", "end", folders.family_of(f"{row['automaton']}.att"),
            int(row["states"]), 0, row["plain"], row["periodic_local"],
            int(row["modulus"] or 1), int(row["window"] or 0), "", 2, 0.0,
        )
        for row in table
    ]  # fmt: skip
    assert rows_of_the_page() == [
        (r["class"], r["languages"], r["plain"], r["periodic or local"], r["outside"], r["window"])
        for r in by_family(rows)
    ]
    local = [row for row in rows if row.where == "periodic or local"]
    factors = {(int(row.name.split(".")[3]), row.window) for row in local}
    assert factors == {(2, 1), (4, 3), (6, 5)}
    assert {row.modulus for row in local} == {1}
    assert Counter(row.where for row in rows if row.family.startswith("T")) == {"outside": 750}
    page = (DOCS / "mlregtest.md").read_text()
    assert re.search(r"all 750", page)
    assert json.dumps(len(local)) in page
