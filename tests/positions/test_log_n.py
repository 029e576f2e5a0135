"""Log-n attention scaling, the switch that is independent of the encoding."""

import pytest
import torch

from lengthwise.models.generation import new_cache, step
from tests.positions.cases import LENGTH, make_model, make_tokens

LOG_N = {"attention_scale": "log-n"}


@torch.no_grad()
def test_queries_are_multiplied_by_s_log_n():
    """At position t a model with log-n equals a plain one whose queries are s log(t + 1) larger."""
    tokens = make_tokens()
    model = make_model("alibi", layers=1, **LOG_N)
    plain = make_model("alibi", layers=1)
    weights = {k: v for k, v in model.state_dict().items() if "sharpness" not in k}
    factor = model.blocks[0].sharpness.repeat_interleave(8, dim=1).flatten()  # (heads * head,)
    out = model(tokens)
    for t in range(LENGTH):
        plain.load_state_dict(weights)
        larger = factor * torch.log(torch.tensor(t + 1.0, dtype=torch.float64))
        plain.blocks[0].qkv.weight[:16] *= larger[:, None]
        plain.blocks[0].qkv.bias[:16] *= larger
        torch.testing.assert_close(plain(tokens)[:, t], out[:, t])


@pytest.mark.parametrize("text", ["nope", "rope", "t5", "shaw", "cope"])
@torch.no_grad()
def test_full_cached_and_gathered_agree(text):
    model, tokens = make_model(text, **LOG_N), make_tokens()
    full = model(tokens)
    cache = new_cache(model, len(tokens), LENGTH)
    steps = torch.cat([step(model, part, cache) for part in tokens.split(3, dim=1)], dim=1)
    torch.testing.assert_close(steps, full, rtol=1e-6, atol=1e-7)
    chosen = torch.tensor([[0, 11], [3, 4], [10, 2]])
    gathered = model(tokens, supervised=chosen)
    expected = full[torch.arange(3)[:, None], chosen]
    torch.testing.assert_close(gathered, expected, rtol=1e-6, atol=1e-7)


def test_the_switch_adds_one_number_per_head_and_layer():
    more, fewer = make_model("nope", **LOG_N), make_model("nope")
    count = sum(p.numel() for p in more.parameters()) - sum(p.numel() for p in fewer.parameters())
    assert count == 2 * 2
