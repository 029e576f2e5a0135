"""One name, one idea: no public class and no module shares its name with another by accident."""

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "lengthwise"

CLASSES = {
    # two classes that mean the same thing, each where it has to be
    "Automaton": "the task of one, and what the checker reads of one; the checker imports nothing",
    "Forest": "spanning trees of the search; the checker of certificates has its own",
    "Component": "of a graph; the checker of certificates has its own, as it imports nothing",
}
MODULES = {
    # the same part in every folder of a kind
    "base": "what the things of a folder have in common",
    "claims": "of each study",
    "measures": "of each study",
    "runs": "of each study; the commands about runs",
    "tables": "of each study; position relations and encodings as tables",
    # a task in symbols and as text, as the two papers have it
    "addition": "as symbols and as text",
    "copying": "as symbols and as text",
    # what a layer offers of the module it is named after
    "attention": "of a model, and what it looked at",
    "circuits": "evidence or verbs from the theory of that name",
    "communication": "evidence or commands from the theory of that name",
    "decision": "the decision, and the evidence from it",
    "heads": "the verb of the analysis of that name",
    "linear": "evidence or verbs from the theory of that name",
    "reproduce": "the verb of the study's driver",
    "sweep": "the commands of the sweep",
    "inference": "the verb of the inference procedure of that name",
}


def repeated(names: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names that occur more than once, with where."""
    found = defaultdict(list)
    for name, where in names:
        found[name].append(where)
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_two_public_classes_have_one_name():
    classes = [
        (node.name, str(path.relative_to(PACKAGE)))
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    wrong = {k: v for k, v in repeated(classes).items() if k not in CLASSES}
    assert not wrong, wrong


def test_no_two_modules_have_one_name():
    modules = [
        (path.stem, str(path.relative_to(PACKAGE)))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.stem != "__init__"
    ]
    wrong = {k: v for k, v in repeated(modules).items() if k not in MODULES}
    assert not wrong, wrong


def defined(name: str) -> bool:
    """Whether a dotted name is a module, or something that a module defines or imports."""
    path = PACKAGE.joinpath(*name.split("."))
    if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
        return True
    home, _, last = name.rpartition(".")
    for file in (path.parent.with_suffix(".py"), path.parent / "__init__.py"):
        if file.is_file():
            nodes = ast.walk(ast.parse(file.read_text()))
            return last in {getattr(n, "asname", None) or getattr(n, "name", None) for n in nodes}
    return bool(home) and defined(home)  # a method of a class


def test_the_walks_of_the_design_cross_what_there_is():
    text = (PACKAGE.parents[1] / "docs" / "design.md").read_text()
    walks = text.partition("## Seven walks")[2].partition("\n## ")[0]
    rooms = "|".join(path.name for path in PACKAGE.iterdir() if path.is_dir())
    named = re.findall(rf"`((?:{rooms})\.[\w.]+)`", walks)
    assert len(named) > 30
    assert [name for name in named if not defined(name)] == []
