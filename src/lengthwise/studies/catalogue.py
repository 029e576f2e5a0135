"""All studies by name; a study's module is loaded when it is asked for."""

from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.core.errors import InputError, unknown

if TYPE_CHECKING:
    from lengthwise.studies.study import Study

STUDIES: dict[str, tuple[str, str]] = {
    "huang2024": (
        "lengthwise.studies.huang2024",
        "A Formal Framework for Understanding Length Generalization (25 problems)",
    ),
    "kazemnejad2023": (
        "lengthwise.studies.kazemnejad2023",
        "The Impact of Positional Encoding on Length Generalization (17 splits, 5 encodings)",
    ),
    "chen2025": (
        "lengthwise.studies.chen2025",
        "Limitations and Capabilities of Position Embeddings (relations, scale hints)",
    ),
    "blind": (
        "lengthwise.studies.blind",
        "Languages that nobody has tuned on, predicted first (42 languages, 2 encodings)",
    ),
    "no-to-yes": (
        "lengthwise.studies.no_to_yes",
        "Problems predicted to fail, before and after a change that makes them a yes",
    ),
    "length": (
        "lengthwise.studies.training_length",
        "How long training must be: growing training lengths against length complexity",
    ),
    "questions": (
        "lengthwise.studies.questions",
        "Questions the papers leave open: size, failures against the prediction, impossibility",
    ),
}


def load_study(name: str) -> "Study":
    """Return a study by its name."""
    if name not in STUDIES:
        raise unknown("study", name, STUDIES)
    return import_module(STUDIES[name][0]).STUDY


def kept(name: str, size: str = "laptop", edition: int | None = None) -> Path:
    """Return the file with a study's results that comes with the library.

    Those of the current edition lie in the folder itself, those of edition N in ``edition-N``.
    """
    if name not in STUDIES:
        raise unknown("study", name, STUDIES)
    folder = data_folder() if edition is None else data_folder() / f"edition-{edition}"
    path = folder / f"{name}-{size}.json"
    if not path.is_file():
        which = "" if edition is None else f" under edition {edition}"
        raise InputError(
            f"no {size} results of {name}{which} come with the library; {_instead(name)}."
        )
    return path


def _instead(name: str) -> str:
    """Say what is kept of a study, if anything."""
    current = [path.stem.rpartition("-")[2] for path in data_folder().glob(f"{name}-*.json")]
    earlier = {
        f"--edition {path.parent.name.removeprefix('edition-')} --size "
        f"{path.stem.rpartition('-')[2]}, made under an earlier edition of the study's file"
        for path in data_folder().glob(f"edition-*/{name}-*.json")
    }
    known = [*sorted(current), *sorted(earlier)]
    return f"kept: {'; '.join(known)}" if known else "run it instead"


def kept_names(size: str = "laptop", edition: int | None = None) -> list[str]:
    """Return the studies whose results come with the library."""
    folder = data_folder() if edition is None else data_folder() / f"edition-{edition}"
    return [name for name in STUDIES if (folder / f"{name}-{size}.json").is_file()]


def data_folder() -> Path:
    """Return where results that come with the library lie."""
    return Path(str(files("lengthwise.studies"))) / "data"
