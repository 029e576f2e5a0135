"""A compiled model: ordinary decoder weights that answer like the program they came from.

It is built by :func:`build`, kept in one safetensors file with a description, and runs without the
program: the description names its letters, outputs and the length up to which it is exact.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Int
from pydantic import BaseModel, ConfigDict, ValidationError
from torch import Tensor

from lengthwise.core.errors import InputError
from lengthwise.core.outputs import is_special, save_bytes, save_json
from lengthwise.crasp.program import Program
from lengthwise.languages.convention import Accept
from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions.learned import LearnedAbsolute
from lengthwise.positions.nope import NoPE
from lengthwise.records.spec import first_problem
from lengthwise.theory.limit.assemble import PeriodicForm
from lengthwise.theory.limit.compiler import compile_program
from lengthwise.theory.limit.export import Layout, to_decoder
from lengthwise.theory.limit.margin import DType, margin, safe_length
from lengthwise.theory.limit.normalise import OTHER
from lengthwise.theory.limit.transformer import LimitTransformer
from lengthwise.training.checkpoint import load_weights, read_weights, weights_bytes

ACCEPT, REJECT = "<accept>", "<reject>"
TOKENS_AT_ONCE = 1 << 18
KIND = "lengthwise compiled program"


@dataclass(frozen=True)
class Description:
    """What a compiled model reads and says, and how far it is exact."""

    kind: Literal["recogniser", "generator"]
    letters: tuple[str, ...]
    """Token k + 1 is letter k; token 0 is the begin token."""
    outputs: dict[str, int]
    """Name of each output -> its row of logits; positive means true."""
    vocabulary: tuple[str, ...]
    length: int
    """Longest word, in letters."""
    exact: int
    """Longest word for which rounding provably changes nothing, at most ``length``."""
    slack: float
    dtype: DType
    layout: Layout
    accept: Accept
    program: str


@dataclass(frozen=True)
class CompiledModel:
    """A decoder with the description of what it computes."""

    decoder: Decoder
    description: Description
    limit: LimitTransformer | None = None
    """The limit transformer it was exported from; None when it was loaded from a file."""

    def truths(self, words: Iterable[Sequence[str]]) -> Bool[np.ndarray, "b t o"]:
        """Return every output at the begin token and at every letter of each word."""
        tokens, _ = self.encode(words)
        rows = list(self.description.outputs.values())
        parts = [(self._run(part)[..., rows] > 0).numpy() for part in _parts(tokens)]
        return np.concatenate(parts)

    def accepts(self, words: Iterable[Sequence[str]]) -> Bool[np.ndarray, " b"]:
        """Return which words a recogniser accepts.

        Example:
            >>> from lengthwise.crasp import Q, count
            >>> majority = Program.of(count(Q["a"]) > count(Q["b"]), alphabet="ab")
            >>> build(majority, 100).accepts(["aab", "b", ""]).tolist()
            [True, False, False]
        """
        if self.description.kind != "recogniser":
            raise InputError("this model writes symbols; it accepts no words.")
        tokens, sizes = self.encode(words)
        if not len(tokens):
            return np.zeros(0, dtype=bool)
        row = self.description.outputs["accept"]
        found: list[np.ndarray] = []
        for part, last in zip(_parts(tokens), _parts(sizes, tokens.shape[1]), strict=True):
            logits = self._run(part, last[:, None])
            found.append((logits[:, 0, row] > 0).numpy())
        return np.concatenate(found)

    def write(self, prompt: Sequence[str], stop: str, limit: int) -> tuple[str, ...]:
        """Return what a generator writes after a prompt, up to ``stop``; exactly one must hold."""
        if self.description.kind != "generator":
            raise InputError("this model accepts words; it writes no symbols.")
        text, names = list(prompt), list(self.description.outputs)
        for _ in range(limit):
            holding = [n for n, yes in zip(names, self.truths([text])[0, -1], strict=True) if yes]
            if len(holding) != 1:
                shown = ", ".join(holding) or "nothing"
                raise InputError(f"after {' '.join(text)!r} the model says {shown}.")
            text += holding
            if holding[0] == stop:
                break
        return tuple(text[len(prompt) :])

    @torch.inference_mode()
    def _run(self, tokens: Tensor, last: Tensor | None = None) -> Tensor:
        return self.decoder(tokens, supervised=last)

    def encode(self, words: Iterable[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Return tokens, the begin token first, and where each word ends."""
        codes = {letter: code for code, letter in enumerate(self.description.letters, start=1)}
        rows = [[0, *(self._code(letter, codes) for letter in word)] for word in words]
        longest = max((len(row) for row in rows), default=1)
        if longest - 1 > self.description.length:
            raise InputError(
                f"a word of {longest - 1} letters is longer than the model's limit of "
                f"{self.description.length}; compile it again with a larger --length."
            )
        tokens = torch.zeros(len(rows), longest, dtype=torch.long)
        for row, target in zip(rows, tokens, strict=True):
            target[: len(row)] = torch.tensor(row)
        return tokens, torch.tensor([len(row) - 1 for row in rows])

    def _code(self, letter: str, codes: dict[str, int]) -> int:
        code = codes.get(letter, codes.get(OTHER))
        if code is None:
            known = " ".join(self.description.letters)
            raise InputError(f"letter {letter!r} is not in the model's alphabet ({known}).")
        return code

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(parameter.numel() for parameter in self.decoder.parameters())

    def sizes(self) -> dict[str, int]:
        """Return layers, heads, width and parameters."""
        config = self.decoder.config
        return {
            "layers": config.layers,
            "heads": config.heads,
            "width": config.width,
            "parameters": self.parameters,
        }


