"""Each encoding against its formula, written out slowly, and against published numbers."""

import math

import numpy as np
import pytest
import torch

from lengthwise.core.errors import InputError
from lengthwise.positions import load_position
from lengthwise.positions.abacus import places_in_runs
from lengthwise.positions.alibi import slopes
from lengthwise.positions.base import Places, Shape, shared_positions
from lengthwise.positions.rotary_scaling import Slowing, frequencies
from lengthwise.positions.t5 import bucket

SIZE = 9
SHAPE = Shape(layers=2, heads=2, head_width=8, width=16, context=20, logit_scale=8**-0.5)


def build(text, shape=SHAPE):
    torch.manual_seed(3)
    module = load_position(text).build(shape)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return module.double().eval()


def states(seed=5):
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 2, 2, SIZE, 8, generator=generator, dtype=torch.float64).unbind(0)
    return q, k


def logits(module, layer, q, k, scale=8**-0.5, length=None):
    """The encoding's part of the attention logits, through its hooks."""
    at = shared_positions(SIZE)
    places = Places(at, at, None, length)
    prepared = module.prepare(places)
    turned_q, turned_k = (
        module.rotate_query(q, prepared, layer),
        module.rotate_key(k, prepared, layer),
    )
    value = scale * turned_q @ turned_k.transpose(-1, -2)
    bias = module.bias(turned_q, turned_k, prepared, layer)
    return value if bias is None else value + bias


def slow(formula, q, k):
    """Evaluate formula(batch, head, t, i) at every visible pair; -inf elsewhere."""
    out = torch.full((2, 2, SIZE, SIZE), -torch.inf, dtype=torch.float64)
    for b in range(2):
        for h in range(2):
            for t in range(SIZE):
                for i in range(t + 1):
                    out[b, h, t, i] = float(formula(b, h, t, i))
    return out


@torch.no_grad()
def check(text, formula, *, rtol=1e-6, length=None, layer=1):
    module, (q, k) = build(text), states()
    fast = logits(module, layer, q, k, length=length)
    future = torch.ones(SIZE, SIZE, dtype=torch.bool).triu(1)
    fast = fast.masked_fill(future, -torch.inf)
    expected = slow(lambda b, h, t, i: formula(module, q, k, b, h, t, i), q, k)
    torch.testing.assert_close(fast, expected, rtol=rtol, atol=1e-6)


def content(q, k, b, h, t, i):
    return q[b, h, t] @ k[b, h, i] / math.sqrt(8)


# --- published numbers -----------------------------------------------------------------------


def test_t5_buckets_first_distances():
    """First distance of each bucket from 16 up, for 32 buckets and 128 (Kazemnejad et al. 2023)."""
    first = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    index = bucket(torch.arange(4000)).tolist()
    assert index[:16] == list(range(16))
    assert [index.index(b) for b in range(16, 32)] == first
    assert index[-1] == 31


def test_alibi_slopes_of_twelve_heads():
    expected = [2.0**-e for e in (1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5)]
    np.testing.assert_allclose(slopes(12), expected)
    np.testing.assert_allclose(slopes(8), expected[:8])


def test_rotary_turns_sixteen_of_sixty_four():
    shape = Shape(layers=1, heads=1, head_width=64, width=64, context=9)
    module = load_position("rope:fraction=0.25").build(shape)
    at = torch.tensor([[5]])
    q = torch.randn(1, 1, 1, 64, generator=torch.Generator().manual_seed(0))
    turned = module.rotate_query(q, module.prepare(Places(at, at)), 0)[0, 0, 0]
    assert torch.equal(turned[16:], q[0, 0, 0, 16:])
    for j in range(8):
        theta = 5 * 10000 ** (-2 * j / 16)
        x, y = q[0, 0, 0, 2 * j], q[0, 0, 0, 2 * j + 1]
        torch.testing.assert_close(turned[2 * j], x * math.cos(theta) - y * math.sin(theta))
        torch.testing.assert_close(turned[2 * j + 1], y * math.cos(theta) + x * math.sin(theta))


