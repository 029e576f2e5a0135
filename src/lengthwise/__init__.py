"""Will a transformer trained on short inputs work on long ones? Predict it, build it, measure it.

The names below are the whole public surface; each is loaded on first use, so that
``import lengthwise`` stays instant and does not import torch.

Example:
    >>> import lengthwise as lw
    >>> task = lw.load_task("binary-majority")
    >>> task.name
    'binary-majority'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lengthwise._version import __version__ as __version__
from lengthwise.errors import InputError as InputError

# public name -> "module:attribute"; a ratchet test freezes this set.
_EXPORTS: dict[str, str] = {}

if TYPE_CHECKING:
    pass


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    try:
        module, attribute = _EXPORTS[name].split(":")
    except KeyError:
        raise AttributeError(f"module 'lengthwise' has no attribute {name!r}") from None
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_EXPORTS, "InputError", "__version__"])
