"""Fifth pass: a plan and its channels become the matrices of a limit transformer."""

from math import lcm

import numpy as np

from lengthwise.theory.limit.channels import Channels
from lengthwise.theory.limit.plan import Head, LinearReading, ModelPlan, PlannedBlock, Unit
from lengthwise.theory.limit.transformer import BEGIN, LimitHead, LimitLayer, LimitTransformer


def emit(plan: ModelPlan, channels: Channels) -> LimitTransformer:
    """Return the limit transformer of a plan."""
    embedding = np.zeros((1 + len(plan.letters), channels.width))
    for k, function in enumerate(channels.embedded):
        embedding[:, channels.of["token", k]] = function
    layers = [
        _layer(block, channels, [c for when, c in channels.cleared if when == number])
        for number, block in enumerate(plan.blocks, start=1)
    ]
    rows = [np.zeros(channels.width) for _ in plan.outputs]
    for row, (value, sign) in zip(rows, plan.outputs.values(), strict=True):
        row[channels.of[value]] = sign
    return LimitTransformer(
        tokens=(BEGIN, *plan.letters),
        embedding=embedding,
        positions=_positions(plan, channels),
        layers=tuple(layers),
        unembedding=np.stack(rows),
        outputs=tuple(plan.outputs),
    )


def _positions(plan: ModelPlan, channels: Channels) -> np.ndarray:
    period = lcm(*plan.codes) if plan.codes else 1
    table = np.zeros((period, channels.width))
    for modulus in plan.codes:
        for position in range(period):
            table[position, channels.of["code", modulus, position % modulus]] = 1.0
    return table


def _layer(block: PlannedBlock, channels: Channels, cleared: list[int]) -> LimitLayer:
    units, width = block.units, channels.width
    size = len(units) + 2 * len(cleared)
    a, out = np.zeros((size, width)), np.zeros((width, size))
    for number, unit in enumerate(units):
        a[number] = channels.row(unit.reading)
        for value, weight in unit.writes.items():
            out[channels.of[value], number] += weight
    for number, channel in enumerate(cleared):
        first = len(units) + 2 * number
        a[[first, first + 1], channel] = 1.0, -1.0
        out[channel, [first, first + 1]] = -1.0, 1.0
    clears = [Unit(LinearReading(), 0.0, {}, step=False)] * (2 * len(cleared))
    every = [*units, *clears]
    return LimitLayer(
        heads=tuple(_head(head, channels) for head in block.heads),
        a=a,
        b=np.array([unit.bias for unit in every]),
        out=out,
        step=np.array([unit.step for unit in every], dtype=bool),
        margin=np.array([unit.margin for unit in every]),
        shrinks=np.array([unit.shrinks for unit in every], dtype=bool),
        bound=np.array([unit.bound for unit in every]),
    )


def _head(head: Head, channels: Channels) -> LimitHead:
    width = channels.width
    kq, v = np.zeros((width, width)), np.zeros((width, width))
    for key, query in head.content:
        kq += np.outer(channels.row(key), channels.row(query))
    for value, reading in head.writes.items():
        v[channels.of[value]] += channels.row(reading)
    phi = np.zeros(max(head.phi, default=-1) + 1)
    for distance, value in head.phi.items():
        phi[distance] = value
    return LimitHead(kq, phi, v)
