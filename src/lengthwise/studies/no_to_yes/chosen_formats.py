"""Which problems are predicted to fail, and which change is chosen: computed, then frozen.

``python -m lengthwise.studies.no_to_yes.chosen_formats`` prints what ``formats.json`` holds.
"""

import json
import sys
from typing import Any

from lengthwise.predict.prediction import predict
from lengthwise.predict.types import Verdict
from lengthwise.proposals.improvement import improve
from lengthwise.studies.huang2024.problems import PROBLEMS, SYMBOLS

LONGEST = 36
"""Symbols of the tasks that have as many as the longest input: three times the training length."""
SECONDS = 60.0
KNOWN = ("proof", "derivation", "exhaustive", "sampled")
"""Strengths of a yes that a format is chosen by; a conjecture is not enough."""


def choose(problem: str) -> dict[str, Any] | None:
    """Return the change for one problem, or None if it is a yes without positions already."""
    task = f"{problem}:symbols={LONGEST}" if problem in SYMBOLS else problem
    found = predict(task, encodings=["nope", "ape"], time_limit=SECONDS)
    nope, ape = found.verdict("nope"), found.verdict("ape")
    about = {"problem": problem, "without positions": _said(nope), "with positions": _said(ape)}
    if nope.answer == "yes":
        return None
    if ape.answer == "yes":
        before, after = _cell(task, "nope", nope), _cell(task, "ape", ape)
        return about | {"kind": "encoding", "before": before, "after": after}
    changed = improve(task, time_limit=SECONDS)
    for proposal in changed.proposals:
        for verdict in proposal.yes:
            if verdict.encoding == "ape" and verdict.strength in KNOWN:
                bare = changed.question if proposal.kind.startswith("steps") else task
                judged = predict(bare, encodings=["ape"], time_limit=SECONDS).verdict("ape")
                before, after = _cell(bare, "ape", judged), _cell(proposal.task, "ape", verdict)
                about |= {"change": proposal.change, "tokens": proposal.tokens}
                return about | {"kind": proposal.kind, "before": before, "after": after}
    return about | {"kind": "none", "before": None, "after": None, "reason": ape.because}


def _said(verdict: Verdict) -> dict[str, Any]:
    return {"answer": verdict.answer, "strength": verdict.label, "because": verdict.because}


def _cell(task: str, encoding: str, verdict: Verdict) -> dict[str, Any]:
    return {"task": task, "encoding": encoding, **_said(verdict)}


def choose_all() -> list[dict[str, Any]]:
    """Return the changes for all problems of Huang et al. that are not a yes without positions."""
    found = (choose(problem) for problem in PROBLEMS)
    return [one for one in found if one is not None]


if __name__ == "__main__":
    json.dump({"problems": choose_all()}, sys.stdout, indent=1)
    sys.stdout.write("\n")
