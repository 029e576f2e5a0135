"""Rows about evaluation and generation."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import torch
from torch import Tensor

from lengthwise.bench.measure import Row, compare
from lengthwise.bench.peers import gpt2
from lengthwise.evaluation.exact import correct_rows
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.models.generation import generate
from lengthwise.positions import load_position
from lengthwise.tasks import load_task

BATCH = 64
LENGTHS = (50, 100, 250, 500)


def evaluation(rounds: int) -> Iterator[Row]:
    """Exact match of copy by teacher forcing, against generate and teacher-forced GPT-2."""
    task = load_task("repeat-copy")
    for length in LENGTHS:
        batch = task.sample(np.random.default_rng(0), np.full(BATCH, length))
        context = task.max_tokens(length)
        model = decoder(2, 1, 64, len(task.vocabulary), context)
        reference = gpt2(2, 1, 64, len(task.vocabulary), context).eval()
        prompt = torch.from_numpy(batch.tokens[:, : length + 2])
        wanted = torch.from_numpy(batch.tokens[:, length + 2 :])
        tokens = torch.from_numpy(batch.tokens)

        def whole(model: Decoder = model, batch: object = batch) -> None:
            correct_rows(model, batch, early_exit=False)  # type: ignore[arg-type]

        def early(model: Decoder = model, batch: object = batch) -> None:
            correct_rows(model, batch)  # type: ignore[arg-type]

        @torch.inference_mode()
        def library(m=reference, prompt: Tensor = prompt, wanted: Tensor = wanted) -> None:
            out = library_generate(m, prompt, wanted.shape[1])
            (out[:, prompt.shape[1] :] == wanted).all(dim=1)

        @torch.inference_mode()
        def forced(m=reference, tokens: Tensor = tokens, start: int = length + 1) -> None:
            guess = m(tokens).logits.argmax(dim=-1)
            (guess[:, start:-1] == tokens[:, start + 1 :]).all(dim=1)

        name = f"copy, length {length}"
        for label, ours, peer, theirs, at_least in (
            ("", whole, "generate", library, 5.0),
            (", wrong answers", early, "generate", library, 10.0),
            ("", whole, "GPT-2, teacher forced", forced, 1.4),
        ):
            yield compare(
                "evaluation", name + label, ours, peer, theirs,
                rounds=rounds, at_least=at_least,
            )  # fmt: skip


def generation(rounds: int) -> Iterator[Row]:
    """Greedy generation of 500 tokens with cached keys and values."""
    for (layers, heads, width), batch in product(((2, 2, 64), (4, 4, 256)), (1, 16, BATCH)):
        model = decoder(layers, heads, width, 32, 512)
        reference = gpt2(layers, heads, width, 32, 512).eval()
        prompt = torch.randint(0, 32, (batch, 8))
        sizes = torch.full((batch,), 8)
        yield compare(
            "generation",
            f"{layers}x{width}, 500 tokens, batch {batch}",
            lambda m=model, p=prompt, s=sizes: generate(m, p, s, steps=500),
            "generate",
            lambda m=reference, p=prompt: library_generate(m, p, 500),
            rounds=rounds,
            at_least=2.0,
        )


def library_generate(model, prompt: Tensor, steps: int) -> Tensor:
    """Continue prompts by the transformers library, token by token."""
    return model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=steps,
        min_new_tokens=steps,
        do_sample=False,
        use_cache=True,
        pad_token_id=0,
    )


def decoder(layers: int, heads: int, width: int, vocabulary: int, context: int) -> Decoder:
    """Return our decoder with learned positions."""
    config = ModelConfig(layers=layers, heads=heads, width=width)
    return Decoder(config, vocabulary, load_position("ape"), context).eval()
