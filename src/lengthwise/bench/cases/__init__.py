"""Subjects whose truth is known, each with its reason: what ``predict`` is held to.

One module per kind of subject with a list ``CASES``; the group ``answers`` of the benchmark runs
them all through the public ``predict``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A subject as a user types it, what is true of it, and why.

    ``truth`` says for a class of functions (a key of ``predict.classes.CLASSES``; usually ``plain``
    and ``periodic_local``, which judge the encodings nope and ape) whether the subject is in it;
    a class that nobody knows about is None or left out.

    Example:
        >>> Case("parity", {"plain": False, "periodic_local": False}, "not aperiodic").label
        'parity'
    """

    subject: str
    truth: Mapping[str, bool | None] = field(hash=False)
    reason: str
    alphabet: str | None = None

    @property
    def label(self) -> str:
        """The subject without the folder that its file is in."""
        file, colon, name = self.subject.partition(".py:")
        return f"{Path(file).name}{colon}{name}" if colon else self.subject