def test_sinusoidal_has_sines_first():
    x = torch.zeros(1, 7, 16, dtype=torch.float64)
    at = shared_positions(7)
    out = build("sinusoidal").embed(x, at, Places(at, at))
    for p in range(7):
        for j in range(8):
            w = 10000 ** (-2 * j / 16)
            assert out[0, p, j].item() == pytest.approx(math.sin(p * w))
            assert out[0, p, 8 + j].item() == pytest.approx(math.cos(p * w))


def test_learned_absolute_adds_the_row_of_the_position():
    module = build("ape")
    at = torch.tensor([[4, 0, 19]])
    out = module.embed(torch.zeros(1, 3, 16).double(), at, Places(at, at))
    assert torch.equal(out[0], module.table.weight[torch.tensor([4, 0, 19])])


# --- slow formulas ---------------------------------------------------------------------------


def test_nope():
    check("nope", lambda m, q, k, b, h, t, i: content(q, k, b, h, t, i))


def test_alibi():
    check("alibi", lambda m, q, k, b, h, t, i: content(q, k, b, h, t, i) - slopes(2)[h] * (t - i))


def test_learned_alibi():
    def formula(m, q, k, b, h, t, i):
        return content(q, k, b, h, t, i) - m.log_slope[h].exp() * (t - i)

    check("alibi-learned", formula)


def test_t5():
    def formula(m, q, k, b, h, t, i):
        d = t - i
        row = d if d < 3 else min(5, 3 + int(math.log(d / 3) / math.log(7 / 3) * 3))
        return content(q, k, b, h, t, i) + m.table.weight[row, h]

    check("t5:buckets=6,max_distance=7", formula)


def test_kerple_log():
    def formula(m, q, k, b, h, t, i):
        r1, r2 = m.log_r1[h].exp(), m.raw_r2[h].exp()
        return content(q, k, b, h, t, i) - r1 * torch.log(1 + r2 * (t - i))

    check("kerple", formula)


def test_kerple_power():
    def formula(m, q, k, b, h, t, i):
        r1, r2 = m.log_r1[h].exp(), 2 * torch.sigmoid(m.raw_r2[h])
        return content(q, k, b, h, t, i) - r1 * float(t - i) ** r2

    check("kerple:kernel=power", formula)


def test_sandwich_is_the_inner_product_of_sinusoids():
    def sinusoid(p):
        w = np.array([10000 ** (-2 * j / 32) for j in range(16)])
        return np.concatenate([np.sin(p * w), np.cos(p * w)])

    def formula(m, q, k, b, h, t, i):
        return content(q, k, b, h, t, i) + sinusoid(t) @ sinusoid(i) / (8 * (h + 1) / 2)

    check("sandwich:width=32", formula)


def test_fire():
    def formula(m, q, k, b, h, t, i):
        c, limit = abs(m.c), abs(m.multiplier * 4)
        x = torch.log(c * (t - i) + 1) / (torch.log(c * max(t, limit) + 1) + 1e-6)
        hidden = torch.relu(m.first.weight[:, 0] * x + m.first.bias)
        return content(q, k, b, h, t, i) + (m.second.weight @ hidden + m.second.bias)[h]

    check("fire:threshold=4", formula)


@pytest.mark.parametrize("clip", [0, 3])
def test_shaw(clip):
    def formula(m, q, k, b, h, t, i):
        row = min(t - i, clip) if clip else t - i
        return q[b, h, t] @ (k[b, h, i] + m.vectors[1, h, row]) / math.sqrt(8)

    check(f"shaw:clip={clip}", formula)


def test_transformer_xl():
    def formula(m, q, k, b, h, t, i):
        d = min(t - i, 5)
        w = torch.tensor([10000 ** (-2 * j / 16) for j in range(8)], dtype=torch.float64)
        wave = torch.cat([(d * w).sin(), (d * w).cos()])
        left = (q[b, h, t] + m.u[1, h]) @ k[b, h, i]
        right = (q[b, h, t] + m.v[1, h]) @ (m.projection[1, h] @ wave)
        return (left + right) / math.sqrt(8)

    check("txl:clamp=5", formula)


