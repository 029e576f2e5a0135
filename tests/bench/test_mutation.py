"""Small faults are real changes of the code, and the tests that should notice are run on them."""

import ast
import json
import subprocess
from pathlib import Path

import pytest

from lengthwise.bench.mutation import touched, trial
from lengthwise.bench.mutation.accepted import FILE, read_accepted, stale
from lengthwise.bench.mutation.campaign import campaign, judge, table
from lengthwise.bench.mutation.mutant import Mutant
from lengthwise.bench.mutation.mutated_files import PARTS, Mutated, sample, sought
from lengthwise.bench.mutation.python_changes import python_mutants
from lengthwise.bench.mutation.script_changes import script_mutants
from lengthwise.bench.mutation.touched import Touched
from lengthwise.core.errors import InputError
from tests.theory.decide.javascript import find_node

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / trial.PACKAGE
ALL = sought(PACKAGE)


def changes(source):
    return [m.change for m in python_mutants("f.py", source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a <= b", ["a <= b -> a < b", "a <= b -> a > b"]),
        ("x = a == b", ["a == b -> a != b"]),
        ("x = a is None", ["a is None -> a is not None"]),
        ("x = a in b", ["a in b -> a not in b"]),
        ("x = a and b", ["a and b -> a or b"]),
        ("x = not a", ["not a -> a"]),
        ("x = -a", ["-a -> a"]),
        ("x = a + b", ["a + b -> a - b"]),
        ("x += y", ["x += y -> x -= y"]),
        ("x = min(a, b)", ["min -> max"]),
        ("x = all(a)", ["all -> any"]),
        ("x = 7", ["7 -> 6", "7 -> 8"]),
        ("x = 1.5", ["1.5 -> 0.75", "1.5 -> 3.0"]),
        ("x = True", ["True -> False"]),
        ("if a: b()", ["a -> False", "a -> not a"]),
        ("if a > b: c()", ["a > b -> False", "a > b -> a <= b", "a > b -> a >= b"]),
        ("while a: b()", ["a -> not a"]),
        ("x = b if a else c", ["a -> not a"]),
        ("x = [a for a in b if c]", ["c -> not c"]),
        ("x = a < b < c", [f"a < b < c -> {n}" for n in ("a < b <= c", "a < b >= c")]
         + [f"a < b < c -> {n}" for n in ("a <= b < c", "a >= b < c")]),
        ("x: int | None = None", []),
        ("def f(x: Literal[1]) -> Literal[2]: ...", []),
        ("assert a < 1", []),
        ("x = 'a < 1'", []),
        ("x = f'{a + b}'", ["a + b -> a - b"]),
    ],
)  # fmt: skip
def test_what_is_changed_in_python(source, expected):
    assert sorted(changes(source)) == sorted(expected)


def test_a_change_binds_as_what_it_replaces():
    mutant = next(m for m in python_mutants("f.py", "x = a - b * c") if m.before == "b * c")
    assert eval(mutant.applied("x = a - b * c")[4:], {"a": 10, "b": 2, "c": 3}) == 10 - (2 + 3)


def test_places_count_characters_and_not_bytes():
    source = "x = 'äöü' + (1 if a else b)\n"
    assert all("äöü" in m.applied(source) for m in python_mutants("f.py", source))


def test_every_python_mutant_is_another_program():
    for one in ALL[::6]:
        if one.file.endswith(".py"):
            source = (PACKAGE / one.file).read_text()
            original = ast.dump(ast.parse(source))
            made = [ast.dump(ast.parse(m.applied(source))) for m in one.mutants]
            assert original not in made
            assert len(set(made)) == len(made)
            assert len({m.name for m in one.mutants}) == len(made)


def test_what_is_changed_in_javascript():
    source = 'const f = (a) => a.x === 1 && !/[/"]<1/.test(`${a < 1}`); // a < b\n'
    assert sorted({m.replacement for m in script_mutants("f.js", source)}) == [
        "",
        "!==",
        "0",
        "2",
        "||",
    ]


def test_every_javascript_mutant_can_be_read():
    node = find_node()
    if node is None:
        pytest.skip("no node")
    (one,) = [s for s in ALL if s.file.endswith(".js")]
    source = (PACKAGE / one.file).read_text()
    code = (
        "const list = JSON.parse(require('fs').readFileSync(0));"
        "for (const text of list) new (require('vm').Script)(text.replaceAll('export ', ''));"
    )
    texts = json.dumps([m.applied(source) for m in one.mutants])
    done = subprocess.run([node, "-e", code], input=texts, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len({m.applied(source) for m in one.mutants}) == len(one.mutants)


def test_samples_are_seeded_and_leave_no_part_out():
    drawn = sample(ALL, 60, 3)
    assert drawn == sample(ALL, 60, 3)
    assert drawn != sample(ALL, 60, 4)
    counts = [sum(one.part == part for one, _ in drawn) for part in PARTS]
    assert max(counts) - min(counts) <= 1
    assert len(sample(ALL, None, 0)) == sum(len(one.mutants) for one in ALL)


def test_files_are_named_by_the_end_of_their_path():
    assert [one.file for one in sought(PACKAGE, ["margin.py"])] == ["theory/limit/margin.py"]
    assert sought(PACKAGE, ["src/lengthwise/runs/driver.py"])[0].part == "driver"
    with pytest.raises(InputError, match=r"--file: 'margins\.py' .*Did you mean 'margin\.py'"):
        sought(PACKAGE, ["margins.py"])


def test_the_list_of_survivors_names_mutants_that_exist():
    assert stale(read_accepted(ROOT / FILE), [m for one in ALL for m in one.mutants]) == []


def test_the_list_needs_reasons(tmp_path):
    path = tmp_path / "list.toml"
    entry = '[["f.py"]]\nwhere = ""\nline = "x = 7"\nchange = ["7 -> 6", "7 -> 8"]\n'
    path.write_text(entry + 'why = "no matter"\n')
    found = read_accepted(path)
    assert list(found) == [m.name for m in python_mutants("f.py", "x = 7\n")]
    assert stale(found, python_mutants("f.py", "x = 7 # other\n")) == [
        "f.py: : 7 -> 6",
        "f.py: : 7 -> 8",
    ]
    for wrong in (entry, entry + 'why = " "\n', (entry + 'why = "x"\n') * 2):
        path.write_text(wrong)
        with pytest.raises(InputError):
            read_accepted(path)


def test_tests_are_chosen_by_line_the_fastest_first():
    lines = {"f.py": {"1": ["", "a"], "5": ["slow", "quick"], "6": ["other"]}}
    seconds = {"slow": 3.0, "quick": 0.1, "other": 1.0, "spawning": 0.5, "a": 0.2}
    known = Touched(seconds, lines, ["spawning"])

    def at(line, before="x"):
        return known.tests_of(Mutant("f.py", line, "", "", before, "y", 0, 1, "y"))

    assert at(5) == ["quick", "slow", "spawning"]
    assert at(5, "x\n+ y") == ["quick", "other", "slow", "spawning"]
    assert at(1) == sorted(seconds, key=lambda name: seconds[name])  # loading runs it for all
    assert at(9) == ["spawning"]


# ---- a repository of three files -------------------------------------------------------------

CODE = '''
def larger(a, b):
    """The larger of two."""
    if a < b:
        return b
    return a

def endless(a):
    while a:
        pass
    return a
'''
TESTS = """
from lengthwise.core.small import endless, larger

def test_larger():
    assert larger(1, 2) == 2
    assert larger(2, 1) == 2

def test_endless():
    assert endless(False) is False
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name, text in {
        "src/lengthwise/__init__.py": "",
        "src/lengthwise/core/__init__.py": "",
        "src/lengthwise/core/small.py": CODE,
        "tests/conftest.py": "",
        "tests/test_small.py": TESTS,
    }.items():
        path = tmp_path / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setitem(PARTS, "small", Mutated(("core/small.py",), ("tests/test_small.py",)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(touched, "SPARE", 3.0)
    return tmp_path / "repository"


def test_a_whole_campaign(repository):
    files = sought(repository / trial.PACKAGE, ["small.py"])
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    drawn = sample(files, None, 0)
    tried = {one.mutant.change: one for one in campaign(repository, drawn, {})}
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == before
    outcomes = {change: one.outcome for change, one in tried.items()}
    assert outcomes == {
        "a < b -> False": "caught",
        "a < b -> a >= b": "caught",
        "a < b -> a <= b": "survived",  # equal numbers are equal
        "a -> not a": "caught",
    }
    assert tried["a < b -> False"].by == "tests/test_small.py::test_larger"
    assert tried["a -> not a"].by == "out of time"
    assert len(list(touched.cache_folder().iterdir())) == 1
    survivor = tried["a < b -> a <= b"].mutant
    listed = {survivor.name: "either is the larger"}
    (again,) = campaign(repository, [(files[0], survivor)], listed)
    assert (again.outcome, again.by) == ("accepted", "either is the larger")
    (row,) = [row for row in table(list(tried.values())) if row["part"] == "small"]
    assert (row["mutants"], row["caught"], row["survived"]) == (4, 3, 1)


def test_tests_that_end_without_a_name_are_tried_without_the_mutant(repository):
    """A process that dies counts as a catch only if it lives without the mutant."""
    files = sought(repository / trial.PACKAGE, ["small.py"])
    drawn = [pair for pair in sample(files, None, 0) if pair[1].change == "a < b -> False"]
    fatal = "import os\n" + TESTS + "    os._exit(3)\n"
    known = Touched({"tests/test_small.py::test_endless": 0.1}, {}, [])
    (repository / "tests" / "test_small.py").write_text(fatal)
    with trial.copied(repository) as copy:
        one = judge(copy, *drawn[0], known)
    assert (one.outcome, one.by) == ("not judged", "crashed")
    (row,) = [row for row in table([one]) if row["part"] == "small"]
    assert (row["caught"], row["share caught"]) == (0, "")


def test_a_mutant_that_breaks_an_import_is_named_by_the_file(repository):
    with trial.copied(repository) as copy:
        (copy.folder / trial.PACKAGE / "core" / "small.py").write_text("1 / 0\n")
        found = copy.run(["tests/test_small.py"], ["tests/test_small.py::test_larger"], 60)
    assert (found.ended, found.failed) == ("failed", ["tests/test_small.py"])


def test_tests_that_fail_before_anything_is_changed_are_named(repository):
    (repository / "tests" / "test_small.py").write_text("def test_wrong():\n    assert 0\n")
    files = sought(repository / trial.PACKAGE, ["small.py"])
    with pytest.raises(InputError, match=r"before anything is changed: .*::test_wrong"):
        list(campaign(repository, sample(files, 1, 0), {}))


def test_without_the_repository_it_is_refused(tmp_path, monkeypatch, run):
    monkeypatch.setattr(trial, "__file__", str(tmp_path / "site-packages" / "trial.py"))
    monkeypatch.chdir(tmp_path)
    code, _, error = run("dev", "mutants")
    assert code == 2
    assert error == (
        "error: dev mutants: needs the repository with its tests; clone it and run the command "
        "there.\n"
    )
