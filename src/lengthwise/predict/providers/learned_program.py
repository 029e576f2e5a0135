"""Programs found by search: the smallest that fits short words, tried on longer ones."""

from collections import Counter
from typing import Any

from lengthwise.predict.classes import of_fragment
from lengthwise.predict.instances import draw
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.own_program import program_facts
from lengthwise.predict.types import Evidence

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

    subject = context.subject
    assert subject.function is not None
    target = from_function(subject.function, subject.letters, subject.name)
    learned = learn(target, budget=Budget(seconds=seconds), verify_seconds=seconds / 8)
    if learned.program is None or learned.verified is None or not learned.verified.agrees:
        text = f"no program found ({learned.explored:,} expressions tried)"
        return [Evidence("learned program", text, "sampled")]
    return [_evidence(learned.program, f"learned from the function; {learned.verified.sentence()}")]


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
