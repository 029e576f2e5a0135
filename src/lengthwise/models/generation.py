"""Greedy generation with cached keys and values: the one door to everything that makes it fast.

What is behind it is used nowhere else: the cache (`models.cache`), weights laid out anew for few
rows (`models.frozen`) and loops compiled for them (`models.few_rows`, with the extra ``fast``).
Without the last two, or on another device or in another dtype, the same tokens come more slowly.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.models.cache import Cache, Continued
from lengthwise.models.decoder import Decoder
from lengthwise.models.frozen import compiled, frozen
from lengthwise.models.linear_maps import is_usual

WORTHWHILE = 16
"""For fewer steps the weights are not laid out anew and no attention is compiled."""


@torch.inference_mode()
def generate(
    model: Decoder,
    prompts: Int[Tensor, "b t"],
    sizes: Int[Tensor, "b"],
    *,
    steps: int | Int[Tensor, "b"],
    stop: int | None = None,
    scale: Int[Tensor, "b"] | None = None,
    positions: Int[Tensor, "b c"] | None = None,
    given: Int[Tensor, "b s"] | None = None,
) -> Int[Tensor, "b n"]:
    """Continue right-padded prompts by the most likely tokens.

    A row ends after ``steps`` tokens, its own number if they differ, or with ``stop``. What stands
    behind a row's end is ``stop``, or of no meaning where there is none. ``positions`` are those of
    prompt and continuation; by default 0, 1, 2, ... Where ``given`` is not negative the row goes on
    with that token, whatever the model says: input that arrives between outputs.
    """
    if model.config.bidirectional:
        raise InputError("generate: a bidirectional model reads, it does not write.")
    if int(sizes.min()) < 1:
        raise InputError("generate: every prompt needs at least one token.")
    rows = torch.arange(len(prompts), device=prompts.device)
    steps = torch.as_tensor(steps, device=prompts.device).expand(len(prompts))
    most = int(steps.max())
    cache = new_cache(model, len(prompts), prompts.shape[1] + most, positions)
    if most > WORTHWHILE and not model.training and is_usual(*model.parameters()):
        model = frozen(model, len(prompts))
        loops = compiled()
        cache.attend_once = None if loops is None else loops.attend_once
    logits = step(model, prompts, cache, scale, last=(rows, sizes - 1))
    cache.set_filled(sizes)
    done = steps < 1
    produced: list[Tensor] = []
    uneven = stop is not None or bool((steps < most).any())
    for number in range(1, most + 1):
        token = logits.argmax(dim=-1)
        if given is not None:
            token = torch.where(given[:, number - 1] < 0, token, given[:, number - 1])
        if stop is not None:
            token = token.masked_fill(done, stop)
        produced.append(token)
        if uneven:
            done = done | (steps <= number) | (token == (-1 if stop is None else stop))
            if bool(done.all()):
                break
        if number < most:
            logits = step(model, token[:, None], cache, scale)[:, 0]
            if uneven:
                cache.end(done)
    return torch.stack(produced, dim=1)


def new_cache(
    model: Decoder, rows: int, capacity: int, positions: Int[Tensor, "b c"] | None = None
) -> Cache:
    """Make room for the keys and values of so many rows and tokens."""
    config, like = model.config, model.embedding.weight
    return Cache(config.layers, config.heads, config.head, rows, capacity, positions, like)


def step(
    model: Decoder,
    tokens: Int[Tensor, "b n"],
    cache: Cache,
    scale: Int[Tensor, "b"] | None = None,
    *,
    last: tuple[Int[Tensor, "b"], Int[Tensor, "b"]] | None = None,
) -> Float[Tensor, "*r v"]:
    """Read new tokens of every row, given the cache, and extend it.

    Logits come for all of them, or for the cells ``last`` alone: of a long prompt with a large
    vocabulary the others would be most of the work.
    """
    layout = Continued(model.encoding, cache, tokens, scale)
    embedded = model.embedding(tokens)
    x = model.encoding.embed(embedded, layout.places.query, layout.places).flatten(0, 1)
    for block in model.blocks:
        x = block(x, model.encoding, layout)
    if last is not None:
        return model.read(x.unflatten(0, tokens.shape)[last])
    return model.read(x).unflatten(0, tokens.shape)
