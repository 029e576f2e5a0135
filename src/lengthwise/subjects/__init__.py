"""What a user names: one reader for regexes, automata, programs, tasks, functions."""