def test_cope():
    def formula(m, q, k, b, h, t, i):
        gates = [torch.sigmoid(content(q, k, b, h, t, j)) for j in range(i, t + 1)]
        p = min(float(sum(gates)), 3.0)
        low, high = m.table[1, math.floor(p)], m.table[1, math.ceil(p)]
        row = low + (p - math.floor(p)) * (high - low)
        return q[b, h, t] @ (k[b, h, i] + row) / math.sqrt(8)

    check("cope:most=4", formula)


def turned(x, p, theta, size=1.0):
    """Rotate one vector pair by pair, as complex numbers."""
    z = torch.complex(x[0::2], x[1::2]) * torch.exp(1j * torch.as_tensor(p * theta)) * size
    return torch.stack([z.real, z.imag], dim=-1).flatten()


def test_rotary():
    theta = np.array([500 ** (-2 * j / 8) for j in range(4)])

    def formula(m, q, k, b, h, t, i):
        return turned(q[b, h, t], t, theta) @ turned(k[b, h, i], i, theta) / math.sqrt(8)

    check("rope:base=500", formula, rtol=1e-5)


def test_rotary_scaling_acts_in_evaluation_only():
    at = shared_positions(5)
    module, plain = build("rope:scaling=linear,factor=4"), build("rope")
    q = states()[0][:, :, :5]
    assert torch.equal(
        module.train().rotate_query(q, module.prepare(Places(at, at)), 0),
        plain.rotate_query(q, plain.prepare(Places(at, at)), 0),
    )
    stretched = module.eval().rotate_query(q, module.prepare(Places(4 * at, 4 * at)), 0)
    torch.testing.assert_close(
        stretched, plain.rotate_query(q, plain.prepare(Places(at, at)), 0), rtol=1e-5, atol=1e-6
    )


def test_ntk_slows_the_slowest_pair_by_the_factor_and_keeps_the_fastest():
    plain = frequencies(16, 10000.0)
    slow_ = Slowing(scaling="ntk", base=10000.0, factor=3.0, original=0).angles(plain)
    assert slow_[0] == plain[0]
    assert float(plain[-1] / slow_[-1]) == pytest.approx(3.0)


def test_yarn_interpolates_slow_pairs_and_keeps_fast_ones():
    plain = frequencies(64, 10000.0)
    slow_ = Slowing(scaling="yarn", base=10000.0, factor=4.0, original=1000).angles(plain)
    turns = 1000 * plain / (2 * math.pi)
    for p, s, r in zip(plain.tolist(), slow_.tolist(), turns.tolist(), strict=True):
        gamma = min(1.0, max(0.0, (r - 1) / 31))
        assert s == pytest.approx(gamma * p + (1 - gamma) * p / 4)
    q = states()[0]
    at = shared_positions(SIZE)
    module = build("rope:scaling=yarn,factor=4,original=1000")
    grown = module.rotate_query(q, module.prepare(Places(at, at)), 0)
    torch.testing.assert_close(
        grown.norm(dim=-1), q.norm(dim=-1) * (0.1 * math.log(4) + 1), rtol=1e-5, atol=0
    )


def test_xpos_decays_with_distance():
    theta = np.array([10000 ** (-2 * j / 8) for j in range(4)])
    zeta = torch.tensor([(2 * j / 8 + 0.4) / 1.4 for j in range(4)], dtype=torch.float64)

    def formula(m, q, k, b, h, t, i):
        left = turned(q[b, h, t], t, theta, zeta ** (t / 8))
        return left @ turned(k[b, h, i], i, theta, zeta ** (-i / 8)) / math.sqrt(8)

    check("xpos:unit=8", formula, rtol=1e-5)


def test_window_hides_what_is_further_away():
    def formula(m, q, k, b, h, t, i):
        return content(q, k, b, h, t, i) - slopes(2)[h] * (t - i) if t - i < 3 else -math.inf

    check("window:size=3,encoding=alibi", formula)


def test_hybrid_takes_the_layers_part():
    alibi, nope = (
        lambda m, q, k, b, h, t, i: content(q, k, b, h, t, i) - slopes(2)[h] * (t - i),
        lambda m, q, k, b, h, t, i: content(q, k, b, h, t, i),
    )
    check("hybrid:nope+alibi", nope, layer=0)
    check("hybrid:nope+alibi", alibi, layer=1)
    check("hybrid:pattern=nope+alibi", nope, layer=2)  # the pattern repeats


