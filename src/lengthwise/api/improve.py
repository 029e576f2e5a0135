"""``improve``: from a no to a yes, with the proof, the price and the curves."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.shown import Rows, Sentence, Shown, writes
from lengthwise.api.train import CONFIGURATIONS, Trained
from lengthwise.api.train import train as train_tasks
from lengthwise.api.verb import named, verb
from lengthwise.core.bounds import Count, Seconds
from lengthwise.core.errors import InputError
from lengthwise.languages.convention import LanguageConvention

if TYPE_CHECKING:
    from lengthwise.proposals.improvement import Improvement, Proposal


@dataclass(frozen=True)
class Improved(Shown):
    """Proposals, best first; with ``train`` also the curves before and after."""

    improvement: "Improvement"
    explain: bool = False
    encoding: str = ""
    before: Trained | None = None
    after: Trained | None = None

    @property
    def proposals(self) -> "tuple[Proposal, ...]":
        """The changes that were tried, best first."""
        return self.improvement.proposals

    @property
    def best(self) -> "Proposal | None":
        """The first one that is a yes for the encoding, or for some, if there is one."""
        return self.improvement.best_for(self.encoding)

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table of proposals, the best one in full, and what could not be proposed."""
        found = self.improvement
        name = found.before.subject
        if found.satisfied:
            yield Sentence(f"{name} is a yes for every encoding already: nothing has to change.")
            return
        if found.proposals:
            yield Rows(
                [_row(number, one) for number, one in enumerate(found.proposals, 1)],
                f"{name}: changes that were tried",
            )
        best = self.best
        if best is None:
            how = f" with {self.encoding}" if self.encoding else ""
            yield Sentence(f"no change that is known here makes {name} a yes{how}.")
        for proposal in found.proposals if self.explain else [best] if best else []:
            yield from _told(proposal)
        yield from (Sentence(f"not proposed: {note}") for note in found.notes)
        for title, trained in (("before", self.before), ("after", self.after)):
            if trained is not None:
                yield f"\n{title}: answers right"
                yield from trained.parts()

    def to_json(self) -> dict[str, Any]:
        """Return everything, certificates included."""
        curves = {"before": self.before, "after": self.after}
        return self.improvement.to_json() | {
            key: None if value is None else value.to_json() for key, value in curves.items()
        }

    @writes(".html", ".htm")
    def report(self, path: Path) -> None:
        """Write proposals, examples, programs and curves as one page to this .html file."""
        from lengthwise.report.improvement_page import save_page

        runs = [*(self.before or ()), *(self.after or ())]
        save_page(self.improvement, runs, path)

    @writes(".safetensors")
    def weights(self, path: Path) -> None:
        """Write the compiled weights of the best proposal to this .safetensors file."""
        from lengthwise.theory.limit.compiled import save

        assert self.best is not None
        assert self.best.weights is not None
        save(self.best.weights.model, path)

    def missing(self, method: str) -> str:
        """Say why there are no weights, where there are none."""
        if method == "weights" and (self.best is None or self.best.weights is None):
            return "no proposal has a program that could be compiled."
        return super().missing(method)


def _row(number: int, proposal: "Proposal") -> dict[str, Any]:
    verdicts = {v.encoding: v for v in proposal.prediction.verdicts}
    yes = ", ".join(f"{v.encoding} ({v.label})" for v in proposal.yes)
    no = ", ".join(name for name, v in verdicts.items() if v.answer == "no")
    return {
        "": number,
        "kind": proposal.kind,
        "task": proposal.task,
        "yes with": yes or "-",
        "no with": no or "-",
        "tokens per symbol": "-" if proposal.tokens is None else f"{proposal.tokens:.1f}",
        "to length": "any" if proposal.longest is None else proposal.longest,
    }


def _told(proposal: "Proposal") -> Iterator[str]:
    """Say one proposal in full."""
    yield Sentence(f"\n{proposal.task}: {proposal.change}.")
    yield from (f"  {line}" for line in proposal.examples)
    for verdict in proposal.prediction.verdicts:
        if verdict.answer != "undecided":
            yield Sentence(
                f"{verdict.encoding}: {verdict.answer} ({verdict.label}), {verdict.because}."
            )
    shown = proposal.prediction.facts.get("shown")
    if shown is not None and proposal.yes:
        yield Sentence(f"training texts of up to {shown} tokens show every rule that it needs.")
    if proposal.weights is not None:
        yield Sentence(f"weights: {proposal.weights.sentence()}.")


@verb(*CONFIGURATIONS)
def improve(
    subject: str,
    *,
    alphabet: str | None = None,
    accept: LanguageConvention | None = None,
    time_limit: Seconds = 30.0,
    explain: bool = False,
    train: bool = False,
    encoding: str = "",
    seeds: Count = 1,
    store: Path | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Improved:
    """Change a task that does not generalize so that it does: steps, formats, encodings.

    Every proposal is a task of its own, judged as it will be trained: the model writes its own
    steps, and the answer is read at the end.

    Example: lengthwise improve parity

    Args:
        subject: What `predict` takes: a regular expression, a task, an automaton (`x.json`).
        alphabet: The symbols of a regular expression, if they are more than it mentions.
        accept: Where a language is read: end, last or predict.
        time_limit: Seconds for all proposals; what cannot be judged within is named.
        explain: Show every proposal in full, not only the best.
        train: Train the bare question and the best proposal with the same budget, and show how
            many answers are right.
        encoding: The encoding that is wanted; by default any, and that with the best proposal is
            trained.
        seeds: How many seeds to train.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        progress: Whether progress is shown; by default in a terminal or a notebook.
        settings: Fields of the model, the training and the evaluation, by name.
    """
    from lengthwise.positions import load_position
    from lengthwise.proposals.improvement import improve as improve_named

    text = named("improve", subject)
    if settings and not train:
        raise InputError(
            f"--{min(settings).replace('_', '-')}: nothing is trained without --train."
        )
    if encoding:
        load_position(encoding)
    made = improve_named(text, alphabet=alphabet, accept=accept, time_limit=time_limit)
    found = Improved(made, explain, encoding)
    best = found.best
    if not train or best is None:
        return found
    how = {"encoding": (encoding or best.yes[0].encoding,), "seeds": seeds, "store": store}
    settings.setdefault("metric", "answer")
    bare = found.improvement.question or text
    trained = [train_tasks(one, **how, progress=progress, **settings) for one in (bare, best.task)]
    return replace(found, before=trained[0], after=trained[1])
