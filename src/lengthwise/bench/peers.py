"""What people use today, set up as they would: GPT-2 under Trainer, generate, x-transformers."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


def gpt2(
    layers: int, heads: int, width: int, vocabulary: int, positions: int, attention: str = "sdpa"
) -> Any:
    """Return the transformers library's GPT-2, from scratch, without dropout."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=vocabulary,
        n_positions=positions,
        n_embd=width,
        n_layer=layers,
        n_head=heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
    )
    config._attn_implementation = attention
    return GPT2LMHeadModel(config)


def x_transformer(
    kind: str, layers: int, heads: int, width: int, vocabulary: int, positions: int
) -> nn.Module:
    """Return an x-transformers decoder with the named encoding."""
    from x_transformers import Decoder, TransformerWrapper

    options = {
        "rope": {"rotary_pos_emb": True, "rotary_emb_dim": width // heads},  # all, as ours
        "alibi": {"alibi_pos_bias": True, "alibi_num_heads": heads},
        "t5": {"rel_pos_bias": True},
    }[kind]
    # Its fused attention does not take a bias, so only the rotary variant can use it.
    layer = Decoder(
        dim=width,
        depth=layers,
        heads=heads,
        attn_dim_head=width // heads,
        attn_flash=kind == "rope",
        **options,
    )
    return TransformerWrapper(
        num_tokens=vocabulary,
        max_seq_len=positions,
        use_abs_pos_emb=False,
        tie_embedding=True,
        attn_layers=layer,
    )


def training_step(
    model: nn.Module, logits: Callable[[Tensor], Tensor], tokens: Tensor
) -> Callable[[], None]:
    """Return one step that supervises every position: forward, backward, clip, AdamW."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01, fused=True)
    targets = tokens.roll(-1, dims=1).flatten()

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(logits(tokens).flatten(0, 1), targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def python_instances(name: str, low: int, high: int, seed: int = 0) -> Iterator[tuple[list, list]]:
    """Generate (tokens, labels) one at a time in plain Python, as training scripts do.

    The distribution and the token ids are those of our tasks (Huang et al. 2024).
    """
    draw = random.Random(seed)
    while True:
        length = draw.randint(max(low, 0 if name == "parity" else 1), high)
        size, prompt, answer = _PYTHON[name](draw, length)
        bos, sep, eos = size, size + 1, size + 2
        tokens = [bos, *prompt, sep, *answer, eos]
        labels = [-100] * (len(prompt) + 2) + [*answer, eos]
        yield tokens, labels


def _parity(draw: random.Random, length: int) -> tuple[int, list[int], list[int]]:
    ones = draw.randint(0, length)
    bits = [1] * ones + [0] * (length - ones)
    draw.shuffle(bits)
    return 4, bits, [2 + ones % 2]


def _majority(draw: random.Random, length: int) -> tuple[int, list[int], list[int]]:
    while True:
        word = [draw.randrange(26) for _ in range(length)]
        counts = sorted((word.count(letter), letter) for letter in set(word))
        if len(counts) == 1 or counts[-1][0] > counts[-2][0]:
            return 26, word, [counts[-1][1]]


def _repeat_copy(draw: random.Random, length: int) -> tuple[int, list[int], list[int]]:
    word = [draw.randrange(2) for _ in range(length)]
    return 2, word, word


def _unique_copy(draw: random.Random, length: int) -> tuple[int, list[int], list[int]]:
    word = draw.sample(range(150), length)
    return 150, word, word


_PYTHON = {
    "parity": _parity,
    "majority": _majority,
    "repeat-copy": _repeat_copy,
    "unique-copy": _unique_copy,
}


class _Stream(torch.utils.data.IterableDataset):
    def __init__(self, name: str, positions: int) -> None:
        self.name, self.positions = name, positions

    def __iter__(self) -> Iterator[dict[str, list[int]]]:
        for tokens, labels in python_instances(self.name, 0, 50):
            offset = random.randint(0, self.positions - len(tokens))
            places = list(range(offset, offset + len(tokens)))
            yield {"input_ids": tokens, "labels": labels, "position_ids": places}


def _collate(rows: list[dict[str, list[int]]], pad: int) -> dict[str, Tensor]:
    width = max(len(row["input_ids"]) for row in rows)

    def padded(key: str, fill: int | None) -> Tensor:
        values = [row[key] for row in rows]
        return torch.tensor(
            [v + [v[-1] if fill is None else fill] * (width - len(v)) for v in values]
        )

    return {
        "input_ids": padded("input_ids", pad),
        "labels": padded("labels", -100),
        "position_ids": padded("position_ids", None),
    }


def trainer_run(
    task: str, layers: int, heads: int, width: int, vocabulary: int, positions: int, steps: int
) -> Callable[[], float]:
    """Return a run of GPT-2 under the library's Trainer that times its own steps."""
    from transformers import TrainerCallback

    model = gpt2(layers, heads, width, vocabulary, positions)

    class Clock(TrainerCallback):
        began = ended = 0.0

        def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step == 0:
                self.began = time.perf_counter()

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.ended = time.perf_counter()

    def run() -> float:
        clock = Clock()
        train_by_trainer(
            model,
            _Stream(task, positions),
            lambda rows: _collate(rows, vocabulary - 1),
            clock,
            max_steps=steps,
            per_device_train_batch_size=64,
            learning_rate=1e-3,
            weight_decay=0.01,
        )
        return clock.ended - clock.began

    return run


def train_by_trainer(
    model: nn.Module,
    data: torch.utils.data.IterableDataset,
    collate: Callable[[list], dict[str, Tensor]],
    callback: Any,
    **settings: Any,
) -> None:
    """Train a model with the library's Trainer, which then writes nothing anywhere."""
    from transformers import PrinterCallback, Trainer, TrainingArguments

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            use_cpu=True,
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            **settings,
        )
        trainer = Trainer(
            model=model,
            args=arguments,
            train_dataset=data,
            data_collator=collate,
            callbacks=[callback],
        )
        trainer.remove_callback(PrinterCallback)  # it would write into our output
        trainer.train()
