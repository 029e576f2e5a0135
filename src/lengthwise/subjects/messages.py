"""What the first half of a word must tell the second, for whatever a user names."""

from contextlib import closing

from lengthwise.subjects.reader import read_subject
from lengthwise.subjects.views import as_problem
from lengthwise.theory.communication.rows import PROBLEMS
from lengthwise.theory.communication.summary import Report, report


def communication(
    text: str, longest: int = 6, *, alphabet: str | None = None, parameters: str = ""
) -> Report:
    """Count rows of a problem's, language's or program's matrix, and run a program's protocols.

    Example:
        >>> communication("parity", 4).verdict, communication("(ab)*", 4).verdict
        ('silent', 'silent')
    """
    if text in PROBLEMS:
        return report(text, PROBLEMS[text], longest=longest)
    read = read_subject(text, alphabet=alphabet, parameters=parameters, wanted="program")
    with closing(read):
        return report(read.name, as_problem(read), read.program, longest)
