"""Learning programs that write: the next token as a short list of rules over terms of the text.

    if the text ends here: write the first symbol before the separator
    else: write the symbol that stood behind this one before the separator

A *term* names a symbol of the text ("the most frequent one", "what stood behind this one"), a
*guard* is a Boolean over counts, windows and positions. Both are C-RASP expressions, so that what
is evaluated during the search is what the program will compute.
"""
