"""What a study claims and how it is run, fixed in one file before anything is trained.

``editions/NAME-N.toml`` is edition N of a study; the largest N is the current one and the others
stay. A file has the claims with the paper's numbers, the lines and tolerances by which they are
judged, and the settings of every size. Results carry the hash of the file they were made under, and
are not shown as the study's once the file is another: a change is a new edition, and says why.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lengthwise.core.errors import InputError
from lengthwise.records.recipes import recipes
from lengthwise.records.spec import first_problem

_PLAIN = ConfigDict(frozen=True, extra="forbid")
FOLDER = "editions"


class FrozenClaim(BaseModel):
    """A sentence of a paper, its number, and the rule that judges it with what it is given."""

    model_config = _PLAIN

    id: str
    where: str
    sentence: str
    paper: str
    rule: str = ""
    """The name of a predicate in the study's code; by default the claim's own."""
    given: dict[str, Any] = {}
    headline: bool = True
    """Whether it counts in the headline; the others are exploratory."""


class Frozen(BaseModel):
    """One edition of a study's file.

    Example:
        >>> one = Frozen(edition=1, reason="first")
        >>> one.digest == Frozen(edition=1, reason="said otherwise").digest
        True
        >>> one.digest == Frozen(edition=1, reason="first", lines={"close": 0.1}).digest
        False
    """

    model_config = _PLAIN

    edition: int = Field(ge=1)
    reason: str
    """Why there is this edition; the only field that may be reworded."""
    recipes: str = ""
    """The hash of the recipes that its runs are trained with, where they are."""
    lines: dict[str, float] = {}
    settings: dict[str, Any] = {}
    claims: tuple[FrozenClaim, ...] = ()

    @property
    def digest(self) -> str:
        """The hash of everything that can change a result or what is said about it."""
        text = json.dumps(self.model_dump(exclude={"reason"}), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        """The edition as messages name it: ``edition 2 (1a2b3c4d5e6f)``."""
        return f"edition {self.edition} ({self.digest})"

    def of_size(self, size: str) -> Mapping[str, Any]:
        """Return the settings of a size."""
        return self.settings[size]

    def trained_by_recipe(self) -> None:
        """Refuse to train with other recipes than those the study was frozen with."""
        now = recipes()
        if now.digest != self.recipes:
            raise InputError(
                f"the study was frozen with recipes {self.recipes or '(none yet)'}, the library "
                f"has edition {now.edition} ({now.digest}); a new edition of the study is needed."
            )


@cache
def frozen(study: str, edition: int | None = None) -> Frozen:
    """Return an edition of a study's file, by default the current one."""
    known = editions(study)
    if not known:
        raise InputError(f"study {study!r} has no frozen file.")
    if edition is not None and edition not in known:
        shown = ", ".join(map(str, known))
        raise InputError(f"--edition {edition}: {study} has no such edition; it has {shown}.")
    name = f"{study}-{edition or known[-1]}.toml"
    return read_frozen(_folder().joinpath(name).read_text(encoding="utf-8"), name)


def editions(study: str) -> list[int]:
    """Return the numbers of a study's editions, the current one last."""
    stems = [path.name.removesuffix(".toml") for path in _folder().iterdir()]
    numbers = [stem.removeprefix(f"{study}-") for stem in stems if stem.startswith(f"{study}-")]
    return sorted(int(number) for number in numbers if number.isdecimal())


def _folder() -> Any:
    return resources.files("lengthwise.studies").joinpath(FOLDER)


def read_frozen(text: str, name: str) -> Frozen:
    """Read a study's file; a mistake is named by its place."""
    try:
        return Frozen.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: {error}.") from None
    except ValidationError as error:
        raise InputError(f"{name}: {first_problem(error)}") from None
