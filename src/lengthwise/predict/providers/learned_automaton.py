"""A Python predicate: learn an automaton from it, then decide. Learned is never proved.

The learner tries an automaton on pumped words too, which show counters that run far.
"""

from dataclasses import replace

from lengthwise.core.clock import OutOfTimeError, alarm
from lengthwise.core.errors import InputError
from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import decide_language
from lengthwise.predict.types import Evidence, weakest

MOST_STATES = 40


def learned_automaton(context: Context) -> list[Evidence]:
    """Learn with questions to the function; a language with too many states gives nothing."""
    from lengthwise.languages.learned import learn

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
    except InputError as error:
        if problems:  # the function itself failed
            raise problems[0] from None
        return [Evidence("learned automaton", str(error), "sampled")]
    except OutOfTimeError:
        return [Evidence("learned automaton", "no automaton learned in time", "sampled")]
    name = f"an automaton of {learned.dfa.states} states, {learned.note},"
    found = decide_language(learned.dfa, subject.accept, context.clock.left() / 2, name, {})
    return [
        replace(item, provider="learned automaton", strength=weakest([item.strength, "sampled"]))
        for item in found
    ]
