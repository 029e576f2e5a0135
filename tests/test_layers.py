"""Rooms are layers: what import-linter cannot see. Its contract is in pyproject.toml.

Names of modules in strings (registries, commands) count as imports too, and so do imports inside
functions: no string and no delay may point to a later room, and no delay may hide a cycle.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "lengthwise"
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][
    0
]
ROOMS = list(reversed(LAYERS["layers"]))
DELAYED = ("api", "cli")
"""Rooms in which imports may stand inside functions, so that help is instant."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


def imported(node: ast.AST) -> list[str]:
    """Return the modules of ours that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in MODULES]
    if not isinstance(node, ast.ImportFrom) or node.module not in MODULES:
        return []
    full = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name if name in MODULES else node.module for name in full]


def delayed(tree: ast.AST) -> list[tuple[int, str]]:
    """Return the imports of ours inside functions, with their lines."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {node for function in functions for node in ast.walk(function)}
    return sorted({(node.lineno, name) for node in inside for name in imported(node)})


def named_in_strings(tree: ast.AST) -> list[str]:
    """Return the modules that strings such as ``"lengthwise.tasks.fixed:Fixed"`` name."""
    texts = [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    found = [m for text in texts for m in re.findall(r"^(lengthwise(?:\.\w+)+)(?::\w+)?$", text)]
    return [name for name in found if name in MODULES]


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_imports_inside_functions_stand_where_start_up_counts():
    wrong = [
        f"{name}:{line} imports {target} inside a function"
        for name, tree in TREES.items()
        if room(name) not in (*DELAYED, "") and MODULES[name].name != "__init__.py"
        for line, target in delayed(tree)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [n for n in MODULES if room(n)])
def test_neither_strings_nor_delays_point_to_later_rooms(name):
    targets = {target for _, target in delayed(TREES[name])} | set(named_in_strings(TREES[name]))
    later = [t for t in targets if ROOMS.index(room(t)) > ROOMS.index(room(name))]
    assert not later, f"{name} in {room(name)} names {later}"


def test_there_is_no_cycle_of_modules():
    """Delayed and type-only imports count: they are how cycles hide."""
    graph = {
        name: {t for node in ast.walk(tree) for t in imported(node)} - {name}
        for name, tree in TREES.items()
    }
    left = dict(graph)
    while True:  # take away what imports nothing that is left, until only cycles remain
        free = [name for name, targets in left.items() if not targets & left.keys()]
        if not free:
            break
        for name in free:
            del left[name]
    assert not left, f"in or before a cycle: {sorted(left)}"
