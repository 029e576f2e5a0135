"""Per-head attention of any decoder, recomputed beside an ordinary forward pass.

A hook in front of every block sees exactly what the block sees (its input, the encoding and what
the encoding prepared) and forms the logits once more from the block's own projections; the block
itself runs as always. Nothing in the model asks whether anybody watches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lengthwise.core.errors import InputError, unknown
from lengthwise.models.decoder import Block, Decoder
from lengthwise.models.internals import hooked, streams
from lengthwise.models.layout import Layout
from lengthwise.models.packing import Grid
from lengthwise.positions.base import EncodingModule
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch

Queries = Literal["all", "answer", "asked"]
"""Which queries count: every token, tokens of the answer, or positions that are supervised."""
QUERIES: tuple[Queries, ...] = ("all", "answer", "asked")


@dataclass(frozen=True)
class Attention:
    """The attention logits of every layer, row and head; -inf at keys that are not read.

    ``content`` are the logits before the encoding's bias, for encodings that add one. Rows are
    padded on the right; ``batch.size`` says where each ends.
    """

    batch: Batch
    logits: Float[Tensor, "l b h q k"]
    content: Float[Tensor, "l b h q k"] | None = None

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.logits.shape[0]

    @property
    def heads(self) -> int:
        """Heads in each layer."""
        return self.logits.shape[2]

    @property
    def probabilities(self) -> Float[Tensor, "l b h q k"]:
        """How much each query reads of each key."""
        return self.logits.softmax(dim=-1)

    def row(self, number: int) -> Float[Tensor, "l h t t"]:
        """Return the probabilities of one row without its padding."""
        size = int(self.batch.size[number])
        return self.logits[:, number, :, :size, :size].softmax(dim=-1)


@torch.inference_mode()
def capture(model: Decoder, batch: Batch) -> Attention:
    """Run the model on a batch, as evaluation does, and keep the attention of every head.

    Example:
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity")
        >>> model = Decoder(ModelConfig(layers=3), len(task.vocabulary), NoPE(), context=9)
        >>> seen = capture(model, task.sample(np.random.default_rng(0), np.array([4, 5])))
        >>> seen.logits.shape, seen.row(0).shape
        (torch.Size([3, 2, 2, 9, 9]), torch.Size([3, 2, 8, 8]))
    """
    if model.config.bidirectional:
        raise InputError("attention: of causal models only, not of bidirectional ones.")
    found: list[tuple[Tensor, Tensor | None]] = []
    was_training = model.training
    try:
        with hooked(block.register_forward_pre_hook(_watch(found)) for block in model.blocks):
            _forward(model.eval(), batch)
    finally:
        model.train(was_training)
    logits = torch.stack([scores for scores, _ in found])
    if all(content is None for _, content in found):
        return Attention(batch, logits)
    contents = [scores if content is None else content for scores, content in found]
    return Attention(batch, logits, torch.stack(contents))


def _forward(model: Decoder, batch: Batch) -> None:
    device = model.embedding.weight.device
    places = model.encoding.positions(batch.size, None)
    model.packed(
        torch.as_tensor(batch.tokens, device=device),
        None if places is None else torch.as_tensor(places, device=device),
        Grid(*batch.tokens.shape),
        None,
        torch.as_tensor(batch.length, device=device),
    )


def _watch(found: list[tuple[Tensor, Tensor | None]]) -> Any:
    def watch(block: Block, inputs: tuple[Any, ...]) -> None:
        logits, content = block_logits(block, *inputs)
        found.append((logits.cpu(), None if content is None else content.cpu()))

    return watch


def block_logits(
    block: Block, x: Float[Tensor, "n d"], encoding: EncodingModule, layout: Layout
) -> tuple[Float[Tensor, "b h t t"], Float[Tensor, "b h t t"] | None]:
    """Return a block's logits and, if the encoding adds a bias, the logits before it.

    The arguments are those the decoder calls the block with, for a grid of one band.
    """
    config, layer = block.config, block.layer
    ((q, k, _, view),) = layout.project(block.qkv, block.attention_norm(x), config)
    q = block.sharpen(encoding.rotate_query(q, view.prepared, layer), view.index)
    k = encoding.rotate_key(k, view.prepared, layer)
    future = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).triu(1)
    scale = config.logit_scale
    content = (scale * (q @ k.mT)).masked_fill(future, -torch.inf)
    bias = encoding.bias(q, k, view.prepared, layer)
    if bias is None:
        return content, None
    return (content + bias).masked_fill(future, -torch.inf), content


@dataclass(frozen=True)
class OnePass:
    """One row: what every head reads, and the stream from the embedding to the last layer."""

    attention: Float[Tensor, "l h t t"]
    streams: Float[Tensor, "l1 t d"]
    logits: Float[Tensor, "l1 t v"]
    """What would be said if each stage were the last one; the last row is what is said."""


@torch.inference_mode()
def look_at(model: Decoder, batch: Batch) -> OnePass:
    """Run the model on a batch of one row and keep everything that its layers hand on.

    Example:
        >>> import numpy as np
        >>> from lengthwise.models.config import ModelConfig
        >>> from lengthwise.positions.nope import NoPE
        >>> from lengthwise.tasks import load_task
        >>> task = load_task("parity")
        >>> model = Decoder(ModelConfig(layers=3), len(task.vocabulary), NoPE(), context=9)
        >>> seen = look_at(model, task.sample(np.random.default_rng(0), np.array([4])))
        >>> seen.attention.shape[0], seen.streams.shape[0]
        (3, 4)
    """
    assert len(batch.tokens) == 1
    with streams(model) as found:
        attention = capture(model, batch).row(0)
    every = torch.stack([stream.reshape(-1, stream.shape[-1]) for stream in found])
    return OnePass(attention, every, model.eval().read(every))


def examples(task: Task, lengths: Sequence[int], count: int = 10, seed: int = 42) -> Batch:
    """Draw instances with their answers, ``count`` of each length.

    Ten per length, the whole sequence teacher-forced, is what Kazemnejad et al. (2023) look at.
    """
    if count < 1:
        raise InputError(f"count {count}: at least 1 instance is needed.")
    for length in lengths:
        task.check_range(length, length)
    return task.sample(np.random.default_rng(seed), np.repeat(np.asarray(lengths), count))


def select_queries(
    batch: Batch, queries: Queries | Bool[np.ndarray, "b t"] = "all"
) -> Bool[np.ndarray, "b t"]:
    """Mark the queries that count; none is padding.

    ``answer`` are the tokens of the answer themselves (the published choice), ``asked`` the
    positions at which the model is asked for something, one earlier. A mask is taken as it is.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> batch = load_task("parity").sample(np.random.default_rng(0), np.array([2]))
        >>> select_queries(batch, "asked").tolist()   # <bos> x x <sep> answer <eos>
        [[False, False, False, True, True, False]]
        >>> select_queries(batch, "answer").tolist()
        [[False, False, False, False, True, True]]
    """
    real = np.arange(batch.tokens.shape[1]) < batch.size[:, None]
    if not isinstance(queries, str):
        chosen = np.asarray(queries, dtype=bool)
        if chosen.shape != real.shape:
            raise InputError(f"queries: the mask is {chosen.shape}, the batch {real.shape}.")
    elif queries == "all":
        chosen = real
    elif queries == "asked":
        chosen = batch.supervised
    elif queries == "answer":
        chosen = np.zeros_like(real)
        told = batch.targets[:, :-1] == batch.tokens[:, 1:]
        chosen[:, 1:] = batch.supervised[:, :-1] & told
    else:
        raise unknown("queries", str(queries), QUERIES)
    if not (chosen & real).any():
        raise InputError(f"queries {queries!r}: there is no such token in these sequences.")
    return chosen & real


def behind(batch: Batch, token: int) -> Bool[np.ndarray, "b t"]:
    """Mark what stands behind the last occurrence of a token: the final answer of a scratchpad.

    Example:
        >>> one = np.array([[7, 2, 7, 3, 4]])
        >>> behind(Batch(one, one, np.array([5]), np.array([5])), 7).tolist()
        [[False, False, False, True, True]]
    """
    here = batch.tokens == token
    later = np.cumsum(here[:, ::-1], axis=1)[:, ::-1]  # occurrences from each position on
    real = np.arange(batch.tokens.shape[1]) < batch.size[:, None]
    return (later == 0) & here.any(axis=1)[:, None] & real
