"""One small module per kind of evidence; each is a function from a context to evidence.

A provider takes a :class:`Context` and returns a list of evidence, empty when it has nothing to
say. Installed packages add their own through the entry point group ``lengthwise.evidence``.
"""

from dataclasses import dataclass, field
from typing import Any

from lengthwise.core.limits import Limits
from lengthwise.core.registry import Registry
from lengthwise.predict.classes import inside, outside
from lengthwise.predict.types import Evidence
from lengthwise.subjects import Kind, Subject

_HERE = "lengthwise.predict.providers"

PROVIDERS = Registry(
    "evidence provider",
    "lengthwise.evidence",
    {
        "1 program": f"{_HERE}.own_program:own_program",
        "2 decision": f"{_HERE}.decision:decision",
        "2b windows": f"{_HERE}.window_check:windows",
        "2c counts": f"{_HERE}.count_check:counts",
        "2d trace rows": f"{_HERE}.trace_rows:trace_rows",
        "3 labels": f"{_HERE}.labels:labels",
        "4 known programs": f"{_HERE}.known:known",
        "5 short instances": f"{_HERE}.table:table",
        "6 restriction": f"{_HERE}.restriction:restriction",
        "7 learned automaton": f"{_HERE}.learned_automaton:learned_automaton",
        "8 counting program": f"{_HERE}.counting_program:counting_program",
        "9 communication": f"{_HERE}.communication:communication",
        "a images": f"{_HERE}.images:images",
        "b circuits": f"{_HERE}.circuits:circuits",
        "c linear attention": f"{_HERE}.linear:linear",
        "d written program": f"{_HERE}.written:written",
        "d2 asked prompts": f"{_HERE}.asked_prompts:asked_prompts",
        "e citations": f"{_HERE}.citations:citations",
        "f measurements": f"{_HERE}.measurements:measurements",
    },
)
"""Providers in the order of their names: cheap and decisive ones first."""

SPEAKS_OF: dict[str, tuple[Kind, ...]] = {
    "1 program": ("program",),
    "2 decision": ("regex", "automaton", "task"),
    "2b windows": ("task",),
    "2c counts": ("task",),
    "2d trace rows": ("task",),
    "3 labels": ("task",),
    "4 known programs": ("task",),
    "5 short instances": ("task",),
    "6 restriction": ("task",),
    "7 learned automaton": ("function",),
    "8 counting program": ("function",),
    "9 communication": ("function", "task"),
    "a images": ("function",),
    "b circuits": ("task",),
    "c linear attention": ("task",),
    "d written program": ("task",),
    "d2 asked prompts": ("task",),
    "e citations": ("task",),
    "f measurements": ("task",),
}
"""Kinds of subject that a provider can say something about; others do not load it. Plugins: all."""


@dataclass
class Context:
    """What a provider may look at: the subject, the clock, measurements and evidence so far."""

    subject: Subject
    clock: Limits
    measurements: list[dict[str, Any]] = field(default_factory=list)
    found: list[Evidence] = field(default_factory=list)

    def settled(self, name: str) -> bool:
        """Whether evidence so far decides a class."""
        return any(
            name in (inside(c) if member else outside(c))
            for item in self.found
            for c, member in item.claims.items()
        )
