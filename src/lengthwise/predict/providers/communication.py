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

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.asked import Asked
from lengthwise.predict.instances import Text, distinct_rows, read_batch, seen_all
from lengthwise.predict.providers import Context
from lengthwise.predict.skewed import SkewedGenerator
from lengthwise.predict.types import Evidence
from lengthwise.theory.communication.fooling import certificate, find_family, telling_suffix
from lengthwise.theory.communication.rows import STEPS, exponential

if TYPE_CHECKING:
    from lengthwise.subjects.guard import GuardedFunction

LONGEST, DRAWS = 13, 24_000
ENDS = 3
"""Bob's part of the prompt has at most this many symbols more than Alice's."""
FAR, LONG_DRAWS, PATTERNS = 100, 300, 60
"""Length at which answers must still vary, draws, and patterns of eight positions among them."""
MANY_CALLS = 100_000
SECONDS = 3.0
"""For drawing short prompts from one source."""
Apart = dict[int, dict[Text, tuple[Text, Text]]]
"""Length of Alice's part -> answer -> (her part, Bob's part of the prompt)."""
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
    return _from_task(subject.task)


def _from_task(task: Any) -> list[Evidence]:
    """Count different answers on short prompts; on long ones see that it goes on."""
    for source in sources():
        every, complete = answers_apart(task, source)
        for apart in every:
            rows = [len(answers) for answers in apart.values()]
            if exponential(rows) and goes_on(task, source):
                return [_from_answers(apart)]
        if complete:
            break  # all letters were drawn: nothing is to be gained with fewer
    return []


def _from_answers(apart: Apart) -> Evidence:
    lengths = list(apart)
    shown = ", ".join(str(len(answers)) for answers in apart.values())
    statement = (
        f"different answers to prompts with one end, whose first parts have length {lengths[0]} to "
        f"{lengths[-1]}: at least {shown}; exponential so far, and to length {FAR} answers vary "
        "as freely; if it goes on, more than logarithmic communication"
    )
    return _evidence(statement, {"lengths": lengths, "sets": fooling_sets(apart)})


def fooling_sets(apart: Apart) -> list[dict[str, Any]]:
    """Return the prefixes of each length that must be told apart, with the end and the answers."""
    return [
        {
            "prefixes": [" ".join(x) for x, _ in by.values()],
            "end": " ".join(next(iter(by.values()))[1]),
            "answers": [" ".join(answer) for answer in by],
        }
        for by in apart.values()
    ]


def _from_function(function: "GuardedFunction", context: Context) -> list[Evidence]:
    most = MOST_SECONDS / 3 if context.settled("periodic_local") else MOST_SECONDS
    return told_apart(function, min(most, context.clock.left() / 4))


def told_apart(function: Asked, seconds: float, what: str = "prefixes") -> list[Evidence]:
    """Look for prefixes that must be told apart, many of them and at every length tried."""
    if function.constant:
        return []
    family = find_family(function, seconds=seconds)
    found = None if family is None else certificate(function, family)
    if family is None or found is None:
        return []
    sizes = ", ".join(str(len(item["prefixes"])) for item in found["sets"])
    pair = (0, 1), (1, 0)
    one, two, end = *map(family.prefix, pair), telling_suffix(function, family, pair)
    longest = max(len(pair[0]) for pair in found["pairs"])
    statement = (
        f"{sizes} {what}, each one {'letter' if len(family.blocks[0]) == 1 else 'block'} longer, "
        f"that must be told apart pairwise ({one!r} from {two!r} by {end!r}), and long ones to "
        f"length {longest}; if it goes on, more than logarithmic communication"
    )
    return [_evidence(statement, found, of_programs=not _one_length_each(found["sets"]))]


def _one_length_each(sets: list[dict[str, Any]]) -> bool:
    return all(len({len(suffix) for suffix in item["suffixes"]}) == 1 for item in sets)


def _evidence(statement: str, found: dict[str, Any], of_programs: bool = False) -> Evidence:
    """Return the no: for limit transformers, or where total lengths differ for programs alone.

    What a C-RASP program passes on across a cut is its counts, whatever follows. A limit
    transformer scales its logits by the total length, so its message may depend on how much
    follows, and only words of one length bound it.
    """
    basis = "Huang et al. 2025, Theorem 12"
    if of_programs:
        basis = "derived: a program passes on its counts, a residue and a window, whatever follows"
    return Evidence(
        "communication",
        statement,
        "sampled",
        {"periodic_local" if of_programs else "limit": False},
        basis=f"{basis}; growth beyond the listed lengths extrapolated",
        certificate=found,
    )


