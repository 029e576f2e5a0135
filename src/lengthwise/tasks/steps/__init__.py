"""Other tasks with steps: their words, the states that an automaton takes on them, the answer."""
