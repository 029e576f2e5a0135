"""Formal objects: words, regular expressions, automata, monoids; no verdicts."""
