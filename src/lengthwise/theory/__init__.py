"""What can be known without training: programs, automata, limits, circuits and positions."""
