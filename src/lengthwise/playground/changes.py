"""The view of changes: what makes a no a yes, with examples, verdicts and price."""

from collections.abc import Mapping
from typing import Any

from lengthwise.playground import requests
from lengthwise.playground.commands import command, option, shown_name
from lengthwise.predict.card import rows
from lengthwise.proposals.improvement import Proposal, improve
from lengthwise.subjects import read_subject

SHARE = 0.6
"""Part of the time limit for the proposals: the best one is compiled and checked behind them."""


def changes(request: Mapping[str, Any]) -> dict[str, Any]:
    """Propose changes of a regular expression or a task.

    Example:
        >>> changes({"subject": "binary-majority"})["satisfied"]
        True
    """
    requests.refuse_others(request, ("subject", "alphabet", "store", "seconds"))
    text = requests.read_text(request, "subject", requests.REGEX, needed=True)
    alphabet = requests.read_text(request, "alphabet", requests.SMALL_TEXT)
    seconds = float(request.get("seconds", requests.SECONDS))
    read_subject(text, alphabet=alphabet or None, files=False, max_states=requests.STATES).close()
    found = improve(text, alphabet=alphabet or None, time_limit=SHARE * seconds)
    words = [shown_name(text), *(option("--alphabet", alphabet) if alphabet else [])]
    best = found.best
    commands = [command("The same proposals, each in full", "improve", *words, "--explain")]
    if best is not None:
        commands.append(command("Train before and after", "improve", *words, "--train"))
        commands.append(command("The best one as a task", "predict", best.task))
    return {
        "satisfied": found.satisfied,
        "subject": found.before.subject,
        "proposals": [_shown(proposal) for proposal in found.proposals],
        "notes": list(found.notes),
        "commands": commands,
    }


def _shown(proposal: Proposal) -> dict[str, Any]:
    weights = proposal.weights
    return {
        "task": proposal.task,
        "kind": proposal.kind,
        "change": proposal.change,
        "yes": [f"{verdict.encoding} ({verdict.label})" for verdict in proposal.yes],
        "tokens": proposal.tokens,
        "longest": proposal.longest,
        "examples": list(proposal.examples),
        "verdicts": rows(proposal.prediction),
        "weights": None if weights is None else weights.sentence(),
    }