def build(
    program: Program,
    length: int,
    *,
    dtype: DType = "float32",
    layout: Layout = "compact",
    periodic: PeriodicForm = "constrained",
    accept: Accept = "last",
    force: bool = False,
) -> CompiledModel:
    """Compile a program to a decoder that is exact on words of up to ``length`` letters.

    One more gate is put before counts when the precision asks for it. A length beyond the margin
    is refused with the longest safe one, unless ``force``.
    """
    if length < 1:
        raise InputError(f"--length {length}: must be at least 1.")
    limit = compile_program(program, accept=accept, periodic=periodic, clean=False)
    found = margin(limit, length, dtype)
    if not found.exact:
        limit = compile_program(program, accept=accept, periodic=periodic, clean=True)
        found = margin(limit, length, dtype)
    safe = length if found.exact else safe_length(limit, dtype)
    if not found.exact and not force:
        raise InputError(
            f"--length {length}: in {dtype} this program is exact only to length {safe}; "
            "use --dtype float64, a shorter length, or --force."
        )
    extra, outputs = _output_rows(program, limit)
    decoder = to_decoder(
        limit, length, dtype=getattr(torch, dtype), layout=layout, extra_tokens=extra
    )
    description = Description(
        kind="generator" if program.is_generator else "recogniser",
        letters=limit.tokens[1:],
        outputs=outputs,
        vocabulary=(*limit.tokens, *(name for name, _ in extra)),
        length=length,
        exact=safe,
        slack=found.slack,
        dtype=dtype,
        layout=layout,
        accept=accept,
        program=str(program),
    )
    return CompiledModel(decoder, description, limit)


def _output_rows(
    program: Program, limit: LimitTransformer
) -> tuple[list[tuple[str, np.ndarray]], dict[str, int]]:
    """Return tokens beyond the letters that outputs need, and the row of each output."""
    rows = dict(zip(limit.outputs, limit.unembedding, strict=True))
    if not program.is_generator:
        first = len(limit.tokens)
        return [(ACCEPT, rows["accept"]), (REJECT, -rows["accept"])], {"accept": first}
    extra = [(name, row) for name, row in rows.items() if name not in limit.tokens]
    places = {token: number for number, token in enumerate(limit.tokens)}
    places |= {name: len(limit.tokens) + number for number, (name, _) in enumerate(extra)}
    return extra, {name: places[name] for name in rows}


def save(model: CompiledModel, path: Path) -> None:
    """Write the weights, and the description both inside the file and as JSON beside it."""
    if path.suffix == ".json":
        raise InputError(f"{path}: the description takes this name; use .safetensors.")
    plain = asdict(model.description)
    text = json.dumps(
        {
            "description": plain,
            "config": model.decoder.config.model_dump(),
            "positions": not isinstance(getattr(model.decoder.encoding, "table", None), type(None)),
        },
        sort_keys=True,
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    facts = {"made": KIND, "about": text, "about_sha256": digest}
    save_bytes(path, weights_bytes(model.decoder, facts))
    if not is_special(path):
        save_json(path.with_suffix(".json"), json.loads(text))


def load(path: Path) -> CompiledModel:
    """Read a compiled model; a file that was cut short or edited is refused."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    tensors, facts = read_weights(path)
    if facts.get("made") != KIND:
        raise InputError(f"{path}: these weights were not made by `lengthwise compile`.")
    text = facts.get("about", "")
    if hashlib.sha256(text.encode()).hexdigest() != facts.get("about_sha256"):
        raise InputError(f"{path}: the description was edited (checksum).")
    try:
        about = _About.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError(f"{path}: the description is damaged ({first_problem(error)})") from None
    description, config = about.description, about.config
    _check_sizes(path, about, tensors)
    encoding = LearnedAbsolute() if about.positions else NoPE()
    decoder = Decoder(config, len(description.vocabulary), encoding, description.length + 1)
    decoder = decoder.to(getattr(torch, description.dtype)).eval()
    load_weights(path, decoder)
    return CompiledModel(decoder, description)


class _About(BaseModel):
    """What the file says about itself; it may come from anybody."""

    model_config = ConfigDict(extra="forbid")

    description: Description
    config: ModelConfig
    positions: bool


def _check_sizes(path: Path, about: _About, tensors: Mapping[str, Tensor]) -> None:
    """Refuse a description of something larger than the file, before it is built."""
    said, config = about.description, about.config
    most = max((max(tensor.shape, default=0) for tensor in tensors.values()), default=0)
    rows = said.length + 1 if about.positions else 0
    largest = max(len(said.vocabulary), config.width, config.mlp, config.head * config.heads, rows)
    outside = any(not 0 <= row < len(said.vocabulary) for row in said.outputs.values())
    lacking = said.kind == "recogniser" and "accept" not in said.outputs
    if largest > most or config.layers > len(tensors) or said.length < 0 or outside or lacking:
        raise InputError(f"{path}: the description does not fit the weights.")


def _parts(rows: Int[Tensor, "..."], width: int | None = None) -> Iterable[Tensor]:
    return rows.split(max(1, TOKENS_AT_ONCE // max(1, width or rows.shape[1])))
