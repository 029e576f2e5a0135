"""The playground as a folder of files: no server, kept answers, studies as pages.

The page and its scripts are those of ``lengthwise ui``. What it asks is answered from files that
were written beforehand (``ask.js``); scripts are joined into one that also runs from a disk, where
browsers load no modules and fetch nothing.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import save_bytes
from lengthwise.crasp import library
from lengthwise.playground import api, requests
from lengthwise.playground.server import SCRIPTS, render_page, static_file
from lengthwise.report.study_page import save_study_page
from lengthwise.studies.catalogue import STUDIES
from lengthwise.studies.reproduce import kept_results
from lengthwise.studies.verdict import verdict

LANGUAGES: dict[str, str] = {
    "(ab)*": "a and b in turn",
    "(aa)*": "words of even length over one letter",
    "(b*ab*a)*b*": "an even number of a: parity",
    "((a|b)(a|b))*": "words of even length",
    "a*b*": "first a, then b",
    "(a|b)*a": "the last letter is a",
    "(a|b)*a(a|b)": "the last letter but one is a",
    "(a|b)*aa(a|b)*": "aa somewhere",
    "(a|b)*abb(a|b)*": "abb somewhere",
    "(b|ab)*(a|())": "no two a side by side",
    "(a(ab)*b)*": "brackets of depth two",
    "(abc)*": "a, b and c in turn",
    "(a|b)*a(a|b)*b(a|b)*": "an a and later a b",
}
"""The gallery: languages and what they are, in words."""
PROGRAMS = ("dyck-1", "majority", "generate-majority", "generate-sort")
"""Programs of the library that can be stepped through."""
WORDS = 3
"""Words of each language whose layers are kept."""
UI = "`lengthwise ui` computes it for everything."
REFUSALS = {
    "language": f"This site knows the languages of its gallery; there is no Python here. {UI}",
    "step": f"Counters and layers were kept for some words only. {UI}",
    "program": f"This site knows some programs, each on some words; there is no Python here. {UI}",
    "other": f"This was not kept, and there is no Python here. {UI}",
}

Say = Callable[[str], None]


@dataclass
class _Kept:
    """Answers by what was asked, as ``ask.js`` looks them up."""

    seconds: float
    files: dict[str, str] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)

    def ask(self, action: str, **request: Any) -> dict[str, Any]:
        """Compute an answer and keep it; a refusal is kept as well."""
        key = key_of(action, request)
        if key not in self.files:
            name = f"{len(self.files):03d}"
            self.files[key] = name
            self.answers[name] = api.answer(action, request, store="runs", seconds=self.seconds)
        return self.answers[self.files[key]]


def key_of(action: str, request: dict[str, Any]) -> str:
    """Return what an answer is found by: fields without a value do not count.

    Example:
        >>> key_of("language", {"regex": "(ab)*", "alphabet": "", "accept": "last"})
        '["language",["accept","last"],["regex","(ab)*"]]'
    """
    used = sorted([name, value] for name, value in request.items() if value not in ("", None))
    return json.dumps([action, *used], separators=(",", ":"), ensure_ascii=False)


def write_site(
    folder: Path,
    languages: Sequence[str] = (),
    *,
    studies: bool = True,
    seconds: float = requests.SECONDS,
    say: Say = lambda line: None,
) -> dict[str, int]:
    """Write the site, with further languages if wanted, and return its files with their sizes."""
    _check_folder(folder)
    wanted = LANGUAGES | {regex: "" for regex in languages if regex not in LANGUAGES}
    kept = _Kept(seconds)
    tiles = []
    for regex, title in wanted.items():
        tiles.append(_language(kept, regex, title))
        say(f"{regex}: {tiles[-1]['plain']} / {tiles[-1]['general']}")
    _programs(kept)
    pages = list(_studies(folder, say)) if studies else []
    files = dict(_files(kept, tiles, pages))
    for name, data in files.items():
        save_bytes(folder / name, data)
    found = {name: len(data) for name, data in files.items()}
    return found | {page["file"]: (folder / page["file"]).stat().st_size for page in pages}


def _check_folder(folder: Path) -> None:
    """Refuse a folder with something else in it; a site that was written before is replaced."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; name a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "kept/index.js").is_file():
        raise InputError(f"{folder}: the folder holds something else; name an empty one.")


