"""``lab nope`` and ``lab positional-fit``: positions held by weights, built and fitted."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seed
from lengthwise.core.errors import unknown

if TYPE_CHECKING:
    from lengthwise.theory.limit.positional_fit import Fit
    from lengthwise.theory.nope.construction import Construction
    from lengthwise.theory.nope.verification import Verification


@dataclass(frozen=True)
class PositionHolders(Shown):
    """NoPE decoders that hold positions, and how far they are from doing it exactly."""

    built: Sequence["Construction"]
    verified: Sequence["Verification"]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per decoder."""
        rows = [
            {k: f"{v:.1e}" if isinstance(v, float) else v for k, v in row.items()}
            for row in self.to_json()
        ]
        yield Rows(rows, "largest deviations; the last two columns are ablations")

    def to_json(self) -> list[dict[str, Any]]:
        """Return the deviations."""
        return [dict(vars(one)) for one in self.verified]

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Draw the largest decoder to this .png, .svg or .pdf file."""
        from lengthwise.report.static import save_drawn
        from lengthwise.report.theory_figures import draw_construction

        save_drawn(draw_construction(max(self.built, key=lambda one: one.positions)), path)


@verb()
def nope(
    *,
    length: Sequence[Count] = (8, 64, 512),
    norm: Literal["none", "rms", "layer"] = "none",
    bypass: float = 1e9,
    heads: Count = 2,
    seed: Seed = 0,
) -> PositionHolders:
    """Build NoPE decoders that hold positions and attend by distance, and verify them.

    Example: lengthwise lab nope --length 8 --length 64 --length 2048 --norm rms

    Args:
        length: How many positions a decoder holds; give several to build several. The largest is
            drawn.
        norm: The decoder's norm; other than none it is bypassed by a large constant.
        bypass: The size of that constant.
        heads: Attention heads; the second block has the slopes of ALiBi.
        seed: Of the arbitrary content weights and tokens.
    """
    from lengthwise.theory.nope.construction import position_decoder
    from lengthwise.theory.nope.verification import verify

    built = [position_decoder(n, norm=norm, bypass=bypass, heads=heads, seed=seed) for n in length]
    return PositionHolders(built, [verify(one, seed=seed) for one in built])


@dataclass(frozen=True)
class RelationFits(Shown):
    """Positional relations fitted on short windows, and their errors on longer ones."""

    fits: Sequence["Fit"]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per relation and width."""
        rows = []
        for fit in self.fits:
            row: dict[str, Any] = {"relation": fit.relation, "width": fit.width}
            pairs = zip(fit.lengths, fit.error, fit.baseline, strict=True)
            row |= {f"error at {n} (constant)": f"{e:.3g} ({b:.3g})" for n, e, b in pairs}
            rows.append(row)
        yield Rows(rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return every fit."""
        return [asdict(fit) for fit in self.fits]


@verb()
def positional_fit(
    *relation: str,
    width: Sequence[Count] = (32, 256),
    size: Literal["laptop", "paper"] = "laptop",
    steps: Count | None = None,
    seed: Seed = 0,
) -> RelationFits:
    """Fit positional relations by products of learned vectors and test them on longer windows.

    Low rank favours periodic relations, wide tables local ones (Huang et al. 2025, appendix).

    Example: lengthwise lab positional-fit mod3=0 j=i-1 --width 8 --width 128

    Args:
        relation: Relations by name; by default j=i-1, mod3=0, j<i and prime.
        width: Width of the position vectors; give several to compare.
        size: Laptop (80 positions, windows of 20) or as in the paper (200 positions, windows
            of 50).
        steps: Training steps, instead of the size's own.
        seed: Of the initial weights and the windows.
    """
    from dataclasses import replace

    from lengthwise.theory.limit.positional_fit import RELATIONS, FitSettings, fit_relation

    for name in relation:
        if name not in RELATIONS:
            raise unknown("relation", name, RELATIONS)
    settings = replace(FitSettings.paper() if size == "paper" else FitSettings(), seed=seed)
    if steps is not None:
        settings = replace(settings, steps=steps)
    chosen = relation or ("j=i-1", "mod3=0", "j<i", "prime")
    return RelationFits([fit_relation(name, w, settings) for name in chosen for w in width])
