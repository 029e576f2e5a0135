"""Tasks whose sampler can be told what to draw: refuted as functions are, prompt by prompt.

The first token of the answer is a function of the prompt (:mod:`lengthwise.predict.scripted`), so
prefixes that must be told apart and images outside of C-RASP refute the task: whoever writes the
answer writes its first token. Prompts are read at the separator, behind the word.
"""

from dataclasses import replace

from lengthwise.core.limits import Limits
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.communication import told_apart
from lengthwise.predict.providers.images import refuted_images
from lengthwise.predict.scripted import NoOracleError, PromptOracle
from lengthwise.predict.types import Evidence

MOST_SECONDS = 9.0
WORDS = 1_500
"""Of the words that are all asked for."""
TOKENS = 3
"""First tokens of answers that are looked at, the most frequent ones."""


def asked_prompts(context: Context) -> list[Evidence]:
    """Refute what is still open for a task that answers."""
    task = context.subject.task
    open_ = {name for name in ("plain", "periodic_local") if not context.settled(name)}
    if task is None or context.subject.accept != "answer" or not open_:
        return []
    limits = context.clock.part(2 / 3, MOST_SECONDS)
    oracle = PromptOracle.of(task)
    if oracle is None:
        return []
    try:
        return refute_prompts(oracle, open_, limits)
    except NoOracleError:  # some prompt came out otherwise
        return []


def refute_prompts(oracle: PromptOracle, open_: set[str], limits: Limits) -> list[Evidence]:
    """Look for a refutation of an open class, for one first token of the answer after another."""
    tokens = oracle.tokens[:TOKENS]
    for number, token in enumerate(tokens):
        share = limits.part(1 / (len(tokens) - number))
        asked = oracle.asking(token)
        asked.read_all(most=WORDS, seconds=share.left() / 4)
        if "periodic_local" in open_:
            found = told_apart(asked, share.left() / 2, "beginnings of prompts")
            if found:
                return [_about(item, oracle, token) for item in found]
        if oracle.whole and not asked.constant:
            found = refuted_images(asked, open_, share, bare_end=True)
            if found:
                return [_about(item, oracle, token) for item in found]
    return []


def _about(item: Evidence, oracle: PromptOracle, token: str) -> Evidence:
    """Say what the letters stand for, and what is asked."""
    example = oracle.prompt(oracle.letters[0] + oracle.letters[1] * 5)
    return replace(
        item,
        provider="asked prompts",
        statement=f"whether the answer begins with {token}, letters standing for symbols of the "
        f"prompt ({example}): {item.statement}",
    )
