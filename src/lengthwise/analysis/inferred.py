"""The inference procedure with trained models: R as a penalty, U_n checked word by word.

The models are decoders as the theory writes them: no norms, ReLUs, logits times the log of the
number of keys, a learned vector for each position of the context. For each context n they are
trained on *all* words to n/2 at *every* offset, so that being in U_n is not sampled:

    loss = mean over words and offsets of max(0, M - s z)^2  +  w R'

with z the output, s = 1 on members and -1 elsewhere, and R' all terms of R that have a gradient,
together with how far products with positions break the constraint of the hypothesis class. A model
counts as right where s z >= 1/2, the value that compiled programs give: an output that only had to
have the right sign could be scaled down at no cost. As long as the model is right everywhere w
grows, else it shrinks; training ends when R' has not fallen by more than 1/n (the slack of the
definition) for a while. Then all parameters are rounded to the grid of p bits that makes R least,
and the model is checked again.

That R(T_n) is within 1/n of the infimum is not shown by this: gradient descent may stop anywhere.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lengthwise.core.limits import Limits
from lengthwise.crasp.targets import Target
from lengthwise.languages.words import Words, all_words
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Block, Decoder
from lengthwise.positions.learned import LearnedAbsolute
from lengthwise.theory.limit.compare import random_codes
from lengthwise.theory.limit.folding import NormScales, folded
from lengthwise.theory.limit.inference import Chosen, Membership, checked
from lengthwise.theory.limit.products import check_products
from lengthwise.theory.limit.regulariser import FLOAT32_BITS, Explicit, regulariser
from lengthwise.theory.limit.soft_regulariser import matrices, product_variation, soft_terms

LEAST, AIM = 0.5, 0.75
"""What the output must reach on every word, and what training aims for."""
BATCH, EVERY, PATIENCE = 256, 25, 20
"""Rows of a step; steps between two checks; checks without a fall of R before training ends."""
GROWS, SHRINKS, STRONGEST = 1.25, 0.7, 0.3
"""How the weight of R moves after a check that held, after one that did not, and its bound."""
EXHAUSTIVE, DRAWN = 5_000, 300
"""Lengths with more words than this are tried on so many random ones."""


@dataclass(frozen=True)
class ShortWords:
    """Words at offsets; every prefix of a word is a word, so every letter is an answer."""

    tokens: Int[Tensor, "b t"]
    positions: Int[Tensor, "b t"]
    signs: Float[Tensor, "b t"]
    """1 for members, -1 for others, 0 where nothing is asked."""

    def some(self, rows: Int[Tensor, "k"]) -> "ShortWords":
        """Return some of the rows."""
        return ShortWords(self.tokens[rows], self.positions[rows], self.signs[rows])


def trained_models(
    target: Target,
    contexts: Sequence[int],
    *,
    horizon: int = 64,
    limits: Limits | None = None,
    steps: int = 2000,
    weight: float = 1e-3,
    layers: int = 2,
    heads: int = 2,
    width: int = 32,
    seed: int = 0,
    listener: Callable[[Chosen], None] = lambda row: None,
) -> list[Chosen]:
    """Train one model for each context and report R, whether it is in U_n, and where it fails."""
    contexts, limits = checked(contexts, len(target.letters)), limits or Limits(None)
    found: list[Chosen] = []
    for number, context in enumerate(contexts):
        part = limits.part(1 / (len(contexts) - number))
        torch.manual_seed(seed)
        model = _model(target, context, layers, heads, width)
        trainer = _Trainer(model, short_rows(target, context), context, seed, weight)
        found.append(_judged(trainer.run(steps, part), trainer, target, horizon))
        listener(found[-1])
    return found


def _model(target: Target, context: int, layers: int, heads: int, width: int) -> Decoder:
    """Return an untrained decoder; token 0 begins, the last token's logit is the output."""
    config = ModelConfig(
        layers=layers,
        heads=heads,
        width=width,
        mlp_width=2 * width,
        norm="none",
        activation="relu",
        tied=False,
        scale_logits=False,
        attention_scale="log-n",
    )
    model = Decoder(config, len(target.letters) + 2, LearnedAbsolute(std=0.1), context + 1)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data *= 5.0
    for block in model.blocks:
        assert isinstance(block, Block)
        assert block.sharpness is not None
        block.sharpness.data.fill_(1.0)
        for fixed in (block.sharpness, block.qkv.bias, block.out.bias, block.mlp_out.bias):
            fixed.requires_grad = False  # the theory's models have no such parameters
    return model


def short_rows(target: Target, context: int) -> ShortWords:
    """Return every word to n/2 at every offset that fits, as prefixes of as few rows as possible.

    At offset o the words of length min(n/2, n - o) have all shorter ones as prefixes.
    """
    half, parts = context // 2, []
    for offset in range(context):
        length = min(half, context - offset)
        parts.append(_rows(target, all_words(target.letters, length), offset, half + 1))
    return _joined(parts)


def _rows(target: Target, words: Words, offset: int, width: int) -> ShortWords:
    """Return words of one length at an offset, padded to a width; each letter is asked."""
    codes = words.tokens.astype(np.int64)
    count, length = codes.shape
    tokens, signs = np.zeros((count, width), np.int64), np.zeros((count, width))
    tokens[:, 1 : length + 1] = codes + 1
    for size in range(1, length + 1):
        part = Words.of_codes(codes[:, :size], target.letters)
        signs[:, size] = np.where(np.asarray(target.decide(part)), 1.0, -1.0)
    places = np.minimum(np.arange(width), length) + offset
    rows = torch.from_numpy(np.repeat(places[None], count, axis=0))
    return ShortWords(torch.from_numpy(tokens), rows, torch.from_numpy(signs).float())


