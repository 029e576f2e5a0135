"""Programs found by search: the smallest that fits short words, tried on longer ones."""

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from lengthwise.core.clock import OutOfTimeError, alarm
from lengthwise.predict.classes import of_fragment
from lengthwise.predict.instances import draw
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.own_program import program_facts
from lengthwise.predict.types import Evidence

if TYPE_CHECKING:
    from lengthwise.crasp.interpreter import Accept
    from lengthwise.languages.asked import Asked

CHUNK = 8_192
MOST_SECONDS, SHORT, MOST_LABELS = 20.0, 8, 6


def learned_program(context: Context) -> list[Evidence]:
    """Search for a program where nothing else has decided C-RASP[periodic, local]."""
    subject = context.subject
    if context.settled("periodic_local") or context.clock.left() < 1:
        return []
    seconds = min(MOST_SECONDS, context.clock.left() / 2)
    if subject.function is not None:
        return _from_function(context, seconds)
    if subject.task is not None and subject.accept == "answer" and subject.dfa is None:
        return _from_labels(subject.task, seconds)
    return []


def _from_function(context: Context, seconds: float) -> list[Evidence]:
    from lengthwise.crasp.learning import Budget, learn
    from lengthwise.crasp.targets import from_function
    from lengthwise.languages.longer import longer_tests

    subject, function = context.subject, context.subject.function
    assert function is not None
    if function.one_sided:
        text = "no program was looked for: all long words that were read have the same answer"
        return [Evidence("learned program", text, "sampled")]
    if subject.accept not in ("last", "end"):
        text = "programs are learned for answers read at the last letter or behind the word only"
        return [Evidence("learned program", text, "sampled")]
    accept: Accept = "end" if subject.accept == "end" else "last"
    target = from_function(function, subject.letters, subject.name)
    try:
        with alarm(1.5 * seconds):  # leaves time to ask the function again
            learned = learn(target, budget=Budget(seconds=seconds), verify_seconds=seconds / 8)
    except OutOfTimeError:
        return [Evidence("learned program", "no program found in time", "sampled")]
    if learned.program is None or learned.verified is None or not learned.verified.agrees:
        text = f"no program found ({learned.explored:,} expressions tried)"
        return [Evidence("learned program", text, "sampled")]
    deadline = time.monotonic() + seconds / 4
    for batch in longer_tests(function, np.random.default_rng(1)):
        for start in range(0, len(batch), 50):
            if time.monotonic() < deadline:
                function.ask(batch[start : start + 50])
    wrong = contradiction(learned.program, function, accept)
    if wrong is not None:
        text = f"a program that fits short words fails on {wrong[:60]!r}"
        return [Evidence("learned program", text, "sampled")]
    return [_evidence(learned.program, f"learned from the function; {learned.verified.sentence()}")]


def contradiction(program: Any, asked: "Asked", accept: "Accept") -> str | None:
    """Return a word that was read before and that the program gets wrong."""
    from lengthwise.crasp.interpreter import accepts
    from lengthwise.languages.words import Words, words_of_length

    for length in range(1, asked.complete + 1):
        start = 0
        for words in words_of_length(asked.letters, length, CHUNK):
            answers = asked.tables[length][start : start + words.count]
            wrong = np.flatnonzero(np.asarray(accepts(program, words, accept=accept)) != answers)
            if len(wrong):
                return "".join(words.word(int(wrong[0])))
            start += words.count
    longer = sorted(asked.others, key=len)
    for start in range(0, len(longer), 500):
        part = longer[start : start + 500]
        found = np.asarray(accepts(program, Words.encode(part, asked.letters), accept=accept))
        for word, answer in zip(part, found, strict=True):
            if bool(answer) != asked.others[word]:
                return word
    return None


def _from_labels(task: Any, seconds: float) -> list[Evidence]:
    """Learn one Boolean per label from the prefixes of short words."""
    from lengthwise.crasp.learning import Budget, learn_examples
    from lengthwise.crasp.program import Program
    from lengthwise.tasks.following import check_task

    found = draw(task, task.min_length, SHORT, 400)
    rows = zip(found.prompts, found.answers, strict=True)
    labelled = {word[: t + 1]: a for word, answer in rows for t, a in enumerate(answer)}
    names = [name for name, _ in Counter(labelled.values()).most_common()]
    if not found.labels or len(names) > MOST_LABELS:
        return []
    letters = sorted({letter for word in labelled for letter in word})
    share = Budget(seconds=seconds / len(names))
    outputs = {}
    for name in names:
        examples = [(word, label == name) for word, label in labelled.items()]
        learned = learn_examples(examples, letters, budget=share)
        if learned.program is None:
            return [Evidence("learned program", f"no program found for label {name}", "sampled")]
        outputs[name] = learned.program.accept
    program = Program([], alphabet=task.vocabulary.symbols, next=outputs)
    report = check_task(program, task, instances=400, longest=50, seed=1)
    if report.mistake is not None:
        text = f"a program that fits short words fails on longer ones: {report.mistake}"
        return [Evidence("learned program", text, "sampled")]
    return [_evidence(program, f"learned from words to length {SHORT}; {report.sentence()}")]


def _evidence(program: Any, how: str) -> Evidence:
    facts = program_facts(program)
    return Evidence(
        "learned program",
        f"a {facts['fragment']} program of depth {facts['depth']}, {how.rstrip('.')}",
        "sampled",
        {of_fragment(facts["fragment"]): True},
        basis="found by search; checked, not proved",
        facts=facts,
        certificate={"program": str(program)},
    )
