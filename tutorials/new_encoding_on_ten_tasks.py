"""A new position encoding, written in this file, tried on ten tasks against two known ones."""

# %% [markdown]
# # A new encoding on ten tasks
#
# Somebody has an idea for a position encoding: let the attention logits fall with the logarithm
# of the distance, and let every head learn how steeply. Does it help length generalization? One
# class, ten tasks, three encodings, one table.

# %%
import argparse
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

import lengthwise as lw

# %% [markdown]
# ## The encoding
#
# The class describes, the module acts. `prepare` runs once per forward pass and is shared by all
# layers; `bias` is added to the attention logits.


# %%
@dataclass(frozen=True, kw_only=True)
class Logarithmic(lw.PositionEncoding):
    """S[t, i] = q_t . k_i - s_m log(1 + t - i), the slopes s_m learned."""

    name: ClassVar[str] = "logarithmic"
    summary: ClassVar[str] = "logits fall with the logarithm of the distance"
    touches: ClassVar[frozenset] = frozenset({"logits"})

    def build(self, shape):
        return Slopes(shape.heads)


class Slopes(lw.EncodingModule):
    def __init__(self, heads):
        super().__init__()
        self.slope = nn.Parameter(torch.ones(1, heads, 1, 1))

    def prepare(self, places):
        return torch.log1p(places.distance().clamp(min=0).float())[:, None]

    def bias(self, q, k, prepared, layer):
        return -self.slope * prepared


# %% [markdown]
# ## Ten tasks
#
# Some need no positions (majority, Dyck-1), some need neighbours or periods, copying needs exact
# distances. Training lengths are short, so that two cores are enough; tests go to three times
# that length.

# %%
TASKS = [
    "binary-majority",
    "parity",
    "dyck-1",
    "an-bn",
    "aa-star",
    "tomita-2",
    "tomita-4",
    "d-2",
    "induction-head",
    "unique-copy:symbols=40",
]


# %% [markdown]
# ## Train all of them
#
# The encoding is named by file and class, as on the command line, so that every worker process
# finds it. The file's content is part of each run's identity: after an edit the runs are new
# ones.


# %%
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=["smoke", "full"], default="smoke")
    long = parser.parse_args().size == "full"
    mine = f"{__file__}:Logarithmic"
    results = lw.train(
        *TASKS,
        encoding=["nope", "alibi", mine],
        seeds=3 if long else 1,
        jobs=None if long else 1,
        layers=2 if long else 1,
        heads=2,
        width=64 if long else 8,
        train_length=(1, 12),
        test_length=[(13, 24), (25, 36)],
        steps=4000 if long else 4,
        evaluate_every=500 if long else 4,
        batch=64 if long else 8,
        instances=1000 if long else 10,
    )
    table(results, [("nope", "nope"), ("alibi", "alibi"), ("ours", mine)])
    if not long:
        print("smoke size: these accuracies mean nothing")


# %% [markdown]
# ## One table
#
# Exact match at two to three times the training length, the mean over seeds; in brackets the mean
# on trained lengths. A task that was not fitted says nothing about generalization.


# %%
def table(results, columns):
    print(f"{'task':<24}" + "".join(f"{title:>18}" for title, _ in columns))
    for task in TASKS:
        cells = []
        for _, name in columns:
            runs = [
                result
                for result in results
                if str(result.spec.task) == str(lw.RunSpec.create(task=task, position=name).task)
                and str(result.spec.position).startswith(name)
            ]
            far = sum(run.bins[-1].accuracy for run in runs) / len(runs)
            near = sum(run.bins[0].accuracy for run in runs) / len(runs)
            cells.append(f"{far:.0%} ({near:.0%})")
        print(f"{task:<24}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    main()

# %% [markdown]
# ## What now?
#
# `lengthwise predict TASK` says what the theory expects of encodings it knows; a new one it does
# not know. The laws that every encoding must obey (causality, cached decoding, padding) are
# tests; see [Your own encoding](../guides/own-encoding.md). `--size full` is 90 runs of up to
# 4,000 steps; stop it and start it again as you like.
