"""Another format of the same problem: marks beside symbols, digits in columns, bare symbols.

A format is known for what a task asks, not for its name: see ``tasks.steps.known_problems``.
"""

from lengthwise.proposals import ChangedTask, Unsatisfied
from lengthwise.proposals.steps_behind import MARKS
from lengthwise.tasks.steps.known_problems import KnownProblem, known_problem, spelled


def other_format(asked: Unsatisfied) -> list[ChangedTask]:
    """Propose the formats of the problem that the task's drawn instances are instances of."""
    problem = known_problem(asked.load()) if asked.task else None
    if problem is None:
        return []
    made = {"copy": _copies, "reverse": _copies, "sort": _sorted, "sum": _sums, "times": _sums}
    return [ChangedTask("format", task, change) for task, change in made[problem.name](problem)]


def _copies(problem: KnownProblem) -> list[tuple[str, str]]:
    order = "" if problem.name == "copy" else ",order=reversed"
    name = f"hinted-copy:{spelled(problem.symbols)}{order}"
    copy = "copy" if problem.name == "copy" else "reversed copy"
    return [
        (f"{name},marks={MARKS}", f"an index beside every symbol, repeated in the {copy}"),
        (
            f"{name},hints=signpost,marks={MARKS}",
            f"a mark of its own beside every symbol, repeated in the {copy}",
        ),
    ]


def _sorted(problem: KnownProblem) -> list[tuple[str, str]]:
    change = "the symbols alone, without words and separators; counts say what is left"
    return [(f"sort:symbols={len(problem.symbols)},repeats=true", change)]


def _sums(problem: KnownProblem) -> list[tuple[str, str]]:
    sides = "digits of equal weight" if problem.name == "sum" else "the factor and a digit"
    change = f"low digits first, {sides} side by side, and the digit of the result behind them"
    found = [(f"columns:operation={problem.name},base={problem.base}", change)]
    if (problem.name, problem.base) == ("sum", 2):
        hinted = "low bits first, and bits of equal weight beside the same index"
        found.append((f"hinted-addition:marks={MARKS}", hinted))
    return found
