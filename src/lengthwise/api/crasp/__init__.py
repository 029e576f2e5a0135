"""C-RASP programs: ``lw.crasp.run()``, ``lw.crasp.learn()``; each is ``lengthwise crasp NAME``.

What is no verb is a name of the room ``lengthwise.crasp``: ``lw.crasp.parse``.
"""

from lengthwise.api.crasp.on_words import check as check
from lengthwise.api.crasp.on_words import run as run
from lengthwise.api.crasp.on_words import trace as trace
from lengthwise.api.crasp.smallest import learn as learn
from lengthwise.api.crasp.texts import format_program as format_program
from lengthwise.api.crasp.texts import show as show
from lengthwise.api.crasp.texts import simplify as simplify
from lengthwise.api.crasp.two_programs import compare as compare
from lengthwise.core.later import names_of

__getattr__ = names_of("lengthwise.crasp")
