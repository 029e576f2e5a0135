"""The bound behind "exact to length", channel by channel in exact fractions.

The reference follows the assumptions that the module states about rounding with loops and
fractions; nothing is vectorised and nothing is shared with it.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil, log, log2

import numpy as np
import pytest

from lengthwise.theory.limit.compiler import compile_program
from lengthwise.theory.limit.margin import (
    LONGEST,
    UNIT,
    Margin,
    cleared_channels,
    gains,
    margin,
    safe_length,
)
from lengthwise.theory.limit.transformer import LimitHead, LimitLayer, LimitTransformer
from tests.theory.limit.cases import CASES


def exact(x):
    return Fraction(float(x))


class Channel:
    """What is known of one channel of the stream: its size, its errors."""

    def __init__(self, size=0):
        self.size, self.absolute, self.relative = exact(size), Fraction(0), Fraction(0)


def reference(model, length, dtype):
    """The worst slack, by the rules in the module's docstring, one number at a time."""
    unit, tokens = Fraction(1, 2 ** {"float32": 24, "float64": 53}[dtype]), length + 1
    stream = []
    for channel in range(model.width):
        largest = max(abs(row[channel]) for row in model.embedding)
        stream.append(Channel(largest + max(abs(row[channel]) for row in model.positions)))
    slacks = [Fraction(1)]
    for layer in model.layers:
        added = [attended(head, stream, tokens, unit, slacks) for head in layer.heads]
        for update in added:
            for channel, (size, absolute, relative) in zip(stream, update, strict=True):
                channel.size += size
                channel.absolute += absolute
                channel.relative = max(channel.relative, relative)
        stepped(layer, stream, tokens, unit, slacks)
    for row in model.unembedding:  # an output is true above 0 and false below, by 1/2 at least
        slacks.append(
            1 - 2 * sum(abs(exact(w)) * c.absolute for w, c in zip(row, stream, strict=True))
        )
    return float(min(slacks))


def attended(head, stream, tokens, unit, slacks):
    """What a head adds to each channel: (size, absolute error, relative error)."""
    uniform = not np.any(head.kq) and not np.any(head.phi)
    found = []
    for row in head.v:
        weights = [abs(exact(w)) for w in row]
        size = sum((w * c.size for w, c in zip(weights, stream, strict=True)), Fraction(0))
        error = sum((w * c.absolute for w, c in zip(weights, stream, strict=True)), Fraction(0))
        relative = Fraction(0)
        if uniform:
            slacks.append(1 - tokens * size * unit)  # the sum must stay below 1/u
            if error:  # integers up to an error: 2u more for every term
                error += sum(2 * unit * w for w in weights)
            if any(weights):
                relative = 2 * unit  # one rounded division
        elif any(weights):
            largest = max([abs(exact(x)) for x in np.ravel(head.phi)], default=Fraction(0))
            logit = 2 * (largest + sum(abs(exact(x)) for x in np.ravel(head.kq)))
            relative = 4 * unit * (2 + logit * exact(log(tokens)))
        found.append((size, error, relative))
    return found


def stepped(layer, stream, tokens, unit, slacks):
    """Follow the errors through the hidden layer."""
    rough = []
    for unit_ in range(len(layer.a)):
        reads = [abs(exact(w)) for w in layer.a[unit_]]
        shrinks, bound = bool(layer.shrinks[unit_]), exact(layer.bound[unit_])
        allowed = exact(layer.margin[unit_]) / (tokens if shrinks else 1)
        gain = 1 / allowed if shrinks else Fraction(2) ** ceil(log2(0.75 / allowed))
        used = [c for w, c in zip(reads, stream, strict=True) if w]
        clean = not shrinks and not any(c.absolute or c.relative for c in used)
        near = 2 * (bound + 1) / tokens if shrinks else bound  # near a shrinking threshold
        relative = max((c.relative for c in used), default=Fraction(0)) + 4 * unit
        error = sum(w * c.absolute for w, c in zip(reads, stream, strict=True)) + relative * near
        if layer.step[unit_]:
            slacks.append(1 - (0 if clean else error) / (allowed - 1 / (2 * gain)))
        rough.append(0 if clean else 4 * unit * (gain * bound + 1))
    cleared = cleared_channels(layer)
    for number, channel in enumerate(stream):
        written = [
            (abs(exact(w)), rough[unit_])
            for unit_, w in enumerate(layer.out[number])
            if layer.step[unit_]
        ]
        kept = 0 if cleared[number] else 1
        channel.absolute = channel.absolute * kept + sum(w * r for w, r in written)
        channel.size = channel.size * kept + sum(w for w, _ in written) + Fraction(1, 2)
        channel.relative *= kept


MODELS = {
    (name, clean): compile_program(found, clean=clean)
    for name, (found, *_) in list(CASES.items())[::3]
    for clean in (False, True)
}


