"""Configurations as validated plain data that can grow without changing what was written before."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer


class Plain(BaseModel):
    """Frozen, strict about names, and written as earlier versions would have written it.

    Example:
        >>> class Light(Plain):
        ...     later = frozenset({"dimmed"})
        ...     on: bool = False
        ...     dimmed: bool = False
        >>> Light().model_dump(), Light(dimmed=True).model_dump()
        ({'on': False}, {'on': False, 'dimmed': True})
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
