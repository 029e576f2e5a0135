"""The playground behind ``lengthwise ui``: a local web page over the library.

:mod:`.server` speaks HTTP and guards the door, :mod:`.workers` runs each computation in a process
of its own, :mod:`.api` lists what can be asked, and one module per question answers:
:mod:`.language`, :mod:`.programs`, :mod:`.word_steps`, :mod:`.disagreement`, :mod:`.results`. The
page is in ``templates`` and ``static``; :mod:`.site` writes it as files that need no server.
"""
