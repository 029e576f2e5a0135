"""The examples in docstrings are run, and print what stands there."""

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text()
]

SLOW = ("lengthwise.theory.limit.gpt2",)  # loads the transformers library


@pytest.mark.parametrize(
    "name", [pytest.param(m, marks=pytest.mark.slow) if m in SLOW else m for m in MODULES]
)
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("lengthwise"):
            raise
        pytest.skip(f"needs {error.name}")
    found = doctest.testmod(module, verbose=False)
    assert found.attempted, "no example is found here"
    assert not found.failed, "see what was printed"
