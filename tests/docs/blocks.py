"""The fenced blocks of a page: what they ask to be run, and what the page says comes out.

A line in angle brackets and dashes directly before a fence changes how its block is treated:

    <!-- not run: reason -->   read the command line, but do not execute it
    <!-- slow -->              execute it in the slow tests only
    <!-- varies: pattern -->   what the regular expression matches may differ (times, mostly)
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

RUNNABLE = ("console", "python")
DATA = ("text", "toml", "json", "html", "yaml")

_FENCE = re.compile(r"^```(?P<language>\w*)(?P<attributes>[^`\n]*)$")
_MARK = re.compile(r"^<!-- (?P<kind>not run|slow|varies)(?:: (?P<value>.*?))? -->$")
_TITLE = re.compile(r'title="([^"]*)"')
_STRAY = re.compile(r"^(?: {4}|\t)(?:\$ )?(?:lengthwise|pip|make|torchrun|python3?) ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block; ``line`` is that of its fence."""

    line: int
    language: str
    title: str
    body: str
    slow: bool = False
    not_run: str | None = None
    varies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One command of a console block, with what stands below it."""

    command: str
    expected: str
    source: str = ""
    """The command's lines as they stand on the page."""

    @property
    def words(self) -> list[str]:
        """The command's words, without the comment behind it."""
        return shlex.split(self.command, comments=True)

    @property
    def code(self) -> int:
        """The exit code the page promises: as its comment says, 2 for an error line, else 0."""
        said = re.search(r"# exit code (\d+)", self.command)
        if said:
            return int(said[1])
        return 2 if re.search(r"^error: ", self.expected, re.MULTILINE) else 0


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    found, lines, number = [], text.splitlines(), 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence:
            end = lines.index("```", number + 1)
            title = _TITLE.search(fence["attributes"])
            found.append(
                Block(
                    line=number + 1,
                    language=fence["language"],
                    title=title[1] if title else "",
                    body="".join(f"{line}\n" for line in lines[number + 1 : end]),
                    **_marks(lines, number),
                )
            )
            number = end
        number += 1
    return found


def _marks(lines: list[str], number: int) -> dict:
    marks: dict = {"varies": ()}
    while number and (mark := _MARK.match(lines[number - 1])):
        if mark["kind"] == "slow":
            marks["slow"] = True
        elif mark["kind"] == "not run":
            marks["not_run"] = mark["value"]
        else:
            marks["varies"] += (mark["value"],)
        number -= 1
    return marks


def steps(body: str) -> list[Step]:
    """Split a console block at its prompts; ``> `` and a final backslash continue a command."""
    found: list[Step] = []
    lines = body.splitlines()
    while lines:
        line = lines.pop(0)
        assert line.startswith("$ "), f"output without a command: {line!r}"
        command, source = line[2:], line
        while lines and (command.endswith("\\") or lines[0].startswith("> ")):
            source += "\n" + lines[0]
            command = command.removesuffix("\\") + " " + lines.pop(0).removeprefix("> ")
        output = []
        while lines and not lines[0].startswith("$ "):
            output.append(lines.pop(0))
        found.append(Step(command, "\n".join(output), source))
    return found


def stray_commands(text: str) -> list[str]:
    """Return commands in indented blocks, which nothing would run."""
    fenced = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [match[0].strip() for match in _STRAY.finditer(fenced)]


def alike(expected: str, got: str, varies: tuple[str, ...] = ()) -> bool:
    """Compare a page's output with the real one; ``...`` stands for anything.

    Example:
        >>> alike("took ... s", "took 12 s"), alike("1.25 s", "3.5 s", (r"[0-9.]+ s",))
        (True, True)
    """
    lines = [
        "(?:.*\n)?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in _plain(expected, varies).splitlines()
    ]
    return re.fullmatch("".join(lines), _plain(got, varies), re.DOTALL) is not None


def _plain(text: str, varies: tuple[str, ...]) -> str:
    for pattern in varies:
        text = re.sub(pattern, "~", text)
    if varies:  # a longer number widens its column
        text = re.sub(r" +", " ", re.sub(r"[━─]+", "─", text))
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