def random_model(seed):
    """Layers that no compiler would write: any sizes, weights of both signs, all kinds of units."""
    rng = np.random.default_rng(seed)
    width, units = 4, 5

    def layer():
        heads = []
        for _ in range(2):
            kq, phi = np.zeros((width, width)), np.zeros(2)
            if rng.random() < 0.5:
                kq, phi = rng.integers(-2, 3, (width, width)) * 1.0, rng.normal(size=2)
            v = rng.integers(-1, 2, (width, width)) * 1.0
            heads.append(LimitHead(kq, phi, v * (rng.random((width, 1)) < 0.6)))
        return LimitLayer(
            tuple(heads),
            a=rng.integers(-1, 2, (units, width)) * 1.0,
            b=rng.integers(-1, 2, units) * 1.0,
            out=rng.integers(-1, 2, (width, units)) * 1.0,
            step=rng.random(units) < 0.7,
            margin=rng.choice([0.5, 0.25, 1.0, 0.3], units),
            shrinks=rng.random(units) < 0.4,
            bound=rng.choice([1.0, 2.0, 5.0], units),
        )

    return LimitTransformer(
        tokens=("$", "a", "b"),
        embedding=rng.integers(-2, 3, (3, width)) * 1.0,
        positions=rng.integers(-1, 2, (2, width)) * 1.0,
        layers=tuple(layer() for _ in range(3)),
        unembedding=rng.integers(-1, 2, (2, width)) * 1.0,
        outputs=("one", "two"),
    )


def sums_alone(model):
    """Without steps and outputs: what is left to go wrong are sums that grow too large."""
    layers = tuple(
        replace(layer, step=np.zeros(len(layer.step), dtype=bool)) for layer in model.layers
    )
    return replace(model, layers=layers, unembedding=np.zeros_like(model.unembedding))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slack_equals_the_rules_followed_one_number_at_a_time(dtype):
    drawn = [random_model(seed) for seed in range(25)]
    models = [*MODELS.values(), *drawn, *map(sums_alone, drawn)]
    for number, model in enumerate(models):
        for length in (1, 100, 30_000):
            wanted = reference(model, length, dtype)
            found = margin(model, length, dtype)
            assert found.slack == pytest.approx(wanted, rel=1e-9, abs=1e-9), (number, length)
            assert (found.length, found.dtype) == (length, dtype)
            assert found.exact == (found.slack > 0)


def test_no_slack_is_not_exact():
    assert not Margin(5, "float32", 0.0).exact
    assert Margin(5, "float32", 1e-9).exact


def test_units_are_those_of_the_formats():
    for name, unit in UNIT.items():
        one = np.dtype(name).type(1)
        assert one + one * unit == one  # half an ulp is rounded away, a little more is not
        assert one + np.dtype(name).type(1.01 * unit) > one


def test_gains_leave_what_they_promise():
    """Half of a shrinking margin is left to errors, a third or more of another."""
    for seed in range(20):
        for layer in random_model(seed).layers:
            for tokens in (2, 10, 1000):
                for gain, allowed, shrinks in zip(
                    gains(layer, tokens), layer.margin, layer.shrinks, strict=True
                ):
                    own = allowed / tokens if shrinks else allowed
                    left = (own - 1 / (2 * gain)) / own
                    if shrinks:
                        assert left == pytest.approx(1 / 2)
                    else:
                        assert log2(gain) == round(log2(gain))
                        assert 1 / 3 - 1e-12 <= left < 2 / 3 + 1e-12


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_safe_length_is_safe_and_the_next_thousandth_is_not(dtype):
    for model in MODELS.values():
        safe = safe_length(model, dtype)
        if safe:
            assert margin(model, safe, dtype).exact
        if safe + safe // 1000 + 1 < LONGEST:
            assert not margin(model, safe + safe // 1000 + 1, dtype).exact


def test_what_is_never_exact_has_no_safe_length():
    model = sums_alone(random_model(0))
    assert safe_length(model) > 0
    assert safe_length(replace(model, embedding=model.embedding * 2.0**40)) == 0


def test_a_channel_is_cleared_by_both_of_its_units_and_by_nothing_less():
    """``-ReLU(x) + ReLU(-x)``, in any order, beside steps; one of the two is not enough."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        layer = random_model(seed).layers[0]
        width = layer.a.shape[1]
        steps = replace(layer, step=np.ones(len(layer.step), dtype=bool))
        assert not cleared_channels(steps).any()
        parts = rng.integers(0, 4, width)  # which of the two units a channel gets, as bits
        units = [
            (c, sign)
            for c in range(width)
            for bit, sign in enumerate((1, -1))
            if parts[c] >> bit & 1
        ]
        rng.shuffle(units)
        reads, writes = np.zeros((len(units), width)), np.zeros((width, len(units)))
        for number, (channel, sign) in enumerate(units):
            reads[number, channel], writes[channel, number] = sign, -sign
        more = len(units)
        both = replace(
            steps,
            a=np.concatenate([steps.a, reads]),
            b=np.concatenate([steps.b, np.zeros(more)]),
            out=np.concatenate([steps.out, writes], axis=1),
            step=np.concatenate([steps.step, np.zeros(more, dtype=bool)]),
            margin=np.concatenate([steps.margin, np.ones(more)]),
            shrinks=np.concatenate([steps.shrinks, np.zeros(more, dtype=bool)]),
            bound=np.concatenate([steps.bound, np.ones(more)]),
        )
        assert cleared_channels(both).tolist() == (parts == 3).tolist()
        for wrong in (replace(both, b=both.b + 1), replace(both, out=2 * both.out)):
            assert not cleared_channels(wrong).any()
