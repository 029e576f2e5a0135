"""``lab lrc`` and ``lab theorem``: position-only linear attention, by counting and by training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Length, Seed

if TYPE_CHECKING:
    from lengthwise.theory.linear.comparison import LinearStudy


@dataclass(frozen=True)
class LinearExtrapolation(Shown):
    """One target, its complexity by scale, and how every encoding extrapolates it."""

    found: "LinearStudy"

    def parts(self) -> Iterator[str | Rows]:
        """Yield scales, encodings, and what Theorem 2 says."""
        found = self.found
        title = f"{found.name}: complexity and largest error by scale"
        yield Rows(found.scale_rows(), title)
        yield Rows(found.encoding_rows())
        answer = "does not grow: some encoding" if found.predicted else "grows: no encoding"
        lengths = f"from {found.n0} to {len(found.target)}"
        yield f"LRC_0 {answer} generalizes {lengths} (Theorem 2, reconstructed)."

    def to_json(self) -> dict[str, Any]:
        """Return complexities, predictions and errors."""
        return self.found.plain()

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw target, complexity and errors to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_study

        save_drawn(draw_study(self.found), path)


@verb()
def lrc(
    *,
    target: str = "decay",
    train_length: Length = 4,
    length: Length = 10,
    encoding: Sequence[str] = ("ape", "rpe", "nope", "rope", "ideal"),
    trainer: Literal["closed", "gradient"] = "closed",
    inputs: Literal["gaussian", "signs"] = "gaussian",
    seed: Seed = 0,
) -> LinearExtrapolation:
    """Show which encodings extrapolate a position-only linear target, and why (LRC).

    Example: lengthwise lab lrc --target decay --train-length 4 --length 10 --plot decay.svg

    Args:
        target: banded, sum, select-first, select-middle, mean, decay, uniform, reuse, or an
            upper-triangular matrix in a .npy file (row = key, column = query).
        train_length: Largest scale in training, N0 in the paper.
        length: Largest scale in testing, N in the paper.
        encoding: An encoding of the theory: ape, rpe, nope, rope, ideal; give several to compare.
        trainer: Minimum-norm least squares, or gradient descent from 0.
        inputs: Gaussian inputs, or signs as in the variant with advice.
        seed: Of the training inputs and of the random targets.
    """
    from lengthwise.theory.linear.comparison import study

    found = study(
        target,
        n0=train_length,
        n=length,
        encodings=several(encoding),
        trainer=trainer,
        inputs=inputs,
        seed=seed,
    )
    return LinearExtrapolation(found)


RECONSTRUCTION = "theorem {}: a reconstruction; the paper's own statement is not known to us"


@dataclass(frozen=True)
class ConceptCount(Shown):
    """Theorem 1 by counting: the share of concepts that any encoding can extrapolate."""

    rows: Sequence[dict[str, Any]]
    train_length: int
    length: int

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per resolution."""
        yield RECONSTRUCTION.format(1)
        yield Rows(self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return list(self.rows)

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the shares of theorem 1 to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_theorem1

        save_drawn(draw_theorem1(self.rows, self.train_length, self.length), path)


@dataclass(frozen=True)
class TargetCount(Shown):
    """Theorem 2 by counting: targets on which the theorem and the encodings disagree."""

    unwritable: ClassVar[str] = (
        "theorem 2 is a count without a figure; see `lengthwise lab lrc --plot`."
    )
    rows: Sequence[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per reading of untrained classes."""
        yield RECONSTRUCTION.format(2)
        yield Rows(self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return list(self.rows)


@verb()
def theorem(
    number: Literal[1, 2],
    *,
    train_length: Length = 2,
    length: Length = 3,
    levels: Count = 4,
) -> ConceptCount | TargetCount:
    """Check a reconstructed theorem on position-only linear attention by counting every case.

    The names and roles of both theorems are those of Chen, Liang and Lin (2025); what they say is
    our reconstruction.

    1: the share of concepts that any encoding can extrapolate from one short block.
    2: some encoding extrapolates a target if and only if its complexity does not grow.

    Example: lengthwise lab theorem 2

    Args:
        number: 1 or 2.
        train_length: Largest scale in training, N0 in the paper.
        length: Largest scale in testing, N in the paper; at most 3 for theorem 1.
        levels: Theorem 2: entries take this many values. Theorem 1 uses 4, 8, 16 and 32.
    """
    from lengthwise.theory.linear.comparison import theorem1_rows
    from lengthwise.theory.linear.theorems import exhaustive_check

    if number == 1:
        return ConceptCount(theorem1_rows(train_length, length), train_length, length)
    names: dict[float | None, str] = {0: "stay at 0", None: "count as failures"}
    checked = {init: exhaustive_check(train_length, length, levels, init=init) for init in names}
    return TargetCount(
        [
            {"untrained classes": names[init], "targets": total, "mismatches": wrong}
            for init, (wrong, total) in checked.items()
        ]
    )
