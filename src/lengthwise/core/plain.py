"""Configurations as frozen plain data that later versions may extend."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer


class Plain(BaseModel):
    """Frozen data without unknown fields and numbers that are none.

    Example:
        >>> class Colour(Plain):
        ...     name: str
        ...     shade: float = 1.0
        ...     later: ClassVar[frozenset[str]] = frozenset({"shade"})
        >>> Colour(name="red").model_dump(), Colour(name="red", shade=0.5).model_dump()
        ({'name': 'red'}, {'name': 'red', 'shade': 0.5})
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    later: ClassVar[frozenset[str]] = frozenset()
    """Fields that earlier versions do not have; they are written only where they are set."""

    @model_serializer(mode="wrap")
    def _stored(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write what earlier versions would have written, so that ids and folders stay valid."""
        data = plain(self)
        for name in self.later:
            if getattr(self, name) == type(self).model_fields[name].default:
                data.pop(name, None)
        return data
