"""Subjects: one reader of whatever a user names, with the same rules in every command.

==================================  ================================================================
``FILE.py:Name``                    a task class or a predicate on words, with options for a task
``FILE.cr``, ``dyck-1.cr``          a program in a file, or of the library
``FILE.json``, ``FILE.att``         an automaton
``parity``, ``majority:letters=3``  a task, with options
``contains-ab``                     a program of the library, where no task has the name
anything else                       a regular expression
==================================  ================================================================

``regex:``, ``automaton:``, ``program:`` and ``task:`` in front settle it. A word that looks like a
name or a file but is none is refused with what it may have meant, never read as an expression.
Commands about programs (``crasp``, ``compile``) look a bare name up among programs first; there, as
in commands about tasks (``train``, ``show``), a bare word is always a name.
"""

from lengthwise.subjects.as_language import as_language
from lengthwise.subjects.naming import Naming, name_subject
from lengthwise.subjects.reader import read_subject
from lengthwise.subjects.subject import Kind, Subject, task_subject
from lengthwise.subjects.views import as_program, as_target, as_task

__all__ = [
    "Kind",
    "Naming",
    "Subject",
    "as_language",
    "as_program",
    "as_target",
    "as_task",
    "name_subject",
    "read_subject",
    "task_subject",
]
