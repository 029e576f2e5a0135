"""The package as others get it: built, installed into a clean environment, and used there."""

import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from lengthwise import __version__

ROOT = Path(__file__).parents[1]
DATA = [
    str(path.relative_to(ROOT / "src"))
    for path in (ROOT / "src" / "lengthwise").rglob("*")
    if path.is_file()
    and path.suffix != ".py"
    and path.name != ".DS_Store"
    and path.parent.name != "__pycache__"
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist, built without the network from the files that git knows."""
    pytest.importorskip("build", reason="needs pip install 'lengthwise[dev]'")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/lengthwise/_version.py"
    pattern = re.compile(rf"(?<![\w.]){re.escape(__version__)}(?![\w.])")
    named = [
        path.name
        for pattern_ in ("*.toml", "*.md", "*.cff", "src/**/*.py", "mkdocs.yml")
        for path in ROOT.glob(pattern_)
        if pattern.search(path.read_text())
    ]
    assert named == ["_version.py"]


def test_the_changelog_speaks_of_what_comes_next():
    text = (ROOT / "CHANGELOG.md").read_text()
    released = __version__.partition(".dev")[0]
    heading = "## Unreleased" if ".dev" in __version__ else f"## {released}"
    assert heading in text


def test_the_citation_names_the_three_papers():
    text = (ROOT / "CITATION.cff").read_text()
    for title in (
        "The Impact of Positional Encoding on Length Generalization in Transformers",
        "A Formal Framework for Understanding Length Generalization in Transformers",
        "On the Limitations and Capabilities of Position Embeddings for Length Generalization",
    ):
        assert title in text


def test_wheel_and_sdist_hold_what_is_needed(built):
    wheel, sdist = built
    assert f"lengthwise-{__version__}-py3-none-any.whl" == wheel.name
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert set(DATA) <= inside
    assert "lengthwise/py.typed" in inside
    assert {name for name in inside if name.endswith(".py")} == {
        str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")
    }
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= names
    assert not any(name.startswith((".venv", "runs/", "site/", "quickstart/")) for name in names)


def test_the_wheel_works_in_a_clean_environment(built, tmp_path):
    wheel, _ = built
    python = tmp_path / "clean" / "bin" / "python"
    _run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "clean")
    pip = (sys.executable, "-m", "pip", "--python", python)
    _run(*pip, "install", "--no-deps", "--no-index", wheel)
    _lend_dependencies(python)
    where = _run(python, "-c", "import lengthwise; print(lengthwise.__file__)").strip()
    assert where.startswith(str(tmp_path)), "the source was imported instead of the wheel"
    script = str(python.parent / "lengthwise")
    assert _run(script, "--version").strip() == __version__
    assert "C_open" in _run(script, "crasp", "show", "dyck-1")
    card = tmp_path / "card.html"
    _run(script, "predict", "(aa)*", "--report", str(card))
    assert "<html" in card.read_text()


def _lend_dependencies(python: Path) -> None:
    """Let the clean environment see this one's packages, but not this project's source."""
    folder = Path(
        _run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    (folder / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")


def _run(*words: object) -> str:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
