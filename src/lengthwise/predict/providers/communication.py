"""Communication growth: more than logarithmically many bits across a cut excludes a task.

Periodic and local limit transformers let Bob compute everything behind a cut from C log N bits
(Huang et al. 2025, Theorem 12). So the number of rows that Bob must tell apart may grow like a
polynomial, not exponentially. For a task that answers, different answers to prompts of one length
need different rows: Alice holds the prompt but for a fixed end, Bob that end and the answer. So the
number of different answers drawn is a lower bound. For a Python predicate the rows are counted.

Rows of a polynomial grow by smaller and smaller factors. Growth is called exponential only when
the factors do not shrink; that it goes on beyond the counted lengths is extrapolated.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.predict.instances import Text, draw
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence

if TYPE_CHECKING:
    from lengthwise.theory.decide.asked import Asked

LONGEST, DRAWS, STEPS = 10, 8_000, 5
ENDS = 3
"""Bob's part of the prompt has at most this many symbols."""
FACTOR, TOLERANCE = 1.5, 0.98


def communication(context: Context) -> list[Evidence]:
    """Return a no for every periodic and local limit transformer, or nothing."""
    subject = context.subject
    if context.settled("periodic_local") and subject.kind != "function":
        return []  # a program or a decision already says it; the bound is silent or superfluous
    if subject.function is not None:
        choices = {"": function_rows(subject.function)}
        how = "rows of the communication matrix for halves of length"
    elif subject.task is not None and subject.accept == "answer" and subject.task.longest is None:
        choices = answer_rows(subject.task)
        how = "different answers to prompts whose first part has length"
    else:
        return []
    steep = [end for end, counted in choices.items() if exponential([r for _, r in counted])]
    if not steep:
        return []
    end = min(steep, key=lambda text: (len(text), text))
    counted = choices[end]
    shown = ", ".join(str(rows) for _, rows in counted)
    first, last = counted[0][0], counted[-1][0]
    fixed = f" (then always {end!r})" if end else ""
    return [
        Evidence(
            "communication",
            f"{how} {first} to {last}{fixed}: at least {shown}; exponential so far, and if it goes "
            "on more than logarithmic communication",
            "sampled",
            {"limit": False},
            basis="Huang et al. 2025, Theorem 12; growth beyond the counted lengths extrapolated",
            facts={},
            certificate={"lengths": [n for n, _ in counted], "rows": [r for _, r in counted]},
        )
    ]


def exponential(rows: Sequence[int]) -> bool:
    """Whether the last factors between row counts stay large and do not shrink.

    Example:
        >>> exponential([2, 4, 8, 16, 32, 64])
        True
        >>> from math import comb
        >>> exponential([comb(n + 25, 25) for n in range(1, 12)])
        False
    """
    if len(rows) < STEPS + 1:
        return False
    last = np.array(rows[-STEPS - 1 :], dtype=float)
    factors = last[1:] / last[:-1]
    steady = factors[1:] >= TOLERANCE * factors[:-1]
    return bool((factors >= FACTOR).all() and steady.all())


def answer_rows(task: Any) -> dict[str, list[tuple[int, int]]]:
    """Count the different answers by the length of Alice's part, for each short end of prompts."""
    seen: dict[Text, dict[int, set[Text]]] = {}
    count = DRAWS // 8
    for length in task.possible_lengths(task.min_length, LONGEST).tolist():
        rows = draw(task, length, length, count, seed=length).table()
        if rows is None:
            return {}
        if len(rows) > count // 2:
            break  # too many prompts to see them all: counts would only show the draws
        count = min(DRAWS, max(count, 60 * len(rows)))
        for prompt, answer in rows.items():
            for size in range(min(ENDS, len(prompt)) + 1):
                cut = len(prompt) - size
                seen.setdefault(prompt[cut:], {}).setdefault(cut, set()).add(answer)
        if length >= LONGEST - 2 and max(len(a) for a in seen[()].values()) <= length:
            return {}  # so few answers that no growth is to be seen
    return {
        " ".join(end): sorted((n, len(answers)) for n, answers in by_length.items())
        for end, by_length in seen.items()
    }


def function_rows(asked: "Asked") -> list[tuple[int, int]]:
    """Count the rows of M[x, y] = f(xy) for halves of growing length, as far as all were read."""
    counted: list[tuple[int, int]] = []
    for half in range(1, asked.complete // 2 + 1):
        side = len(asked.letters) ** half
        matrix = asked.tables[2 * half].reshape(side, side)
        counted.append((half, len(np.unique(matrix, axis=0))))
    return counted