def test_abacus_places():
    digit = torch.tensor([[1, 1, 0, 1, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1, 1, 1]]).bool()
    expected = [[1, 2, 0, 1, 0, 0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7, 8]]
    assert places_in_runs(digit).tolist() == expected


def test_abacus_adds_the_offset_to_digits_only():
    module = build("abacus:digits=0-4")
    tokens = torch.tensor([[1, 2, 8, 3]])
    at = shared_positions(4) + 6
    out = module.embed(torch.zeros(1, 4, 16).double(), at, Places(at, at, tokens))
    rows = module.table.weight[torch.tensor([7, 8, 0, 7])]
    assert torch.equal(out[0, [0, 1, 3]], rows[[0, 1, 3]])


def test_user_bias_from_expression_and_file(tmp_path):
    def formula(m, q, k, b, h, t, i):
        return content(q, k, b, h, t, i) - 0.5 * (t - i) + (1 if i == 0 else 0)

    check("bias:function=-0.5*(i-j)+(j==1)", formula)
    (tmp_path / "mine.py").write_text(
        "def f(i, j):\n    first = 1 if j == 1 else 0\n    return -0.5 * (i - j) + first\n"
    )
    check(f"bias:function={tmp_path / 'mine.py'}:f", formula)


def test_randomised_positions_are_sorted_subsets_and_spread_evenly_in_evaluation():
    module = load_position("randomised:encoding=ape,stretch=3").build(SHAPE)
    rng = np.random.default_rng(0)
    sizes = np.array([4, 9, 9])
    drawn = module.positions(sizes, rng)
    assert drawn.shape == (3, 9)
    assert drawn.max() < 60
    assert drawn.max() >= 20
    for row, size in zip(drawn, sizes, strict=True):
        assert (np.diff(row[:size]) > 0).all()
        assert (row[size:] >= row[size - 1]).all()
    again = module.positions(sizes, np.random.default_rng(0))
    assert (again == drawn).all()
    assert module.positions(np.array([4]), None).tolist() == [[0, 15, 30, 45]]
    assert module.inner.table.num_embeddings == 60


def test_randomised_draws_are_uniform_over_positions():
    module = load_position("randomised:encoding=ape,stretch=1").build(SHAPE)
    drawn = module.positions(np.full(4000, 5), np.random.default_rng(1))
    counts = np.bincount(drawn.ravel(), minlength=20)
    np.testing.assert_allclose(counts, 1000, rtol=0.15)


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rope:fractoin=0.5", "Did you mean 'fraction'"),
        ("rope:fraction=2", "not in"),
        ("rope:fraction=0.1", "even and at least 2"),
        ("rope:scaling=yarn", "original"),
        ("rope:scaling=nkt", "Did you mean 'ntk'"),
        ("rope:scaling=ntk,factor=0.5", "factor"),
        ("rop", "Did you mean 'rope'"),
        ("window:size=0", "size=0"),
        ("window:encoding=rop", "inside it 'rop'"),
        ("hybrid:nope+", "empty part"),
        ("hybrid:nope+rpe", "unknown position encoding"),
        ("randomised:stretch=0", "stretch"),
        ("kerple:kernel=cube", "kernel"),
        ("t5:buckets=1", "buckets"),
        ("shaw:clip=-1", "clip"),
        ("txl:clamp=0", "clamp"),
        ("cope:most=1", "most"),
        ("sandwich:width=3", "even"),
        ("fire:hidden=0", "hidden"),
        ("xpos:unit=0.01", "overflow"),
        ("abacus:digits=x", "token ids"),
        ("lbpe:values=1", "values"),
        ("bias:function=i+x", "unknown name 'x'"),
        ("bias:function=i-n", "function of i and j"),
        ("bias:function=1/(i-j)", r"f\(1, 1\) raised ZeroDivision"),
        ("bias:function=__import__('os')", "can be called"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(InputError, match=message):
        load_position(text).build(SHAPE)


def test_odd_heads_are_refused_by_rotary():
    odd = Shape(layers=1, heads=1, head_width=7, width=7, context=9)
    with pytest.raises(InputError, match="even and at least 2"):
        load_position("rope").build(odd)
