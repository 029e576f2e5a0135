"""From no to yes: change the task until it generalizes."""

# %% [markdown]
# # From no to yes
#
# After this notebook you know what to do about a no. Parity is a no with every encoding, and the
# picture shows why: two states that no count tells apart.

# %%
import lengthwise as lw

lw.predict("parity", encoding=["nope", "ape"])

# %% [markdown]
# ## What would help?
#
# `improve` changes the task, judges each change by the same theory, and says what it costs.

# %%
lw.improve("parity", encoding="ape")

# %% [markdown]
# ## The best one
#
# The model writes the automaton's state after every symbol; each step is then a local rule.

# %%
lw.show("steps:parity", length=5)

# %%
lw.predict("steps:parity", encoding=["nope", "ape"])

# %% [markdown]
# ## Train it
#
# The changed task is a task like any other. A hundred steps are enough here; the
# [guide](../guides/no-to-yes.md) compares it with plain parity, with seeds.

# %%
lw.train(
    "steps:parity",
    encoding=["ape"],
    train_length=(1, 10),
    test_length=[(11, 20), (21, 30)],
    width=64,
    steps=150,
    instances=200,
)
