"""A Python predicate: learn an automaton from it, then decide. Learned is never proved."""

from dataclasses import replace

from lengthwise.predict.providers import Context
from lengthwise.predict.providers.decision import decide_language
from lengthwise.predict.types import Evidence, weakest
from lengthwise.subjects.as_language import learn_in_time

MOST_STATES = 40
SHARE = 0.3
"""Of the time that is left, for reading and learning."""


def learned_automaton(context: Context) -> list[Evidence]:
    """Learn with questions to the function; an automaton that is in doubt claims nothing."""
    subject = context.subject
    if subject.function is None:
        return []
    learned = learn_in_time(subject.function, SHARE * context.clock.left(), MOST_STATES)
    if learned.doubt or learned.dfa is None:
        return [Evidence("learned automaton", learned.doubt, "sampled")]
    name = f"an automaton of {learned.dfa.states} states, learned, not proved equal,"
    about = {"regex": None, "source": subject.name, "learned": learned.note}
    found = decide_language(learned.dfa, subject.accept, context.clock.left() / 2, name, about)
    return [
        replace(item, provider="learned automaton", strength=weakest([item.strength, "sampled"]))
        for item in found
    ]
