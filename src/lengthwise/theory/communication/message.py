"""Messages as bytes with an exact count of bits: what one party sends to the other."""

from collections.abc import Iterable


class BitWriter:
    """Packs numbers of known widths; only what is written is counted.

    Example:
        >>> writer = BitWriter()
        >>> writer.number(5, 3)
        >>> writer.bits, writer.to_bytes()
        (3, b'\\xa0')
    """

    def __init__(self) -> None:
        self._value = 0
        self.bits = 0

    def number(self, value: int, width: int) -> None:
        """Append a number in ``width`` bits."""
        assert 0 <= value < 1 << width or value == width == 0
        self._value = self._value << width | value
        self.bits += width

    def flags(self, values: Iterable[bool]) -> None:
        """Append one bit for each value."""
        for value in values:
            self.number(int(value), 1)

    def to_bytes(self) -> bytes:
        """Return the message, filled up with zeros to whole bytes."""
        size = -(-self.bits // 8)
        return (self._value << (8 * size - self.bits)).to_bytes(size, "big")


class BitReader:
    """Unpacks what a :class:`BitWriter` packed, in the same order."""

    def __init__(self, message: bytes) -> None:
        self._value = int.from_bytes(message, "big")
        self._left = 8 * len(message)

    def number(self, width: int) -> int:
        """Read a number of ``width`` bits."""
        self._left -= width
        assert self._left >= 0, "the message is too short"
        return self._value >> self._left & ((1 << width) - 1)

    def flags(self, count: int) -> list[bool]:
        """Read some bits."""
        return [bool(self.number(1)) for _ in range(count)]


def width_of(largest: int) -> int:
    """Return how many bits a number from 0 to ``largest`` takes: ``ceil(log2(largest + 1))``."""
    return largest.bit_length()
