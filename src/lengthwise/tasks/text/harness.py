"""A task as a folder for EleutherAI's lm-evaluation-harness: one sub-task per range of lengths.

    parity.yaml              the group: all ranges
    parity_1_8.yaml          one range: prompts are continued greedily up to the end of the line
    parity_1_8.jsonl         its instances: prompt, answer, length

Instances, examples and text are those of `lengthwise evaluate` on a folder, so that both count the
same rows as right.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.seeds import Stream, generator
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.text.spelling import plain_pieces
from lengthwise.tasks.vocabulary import BOS, EOS

RANGES = 8
"""Most ranges that lengths are divided into."""


def harness_files(
    task: Task,
    name: str,
    lengths: Sequence[int],
    *,
    instances: int,
    seed: int = 0,
    shots: int = 8,
    shown: tuple[int, int] | None = None,
    spelling: Mapping[str, str] | None = None,
) -> dict[str, bytes]:
    """Return the files of the folder.

    Example:
        >>> from lengthwise.tasks import load_task
        >>> files = harness_files(load_task("parity"), "parity", [1, 2], instances=1, shots=0)
        >>> [name for name in files if name.endswith("yaml")]
        ['parity_1_1.yaml', 'parity_2_2.yaml', 'parity.yaml']
    """
    pieces = plain_pieces(task.vocabulary, spelling or {})
    short = [int(n) for n in task.first_lengths(8)]
    low, high = shown or (short[0], short[-1])
    examples = "" if not shots else _examples(task, pieces, low, high, shots)
    stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "task"
    files: dict[str, bytes] = {}
    members: list[str] = []
    for part in np.array_split(np.array(lengths), min(RANGES, len(lengths))):
        member = f"{stem}_{part[0]}_{part[-1]}"
        rows = [row for n in part for row in _rows(task, pieces, examples, int(n), instances, seed)]
        files[f"{member}.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        files[f"{member}.yaml"] = _yaml(_sub_task(member, pieces, rows)).encode()
        members.append(member)
    group = {
        "group": stem,
        "task": members,
        "aggregate_metric_list": [{"metric": "exact_match", "weight_by_size": True}],
    }
    files[f"{stem}.yaml"] = _yaml(group).encode()
    return files


def _sub_task(member: str, pieces: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return the configuration of one range."""
    most = max(len(row["answer"].split()) for row in rows)
    return {
        "task": member,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"{member}.jsonl"}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {
            "until": [pieces[EOS]],
            "do_sample": False,
            "max_gen_toks": most + 1,
        },
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1},
    }


def _yaml(value: Mapping[str, Any]) -> str:
    """Write plain data as YAML; JSON values are YAML too."""
    return "".join(f"{key}: {json.dumps(part)}\n" for key, part in value.items())


def _examples(task: Task, pieces: Mapping[str, str], low: int, high: int, shots: int) -> str:
    task.check_range(low, high)
    batch = task.draw(generator(0, Stream.EXAMPLES), low, high, shots)
    return "".join("".join(_text(task, pieces, batch, row)) for row in range(shots))


def _rows(
    task: Task, pieces: Mapping[str, str], examples: str, length: int, count: int, seed: int
) -> list[dict[str, Any]]:
    batch = task.sample(generator(seed, Stream.EVALUATION, length), np.full(count, length))
    found: list[dict[str, Any]] = []
    for row in range(count):
        prompt, answer = _text(task, pieces, batch, row)
        closed = answer.removesuffix(pieces[EOS])
        if closed == answer:
            raise InputError(f"task {task.name!r} writes no <eos> behind its answers.")
        found.append({"prompt": examples + prompt, "answer": closed, "length": length})
    return found


def _text(task: Task, pieces: Mapping[str, str], batch: Batch, row: int) -> tuple[str, str]:
    """Return a row as prompt and answer."""
    ids = batch.tokens[row, : batch.size[row]].tolist()
    written = [pieces[task.vocabulary.text(token)] for token in ids]
    start = int(np.argmax(batch.supervised[row])) + 1
    begin = 1 if task.vocabulary.text(ids[0]) == BOS else 0
    return "".join(written[begin:start]), "".join(written[start:])