def _joined(parts: Sequence[ShortWords]) -> ShortWords:
    return ShortWords(
        torch.cat([part.tokens for part in parts]),
        torch.cat([part.positions for part in parts]),
        torch.cat([part.signs for part in parts]),
    )


def outputs(model: Decoder, rows: ShortWords) -> Float[Tensor, "b t"]:
    """Return the model's output at every letter."""
    return model(rows.tokens, rows.positions)[..., -1]


def wrong_answers(
    model: Decoder, rows: ShortWords, least: float = LEAST
) -> tuple[Bool[Tensor, "b t"], int]:
    """Return which answers do not reach ``least`` with the right sign, and how many were asked."""
    with torch.no_grad():
        missed = (outputs(model, rows) * rows.signs < least) & (rows.signs != 0)
    return missed, int((rows.signs != 0).sum())


class _Trainer:
    def __init__(
        self, model: Decoder, rows: ShortWords, context: int, seed: int, weight: float
    ) -> None:
        self.model, self.rows, self.context, self.weight = model, rows, context, weight
        self.rng = torch.Generator().manual_seed(seed)
        self.best: tuple[float, Decoder] | None = None
        self.note = ""
        self.steps = 0

    def run(self, steps: int, limits: Limits) -> Decoder:
        """Train; return the model of least R that was in U_n, else the last one."""
        optimizer = torch.optim.Adam([p for p in self.model.parameters() if p.requires_grad], 3e-3)
        fallen = 0  # the check at which R last fell by more than the slack
        mark = float("inf")
        self.note = f"stopped after {steps} steps"
        for step in range(1, steps + 1):
            self.steps = step
            optimizer.zero_grad()
            self._loss().backward()
            optimizer.step()
            if step % EVERY:
                continue
            cost = self._check()
            if cost < mark - 1 / self.context:
                mark, fallen = cost, step
            if self.best is not None and step - fallen >= PATIENCE * EVERY:
                self.note = f"R fell by less than 1/{self.context} in the last steps of {step}"
                break
            if limits.over:
                self.note = f"stopped by the time limit after {step} steps"
                break
        return self.model if self.best is None else self.best[1]

    def _loss(self) -> Float[Tensor, ""]:
        count = len(self.rows.tokens)
        some = torch.randint(count, (BATCH,), generator=self.rng) if count > 2 * BATCH else None
        rows = self.rows if some is None else self.rows.some(some)
        short = (AIM - outputs(self.model, rows) * rows.signs).clamp_min(0) ** 2
        parts = matrices(self.model)
        penalty = sum(soft_terms(parts).values()) + product_variation(parts)
        return short[rows.signs != 0].mean() + self.weight * penalty

    def _check(self) -> float:
        """Keep the model if it is in U_n and cheaper than before; return its R', else infinity."""
        missed, _ = wrong_answers(self.model, self.rows)
        if bool(missed.any()):
            self.weight *= SHRINKS
            return float("inf")
        self.weight = min(STRONGEST, self.weight * GROWS)
        with torch.no_grad():
            parts = matrices(self.model)
            cost = float(sum(soft_terms(parts).values()) + product_variation(parts))
        if self.best is None or cost < self.best[0]:
            self.best = cost, deepcopy(self.model)
        return cost


def _judged(model: Decoder, trainer: _Trainer, target: Target, horizon: int) -> Chosen:
    context, rows = trainer.context, trainer.rows
    rounded, explicit_model = on_grid(model, rows)
    missed, asked = wrong_answers(rounded, rows)
    products = check_products(explicit_model)
    varies = max((v.deviation for v in products.violations), default=0.0)
    member = Membership(int(missed.sum()), asked, varies)
    fails = first_wrong(rounded, target, context, min(horizon, context)) if member.right else None
    return Chosen(
        context=context,
        train_length=context // 2,
        chosen=f"{model.config.layers} layers of width {model.config.width}",
        terms=regulariser(explicit_model),
        member=member,
        fails_at=fails,
        tested=f"to length {min(horizon, context)}",
        note=trainer.note,
    )


def on_grid(model: Decoder, rows: ShortWords) -> tuple[Decoder, Explicit]:
    """Round all parameters to the grid on which the model keeps its answers and R is least.

    Without any such grid the model itself comes back, with the bits of its floats.
    """
    best, kept = None, (model, _explicit(model))
    if bool(wrong_answers(model, rows)[0].any()):
        return kept
    for bits in range(24, 0, -1):
        rounded = deepcopy(model)
        for parameter in rounded.parameters():
            parameter.data = (parameter.data * 2**bits).round() / 2**bits
        if bool(wrong_answers(rounded, rows)[0].any()):
            break
        found = _explicit(rounded, bits)
        total = regulariser(found).total
        if best is None or total < best:
            best, kept = total, (rounded, found)
    return kept


def _explicit(model: Decoder, bits: int = FLOAT32_BITS) -> Explicit:
    return folded(model, NormScales.none(len(model.blocks)), bits=bits)


def first_wrong(model: Decoder, target: Target, context: int, longest: int) -> int | None:
    """Return the first length beyond n/2 with a wrong sign at some offset."""
    rng = np.random.default_rng(0)
    letters = len(target.letters)
    for length in range(context // 2 + 1, longest + 1):
        words = all_words(target.letters, length) if letters**length <= EXHAUSTIVE else None
        if words is None:
            codes = np.stack([random_codes(letters, length, rng) for _ in range(DRAWN)])
            words = Words.of_codes(codes, target.letters)
        for offset in range(context - length + 1):
            missed, _ = wrong_answers(model, _rows(target, words, offset, length + 1), least=0.0)
            if bool(missed[:, -1].any()):
                return length
    return None
