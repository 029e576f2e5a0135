"""The quick table of runs says what the folders say, however they changed."""

import json
import os
import shutil
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_sealed, write_sealed
from lengthwise.runs.execute import execute
from lengthwise.runs.index import rows, summary
from lengthwise.runs.job import note_failure
from lengthwise.runs.query import TABLES, export, query
from lengthwise.runs.store import Store
from tests.runs.helpers import tiny


def slow_rows(store):
    """The reference: every folder read anew, nothing remembered."""
    return [summary(record) for record in store.records()]


def slow_lengths(store):
    """The reference for a query: counts per run, range and length, read anew."""
    return sorted(
        (record.id, number, length, bin_.correct[length], total)
        for record in store.records()
        for number, bin_ in enumerate(record.bins)
        for length, total in bin_.total.items()
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A store with three finished runs, one that failed and one that has only begun."""
    store = Store(tmp_path_factory.mktemp("finished"))
    for seed in range(3):
        execute(tiny(seed, position="rope:fraction=0.5" if seed else "nope"), store)
    note_failure(store.open(tiny(3)), ValueError("bad luck"))
    store.open(tiny(4))
    return store


@pytest.fixture
def store(finished, tmp_path):
    shutil.copytree(finished.root, tmp_path / "copy")
    return Store(tmp_path / "copy")


CHANGES = {
    "nothing": lambda store, folder: None,
    "unfinished": lambda store, folder: (folder / "result.json").unlink(),
    "gone": lambda store, folder: shutil.rmtree(folder),
    "damaged in place": lambda store, folder: (folder / "result.json").write_text("{ cut"),
    "specification damaged": lambda store, folder: (folder / "spec.json").write_text("["),
    "done again": lambda store, folder: _edit(folder / "result.json", seconds=99.0),
    "older than it was": lambda store, folder: os.utime(folder / "result.json", (1, 1)),
    "from the future": lambda store, folder: os.utime(folder / "spec.json", (9e9, 9e9)),
    "edited with its old time": lambda store, folder: _touch_up(folder / "result.json"),
    "cache lost": lambda store, folder: shutil.rmtree(store.root / ".cache", ignore_errors=True),
    "cache cut": lambda store, folder: _cut(store.root / ".cache"),
    "cache foreign": lambda store, folder: _foreign(store.root / ".cache"),
    "details lost": lambda store, folder: _lose(store.root / ".cache", "details*.jsonl"),
    "notes lost": lambda store, folder: _lose(store.root / ".cache", "details*.json"),
    "details replaced": lambda store, folder: _replace(store.root / ".cache"),
    "new run": lambda store, folder: store.open(tiny(99)),
}


def _edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _touch_up(path):
    """One other digit: size and time of the file stay."""
    known, text = path.stat(), path.read_bytes()
    with path.open("r+b") as file:
        file.write(text.replace(b'"seconds": ', b'"seconds":1'))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert path.stat().st_size == known.st_size


def _cut(cache):
    for path in cache.glob("*"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _lose(cache, names):
    for path in cache.glob(names):
        path.unlink()


def _replace(cache):
    """What is left if the notes of one process meet the lines of another."""
    for path in cache.glob("details*.json"):
        notes, lines = read_sealed(path), path.with_suffix(".jsonl")
        lines.write_text("".join(lines.read_text().splitlines(keepends=True)[:1]))
        write_sealed(path, notes | {"check": zlib.crc32(lines.read_bytes())})


def _foreign(cache):
    for path in cache.glob("*"):
        path.write_text('17\n{"a": 1}\n[1, 2, 3]\n[[0], {"id": "x"}]\n')


@pytest.mark.parametrize("row", [{}, {"task": 5}, {"accuracies": ["x"]}, {"seed": None}, 5, None])
def test_a_remembered_row_of_another_form_is_made_anew(store, row):
    """Also if its stamp and its check fit."""
    expected, path = rows(store), next((store.root / ".cache").glob("runs-*.jsonl"))
    lines = []
    for line in path.read_bytes().splitlines():
        mark, known = json.loads(line[8:])
        wrong = {"id": known["id"]} if row == {} else known | row if isinstance(row, dict) else row
        text = json.dumps([mark, wrong]).encode()
        lines.append(b"%08x%s\n" % (zlib.crc32(text), text))
    assert len(lines) == 3
    path.write_bytes(b"".join(lines))
    assert rows(store) == expected


@settings(max_examples=20)
@example([("edited with its old time", 0)])
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(0, 2)), max_size=5))
def test_the_cache_never_says_anything_else_than_the_folders(finished, tmp_path_factory, changes):
    store = Store(tmp_path_factory.mktemp("changing") / "store")
    shutil.copytree(finished.root, store.root)
    for change, number in [("nothing", 0), *changes]:
        folder = store.folder(tiny(number, position="rope:fraction=0.5" if number else "nope"))
        if folder.exists() and (folder / "result.json").exists():
            CHANGES[change](store, folder)
        assert rows(store) == slow_rows(store)
        lengths = query(store, "select id, bin, length, correct, total from lengths").rows
        assert sorted(lengths) == slow_lengths(store)
        known = query(store, "select id, state, steps, problem from runs").rows
        keys = ("id", "state", "steps", "problem")
        assert sorted(known) == sorted(tuple(row[key] for key in keys) for row in rows(store))


def test_finished_runs_are_not_read_again(store, monkeypatch):
    expected = rows(store)
    read = []
    real = Store.record
    monkeypatch.setattr(Store, "record", lambda s, folder: read.append(folder) or real(s, folder))
    assert rows(store) == expected
    assert len(read) == 2  # the failed and the unfinished one
    assert rows(store, rebuild=True) == expected
    assert len(read) == 7


def test_a_store_that_cannot_be_written_is_listed(store):
    (store.root / ".cache").write_text("a file where the folder should be")
    assert rows(store) == slow_rows(store)
    assert query(store, "select count(*) from runs").rows == ((5,),)


def test_tables_agree_with_the_results(store):
    answer = query(store, "select id, state, seed, position, problem from runs order by seed")
    assert [row["state"] for row in answer.dictionaries()] == ["done"] * 3 + [
        "failed",
        "unfinished",
    ]
    assert answer.rows[3][4] == "ValueError: bad luck"
    (row,) = query(
        store, "select training_steps, model_width, model_tied from runs where seed = 0"
    ).rows
    assert row == (6, 8, True)
    record = store.find(tiny(0).id)
    lengths = query(
        store,
        f"select bin, length, correct, total from lengths where id = '{record.id}' order by all",
    ).rows
    assert lengths == tuple(
        sorted(
            (number, length, bin_.correct[length], total)
            for number, bin_ in enumerate(record.bins)
            for length, total in bin_.total.items()
        )
    )
    history = query(store, f"select distinct step from history where id = '{record.id}' order by 1")
    assert history.rows == ((3,), (6,))
    means = query(
        store, "select bin, sum(correct) / sum(total) from bins group by bin order by bin"
    )
    expected = [[r["accuracies"][b] for r in rows(store) if r["state"] == "done"] for b in range(2)]
    assert [mean for _, mean in means.rows] == pytest.approx([sum(v) / 3 for v in expected])


@pytest.mark.parametrize(
    "sql",
    ["select", "select * from nowhere", "select x from runs", "copy runs to 'stolen.csv'", ""],
)
def test_wrong_and_writing_queries_are_refused(store, sql, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="query: "):
        query(store, sql)
    assert not (tmp_path / "stolen.csv").exists()


def test_exports_are_read_by_others(store, tmp_path):
    import csv

    from pyarrow import parquet

    for table in TABLES:
        export(store, table, tmp_path / f"{table}.parquet", "parquet")
        export(store, table, tmp_path / f"{table}.csv", "csv")
        read = parquet.read_table(tmp_path / f"{table}.parquet")
        with (tmp_path / f"{table}.csv").open() as file:
            assert len(list(csv.DictReader(file))) == read.num_rows > 0
    assert not list(tmp_path.glob(".*.tmp"))
    assert sorted(parquet.read_table(tmp_path / "runs.parquet")["seed"].to_pylist()) == list(
        range(5)
    )
    (tmp_path / "no").touch()
    with pytest.raises(InputError, match="cannot write"):
        export(store, "runs", tmp_path / "no" / "such.csv", "csv")


@pytest.mark.parametrize("name", ["runs-*.jsonl", "details-*.jsonl", "details-*.json"])
def test_a_flipped_bit_in_a_cache_is_never_shown(store, name):
    """Caches are files like others; what is no longer what was written is made anew."""
    sql = "select id, seconds, steps, sum(correct) from runs join lengths using (id) group by all"
    expected, answer = rows(store), sorted(query(store, sql).rows)
    (path,) = (store.root / ".cache").glob(name)
    whole = path.read_bytes()
    for place in range(3, len(whole), 1 + len(whole) // 25):
        data = bytearray(whole)
        data[place] ^= 1
        path.write_bytes(bytes(data))
        assert rows(store) == expected
        assert sorted(query(store, sql).rows) == answer
