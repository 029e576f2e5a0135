"""``lengthwise cost``: time and memory of encodings as inputs grow."""

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, print_json, print_table

COMPARED = ("nope", "sinusoidal", "rope", "alibi", "t5")


def cost(
    *,
    pe: Annotated[tuple[str, ...], Parameter(name="--pe")] = COMPARED,
    lengths: Annotated[tuple[int, ...], Parameter(name="--length")] = (128, 256, 512),
    layers: Count = 4,
    heads: Count = 4,
    width: Count = 128,
    batch: Count = 1,
    rounds: Count = 3,
    threads: Count = 1,
    as_json: Json = False,
) -> None:
    """Measure what encodings cost as inputs grow: a forward pass, a training step, memory.

    Encodings take turns and the best of the rounds counts; models are untrained.

    Example: lengthwise cost --pe nope --pe rope --pe t5 --length 128 --length 512

    Parameters
    ----------
    pe
        Encodings to compare; repeat for several.
    lengths
        Tokens of the input; repeat for several.
    layers
        Blocks of the model.
    heads
        Heads of each block.
    width
        Width of the model.
    batch
        Sequences at once.
    rounds
        Turns of each encoding at each length.
    threads
        Threads of one computation; with one, processor time is measured, else wall time.
    as_json
        Print seconds and megabytes as JSON.
    """
    from lengthwise.analysis.cost import Size, cost_by_length

    size = Size(layers=layers, heads=heads, width=width, batch=batch)
    found = cost_by_length(pe, lengths, size=size, rounds=rounds, threads=threads)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    rows = [
        {
            "encoding": one.encoding,
            "length": one.length,
            "forward, ms": f"{1000 * one.forward:.1f}",
            "step, ms": f"{1000 * one.step:.1f}",
            "memory, MB": f"{one.memory:.1f}",
        }
        for one in found
    ]
    print_table(rows, title=f"{layers} layers of width {width}, batch {batch}, threads: {threads}")
