"""``ask``: what a model makes of inputs of one's own."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.load import load
from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count
from lengthwise.core.errors import InputError

if TYPE_CHECKING:
    from lengthwise.subjects.model import Model


@dataclass(frozen=True)
class Replies(Shown):
    """What a model says about words, or writes after prompts."""

    rows: Sequence[dict[str, Any]]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per input."""
        yield Rows(self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows."""
        return list(self.rows)


@verb()
def ask(
    model: str | object,
    *words: str,
    stop: str = "<eos>",
    limit: Count = 1000,
    store: Path | None = None,
    trust_code: bool = False,
) -> Replies:
    """Give inputs to a trained or compiled model: it completes prompts, or judges words.

    Example: lengthwise ask dyck1.safetensors "a b a b" "a b b"

    Args:
        model: A run by the beginning of its id or by its folder, a checkpoint of one
            (`.safetensors`), weights written by `lengthwise compile`, or a folder in the
            transformers library's format.
        words: Inputs; symbols separated by spaces, or a string of one-character symbols.
        stop: The symbol at which writing stops.
        limit: Most symbols that are written.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
    """
    for word in words:
        if not isinstance(word, str):
            raise InputError(f'ask: pass words as strings, as in ask(model, "a b"), not {word!r}.')
    if not words:
        raise InputError('give at least one word, e.g. "a b b".')
    loaded = load(model, store=store, trust_code=trust_code)
    _warn(loaded, words)
    return Replies(loaded.reply(words, stop, limit))


def _warn(model: "Model", words: Sequence[str]) -> None:
    """Say when a compiled program is asked beyond the length to which it is exact."""
    from lengthwise.languages.words import read_word
    from lengthwise.subjects.model import CompiledProgram

    if not isinstance(model, CompiledProgram):
        return
    about = model.model.description
    longest = max(len(read_word(word, about.letters)) for word in words)
    if longest > about.exact:
        sys.stderr.write(
            f"warning: a word of {longest:,} letters; the model is exact only to {about.exact:,}.\n"
        )