def _files(
    kept: _Kept, tiles: list[dict[str, Any]], pages: list[dict[str, str]]
) -> Iterator[tuple[str, bytes]]:
    about = {"languages": len(tiles), "studies": pages}
    yield "index.html", render_page(kept=about).encode()
    for name in ("app.css", "icon.svg", "vendor/viz.js", "vendor/LICENSE.txt"):
        yield f"static/{name}", static_file(name)
    yield "static/site.js", joined().encode()
    index = {"files": kept.files, "languages": tiles, "refusals": REFUSALS, "answers": {}}
    yield "kept/index.js", f"window.lengthwiseKept = {json.dumps(index)};\n".encode()
    for name, answer in kept.answers.items():
        text = json.dumps(answer, separators=(",", ":"))
        yield f"kept/{name}.js", f'window.lengthwiseKept.answers["{name}"] = {text};\n'.encode()


def _language(kept: _Kept, regex: str, title: str) -> dict[str, Any]:
    """Keep everything about one language, on a few words; return its tile."""
    answer = kept.ask("language", regex=regex, alphabet="", accept="last")
    if not answer["ok"]:
        raise InputError(f"--language {regex}: {answer['error']}")
    program, reading = answer["program"], answer["reading"]
    words = _words(answer)
    if program is not None:
        ours = {"text": program, "accept": reading, "parameters": ""}
        for word in words:
            kept.ask("step", text=program, accept=reading, word=word, automaton=False)
            _on_word(kept, ours, word.replace(" ", ""))
        first = words[0].replace(" ", "")
        kept.ask("compare", **ours, word=first, length=64, dtype="float32")
        kept.ask("disagree", text=program, accept=reading, regex=regex, alphabet="")
        kept.ask("disagree", **ours)
        answer["words"] = [word.replace(" ", "") for word in words]
    plain, general = (one["answer"] for one in answer["answers"][:2])
    tile = {"regex": regex, "title": title, "states": answer["states"], "word": answer["word"]}
    return {**tile, "plain": plain, "general": general}


def _words(answer: dict[str, Any]) -> list[str]:
    """Return the first word and a few random ones, letters parted by spaces."""
    rng, letters = np.random.default_rng(0), answer["automaton"]["alphabet"]
    drawn = [rng.choice(letters, size=size).tolist() for size in (5, 6, 3)]
    return list(dict.fromkeys(" ".join(word) for word in (list(answer["word"]), *drawn)))[:WORDS]


def _on_word(kept: _Kept, ours: dict[str, str], word: str) -> None:
    """Keep what the program view asks on one word."""
    kept.ask("program", **ours, word=word)
    kept.ask("step", **ours, word=word)


def _programs(kept: _Kept) -> None:
    """Keep some programs of the library."""
    shelf = kept.ask("library")
    shelf["programs"] = [one for one in shelf["programs"] if one["name"] in PROGRAMS]
    for name in PROGRAMS:
        ours = {"text": library.text(name), "accept": "last", "parameters": ""}
        first = kept.ask("program", **ours, word=None)
        _on_word(kept, ours, first["word"])
        kept.ask("compare", **ours, word=first["word"], length=64, dtype="float32")
        if not first["writes"]:
            kept.ask("disagree", **ours, regex="")


def _studies(folder: Path, say: Say) -> Iterator[dict[str, str]]:
    """Write the pages of the studies whose results come with the library, the newest of each."""
    for name in STUDIES:
        data = _results(name)
        if data is None:
            continue
        path = folder / "studies" / f"{name}.html"
        save_study_page(data, path)
        say(f"{name}: {path}")
        file = f"studies/{name}.html"
        yield {"file": file, "title": data["title"], "said": verdict(data["claims"])}


def _results(name: str) -> Any:
    for edition in (None, 1):
        try:
            return kept_results(name, "laptop", edition)
        except InputError:
            continue
    return None


# --- one script from many ------------------------------------------------------------------------

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


def joined() -> str:
    """Return all scripts of the page as one, every module a function that is called in order."""
    texts = {name: static_file(f"{name}.js").decode() for name in SCRIPTS}
    needs = {name: [found[2] for found in IMPORT.finditer(text)] for name, text in texts.items()}
    order: list[str] = []

    def place(name: str) -> None:
        for other in needs[name]:
            if other not in order:
                place(other)
        if name not in order:
            order.append(name)

    place("app")
    parts = [_module(name, texts[name]) for name in order]
    return '"use strict";\n{\nconst modules = {};\n' + "\n".join(parts) + "\n}\n"


def _module(name: str, text: str) -> str:
    exported = ", ".join(EXPORT.findall(text))
    body = IMPORT.sub(r"const {\1} = modules.\2;", text)
    body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
    return f"modules.{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
