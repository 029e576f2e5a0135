"""The search for the smallest window, then the smallest modulus, that make a program possible."""

from collections.abc import Iterator
from dataclasses import dataclass

from lengthwise.core.limits import LimitReachedError, Limits
from lengthwise.theory.decide.connected import Component
from lengthwise.theory.decide.windows import (
    Contexts,
    WindowSeparation,
    resolved,
    separate_contexts,
    start_contexts,
)


@dataclass(frozen=True)
class Constructive:
    """A yes: every component is separated with this modulus and window."""

    modulus: int
    window: int
    components: tuple[WindowSeparation, ...]

    @property
    def rounds(self) -> int:
        """Counters needed one after another in the worst component."""
        return max((part.separation.rounds for part in self.components), default=0)


def fixed(parts: list[Component], modulus: int, window: int, budget: Limits) -> Constructive | None:
    """Decide one (m, c): return the separations, or None when some component fails.

    For (1, 0) this is plain C-RASP and rests on Yang, Veseli et al. 2026, Theorem 89; for other
    values it is our derivation, unpublished.

    Example:
        >>> import numpy as np
        >>> from lengthwise.theory.decide.connected import components
        >>> parity = components(np.array([[1, 0], [0, 1]]))
        >>> fixed(parity, 2, 3, Limits()) is None
        True
    """
    found: list[WindowSeparation] = []
    for part in parts:
        if len(part.states) == 1:
            found.append(resolved(part, modulus, window))
            continue
        budget.check("the separation of components")
        contexts = start_contexts(part, modulus)
        for _ in range(window):
            contexts = contexts.grow()
        separated = separate_contexts(contexts, budget)
        if not separated.complete:
            return None
        found.append(separated)
    return Constructive(modulus, window, tuple(found))


@dataclass
class WindowSearch:
    """Tries windows 0, 1, 2, ... with the largest modulus, so that it can stop and go on.

    ``modulus`` must be a multiple of every useful modulus (the stability index: our derivation).
    ``tried`` is the largest window refuted so far, -1 at the start.
    """

    parts: list[Component]
    modulus: int
    tried: int = -1

    def run(self, budget: Limits, up_to: int, max_vertices: int) -> Constructive | None:
        """Go on until a window works, window ``up_to`` fails or a system would be too large."""
        open_parts = [part for part in self.parts if len(part.states) > 1]
        least = 0
        for part in open_parts:
            needed = self._window_for(part, least, budget, up_to, max_vertices)
            if needed is None:
                return None
            least = max(least, needed)
        return self._smallest_modulus(least, budget)

    def _window_for(
        self, part: Component, least: int, budget: Limits, up_to: int, max_vertices: int
    ) -> int | None:
        for contexts in _growing(part, self.modulus):
            budget.check("the search for a window")
            if not contexts.actions:
                return contexts.length  # everything is resolved here and in larger windows
            if contexts.length < least or contexts.length <= self.tried:
                continue
            if contexts.length > up_to or contexts.size() > 20 * max_vertices:
                return None
            if separate_contexts(contexts, budget).complete:
                return contexts.length
            self.tried = max(self.tried, contexts.length)
        return None

    def _smallest_modulus(self, window: int, budget: Limits) -> Constructive:
        """Return the proof with the smallest divisor that works; multiples of it work as well."""
        primes = [p for p in divisors(self.modulus) if p > 1 and len(divisors(p)) == 2]
        coarser = [fixed(self.parts, self.modulus // p, window, budget) for p in primes]
        useful = divisors(self.modulus) if any(coarser) else [self.modulus]
        for modulus in useful:
            found = fixed(self.parts, modulus, window, budget)
            if found is not None:
                return found
        raise AssertionError("the largest modulus works by construction")


def _growing(part: Component, modulus: int) -> Iterator[Contexts]:
    contexts = start_contexts(part, modulus)
    yield contexts
    while contexts.actions:
        contexts = contexts.grow()
        yield contexts


def divisors(number: int) -> list[int]:
    """Return the divisors in increasing order; ``divisors(6)`` is ``[1, 2, 3, 6]``."""
    return [d for d in range(1, number + 1) if number % d == 0]


def search(parts: list[Component], modulus: int, budget: Limits) -> tuple[Constructive | None, str]:
    """Search all windows within the budget; the second value says how far it came."""
    attempt = WindowSearch(parts, modulus)
    try:
        found = attempt.run(budget, budget.window, budget.vertices)
    except LimitReachedError as error:
        return None, str(error)
    return found, f"modulus {modulus} and windows up to {attempt.tried}"
