"""Execute the blocks of a page in one folder, as a reader would from top to bottom."""

import ast
import contextlib
import difflib
import io
import re
import subprocess
import sys
import traceback
from itertools import takewhile
from pathlib import Path

from lengthwise.cli.main import main, prepare
from tests.docs.blocks import Block, Step, alike, steps

COLUMNS = 100
TERMINAL = {"COLUMNS": str(COLUMNS), "LINES": "50", "TERM": "dumb"}
"""Pages show what a terminal of 100 columns without colours shows."""


class Screen(io.StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Aside(io.TextIOBase):
    """Standard error on the same screen, but not itself a terminal: progress comes as lines."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    def write(self, text: str) -> int:
        return self.screen.write(text)


class Session:
    """What a reader has done so far on a page: files, and the names of Python blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict = {"__name__": "page"}
        self.printed = ""

    def play(self, block: Block) -> None:
        """Execute a block and hold its output against the page's."""
        if block.title and block.title != "Output":
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body)
        elif block.title == "Output":
            _compare(block.body, self.printed, block)
        elif block.language == "console":
            for step in steps(block.body):
                self._command(step, block)
        elif block.language == "python":
            self.printed = self._python(block)

    def run(self, step: Step) -> tuple[int, str]:
        """Execute a command; return its exit code and what it showed."""
        words, screen = step.words, Screen()
        assert words[0] == "lengthwise", f"cannot run {step.command!r}; mark its block as not run"
        assert not takes_hours(words), f"{step.command!r} takes hours; mark its block as not run"
        if "ray" in words:  # Ray wants a process with real standard output
            return _in_a_process(words[1:])
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(Aside(screen)):
            return _exit_code(words[1:]), screen.getvalue()

    def _command(self, step: Step, block: Block) -> None:
        code, got = self.run(step)
        assert code == step.code, f"line {block.line}: {step.command}\nexit code {code}\n{got}"
        if step.expected.strip():
            _compare(step.expected, got, block, step.command)

    def _python(self, block: Block) -> str:
        screen = io.StringIO()
        lines = block.body.splitlines()
        with contextlib.redirect_stdout(screen):
            for node in ast.parse(block.body).body:
                promised = re.search(r"# -> (.*)$", lines[(node.end_lineno or 1) - 1])
                value = _execute(node, self.names, f"block at line {block.line}")
                if promised:
                    _compare(promised[1], repr(value), block, ast.unparse(node))
        return screen.getvalue()


def _in_a_process(words: list[str]) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "lengthwise", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def _exit_code(words: list[str]) -> int:
    try:
        main(words)
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        sys.stdout.write(traceback.format_exc())
        return -1
    return 0


def _execute(node: ast.stmt, names: dict, where: str) -> object:
    if isinstance(node, ast.Expr):
        return eval(compile(ast.Expression(node.value), where, "eval"), names)
    exec(compile(ast.Module([node], []), where, "exec"), names)
    return None


def _compare(expected: str, got: str, block: Block, what: str = "") -> None:
    if alike(expected, got, block.varies):
        return
    difference = "\n".join(
        difflib.unified_diff(expected.splitlines(), got.splitlines(), "page", "real", lineterm="")
    )
    raise AssertionError(f"line {block.line}: {what}\n{difference}")


def takes_hours(words: list[str]) -> bool:
    """Whether a command would train a whole study at more than the size of a rehearsal."""
    large = {"laptop", "paper"} & set(words)
    free = {"--dry-run", "--kept"} & set(words)
    return bool(large) and "--size" in words and not free


def check_words(step: Step) -> None:
    """Read a command line as the program would, without executing it."""
    words = list(takewhile(lambda word: word not in ("&", ">", "|"), step.words))
    if words[0] == "lengthwise" and "--help" not in words:
        app, read = prepare(words[1:])
        app.parse_args(read, exit_on_error=False, print_error=False, verbose=True)


@contextlib.contextmanager
def reader(folder: Path, monkeypatch):
    """A session in an empty folder with a terminal of its own."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LENGTHWISE_STORE", raising=False)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(folder))
    yield Session(folder)
