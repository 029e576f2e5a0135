"""Ten minutes: ask, read the program, train, build."""

# %% [markdown]
# # Ten minutes
#
# After this notebook you have asked whether a language generalizes, read the proof, trained two
# encodings, and built a transformer without training. `(aa)*`, words of even length:

# %%
import lengthwise as lw

lw.predict("(aa)*", encoding=["nope", "ape"])

# %% [markdown]
# Without positions no, with learned positions yes: the picture shows the two states that no count
# tells apart, the program what learned positions are good for.
#
# ## Train
#
# Does `0` or `1` occur more often? Trained on lengths 1 to 10, tested to 30; a few seconds each.
# Runs are kept: the same cell again trains nothing.

# %%
runs = lw.train(
    "binary-majority",
    encoding=["nope", "ape"],
    train_length=(1, 10),
    test_length=[(11, 20), (21, 30)],
    width=32,
    steps=100,
    instances=200,
)
runs

# %% [markdown]
# ## Ask what was trained
#
# A model can be called. It writes its answer.

# %%
model = runs.model()
model("0 1 1 0 1")

# %% [markdown]
# ## Build instead of training
#
# A program becomes weights that are exact to a stated length.

# %%
built = lw.compile("dyck-1", length=64)
built

# %% [markdown]
# What the program counts, letter by letter:

# %%
lw.crasp.trace("dyck-1", "( ( ) )")

# %% [markdown]
# Next: [your own task](my_own_task.md), [from no to yes](from_no_to_yes.md),
# [reading a trained model](reading_a_trained_model.md).
