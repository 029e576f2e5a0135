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
SIZE, STEPS, BATCH = 200, 64, 20


def checkpoints(
    rounds: int, shape: tuple[int, int, int, int] = SMALL, batch: int = BATCH
) -> Iterator[Row]:
    """Load a folder with random weights and continue prompts, against the library's own way.

    One batch stands for the 200 prompts that people have: the other nine take as long, on both
    sides, and loading is a row of its own.
    """
    layers, heads, width, vocabulary = shape
    tokens = torch.randint(0, vocabulary, (batch, SIZE))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        reference = gpt2(layers, heads, width, vocabulary, 1024).eval()
        reference.save_pretrained(folder)
        decoder, sizes = read_folder(folder).decoder, torch.full((batch,), SIZE)

        def theirs() -> Tensor:
            with torch.inference_mode():
                return library_generate(reference, tokens, STEPS)

        yield compare(
            "checkpoints",
            f"{layers}x{width}, {batch} prompts of {SIZE} tokens, {STEPS} new",
            lambda: generate(decoder, tokens, sizes, steps=STEPS),
            "generate",
            theirs,
            rounds=rounds,
            at_least=1.2,
        )
        yield compare(
            "checkpoints",
            f"{layers}x{width}, loading",
            lambda: read_folder(folder),
            "from_pretrained",
            lambda: type(reference).from_pretrained(folder),
            rounds=rounds,
        )
