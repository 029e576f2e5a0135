"""The first line of each command's docstring, read without importing the command."""

import ast
from functools import cache
from pathlib import Path


def summary(target: str) -> str:
    """Return the docstring's first line of ``package.module:function``.

    Example:
        >>> summary("lengthwise.api.listing:list_tasks")
        'List the tasks.'
    """
    module, _, name = target.partition(":")
    return _first_lines(module.removeprefix("lengthwise.")).get(name, "")


@cache
def _first_lines(module: str) -> dict[str, str]:
    source = (Path(__file__).parents[1] / f"{module.replace('.', '/')}.py").read_text()
    return {
        node.name: (ast.get_docstring(node) or "").partition("\n")[0]
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }
