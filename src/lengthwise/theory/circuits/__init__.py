"""Circuit families of step-by-step tasks: are their relations sound, and how complex are they?

The families themselves are in ``lengthwise.relations``: ``library.circuit`` makes one,
``.gates(scale)`` are its steps, ``.relation(query, key, scale)`` is the ideal relation that an
encoding can use. ``src.src_verdict`` is what the conjecture of Chen, Liang and Lin (2025) says.
"""
