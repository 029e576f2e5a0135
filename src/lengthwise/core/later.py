"""What is loaded when it is used: libraries that few inputs need, rooms behind verbs."""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any


class Later:
    """A library by name; an attribute loads it.

    A module that needs a library for some inputs only names it so at its top, and type checkers
    read the ordinary import::

        if TYPE_CHECKING:
            import flint
        else:
            flint = Later("flint")

    Example:
        >>> Later("json").dumps([1])
        '[1]'
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def names_of(room: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a family of verbs that is called like a room.

    ``lw.crasp`` is a family (``lw.crasp.run``), ``lengthwise.crasp`` a room (``crasp.parser``). A
    name that is no verb is looked up in the room, its modules included, so that
    ``import lengthwise.crasp.parser as parser`` and ``lw.crasp.parse`` mean what they say.

    Example:
        >>> names_of("json")("decoder").__name__
        'json.decoder'
    """

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with suppress(AttributeError):
            return getattr(import_module(room), name)
        with suppress(ModuleNotFoundError):
            return import_module(f"{room}.{name}")
        raise AttributeError(f"neither a verb nor a part of {room}: {name!r}")

    return find
