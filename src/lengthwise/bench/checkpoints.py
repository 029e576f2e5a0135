"""Rows about checkpoints in the transformers library's format: loaded, and continued greedily."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from lengthwise.bench.decoding import library_generate
from lengthwise.bench.measure import Row, compare
from lengthwise.bench.peers import gpt2
from lengthwise.models.exchange.reading import read_folder
from lengthwise.models.generation import generate

SMALL = (12, 12, 768, 50257)
"""GPT-2 small: layers, heads, width, vocabulary."""
PROMPTS, SIZE, STEPS, BATCH = 200, 200, 64, 20


def checkpoints(
    rounds: int, shape: tuple[int, int, int, int] = SMALL, prompts: int = PROMPTS
) -> Iterator[Row]:
    """Load a folder with random weights and continue prompts, against the library's own way."""
    layers, heads, width, vocabulary = shape
    tokens = torch.randint(0, vocabulary, (prompts, SIZE)).split(BATCH)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        reference = gpt2(layers, heads, width, vocabulary, 1024)
        reference.save_pretrained(folder)

        def ours() -> list[Tensor]:
            decoder = read_folder(folder).decoder
            sizes = torch.full((BATCH,), SIZE)
            return [generate(decoder, part, sizes[: len(part)], steps=STEPS) for part in tokens]

        @torch.inference_mode()
        def theirs() -> list[Tensor]:
            model = type(reference).from_pretrained(folder).eval()
            return [library_generate(model, part, STEPS)[:, SIZE:] for part in tokens]

        yield compare(
            "checkpoints",
            f"{layers}x{width}, {prompts} prompts of {SIZE} tokens, {STEPS} new, batch {BATCH}",
            ours,
            "generate",
            theirs,
            rounds=rounds,
            at_least=1.2,
        )
