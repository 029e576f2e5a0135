"""Every command and code block of the README and the documentation runs and says what it says."""

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DATA, PAGES, ROOT, RUNNABLE, alike, blocks, steps, stray_commands
from tests.docs.session import check_words, reader

# The quickstart writes the README's figure, under a name of its own.
MADE_BY = {"quickstart.svg": r"make quickstart"}


def names(pages):
    return [str(page.relative_to(ROOT)) for page in pages]


def page_blocks(page):
    return blocks(page.read_text())


def play(page, folder, monkeypatch, *, slow):
    with reader(folder, monkeypatch) as session:
        for block in page_blocks(page):
            if block.not_run is None and (slow or not block.slow):
                session.play(block)


WITH_BLOCKS = [
    page
    for page in PAGES
    if any(b.language in RUNNABLE and b.not_run is None and not b.slow for b in page_blocks(page))
]
WITH_SLOW = [page for page in PAGES if any(block.slow for block in page_blocks(page))]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=names(WITH_BLOCKS))
def test_blocks_run_and_print_what_the_page_says(page, tmp_path, monkeypatch):
    folder = tmp_path / "reader"
    folder.mkdir()
    play(page, folder, monkeypatch, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SLOW, ids=names(WITH_SLOW))
def test_slow_blocks_run_and_print_what_the_page_says(page, tmp_path, monkeypatch):
    folder = tmp_path / "reader"
    folder.mkdir()
    play(page, folder, monkeypatch, slow=True)


def test_statements_have_a_status_and_no_diary():
    """How a statement came to us is no status; the log is a diary by purpose."""
    read = [page for page in PAGES if page.name != "log.md"]
    read += (ROOT / "src").rglob("*.py")
    diary = re.compile(r"recalled|re-read|(quoted|restated|stated) from memory|\(from memory", re.I)
    assert [str(path) for path in read if diary.search(path.read_text())] == []


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_blocks_are_of_a_kind_that_is_run_or_is_data(page):
    assert stray_commands(page.read_text()) == [], "put commands into ```console blocks"
    for block in page_blocks(page):
        where = f"{page.name}:{block.line}"
        assert block.language in RUNNABLE + DATA, f"{where}: {block.language or 'no language'}"
        assert block.not_run is None or len(block.not_run) > 3, f"{where}: say why it is not run"
        if block.language == "console":
            for step in steps(block.body):
                check_words(step)
        elif block.language == "python":
            compile(block.body, where, "exec")


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_pictures_exist_and_are_made_by_a_command_of_the_documentation(page):
    commands = " ".join(b.body for other in PAGES for b in page_blocks(other))
    for picture in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text()):
        assert (page.parent / picture).is_file(), picture
        name = Path(picture).name
        made = MADE_BY.get(name, rf"(--plot|-o|--output) (\S+/)?{re.escape(name)}\b")
        if name.endswith(".png"):  # a page, as a browser shows it
            made += rf"|--report (\S+/)?{re.escape(name.removesuffix('.png'))}\.html\b"
        assert re.search(made, commands), f"{picture}: no command of the documentation makes it"


def test_the_reader_of_pages_tells_wrong_from_right():
    page = "\n".join(
        [
            "<!-- varies: [0-9.]+ s -->",
            "<!-- slow -->",
            "```console",
            "$ lengthwise show sort \\",
            "    --length 3   # three",
            "one",
            "$ lengthwise runs query 'select",
            ">     id from runs'",
            "```",
            '```text title="a.cr"',
            "x",
            "```",
        ]
    )
    first, second = blocks(page)
    assert (first.slow, first.varies, first.line) == (True, ("[0-9.]+ s",), 3)
    assert (second.title, second.body) == ("a.cr", "x\n")
    show, query = steps(first.body)
    assert show.words == ["lengthwise", "show", "sort", "--length", "3"]
    assert (show.expected, query.expected) == ("one", "")
    assert query.words[-1].split() == ["select", "id", "from", "runs"]


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("a\n...\nb", "a\nb", True),
        ("a\n...\nb", "a\nx\ny\nb\n", True),
        ("a\n...", "a\nb\nc", True),
        ("a ... c", "a b c", True),
        ("a\nb", "a\nc", False),
        ("a", "a\nb", False),
        ("1.5 (x)", "1.6 (x)", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(expected, got, same):
    assert alike(expected, got) is same
