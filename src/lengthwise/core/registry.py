"""Names to things: built in, from an installed package's entry points, or from the user's file.

A registry holds ``"module:attribute"`` strings and loads on use, so that listing names or showing
help never imports torch. ``path/to/file.py:Name`` loads from a file that the user named.
"""

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.core.limits import AlarmError
from lengthwise.core.opened import imported_files, opened

_READ = "_lengthwise_files_read"


def is_file(text: str) -> bool:
    """Whether text names a file; one that no name could be as long as does not.

    Example:
        >>> is_file("(ab)*" * 1000)
        False
    """
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


class Registry:
    """Named, lazily loaded objects of one kind.

    Example:
        >>> codecs = Registry("codec", "no.such.group", {"json": "json:dumps"})
        >>> codecs.load("json")([1])
        '[1]'
    """

    def __init__(self, kind: str, group: str, builtin: dict[str, str]) -> None:
        self.kind = kind
        self.group = group
        self._builtin = dict(builtin)

    @cached_property
    def _entries(self) -> dict[str, str]:
        return {**plugins(self.group), **self._builtin}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries))

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def load(self, name: str) -> Any:
        """Return the object called ``name``; ``file.py:Name`` reads the user's own file."""
        if ".py:" in name:
            return load_from_file(name, self.kind)
        entries = self._entries
        if name not in entries:
            raise unknown(self.kind, name, entries)
        module, _, attribute = entries[name].partition(":")
        return getattr(importlib.import_module(module), attribute)


def plugins(group: str) -> dict[str, str]:
    """Return the entry points of a group, by name.

    ``importlib.metadata`` takes longer to load than most commands to answer. The files that it
    would read are therefore looked into first: hardly any installation has a plugin.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    plain = finders == [PathFinder] and not any(map(os.path.isfile, sys.path))  # no archives
    if plain and not any(f"[{group}]" in text for text in _entry_point_files(*sys.path)):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=group)}


@cache
def _entry_point_files(*places: str) -> tuple[str, ...]:
    """Return the text of every ``entry_points.txt`` of the packages in some directories."""
    texts: list[str] = []
    for place in places:
        with suppress(OSError):
            names = [n for n in os.listdir(place or ".") if n.endswith((".dist-info", ".egg-info"))]
            for name in names:
                with suppress(OSError):
                    file = Path(place, name, "entry_points.txt")
                    texts.append(file.read_text(encoding="utf-8", errors="replace"))
    return tuple(texts)


def files_read(target: Any, files: Iterable[str] = ()) -> set[str]:
    """Return the data files that a user's module was seen to read, now or before."""
    module = sys.modules[target.__module__]
    seen: set[str] = vars(module).setdefault(_READ, set())
    seen |= set(files)
    return seen


def load_from_file(reference: str, kind: str = "object") -> Any:
    """Import ``path/to/file.py:Name``; only a file the user named is ever executed."""
    path_text, _, attribute = reference.rpartition(":")
    path = Path(path_text).resolve()
    if not path.is_file():
        raise InputError(f"{kind} {reference!r}: there is no file {path_text!r}.")
    # The name holds the content: an edited file is another module, also in a long session.
    source, beside = path.read_bytes(), imported_files(path)
    every = b"".join([str(path).encode(), source, *beside.values()])
    content = hashlib.sha256(every).hexdigest()[:16]
    module_name = f"lengthwise_user_{path.stem}_{content}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        for name, other in list(sys.modules.items()):
            if name != "__main__" and getattr(other, "__file__", None) in beside:  # perhaps edited
                del sys.modules[name]
        try:
            # These very bytes: not a compiled file that lies beside them and says something else.
            with opened() as files:
                exec(compile(source, path, "exec"), vars(module))
            setattr(module, _READ, files)
        except (KeyboardInterrupt, AlarmError):
            del sys.modules[module_name]
            raise
        except BaseException as error:  # sys.exit() in a file ends the file, not us
            del sys.modules[module_name]
            raise InputError(
                f"{kind} {reference!r}: the file raised {type(error).__name__}: {error}"
            ) from error
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if not name.startswith("_")]
        raise unknown(f"name in {path_text}", attribute, names)
    return getattr(module, attribute)
