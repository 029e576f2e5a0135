"""A store from elsewhere names Python files: no command executes them unless it is told to."""

import sys
from pathlib import Path

import pytest

from lengthwise.cli.main import COMMANDS
from lengthwise.core.errors import InputError
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import note_sweep
from lengthwise.runs.trained import load_run

TRAP = """
from dataclasses import dataclass
from pathlib import Path
from lengthwise.positions.alibi import ALiBi
from lengthwise.tasks.algorithmic.majority import BinaryMajority

Path(__file__).with_name("executed").touch()

@dataclass(frozen=True, kw_only=True)
class T(BinaryMajority):
    name = "trap"

@dataclass(frozen=True, kw_only=True)
class E(ALiBi):
    name = "trap"

def phi(i, j):
    return i - j
"""
MAJORITY = "binary-majority"
NAMED = {
    "task": ("{}:T", "nope"),
    "encoding": (MAJORITY, "{}:E"),
    "relation": (MAJORITY, "ipe:relation={}:phi"),
    "function": (MAJORITY, "bias:function={}:phi"),
    "inside another task": ("fixed:{}:T;size=100", "nope"),
    "inside another encoding": (MAJORITY, "hybrid:nope+{}:E"),
    "relation inside another encoding": (MAJORITY, "hybrid:nope+ipe:relation={}:phi"),
}


def tiny(task: str, position: str) -> RunSpec:
    return RunSpec.create(
        task=task,
        position=position,
        model={"layers": 1, "heads": 1, "width": 8},
        training={"length": (1, 5), "steps": 2, "batch": 4, "evaluate_every": 2},
        evaluation={"lengths": ((6, 8),), "instances": 5},
    )


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A store whose runs name the trap in every way; executing the file leaves a mark."""
    root = tmp_path_factory.mktemp("foreign")
    trap, store = root / "trap.py", Store(root / "store")
    trap.write_text(TRAP)
    specs = {how: tiny(*(text.format(trap) for text in named)) for how, named in NAMED.items()}
    for spec in specs.values():
        execute(spec, store, device="cpu")
    note_sweep(store, "trap", list(specs.values()))
    return store, trap, specs


@pytest.fixture
def trap(foreign):
    """Forget that the file was executed before."""
    trap = foreign[1]
    _forget(trap)
    yield trap
    trap.write_text(TRAP)


def _forget(trap: Path) -> None:
    for name in [name for name in sys.modules if name.startswith("lengthwise_user_trap")]:
        del sys.modules[name]
    trap.with_name("executed").unlink(missing_ok=True)


def executed(trap: Path) -> bool:
    return trap.with_name("executed").exists()


OF_ONE_RUN = {
    "analyse attention": [],
    "analyse relation": [],
    "analyse perplexity": [],
    "analyse positional": [],
    "analyse limit": [],
    "analyse products": ["--run"],
    "analyse probe": [],
    "analyse regulariser": ["--run"],
    "evaluate": [],
    "ask": [],
    "export model": [],
}
"""Commands that build the model of a run, with what stands before its id."""
OF_THE_STORE = {
    "runs list": [],
    "runs query": ["select * from runs join lengths using (id)"],
    "runs export": ["--csv", "out.csv"],
    "runs watch": ["--once"],
    "runs verify": ["--digests"],
    "report": ["--no-predict", "-o", "page.html"],
    "plot": ["-o", "plot.svg"],
    "analyse ranks": [],
    "predict": [MAJORITY, "--encoding", "nope"],
    "doctor": [],
    "lab reach": [],
}
TRAINING = (
    "train",
    "improve",
    "sweep",
    "runs work",
    "runs select",
    "lab scoreboard",
    "reproduce",
)
"""They execute what the user names, and read only results of the store."""


def test_every_command_that_reads_a_store_is_tried():
    """A new command with --store belongs into one of the lists."""
    from tests.test_promises import command_options

    reading = {words for words, options in command_options().items() if "--store" in options}
    known = {*OF_ONE_RUN, *OF_THE_STORE, *TRAINING, "ui"}
    assert reading == known & set(COMMANDS)
    trusting = {words for words, options in command_options().items() if "--trust-code" in options}
    assert trusting == set(OF_ONE_RUN)


@pytest.mark.parametrize("words", OF_THE_STORE)
def test_commands_on_the_store_execute_nothing(run, foreign, trap, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*words.split(), *OF_THE_STORE[words], "--store", foreign[0].root)
    assert code == 0 or "no cell has a score" in err, err
    assert not executed(trap)


@pytest.mark.parametrize("how", NAMED)
@pytest.mark.parametrize("words", OF_ONE_RUN)
def test_commands_on_a_run_refuse_to_execute(run, foreign, trap, words, how):
    store, _, specs = foreign
    asked = ["0 1 <sep>"] if words == "ask" else []
    before = [*words.split(), *OF_ONE_RUN[words]]
    code, out, err = run(*before, specs[how].id, *asked, "--store", store.root)
    assert (code, out) == (2, "")
    assert "--trust-code" in err
    assert err.count("\n") == 1
    assert not executed(trap)


@pytest.mark.parametrize("how", NAMED)
def test_what_is_trusted_is_executed_if_it_is_the_same_file(foreign, trap, how):
    store, _, specs = foreign
    assert load_run(store, specs[how].id, trust_code=True).spec == specs[how]
    assert executed(trap)
    _forget(trap)
    trap.write_text(TRAP.replace("i - j", "j - i"))
    with pytest.raises(InputError, match="has been edited"):
        load_run(store, specs[how].id, trust_code=True)
    assert not executed(trap)
    trap.unlink()
    with pytest.raises(InputError, match="has gone"):
        load_run(store, specs[how].id, trust_code=True)


@pytest.mark.parametrize("words", ["analyse probe", "analyse attention"])
def test_a_command_executes_what_is_trusted(run, foreign, trap, words):
    store, _, specs = foreign
    found = run(*words.split(), specs["task"].id, "--trust-code", "--json", "--store", store.root)
    assert found[0] == 0, found[2]
    assert executed(trap)


@pytest.mark.parametrize("position", ["hybrid:nope+{}", "hybrid:nope+ipe:relation=no+w{}:phi"])
def test_a_file_whose_content_is_not_known_is_never_executed(foreign, trap, position):
    """A specification that somebody wrote by hand, without digest or with that of another file."""
    specs = foreign[2]
    pattern = position.format(trap).removeprefix("hybrid:")
    for digest in (None, specs["encoding"].position.digest):
        component = {"name": "hybrid", "options": {"pattern": pattern}, "digest": digest}
        spec = RunSpec.read(tiny(MAJORITY, "nope").model_dump() | {"position": component})
        for trust in (False, True):
            with pytest.raises(InputError):
                spec.position.check_trusted(trust)
    assert not executed(trap)


def test_compiled_python_beside_the_file_is_not_what_runs(tmp_path):
    """The digest is about the source, so the source is what is executed."""
    import py_compile

    from lengthwise.core.registry import load_from_file

    path = tmp_path / "user.py"
    path.write_text("value = 'other'\n")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=mode)
    path.write_text("value = 'source'\n")
    assert load_from_file(f"{path}:value") == "source"


def test_an_edited_file_is_not_trained_under_the_old_name(foreign, trap, tmp_path):
    """Edited between the start of a sweep and the turn of a run."""
    spec = foreign[2]["task"]
    trap.write_text(TRAP + "\n# edited\n")
    with pytest.raises(InputError, match="has been edited"):
        execute(spec, Store(tmp_path), device="cpu")
    assert not Store(tmp_path).folders()
