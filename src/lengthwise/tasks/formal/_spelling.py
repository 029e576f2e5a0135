"""Write chosen blocks of symbols out: one small number for every symbol, rows moved to the left.

A word's first block may be short; it is right-aligned, so a row starts some cells too late. Where
the numbers fit into bytes, a whole block is one 64-bit word, and rows are moved by shifting words.
"""

import numpy as np
from jaxtyping import Int

WIDEST = 8
"""Most symbols of a block: the bytes of a word."""


class Spelling:
    """What to write for every block; the last block is padding.

    ``cells`` has a row for each block. ``write`` fills ``out`` (rows, columns) from ``blocks``
    (steps, rows), leaving out the first ``start`` cells of each row. The last step is padding.
    """

    def __init__(self, cells: Int[np.ndarray, "n k"]) -> None:
        self.cells = cells
        self.size = cells.shape[1]
        self._words: np.ndarray | None = None
        if cells.min() >= -128 and cells.max() < 128:
            padded = np.zeros((len(cells), WIDEST), dtype=np.int8)
            padded[:, : self.size] = cells
            self._words = padded.view("<u8").ravel()

    def write(
        self,
        blocks: Int[np.ndarray, "s b"],
        start: Int[np.ndarray, "b"],
        out: Int[np.ndarray, "b n"],
    ) -> None:
        """Fill ``out``."""
        rows = len(start)
        if self._words is not None:
            words = self._words[blocks]
            shift = (8 * start).astype("<u8")
            moved = words[1:] << (np.uint64(8 * self.size) - shift)
            moved |= words[:-1] >> shift
            cells = np.ascontiguousarray(moved.T).view(np.int8).reshape(rows, -1, WIDEST)
            out[:] = cells[:, :, : self.size].reshape(rows, -1)[:, : out.shape[1]]
            return
        cells = self.cells[blocks.T].reshape(rows, -1)
        first = start + cells.shape[1] * np.arange(rows)
        out[:] = cells.ravel()[first[:, None] + np.arange(out.shape[1])]
