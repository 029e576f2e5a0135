"""Rows measured by the modules that know their subject, in the benchmark's own form."""

from collections.abc import Iterator
from typing import Any

from lengthwise.bench.measure import Figure, Row

SAMPLING = {"0-50": 10.0, "101-150": 15.0}
GRAMMARS = ("scan", "pcfg")


def sampling(rounds: int) -> Iterator[Row]:
    """Vectorised samplers against per-example Python generators of the same distribution."""
    from lengthwise.bench.sampling import GROUPS, sampling_rows

    for group in GROUPS:
        for row in sampling_rows(group, repeats=3 * rounds):
            at_least = {
                "algorithmic": SAMPLING.get(row["lengths"]),
                "formal": 30.0,
                "reasoning": 5.0 if row["name"] in GRAMMARS else 20.0,
            }.get(group)
            biased = group == "formal-biased"
            low, high = row["spread"]
            yield Row(
                group="sampling",
                name=f"{row['name']}, lengths {row['lengths']}",
                peer="quick random walk" if biased else "Python generator",
                ours=row["ours"],
                theirs=row["peer"],
                ratio=row["ratio"],
                low=low,
                high=high,
                at_least=at_least,
            )


def machinery(rounds: int) -> Iterator[Row | Figure]:
    """What surrounds training: overhead per run, listing many runs, two workers against one."""
    from lengthwise.bench import machinery as benchmark

    for row, limit in (
        (benchmark.overhead(repeats=min(rounds, 3)), 0.3),
        (benchmark.listing(repeats=min(rounds, 3)), 1.0),
    ):
        yield Figure(group="runs", name=row["name"], value=row["ours"], unit="s", at_most=limit)
    row = benchmark.two_workers(repeats=min(rounds, 3))
    yield Row(
        group="runs",
        name="four runs of width 64, two workers",
        peer="one worker",
        ours=4 / row["ours"],
        theirs=4 / row["peer"],
        ratio=row["ratio"],
        low=(row["ours"] - row["spread"]) / row["peer"],
        high=(row["ours"] + row["spread"]) / row["peer"],
        at_least=1.7,
    )


def encodings(rounds: int) -> Iterator[Figure]:
    """The cost of a training step with each encoding, in steps of NoPE."""
    from lengthwise.bench.encodings import step_costs

    for row in step_costs(rounds=rounds):
        yield Figure(
            group="encodings",
            name=f"{row['name']}, 4x256, length 150",
            value=row["ratio"],
            unit="NoPE steps",
            at_most=row.get("ceiling"),
        )


def programs(rounds: int) -> Iterator[Figure]:
    """Running Dyck-1 on 1,000 words of length 1,000."""
    from lengthwise.bench.programs import rows

    for row in rows(repetitions=4 * rounds):
        yield Figure(
            group="programs", name=row["name"], value=row["ratio"], unit="x time", at_most=3.0
        )


def deciding(rounds: int) -> Iterator[Row | Figure]:
    """Deciding regular languages: against cycle enumeration, growth, and many at once."""
    from lengthwise.bench import deciding as benchmark

    for row in benchmark.against_cycles():
        yield _decision(row, 50.0)
    for row in benchmark.growth(repeats=rounds):
        name = f"{row['name']} states (n^{row['exponent']:.1f})"
        yield Figure(group="deciding", name=name, value=row["seconds"], unit="s")
    for row in benchmark.many_regexes():
        yield Figure(
            group="deciding", name=row["name"], value=row["seconds"], unit="s", at_most=20.0
        )
    for row in benchmark.dyck(repeats=rounds):
        value = Figure(group="deciding", name=row["name"], value=row["seconds"], unit="s")
        yield value if row["ratio"] is None else _decision(row, None)


def _decision(row: dict[str, Any], at_least: float | None) -> Row:
    return Row(
        group="deciding",
        name=row["name"],
        peer="cycle enumeration",
        ours=row["seconds"],
        theirs=row["peer_seconds"],
        ratio=row["ratio"],
        low=row["ratio"] / row["spread"],
        high=row["ratio"],
        at_least=at_least,
    )
