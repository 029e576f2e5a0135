"""Communication growth: more than logarithmically many bits across a cut excludes a task.

Periodic and local limit transformers let Bob compute everything behind a cut from C log N bits
(Huang et al. 2025, Theorem 12). So the number of rows that Bob must tell apart may grow like a
polynomial, not exponentially. For a task that answers, different answers to prompts of one length
need different rows: Alice holds the prompt but for a fixed end, Bob that end and the answer. So the
number of different answers drawn is a lower bound. For a Python predicate prefixes are looked for
that must be told apart (:mod:`lengthwise.theory.communication.fooling`).

Rows of a polynomial grow by smaller and smaller factors. Growth is called exponential only when
the factors do not shrink; that it goes on beyond the counted lengths is extrapolated.
"""

from typing import TYPE_CHECKING, Any

from lengthwise.predict.instances import Text, draw
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.theory.communication.rows import exponential

if TYPE_CHECKING:
    from lengthwise.subjects.guard import GuardedFunction

LONGEST, DRAWS = 10, 8_000
ENDS = 3
"""Bob's part of the prompt has at most this many symbols."""
MOST_SECONDS = 10.0


def communication(context: Context) -> list[Evidence]:
    """Return a no for every periodic and local limit transformer, or nothing."""
    subject = context.subject
    if subject.function is not None:
        if subject.accept == "predict":  # then answers are asked on prefixes of members only
            return []
        return _from_function(subject.function, context)
    if context.settled("periodic_local"):
        return []  # a program or a decision already says it; the bound is silent or superfluous
    if subject.task is None or subject.accept != "answer" or subject.task.longest is not None:
        return []
    choices = answer_rows(subject.task)
    steep = [end for end, counted in choices.items() if exponential([r for _, r in counted])]
    if not steep:
        return []
    end = min(steep, key=lambda text: (len(text), text))
    counted = choices[end]
    shown = ", ".join(str(rows) for _, rows in counted)
    first, last = counted[0][0], counted[-1][0]
    fixed = f" (then always {end!r})" if end else ""
    statement = (
        f"different answers to prompts whose first part has length {first} to {last}{fixed}: at "
        f"least {shown}; exponential so far, and if it goes on more than logarithmic communication"
    )
    lengths, rows = [n for n, _ in counted], [r for _, r in counted]
    return [_evidence(statement, {"lengths": lengths, "rows": rows})]


def _from_function(function: "GuardedFunction", context: Context) -> list[Evidence]:
    """Look for prefixes that must be told apart, many of them and at every length tried."""
    from lengthwise.theory.communication.fooling import certificate, find_family, telling_suffix

    if function.constant:
        return []
    most = MOST_SECONDS / 3 if context.settled("periodic_local") else MOST_SECONDS
    family = find_family(function, seconds=min(most, context.clock.left() / 4))
    found = None if family is None else certificate(function, family)
    if family is None or found is None:
        return []
    sizes = ", ".join(str(len(item["prefixes"])) for item in found["sets"])
    pair = (0, 1), (1, 0)
    one, two, end = *map(family.prefix, pair), telling_suffix(function, family, pair)
    longest = max(len(pair[0]) for pair in found["pairs"])
    statement = (
        f"{sizes} prefixes, each one {'letter' if len(family.blocks[0]) == 1 else 'block'} longer, "
        f"that must be told apart pairwise ({one!r} from {two!r} by {end!r}), and long ones to "
        f"length {longest}; if it goes on, more than logarithmic communication"
    )
    return [_evidence(statement, found)]


def _evidence(statement: str, found: dict[str, Any]) -> Evidence:
    return Evidence(
        "communication",
        statement,
        "sampled",
        {"limit": False},
        basis="Huang et al. 2025, Theorem 12; growth beyond the listed lengths extrapolated",
        certificate=found,
    )


def answers_apart(task: Any) -> dict[str, dict[int, dict[Text, Text]]]:
    """Return, for each short end of prompts and length of what stands before, answers and prompts.

    Different answers to prompts with one end must be told apart by the part before the end. Nothing
    is returned where there are too many prompts to see them all, or hardly any answers.
    """
    seen: dict[Text, dict[int, dict[Text, Text]]] = {}
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
                by_length = seen.setdefault(prompt[cut:], {})
                by_length.setdefault(cut, {}).setdefault(answer, prompt[:cut])
    return {" ".join(end): dict(sorted(by.items())) for end, by in seen.items()}


def answer_rows(task: Any) -> dict[str, list[tuple[int, int]]]:
    """Count the different answers by the length of Alice's part, for each short end of prompts."""
    found = answers_apart(task)
    return {end: [(n, len(answers)) for n, answers in by.items()] for end, by in found.items()}
