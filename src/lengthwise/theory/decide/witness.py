"""Block witnesses: one repeated word and words between its copies that no program can follow.

Our derivation, unpublished. The readable special case of the category test: a single idempotent e
with its shortest word w_e of length t; the blocks are w_e x w_e with |x| a multiple of t.
"""

from collections import deque

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.graphs import walk_back
from lengthwise.languages.monoid import Ints, Monoid
from lengthwise.theory.decide.blocks import BlockFailure, block_failure
from lengthwise.theory.decide.chains import Allowed

Word = tuple[int, ...]


def shortest_word(monoid: Monoid, element: int) -> Word:
    """Return the shortest non-empty word of an element that has one."""
    word = monoid.word(element) if element else monoid.identity_word
    assert word, "the identity is asked for only when a non-empty word has that action"
    return word


def words_in_steps(monoid: Monoid, step: int, budget: Limits) -> dict[int, Word]:
    """Return every action of words whose length is a multiple of ``step``, with a shortest word."""
    parents: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(0, 0): None}
    queue = deque(parents)
    cayley = monoid.cayley.tolist()
    while queue:
        node = queue.popleft()
        following = (node[1] + 1) % step
        for letter, target in enumerate(cayley[node[0]]):
            if target >= 0 and (target, following) not in parents:
                parents[(target, following)] = (node, letter)
                queue.append((target, following))
    budget.check("the words of a block witness")
    return {x: walk_back(parents, (x, r)) for x, r in parents if r == 0}


def block_witness(
    monoid: Monoid, idempotents: list[int], budget: Limits, allowed: Allowed = None
) -> tuple[BlockFailure, Word, dict[int, Word]] | None:
    """Try idempotents, shortest words first; return the failure, w_e and the words of the blocks.

    The monoid may be incomplete: fewer blocks only make the refutation harder to find.
    """
    for e in sorted(idempotents, key=lambda x: len(shortest_word(monoid, x))):
        anchor = shortest_word(monoid, e)
        words = words_in_steps(monoid, len(anchor), budget)
        members: Ints = np.array(list(words), dtype=np.int64)
        failure = block_failure(monoid.elements, members, [e], budget, allowed)
        if failure is not None:
            return failure, anchor, words
    return None


def early_idempotents(monoid: Monoid, limit: int) -> list[int]:
    """Return the first idempotents of rank at least 2 that have a non-empty word."""
    found: list[int] = []
    for e in monoid.idempotents.tolist():
        if e == 0 and monoid.identity_word is None:
            continue
        if len(np.unique(monoid.elements[e])) > 1:
            found.append(e)
        if len(found) == limit:
            break
    return found
