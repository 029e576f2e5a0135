"""A Python predicate: learn an automaton from it, then decide. Learned is never proved.

Short and random words do not show counters that run far (majority looks like a saturating counter).
So an automaton of n states is also tried on pumped words, whose loops repeat more than n times;
one mistake and it is not used.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from lengthwise.errors import InputError
from lengthwise.theory.verdict.clock import OutOfTimeError, alarm
from lengthwise.theory.verdict.providers import Context
from lengthwise.theory.verdict.providers.decision import decide_language
from lengthwise.theory.verdict.types import Evidence, weakest

if TYPE_CHECKING:
    from lengthwise.theory.automata.dfa import DFA

MOST_STATES = 40
PUMPED = 400


def learned_automaton(context: Context) -> list[Evidence]:
    """Learn with questions to the function; a language with too many states gives nothing."""
    from lengthwise.theory.automata.learned import learn

    subject = context.subject
    if subject.function is None:
        return []
    problems: list[InputError] = []

    def member(word: str) -> bool:
        try:
            return subject.function(word)  # type: ignore[misc]
        except InputError as error:
            problems.append(error)
            raise

    try:
        with alarm(context.clock.left() / 2):
            learned = learn(member, subject.letters, max_states=MOST_STATES)
            wrong = pumped_mistake(learned.dfa, member)
    except InputError as error:
        if problems:  # the function itself failed
            raise problems[0] from None
        return [Evidence("learned automaton", str(error), "sampled")]
    except OutOfTimeError:
        return [Evidence("learned automaton", "no automaton learned in time", "sampled")]
    if wrong is not None:
        shown = wrong if len(wrong) <= 60 else wrong[:57] + "..."
        text = f"an automaton of {learned.dfa.states} states fits short words but not {shown!r}"
        return [Evidence("learned automaton", text, "sampled")]
    name = f"an automaton of {learned.dfa.states} states, {learned.note}, pumped words included,"
    found = decide_language(learned.dfa, subject.accept, context.clock.left() / 2, name, {})
    return [
        replace(item, provider="learned automaton", strength=weakest([item.strength, "sampled"]))
        for item in found
    ]


def pumped_mistake(dfa: "DFA", member: Callable[[str], bool]) -> str | None:
    """Return a pumped word on which automaton and function disagree, if one is found.

    Example:
        >>> from lengthwise.theory.automata.dfa import DFA
        >>> at_most_one = DFA("a", [[1], [2], [2]], 0, [True, True, False])
        >>> pumped_mistake(at_most_one, lambda word: len(word) < 2)
        >>> pumped_mistake(at_most_one, lambda word: len(word) < 2 or len(word) > 6)
        'aaaaaaa'
    """
    return next((w for w in pumped_words(dfa) if dfa.accepts(w) != member(w)), None)


def pumped_words(dfa: "DFA", seed: int = 0) -> Iterator[str]:
    """Yield words in which one to three short pieces are repeated more often than there are states.

    Repetitions differ by little, so that counters that should cancel, or nearly, are met.
    """
    rng, states = np.random.default_rng(seed), dfa.states
    pieces = ["".join(p) for n in (1, 2, 3) for p in product(dfa.alphabet, repeat=n)]
    pieces = pieces if len(pieces) <= 60 else list(rng.choice(pieces, 60, replace=False))
    for piece in pieces:
        yield from (piece * count for count in range(states + 1, 2 * states + 3))
    for _ in range(PUMPED):
        base = int(rng.integers(states + 1, 2 * states + 3))
        counts = base + rng.integers(-1, 2, size=int(rng.integers(2, 4)))
        yield "".join(pieces[rng.integers(len(pieces))] * int(n) for n in counts)
