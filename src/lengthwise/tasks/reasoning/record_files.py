"""The data files of Kazemnejad et al. (2023), as their released builders write them.

A folder has ``train.jsonl``, ``validation.jsonl`` and ``test.jsonl``; a line is one instance:

    copy       {"src_seq": "k k", "tgt_seq": "k k", "cat": 2}      with "source_char": replace
    reverse    {"src_seq": "a 9", "tgt_seq": "9 a", "cat": 2}
    sort       {"src_seq": ["M", "E"], "tgt_seq": ["E", "M"], "cat": 2}
    addition   {"a": 87, "b": 65, "sum": 152, "cat": "2-by-2"}
    parity     {"values": [1, 0], "answer": 1, "cat": 2}
    summation  {"values": [9, 4], "answer": 3, "cat": 2}
    pairs      {"source": "walk", "target": "Walk", "category": 1}     SCAN, PCFG
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.core.files import read_text
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import Batch
from lengthwise.tasks.reasoning._blocks import HOLE
from lengthwise.tasks.reasoning.base import lay_out, tokenize
from lengthwise.tasks.reasoning.extraction import Answer, extract
from lengthwise.tasks.vocabulary import Vocabulary

Kind = Literal["copy", "reverse", "sort", "addition", "parity", "summation", "pairs"]
PARTS = ("train", "validation", "test")
Instance = tuple[str, str, int]
"""Prompt, target and length."""


def _spaced(number: int) -> str:
    return " ".join(str(number))


def _items(values: Sequence[Any]) -> str:
    return ", ".join(_spaced(v) if isinstance(v, int) else str(v) for v in values)


def _copy(r: Mapping[str, Any]) -> tuple[str, str]:
    if "source_char" in r:
        begin = f"Replace {r['source_char']} with {r['target_char']} in {r['src_seq']}"
    else:
        begin = f"Copy: {r['src_seq']}"
    return f"{begin} [SEP]", r["tgt_seq"]


WRITERS: dict[Kind, tuple[Callable[[Mapping[str, Any]], tuple[str, str]], Answer]] = {
    "copy": (_copy, "text"),
    "reverse": (lambda r: (f"Reverse: {r['src_seq']} [SEP]", r["tgt_seq"]), "text"),
    "sort": (
        lambda r: (
            f"Sort the following list [ {_items(r['src_seq'])} ].",
            f"The sorted list is [ {_items(r['tgt_seq'])} ].",
        ),
        "list",
    ),
    "addition": (
        lambda r: (
            f"Compute {_spaced(r['a'])} + {_spaced(r['b'])} ?",
            f"The answer is {_spaced(r['sum'])}.",
        ),
        "number",
    ),
    "parity": (
        lambda r: (
            f"Is the number of 1's even in the sequence [ {_items(r['values'])} ] ?",
            f"The answer is {'No' if r['answer'] else 'Yes'}.",
        ),
        "word",
    ),
    "summation": (
        lambda r: (
            f"Compute: {' + '.join(map(str, r['values']))} . [SEP]",
            f"The answer is {r['answer']} .",
        ),
        "number",
    ),
    "pairs": (lambda r: (f"Solve: {r['source']} [SEP]", r["target"]), "text"),
}


@dataclass(frozen=True, kw_only=True)
class RecordFiles(Task):
    """The authors' data sets: ``jsonl:s2s_copy/rsc_tr20_ts40;kind=copy``.

    Training draws from ``train.jsonl``, tests of the training lengths from ``validation.jsonl`` and
    tests of other lengths from ``test.jsonl``, without replacement. Without scratchpads.
    """

    folder: str = ""
    kind: Kind = "pairs"

    name: ClassVar[str] = "jsonl"
    summary: ClassVar[str] = "data files of Kazemnejad et al. (2023): jsonl:folder;kind=copy"
    argument: ClassVar[str] = "folder"

    def __post_init__(self) -> None:
        if not self.folder:
            raise InputError("task 'jsonl' needs a folder: jsonl:data/rsc_tr20_ts40;kind=copy.")
        _ = self.parts  # a mistake in a file shows now

    @staticmethod
    def reads(options: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the contents of the three files."""
        folder = Path(str(options.get("folder", "")))
        paths = [folder / f"{part}.jsonl" for part in PARTS]
        return {str(path): path.read_bytes() for path in paths if path.is_file()}

    @cached_property
    def parts(self) -> dict[str, list[Instance]]:
        """The instances of every file."""
        return {part: self._read(Path(self.folder) / f"{part}.jsonl") for part in PARTS}

    def _read(self, path: Path) -> list[Instance]:
        lines = read_text(path).splitlines()
        write, found = WRITERS[self.kind][0], list[Instance]()
        for number, line in enumerate(filter(str.strip, lines), 1):
            try:
                record = json.loads(line)
                found.append((*write(record), _length(record)))
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"task 'jsonl': {path}, line {number}: not an instance of kind {self.kind} "
                    f"({type(error).__name__}: {error})."
                ) from None
        if not found:
            raise InputError(f"task 'jsonl': {path} is empty.")
        return found

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every word that occurs in a file."""
        rows = (one for part in self.parts.values() for one in part)
        return Vocabulary(tuple(sorted({w for p, t, _ in rows for w in tokenize(f"{p} {t}")})))

    @cached_property
    def _batches(self) -> dict[str, Batch]:
        return {part: self._lay_out(rows) for part, rows in self.parts.items()}

    def _lay_out(self, rows: list[Instance]) -> Batch:
        prompts, targets = (
            _block([self.vocabulary.encode(tokenize(str(row[side]))) for row in rows])
            for side in (0, 1)
        )
        return lay_out(self.vocabulary, prompts, targets, np.array([row[2] for row in rows]))

    @property
    def longest(self) -> int:
        """The largest length in a file."""
        return max(int(batch.length.max()) for batch in self._batches.values())

    def possible_lengths(self, low: int, high: int) -> Int[np.ndarray, "n"]:
        """List the lengths that occur in a file."""
        every = np.unique(np.concatenate([batch.length for batch in self._batches.values()]))
        return every[(every >= low) & (every <= high)]

    def max_tokens(self, length: int) -> int:
        """Return the most tokens of an instance up to this length."""
        sizes = [b.size[b.length <= length].max(initial=1) for b in self._batches.values()]
        return int(max(sizes))

    def draw(self, rng: np.random.Generator, low: int, high: int, count: int) -> Batch:
        """Pick instances of the training file, with replacement."""
        rows = self._rows("train", low, high)
        return rows.rows(rng.integers(0, len(rows.size), count))

    def draw_test(
        self, rng: np.random.Generator, low: int, high: int, count: int, *, trained: bool
    ) -> Batch:
        """Pick instances of the validation or the test file, each at most once."""
        rows = self._rows("validation" if trained else "test", low, high)
        return rows.rows(rng.permutation(len(rows.size))[:count])

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Pick an instance of each length from any file."""
        whole = self._every(int(lengths.min()), int(lengths.max()))
        return whole.rows(
            np.array([rng.choice(np.flatnonzero(whole.length == n)) for n in lengths.tolist()])
        )

    def _rows(self, part: str, low: int, high: int) -> Batch:
        self.check_range(low, high)
        batch = self._batches[part]
        rows = np.flatnonzero((batch.length >= low) & (batch.length <= high))
        if not len(rows):
            file = f"{self.folder}/{part}.jsonl"
            raise InputError(f"task 'jsonl': {file} has no instance of length {low}:{high}.")
        return batch.rows(rows)

    def _every(self, low: int, high: int) -> Batch:
        return self._lay_out([r for p in self.parts.values() for r in p if low <= r[2] <= high])

    def answered(self, written: Sequence[int], target: Sequence[int]) -> bool:
        """Compare final answers by the published rules."""
        given, wanted = (
            extract(self._text(ids), WRITERS[self.kind][1]) for ids in (written, target)
        )
        return given is not None and given == wanted

    def _text(self, ids: Sequence[int]) -> str:
        words = [
            self.vocabulary.text(i)
            for i in ids
            if i not in (self.vocabulary.eos, self.vocabulary.pad)
        ]
        return re.sub(r" \.$", ".", re.sub(r" ,", ",", " ".join(words)))


def _length(record: Mapping[str, Any]) -> int:
    """Read the length out of a category: 3, "3", "2-by-3" (the larger), [5, 2] (the first)."""
    category = record["cat"] if "cat" in record else record["category"]
    if isinstance(category, list):
        return int(category[0])
    return max(int(part) for part in str(category).split("-by-"))


def _block(rows: list[list[int]]) -> Int[np.ndarray, "b w"]:
    width = max(map(len, rows))
    return np.array([[*row, *[HOLE] * (width - len(row))] for row in rows])
