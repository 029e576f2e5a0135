"""Reading a trained model: where heads look, how far it holds, what its encoding says."""

# %% [markdown]
# # Reading a trained model
#
# After this notebook you can see where the heads of a trained model look, how far it holds, and
# what its encoding tells it. First a model, trained in seconds; a finished run or a checkpoint of
# yours works the same.

# %%
import lengthwise as lw

runs = lw.train(
    "binary-majority",
    encoding="nope",
    train_length=(1, 10),
    test_length=[(11, 20)],
    width=32,
    steps=100,
    instances=200,
)
run = runs[0].spec.id
lw.analyse.attention(run, length=4)

# %% [markdown]
# A head that counts spreads its attention over everything before; one that looks near or far shows
# a band or a corner. `other=` puts a second run beside it.
#
# ## How far does it hold?

# %%
lw.evaluate(run, length="1:40", instances=20)

# %% [markdown]
# ## Does it know where it is?
#
# A linear probe on each layer, within the trained positions and beyond.

# %%
lw.analyse.probe(run)

# %% [markdown]
# ## What an encoding says
#
# Each map is what a query (down) hears about a key (across) from the encoding alone.

# %%
lw.show("alibi", length=12)
