"""Tasks that answer, or label letters, by a regular function of what was read.

All prompts up to a length are collected by drawing until none is new. If their answers have few
residuals (Myhill and Nerode), the automaton is built, tried on longer instances, and decided. Words
that are no prompts (too short, of a length that there is not, never drawn) ask nothing;
answers of several tokens are one question for each token behind what is written already. Where the
whole answer is no such function its first token may be one, and a refutation of that refutes the
task. That the task follows the automaton is known up to the lengths drawn: nothing here is more
than sampled.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lengthwise.core.limits import Limits
from lengthwise.languages.class_titles import CLASS_TITLES
from lengthwise.languages.dfa import DFA
from lengthwise.languages.machine import FREE, Part
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.predict.instances import (
    Drawn,
    Text,
    distinct_rows,
    draw,
    draw_rare,
    read_batch,
    seen_all,
)
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import narrow
from lengthwise.predict.providers.labels import decide_questions, refutation_of, refuted
from lengthwise.predict.types import Evidence
from lengthwise.theory.decide.decision import Answer

MOST_PROMPTS, LONGEST, LEAST, MOST_STATES = 1_100, 10, 4, 45
DRAWS_PER_PROMPT, MOST_DRAWS, SECONDS, SECONDS_TO_DECIDE = 20, 22_000, 3.0, 6.0
FAR, HELD_BACK = 60, 400
SHARES = (1 / 2, 2 / 3)
"""Of the length that was reached, for prefixes; the first that closes is taken."""
MOST_ANSWERS, MOST_SUFFIXES = 12, 5_000


@dataclass(frozen=True)
class ShortAnswers:
    """What was asked after every short word: the answer, or None where it was never drawn."""

    symbols: Text
    known: dict[Text, Text]
    reached: int
    read: Literal["answer", "labels"]

    first_only: bool = False
    """Whether only the first token of every answer is looked at."""

    def at(self, word: Text) -> Text | None:
        """Return the answer behind a word."""
        return self.known.get(word)

    def asked(self, answer: Text) -> Text:
        """Return what is looked at of an answer."""
        return answer[:1] if self.first_only else answer

    def first_tokens(self) -> "ShortAnswers":
        """Return the question for the first token alone."""
        known = {word: answer[:1] for word, answer in self.known.items()}
        return replace(self, known=known, first_only=True)


def table(context: Context) -> list[Evidence]:
    """Decide the regular function that a task computes on short prompts, if it is one."""
    task = context.subject.task
    if task is None or task.answers is not None or task.longest is not None:
        return []
    if any(item.claims.get("limit") is False for item in context.found):
        return []  # it is outside of every class already
    short = short_answers(task)
    if short is None:
        return []
    found = _from_machine(context, task, short)
    if not found and short.read == "answer":
        found = _from_machine(context, task, short.first_tokens())
    return found


def _from_machine(context: Context, task: Any, short: ShortAnswers) -> list[Evidence]:
    if len(set(short.known.values())) > MOST_ANSWERS:
        return []
    for share in SHARES:
        machine = residual_machine(short, share)
        if machine is not None and agrees(machine, task, short):
            found = _decide(context, machine, short)
            if found:
                return found
    return []


def short_answers(task: Any) -> ShortAnswers | None:
    """Return the answer of every short prompt; None where there are too many to see them all.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> short_answers(load_task("binary-majority")).at(("0", "1", "1"))
        ('1', '<eos>')
    """
    known: dict[Text, Text] = {}
    symbols: Text = ()
    reached, read = 0, "answer"
    limits = Limits(SECONDS)
    for length in task.possible_lengths(task.min_length, LONGEST).tolist():
        if (len(symbols) ** length > MOST_PROMPTS and length > 1) or limits.over:
            break
        count = min(MOST_DRAWS, DRAWS_PER_PROMPT * max(1, len(symbols)) ** length + 200)
        batch, times = distinct_rows(
            task.draw(np.random.default_rng(length), length, length, count)
        )
        if len(symbols) and not seen_all(times):
            break
        drawn = read_batch(task, batch)
        read = "labels" if drawn.labels else "answer"
        if not drawn.labels and drawn.table() is None:
            return None
        answers = dict(questions(drawn))
        if any(answers[word] != answer for word, answer in questions(drawn)):
            return None
        if any(known.get(word, answer) != answer for word, answer in answers.items()):
            return None
        known |= answers
        symbols = tuple(sorted({*symbols, *(s for word in answers for s in word)}))
        reached = max(map(len, known))
    if reached < LEAST:
        return None
    return ShortAnswers(symbols, known, reached, "labels" if read == "labels" else "answer")


def questions(drawn: Drawn) -> Iterator[tuple[Text, Text]]:
    """Yield what was read and what is asked behind it: prompts, or prefixes with a label."""
    for number, (prompt, answer) in enumerate(zip(drawn.prompts, drawn.answers, strict=True)):
        if not drawn.labels:
            yield prompt, answer
            continue
        for place, label in zip(drawn.places[number], answer, strict=True):
            yield prompt[: place + 1], (label,)


def residual_machine(short: ShortAnswers, share: float = 1 / 2) -> RegularAnswers | None:
    """Build the machine whose states are the distinct residuals of short prefixes, if it closes.

    Prefixes take a share of the length that was reached, what tells them apart the rest: an answer,
    or that no prompt begins so.
    """
    symbols, half = short.symbols, int(share * short.reached)
    ends = {word[k:] for word in short.known for k in range(len(word) + 1)}
    suffixes = sorted(end for end in ends if len(end) <= short.reached - half)
    if len(suffixes) > MOST_SUFFIXES:
        return None

    begun = {word[:k] for word in short.known for k in range(len(word) + 1)}
    near = [end for end in suffixes if len(end) <= short.reached - half - 2]

    def row(prefix: Text) -> tuple[Any, ...]:
        answers = tuple(short.at(prefix + suffix) for suffix in suffixes)
        return answers, tuple(prefix + suffix in begun for suffix in near)

    access: list[Text] = [()]
    numbers = {row(()): 0}
    transitions: list[list[int]] = []
    for prefix in access:  # grows while it is read
        line: list[int] = []
        for letter in symbols:
            after = (*prefix, letter)
            if len(after) > half or len(access) > MOST_STATES:
                return None
            if row(after) not in numbers:
                numbers[row(after)] = len(access)
                access.append(after)
            line.append(numbers[row(after)])
        transitions.append(line)
    dfa = DFA(symbols, transitions, 0, [False] * len(access))
    shown = [short.at(prefix) for prefix in access]
    names = tuple(sorted({" ".join(answer) for answer in shown if answer is not None}))
    column = [FREE if answer is None else names.index(" ".join(answer)) for answer in shown]
    shape = (len(access), len(symbols))
    return RegularAnswers(
        dfa, names, np.broadcast_to(np.array(column)[:, None], shape).copy(), short.read
    )


def same_questions(answers: RegularAnswers, short: ShortAnswers) -> bool:
    """Whether the machine asks after the short words that were drawn and after no others.

    Two prefixes that differ only behind long suffixes are one state. A machine that also answers
    where nothing is asked may serve for a program, but what refutes it does not refute the task.
    """
    asked = answers.by_state != FREE
    drawn = Counter(map(len, short.known))
    ways = np.zeros(len(asked), dtype=np.int64)
    ways[answers.automaton.initial] = 1
    for length in range(short.reached + 1):
        if int(ways[asked].sum()) != drawn[length]:
            return False
        after = np.zeros_like(ways)
        for column in answers.automaton.transitions.T:
            np.add.at(after, column, ways)
        ways = after
    return True


def agrees(
    answers: RegularAnswers, task: Any, short: ShortAnswers, instances: int = HELD_BACK
) -> bool:
    """Run the machine on longer instances, rare ones among them, and compare the answers."""
    held = [draw(task, LONGEST + 1, FAR, instances, seed=99)]
    held += draw_rare(task, task.min_length, FAR, instances // 2, seed=98)
    for drawn in held:
        if drawn.labels != (short.read == "labels"):
            return False
        for word, answer in questions(drawn):
            if not set(word) <= set(answers.automaton.alphabet):
                return False
            if answers.answer(word) != " ".join(short.asked(answer)):
                return False
    return True


def by_token(answers: RegularAnswers) -> list[Part]:
    """Ask for one token at a time, behind every beginning of an answer.

    Behind a beginning only the prompts whose answers begin so are asked about. What is written
    stands between a window and the prompt, which makes windows wider by a constant, no more.
    """
    if answers.read == "labels":
        return list(answers.parts())
    tokens = [name.split(" ") for name in answers.names]
    found: list[Part] = []
    for begun in sorted({tuple(t[:k]) for t in tokens for k in range(len(t))}):
        size = len(begun)
        after = [t[size] if tuple(t[:size]) == begun and len(t) > size else None for t in tokens]
        if len({token for token in after if token is not None}) < 2:
            continue
        by_state = [None if n == FREE else after[n] for n in answers.by_state.tolist()]
        found += RegularAnswers.behind(answers.automaton, by_state).parts()
    return found


def _decide(context: Context, answers: RegularAnswers, short: ShortAnswers) -> list[Evidence]:
    budget = context.clock.part(1 / 3, most=SECONDS_TO_DECIDE)
    name, parts = Path(context.subject.name).name, by_token(answers)
    if not parts and short.first_only:
        return []
    if not parts:  # always the same answer
        return [_evidence(name, answers, short, {"plain": True}, "always the same", None)]
    found: list[Evidence] = []
    exact = same_questions(answers, short)
    for answer in decide_questions(answers.automaton, parts, budget, answers.read):
        if answer.answer == "undecided" or any(item.claims.get("plain") for item in found):
            continue
        if short.first_only if answer.is_in else not exact:
            continue  # the rest of the answer may need more; other words may need less
        claims = {answer.class_name: False}
        if answer.is_in:
            claims = {"plain": True} if answer.class_name == "plain" else narrow(answer)
        found.append(_evidence(name, answers, short, claims, _told(answer), answer))
    return found


def _told(answer: Answer) -> str:
    title = CLASS_TITLES[answer.class_name]
    return f"in {title}" if answer.is_in else f"not in {title}: {refuted(answer)}"


def _evidence(
    name: str,
    answers: RegularAnswers,
    short: ShortAnswers,
    claims: dict[str, bool],
    told: str,
    answer: Answer | None,
) -> Evidence:
    what = "the answer" if short.read == "answer" else "the label"
    what = "the first token of the answer" if short.first_only else what
    return Evidence(
        "short instances",
        f"{what} of {name} is a regular function of what was read "
        f"({answers.automaton.states} states) on all {len(short.known):,} words drawn to length "
        f"{short.reached} and on longer ones to {FAR}; it is {told}",
        "sampled",
        claims,
        basis="residuals of all short prompts, then the decision for regular languages",
        reached=short.reached,
        certificate=refutation_of(answer) if answer is not None and not answer.is_in else None,
    )
