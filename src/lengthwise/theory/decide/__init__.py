"""Regular languages: automata, and whether C-RASP can recognise them, with a proof either way.

Start at ``decide.decide`` (the answers), ``regex.compile_regex`` and ``dfa.DFA`` (the languages),
``checker.check_certificate`` (the proofs). The argument runs ``potentials`` (one linear system) to
``windows`` and ``periodic_local`` (positions and windows), ``blocks``, ``witness`` and ``category``
(refutations), ``passage`` and ``emit`` (programs).
"""