Source = Callable[[int], np.random.Generator]


def sources() -> list[Source]:
    """Return generators by seed: uniform ones, and ones that draw two letters of an alphabet."""
    few = [lambda seed, k=k: SkewedGenerator(k, "few", calls=MANY_CALLS) for k in range(2)]
    return [np.random.default_rng, *few]


def answers_apart(
    task: Any, source: Source = np.random.default_rng, seconds: float = SECONDS
) -> tuple[list[Apart], bool]:
    """Return prompts with one end and different answers, by the length of what is before the end.

    Different answers to prompts with one end must be told apart by the part before the end. There
    is one series for each short end, and some with ends as long as Alice's part. The second value
    says whether lengths enough to see growth were drawn completely.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> every, complete = answers_apart(load_task("repeat-copy"))
        >>> [len(answers) for answers in every[0].values()][:4]
        [2, 4, 8, 16]
    """
    seen: dict[tuple[int, Text], dict[Text, tuple[Text, Text]]] = {}
    count, reached = DRAWS // 24, 0
    rng, limits = np.random.default_rng(0), Limits(seconds)
    for length in task.possible_lengths(task.min_length, LONGEST).tolist():
        lengths = task.draw_lengths(rng, length, length, count)
        batch, drawn = distinct_rows(task.sample(source(length), lengths))
        if not seen_all(drawn) or limits.over:
            break  # too many prompts to see them all: counts would only show the draws
        rows = read_batch(task, batch).table()
        if rows is None:
            return [], True
        reached += 1
        count = min(DRAWS, max(count, 30 * len(rows)))
        for prompt, answer in rows.items():
            for cut in range(1, len(prompt) + 1):
                if len(prompt) - cut <= max(ENDS, cut + 1):
                    by = seen.setdefault((cut, prompt[cut:]), {})
                    by.setdefault(answer, (prompt[:cut], prompt[cut:]))
    return list(_series(seen)), reached > STEPS


def _series(seen: dict[tuple[int, Text], dict[Text, tuple[Text, Text]]]) -> Iterator[Apart]:
    """Order what was seen: by fixed ends, then by ends that grow with what stands before."""
    by_end: dict[Text, Apart] = {}
    for (cut, end), by in sorted(seen.items()):
        if len(end) <= ENDS:
            by_end.setdefault(end, {})[cut] = by
    yield from (by_end[end] for end in sorted(by_end, key=lambda end: (len(end), end)))
    for extra in (0, 1, -1):
        growing: Apart = {}
        for (cut, end), by in sorted(seen.items()):
            if len(end) == cut + extra and len(by) > len(growing.get(cut, {})):
                growing[cut] = by
        yield growing


def goes_on(task: Any, source: Source) -> bool:
    """Whether the answers to long prompts still vary at many positions, and freely.

    Position j of the answers is not free if an earlier one determines it in all draws. Copies,
    sums and reversals have as many free positions as the answer has; what is remembered of the
    ends, or repeated, has a constant number of them.
    """
    possible = task.possible_lengths(task.min_length, FAR).tolist()
    if not possible or possible[-1] < FAR // 2:
        return False
    lengths = np.full(LONG_DRAWS, possible[-1])
    drawn = read_batch(task, task.sample(source(1), lengths))
    size = min(map(len, drawn.answers)) - 1
    if not drawn.continues or size < FAR // 4:
        return False
    numbers: dict[str, int] = {}
    codes = np.array(
        [[numbers.setdefault(s, len(numbers)) for s in answer[:size]] for answer in drawn.answers]
    )
    free = free_columns(codes)
    if len(free) < FAR // 4:
        return False
    picked = np.random.default_rng(0).permutation(free)[:8]
    return len({row.tobytes() for row in codes[:, np.sort(picked)]}) >= PATTERNS


def free_columns(codes: np.ndarray) -> list[int]:
    """Return the columns that vary and that no column before them determines.

    Example:
        >>> free_columns(np.array([[0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]]))
        [1, 3]
    """
    shown = np.eye(int(codes.max()) + 1, dtype=np.float32)[codes]  # (row, column, symbol)
    flat = shown.reshape(len(codes), -1)
    together = (flat.T @ flat).reshape(codes.shape[1], -1, codes.shape[1], shown.shape[2]) > 0
    determined = (together.sum(axis=3) <= 1).all(axis=1)  # [i, j]: i determines j
    varies = shown.any(axis=0).sum(axis=1) > 1
    earlier = np.triu(np.ones_like(determined), k=1)
    return np.flatnonzero(varies & ~(determined & earlier).any(axis=0)).tolist()
