"""Predict the next token of real text, for perplexity against context length."""

import glob
import platform
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Int

from lengthwise.core.errors import InputError
from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import IGNORE, Batch
from lengthwise.tasks.text.corpus import (
    Corpus,
    corpus_of,
    is_test_file,
    read_bytes,
    standard_library,
)
from lengthwise.tasks.text.tokenizer_file import read_tokenizer
from lengthwise.tasks.text.tokens import Encoder, SubwordEncoder, learn_pairs, learn_words
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class TextModelling(Task):
    """Predict every next token of a window inside one document: ``<bos> x1 .. xn``.

    ``level`` is ``byte``, ``token`` (the ``words`` most frequent words of the training files,
    bytes for the rest) or ``bpe`` (``words`` byte pairs learned from them, bytes included).
    ``part`` chooses training or test files; windows are uniform among all
    places where one of the wanted length fits. Length counts tokens behind ``<bos>``.
    """

    level: Literal["byte", "token", "bpe"] = "byte"
    words: int = 2048
    part: Literal["train", "test"] = "train"

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InputError(f"task {self.name!r}: words={self.words} must be at least 1.")

    @abstractmethod
    def _files(self, part: str) -> tuple[bytes, ...]:
        """Return the contents of the files of one part."""

    @cached_property
    def encoder(self) -> Encoder | SubwordEncoder:
        """How text becomes ids; words and pairs are learned from the training files."""
        if self.level == "byte":
            return Encoder()
        if self.level == "bpe":
            return learn_pairs(self._files("train"), self.words)
        return Encoder(learn_words(self._files("train"), self.words))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Bytes, then words."""
        return Vocabulary(self.encoder.symbols)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents of the chosen part as ids."""
        return corpus_of([self.encoder.encode(content) for content in self._files(self.part)])

    @property
    def longest(self) -> int:
        """No window is longer than the longest document."""
        return int(self.corpus.sizes.max())

    def max_tokens(self, length: int) -> int:
        """A window behind ``<bos>``."""
        return length + 1

    def sample(self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]) -> Batch:
        """Cut one window for each length; the token behind the window is not asked."""
        start = self._starts(rng, lengths)
        column = np.arange(int(lengths.max()))
        inside = column < lengths[:, None]
        place = np.where(inside, start[:, None] + column, 0)
        window = np.where(inside, self.corpus.ids[place], self.vocabulary.pad)
        first = np.full((len(lengths), 1), self.vocabulary.bos)
        targets = np.full((len(lengths), window.shape[1] + 1), IGNORE, dtype=np.int64)
        targets[:, :-1][inside] = window[inside]
        tokens = np.concatenate([first, window], axis=1)
        return Batch(tokens=tokens, targets=targets, length=lengths, size=lengths + 1)

    @cached_property
    def _room(self) -> dict[int, Int[np.ndarray, "d"]]:
        return {}

    def _starts(
        self, rng: np.random.Generator, lengths: Int[np.ndarray, "b"]
    ) -> Int[np.ndarray, "b"]:
        """Draw where windows begin, uniformly among the places where they fit."""
        start = np.empty_like(lengths)
        for length in np.unique(lengths).tolist():
            if length not in self._room:
                free = np.maximum(self.corpus.sizes - length + 1, 0)
                self._room[length] = np.concatenate([[0], np.cumsum(free)])
            room = self._room[length]
            if not room[-1]:
                raise InputError(
                    f"task {self.name!r}: no document has {length} tokens; "
                    f"the longest has {self.longest}."
                )
            rows = np.flatnonzero(lengths == length)
            drawn = rng.integers(0, room[-1], len(rows))
            document = np.searchsorted(room, drawn, side="right") - 1
            start[rows] = self.corpus.start[document] + drawn - room[document]
        return start

    def render(self, batch: Batch) -> list[str]:
        """Show each window as text, with line ends written out."""
        rows = []
        for tokens, size in zip(batch.tokens, batch.size, strict=True):
            content = self.encoder.decode(tokens[1:size].tolist())
            rows.append(content.decode("utf-8", errors="replace").encode("unicode_escape").decode())
        return rows


@dataclass(frozen=True, kw_only=True)
class PythonSource(TextModelling):
    """Source files of the running Python's standard library, split by file.

    Present on every machine; the text depends on the version of Python.
    """

    name: ClassVar[str] = "python-source"
    summary: ClassVar[str] = "next byte or token of the Python standard library's source"

    @staticmethod
    def reads(options: Mapping[str, Any]) -> dict[str, bytes]:
        """Return Python's version, on which the text depends."""
        return {"python": platform.python_version().encode()}

    def _files(self, part: str) -> tuple[bytes, ...]:
        return _library_files()[part]


@lru_cache(maxsize=1)
def _library_files() -> dict[str, tuple[bytes, ...]]:
    """Read the library once; files that are empty or not UTF-8 are left out."""
    parts: dict[str, list[bytes]] = {"train": [], "test": []}
    for name, path in standard_library().items():
        try:
            content = read_bytes((path,))[0]
        except InputError:
            continue
        parts["test" if is_test_file(name) else "train"].append(content)
    return {part: tuple(contents) for part, contents in parts.items()}


@dataclass(frozen=True, kw_only=True)
class TextFiles(TextModelling):
    """Your own UTF-8 files: ``text:notes.txt,books/*.txt;level=token``.

    Several files are split by file (every tenth, at least one, is for testing); of a single file
    the last tenth is. ``tokenizer`` is a ``tokenizer.json`` of your own, in place of ``level``.
    """

    files: str = ""
    tokenizer: str = ""

    name: ClassVar[str] = "text"
    summary: ClassVar[str] = "next byte or token of your own files: text:a.txt,b.txt"
    argument: ClassVar[str] = "files"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokenizer and self.level != "byte":
            raise InputError(f"task 'text': a tokenizer of your own takes no level={self.level}.")
        self._files(self.part)

    @cached_property
    def encoder(self) -> Encoder | SubwordEncoder:
        """How text becomes ids: by the user's tokenizer, if there is one."""
        if self.tokenizer:
            return SubwordEncoder(read_tokenizer(Path(self.tokenizer)))
        return super().encoder

    @staticmethod
    def reads(options: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the files' contents; names that match no file are refused when it is built."""
        paths = _expand(str(options["files"])) if options.get("files") else []
        if options.get("tokenizer"):
            paths = [*paths, Path(str(options["tokenizer"]))]
        return {
            str(path): content
            for path, content in zip(paths, read_bytes(tuple(paths)), strict=True)
        }

    @cached_property
    def _parts(self) -> dict[str, tuple[bytes, ...]]:
        paths = _expand(self.files)
        contents = read_bytes(tuple(paths))
        if len(contents) == 1:
            cut = max(1, len(contents[0]) * 9 // 10)
            return {"train": (contents[0][:cut],), "test": (contents[0][cut:] or contents[0],)}
        aside = contents[::10]
        kept = tuple(content for number, content in enumerate(contents) if number % 10)
        return {"train": kept, "test": aside}

    def _files(self, part: str) -> tuple[bytes, ...]:
        return self._parts[part]


def _expand(text: str) -> list[Path]:
    """List the files that names and patterns stand for, each once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("task 'text' needs files: text:a.txt,b.txt.")
    paths: dict[Path, None] = {}
    for name in names:
        found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else [name]
        if not found:
            raise InputError(f"task 'text': no file matches {name!r}.")
        paths.update({Path(path): None for path in found})
    return list(paths)
