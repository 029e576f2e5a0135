"""Programs that look at the last letters only, held against a regular question completely.

Every prefix that can be asked about is followed through the question's automaton together with its
last letters; there are finitely many such pairs. On the letters of each the interpreter must write
exactly the token that is asked for. Then the program is right after every prefix, however long, and
so is a model that reads its own tokens: each is right, given right ones before it.
"""

from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Expression, LocalCount, PrefixCount, Residue, postorder
from lengthwise.crasp.writers import predictions
from lengthwise.languages.regular_answers import RegularAnswers
from lengthwise.languages.window_answers import WindowAnswers, all_windows
from lengthwise.predict.program_facts import program_facts
from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.tasks.following import check_answers

WIDEST = 12


def windows(context: Context) -> list[Evidence]:
    """Check the attached program of a task whose answers are declared, if it only looks back."""
    task = context.subject.task
    if task is None or task.answers is None or task.answers.read != "labels":
        return []
    program = task.program
    if program is None or not looks_back_only(program):
        return []
    table = solved_windows(program, task.answers)
    if table is None or check_answers(task.answers, task) is not None:
        return []
    claims = {"plain": True} if table.width == 1 else {"local": True}
    shown = str(program)
    return [
        Evidence(
            "windows",
            f"the program of {task.name} looks at the last {table.width} symbols and writes every "
            f"token that is asked for: all {len(table.answers):,} windows that can be asked about, "
            f"each in a text of at most {table.shown} symbols",
            "proof",
            claims,
            basis=f"complete check: {table.pairs:,} pairs of a state and a window were followed",
            facts=program_facts(program) | {"shown": table.shown},
            certificate={"program": shown if len(shown) < 20_000 else shown[:20_000] + "\n..."},
        )
    ]


def looks_back_only(program: Program) -> bool:
    """Whether a program writes by letters at fixed distances alone: no counts, no positions."""
    nodes = list(postorder(program.roots))
    fixed = not any(isinstance(node, PrefixCount | Residue) for node in nodes)
    return program.is_generator and fixed and reach(program) < WIDEST


def reach(program: Program) -> int:
    """How far back a program without counts can look: distances inside one another add up."""
    far: dict[Expression, int] = {}
    for node in postorder(program.roots):
        inner = max((far[arg] for arg in node.args), default=0)
        far[node] = inner + (node.distances[-1] if isinstance(node, LocalCount) else 0)
    return max((far[node] for node in program.outputs), default=0)


def solved_windows(program: Program, answers: RegularAnswers) -> WindowAnswers | None:
    """Return the windows of a question if the program answers all of them, else None.

    A window is one letter wider than the program looks back, so that nothing before it matters;
    shorter ones are whole words.
    """
    table = all_windows(answers, reach(program) + 1)
    if table is None:
        return None
    letters = set(program.all_letters())
    if any(symbol not in letters for window in table.answers for symbol in window):
        return None
    names = list(program.next)
    for size in {len(window) for window in table.answers}:
        some = [window for window in table.answers if len(window) == size]
        said = predictions(program, some)[:, size - 1]
        for window, index in zip(some, said.tolist(), strict=True):
            if index < 0 or names[index] != table.answers[window]:
                return None
    return table
