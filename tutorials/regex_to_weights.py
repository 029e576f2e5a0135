"""From a regular expression to transformer weights, with a proof on the way."""

# %% [markdown]
# # From a regex to weights
#
# A regular expression goes in; out come a proof that a counting program exists, the program, and
# a transformer with exactly that behaviour up to a length we choose. Nothing is trained.

# %%
import argparse
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", choices=["smoke", "full"], default="smoke")
long = parser.parse_known_args()[0].size == "full"

regex = "(ab|bbaa)*"

# %% [markdown]
# ## Decide
#
# Is the language in C-RASP, the language of programs that count? The answer comes with a
# certificate; `check_certificate` recomputes it with code that shares nothing with the search.

# %%
from lengthwise.languages.regex import compile_regex
from lengthwise.theory.decide.check_certificate import check_certificate
from lengthwise.theory.decide.decision import decide

found = decide(compile_regex(regex), accept="last", regex=regex)
print(f"{regex}: plain C-RASP: {found.plain.answer} ({found.plain.strength})")
checked = check_certificate(found.plain.certificate())
print(f"checked: {checked.statement} ({checked.steps} steps)")

# %% [markdown]
# ## Read the program
#
# Potentials, integers on the states of the automaton, become counters: a weighted sum of letter
# counts *is* the potential of the present state.

# %%
program = found.plain.program
print(program)

# %% [markdown]
# A trace shows every value at every position, here on a word of the language:

# %%
from lengthwise.crasp import trace
from lengthwise.crasp.interpreter import accepts

print(trace(program, "abbbaa").to_text())
print(accepts(program, ["abbbaa", "abba"]))

# %% [markdown]
# ## Compile
#
# Uniform attention takes averages, so counts become averages; comparisons become steep ReLUs.
# Rounding limits how far this is exact, and the compiler says how far. `check` compares the model
# with the program on all short words and on random words up to the full length.

# %%
from lengthwise.theory.limit.compare import check
from lengthwise.theory.limit.compiled import build, load, save

length = 2000 if long else 100
model = build(program, length=length)
print(f"{model.sizes()}, exact to length {model.description.exact:,}")

report = check(model, program)
print(f"{report.answers:,} answers compared, {report.errors} errors")
assert report.errors == 0

# %% [markdown]
# ## Keep and use it
#
# The weights are an ordinary safetensors file of the package's own decoder; the program is no
# longer needed.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.safetensors"
    save(model, path)
    again = load(path)
    words = ["ab" * (length // 2), "ab" * (length // 2 - 1) + "ba"]
    print(again.accepts(words))

# %% [markdown]
# The same on the command line: `lengthwise compile '(ab|bbaa)*' -o model.safetensors
# --check`, then `lengthwise ask model.safetensors ab`. For a language without such a program, try
# `(aa)*` with `found.periodic_local`, or parity, `b*(ab*ab*)*`, which has none at all.
