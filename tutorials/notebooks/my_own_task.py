"""My own task: a function, a regular expression, a class."""

# %% [markdown]
# # My own task
#
# After this notebook your own function, language or task is predicted and trained. A Python
# function that says yes or no about words is enough:

# %%
from pathlib import Path

import lengthwise as lw

Path("mine.py").write_text("""
def no_two_b_in_a_row(word):
    return "bb" not in word
""")
lw.predict("mine.py:no_two_b_in_a_row", alphabet="ab", encoding=["nope", "ape"])

# %% [markdown]
# A function is asked about all short words; what holds beyond them is marked as sampled. A regular
# expression for the same language is decided, with a proof:

# %%
lw.predict("(a|ba)*b?", encoding=["nope", "ape"])

# %% [markdown]
# ## A task that answers with words
#
# One class in your own file: its symbols, how many tokens an input needs, how instances are drawn.

# %%
Path("ends.py").write_text('''
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lengthwise.tasks.base import Task
from lengthwise.tasks.batch import sequence_batch
from lengthwise.tasks.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class SameEnds(Task):
    """Say whether the first and the last letter are equal: ``<bos> 1 0 1 <sep> y <eos>``."""

    name = "same-ends"
    summary = "are the first and the last letter equal"

    @cached_property
    def vocabulary(self):
        return Vocabulary(("0", "1", "y", "n"))

    def max_tokens(self, length):
        return length + 4  # <bos>, <sep>, the answer and <eos>

    def sample(self, rng, lengths):
        word = rng.integers(0, 2, (len(lengths), lengths.max()))
        equal = word[:, 0] == word[np.arange(len(word)), lengths - 1]
        answer = np.where(equal, self.vocabulary.ids["y"], self.vocabulary.ids["n"])[:, None]
        return sequence_batch(
            self.vocabulary, word, lengths, answer, np.ones_like(lengths), lengths
        )
''')
lw.show("ends.py:SameEnds", length=6)

# %%
lw.train(
    "ends.py:SameEnds",
    encoding=["nope", "ape"],
    train_length=(1, 6),
    test_length=[(7, 12)],
    width=32,
    steps=100,
    instances=200,
)

# %% [markdown]
# Options, labels at every letter, and what a mistake looks like:
# [your own task](../guides/own-task.md).
