"""For the reference: show what docstrings call ``Example:`` as examples, not as a remark."""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Rename the section, which the reader of docstrings knows in the plural only."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change an object's docstring before it is read."""
        if obj.docstring:
            obj.docstring.value = re.sub(
                r"^(\s*)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE
            )
