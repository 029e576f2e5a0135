"""The pictures of the gallery: ``python -m tests.docs.gallery`` makes them by their commands.

Drawings are files that commands write. Screenshots are pages that commands write, seen by a
browser; ``made.json`` keeps a digest of the text of each, so that a test says when one is due.
"""

import hashlib
import json
import re
import shlex
import sys
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

from lengthwise.cli.main import call
from tests.browser import chromium
from tests.docs.blocks import ROOT

PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "img" / "gallery"
MADE = FOLDER / "made.json"
WIDTH = 1100


def commands() -> dict[str, str]:
    """Return the command of every picture, as the page has it: the picture, then a block."""
    picture, block = r"!\[[^\]]*\]\(img/gallery/([\w.-]+)\)", r"```console\n\$ lengthwise (.+)\n```"
    return dict(re.findall(rf"{picture}\n\n<!-- .*? -->\n{block}", PAGE.read_text()))


def written(command: str, folder: Path) -> Path:
    """Run a command in a folder; return the file it wrote."""
    words = shlex.split(command)
    path = folder / words[-1]
    call([*words[:-1], str(path)])
    return path


class _Text(HTMLParser):
    """What can be read on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped, self.found = 0, []

    def handle_starttag(self, tag, attrs):
        self.skipped += tag in ("style", "script")

    def handle_endtag(self, tag):
        self.skipped -= tag in ("style", "script")

    def handle_data(self, data):
        if not self.skipped:
            self.found.append(data)


def digest(page: Path) -> str:
    """Return a digest of a page's text without times and versions."""
    reader = _Text()
    reader.feed(page.read_text())
    text = re.sub(r"\d+\.\d s\b|Lengthwise [\w.]+", "", " ".join(reader.found))
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def main() -> None:
    """Make every picture."""
    FOLDER.mkdir(exist_ok=True)
    made = {}
    with TemporaryDirectory() as name, chromium() as seen:
        for picture, command in commands().items():
            file = written(command, Path(name))
            if file.suffix == ".html":
                seen.page.set_viewport_size({"width": WIDTH, "height": 760})
                seen.open(file)
                seen.page.wait_for_timeout(600)
                seen.page.screenshot(path=str(FOLDER / picture))
                made[picture] = digest(file)
            else:
                (FOLDER / picture).write_bytes(file.read_bytes())
            sys.stdout.write(f"{picture}\n")
    MADE.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
