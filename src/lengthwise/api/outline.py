"""What a command would train: the result of ``--dry-run``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lengthwise.api.shown import Rows, Shown


@dataclass(frozen=True)
class Outline(Shown):
    """Facts about runs that are not trained yet: how many, how long they would take."""

    unwritable: ClassVar[str] = "--dry-run trains nothing, so there is nothing to write."
    facts: Mapping[str, Any]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one line per fact."""
        for name, value in self.facts.items():
            if isinstance(value, dict):
                value = [f"{key} {count}" for key, count in value.items()]
            yield f"{name}: {', '.join(value) if isinstance(value, list) else value}"

    def to_json(self) -> dict[str, Any]:
        """Return the facts."""
        return dict(self.facts)
