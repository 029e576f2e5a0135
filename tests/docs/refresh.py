"""``python -m tests.docs.refresh PAGE...``: put real output where a page shows another one.

With ``--slow`` the slow blocks are executed too. Output of a command is replaced when it differs
from what the page says; a lone ``?`` below a command asks for it. Read the difference before you
commit it: a page must not change its story unnoticed.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.docs.blocks import Block, alike, blocks, steps
from tests.docs.session import TERMINAL, Session


def refreshed(block: Block, session: Session) -> str:
    """Return the body of a console block with real output."""
    lines = []
    for step in steps(block.body):
        lines.append(step.source)
        _, got = session.run(step)
        if step.expected.strip() and not alike(step.expected, got, block.varies):
            lines += [line.rstrip() for line in got.strip("\n").splitlines()]
        elif step.expected:
            lines.append(step.expected)
    return "\n".join(lines) + "\n"


def refresh(page: Path, *, slow: bool) -> None:
    """Rewrite one page."""
    text = page.read_text()
    lines, found = text.splitlines(keepends=True), blocks(text)
    new: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        session = Session(Path(folder))
        for block in found:
            if block.not_run is not None or (block.slow and not slow):
                continue
            if block.language == "console":
                new[block.line] = refreshed(block, session)
            elif block.title != "Output":
                session.play(block)
            else:
                new[block.line] = session.printed.strip("\n") + "\n"
        os.chdir("/")
    for block in reversed(found):
        if block.line in new:
            height = len(block.body.splitlines())
            lines[block.line : block.line + height] = [new[block.line]]
    page.write_text("".join(lines))


if __name__ == "__main__":
    os.environ.update(TERMINAL, OMP_NUM_THREADS="1", MPLBACKEND="agg")
    os.environ.pop("LENGTHWISE_STORE", None)
    chosen = [Path(word).resolve() for word in sys.argv[1:] if word != "--slow"]
    for page in chosen:
        refresh(page, slow="--slow" in sys.argv)
