"""``evaluate``: a finished model at other lengths, on other tasks, by other metrics."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.api.load import load
from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seed, Whole
from lengthwise.core.errors import InputError
from lengthwise.records.spec import Metric, read_range

if TYPE_CHECKING:
    from lengthwise.analysis.length_curve import LengthCurve, MeasuredReach
    from lengthwise.core.components import Component
    from lengthwise.records.accuracy import AccuracyByLength
    from lengthwise.report.curves import Curve
    from lengthwise.report.document import Document
    from lengthwise.subjects.model import Model

TIMES = 3
"""How many times the longest training length is measured, and searched from, by default."""
SEARCHED = 64
"""How many times the longest training length a search goes at most, by default."""
SAID = 50
"""Lengths between two lines of progress, outside of a terminal."""


@dataclass(frozen=True)
class Prompted:
    """How a pretrained model was asked, and what is predicted for its encoding."""

    prompt: str
    """One whole prompt with its answer, as text."""
    shots: int
    verdict: Mapping[str, str]
    """``answer``, ``strength`` and ``because``; empty where the theory says nothing."""
    beyond: int | None = None
    """The context that the model was made for, where an input was longer."""

    def parts(self, encoding: str, learned: bool) -> Iterator[str]:
        """Say what was predicted, and of what that speaks."""
        if not self.verdict:
            what = "rotary positions that are scaled" if "scaling=" in encoding else "this task"
            yield f"predicted for {encoding}: nothing; the theory does not speak about {what}"
            return
        said = "{answer} ({strength}): {because}".format(**self.verdict)
        yield f"predicted for {encoding}, if trained on the task: {said}"
        if not learned:
            yield "not a test of the prediction: the short lengths are not mastered"


@dataclass(frozen=True)
class Evaluated(Shown):
    """The accuracy of one model at every length that was asked for."""

    model: str
    task: str
    encoding: str
    metric: Metric
    accuracy: "AccuracyByLength"
    trained: tuple[int, int] | None
    reach: "MeasuredReach | None" = None
    kept: int = 0
    """Lengths that had been measured before."""
    prompting: "Prompted | None" = None
    """How a pretrained model was asked, and what the theory says of its encoding."""

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table by ranges of lengths, a plot, and the reach if it was asked for."""
        from lengthwise.analysis.length_curve import ranges
        from lengthwise.report.terminal import draw

        top = None if self.trained is None else self.trained[1]
        rows = [
            {
                "length": _lengths(part, top, self._seen),
                "accuracy": f"{part.accuracy:.1%}",
                "95% interval": "{:.1%}-{:.1%}".format(*part.interval),
                "right": f"{part.counts[0]:,} of {part.counts[1]:,}",
            }
            for part in ranges(self.accuracy, top)
        ]
        yield Rows(rows, f"{self.model}\n{self.task}: {self.metric} by length")
        if self.trained and len(self.accuracy.lengths) > 1:
            shown = self._seen == "in the prompt"
            seen = "lengths in the prompt" if shown else "trained lengths"
            yield draw([self._curve()], seen=seen)
        if self.reach is not None:
            yield _reached(self.reach)
        if self.prompting is not None:
            yield from self.prompting.parts(self.encoding, self._learned())

    def _asked(self) -> dict[str, Any]:
        """Return how a pretrained model was asked, as plain data."""
        if self.prompting is None:
            return {}
        return {"encoding": self.encoding, **vars(self.prompting)}

    @property
    def _seen(self) -> str:
        """What is said of lengths that the model has seen."""
        return "in the prompt" if self.prompting is not None and self.prompting.shots else "trained"

    def _learned(self) -> bool:
        """Whether the lengths that were trained or shown are mastered."""
        from lengthwise.records.outcomes import FITTED

        if self.trained is None:
            return False
        low, high = self.trained
        short = [n for n in self.accuracy.lengths if low <= n <= high]
        return bool(short) and self.accuracy.between(short[0], short[-1]).accuracy >= FITTED

    def laid_out(self) -> "Document":
        """Return the curve and the table."""
        from lengthwise.api.notebook import document
        from lengthwise.report.curve_parts import panels
        from lengthwise.report.document import Document, Panels, Section
        from lengthwise.report.guessing import with_chance
        from lengthwise.report.run_page import note

        told = document(part for part in self.parts() if isinstance(part, Rows)).sections
        if not self.trained:
            return Document("", sections=told)
        drawn = with_chance([self._curve()])
        curve = Section("", [Panels(panels(drawn, {}))], note(drawn))
        reach = "" if self.reach is None else _reached(self.reach)
        return Document("", reach, sections=[curve, *told], encodings=[self.encoding])

    def rows_of_frame(self) -> list[dict[str, Any]]:
        """Return one row for every length."""
        return [
            {
                **{name: row[name] for name in ("length", "right", "tried", "accuracy")},
                **dict(zip(("interval_low", "interval_high"), row["interval"], strict=True)),
            }
            for row in self.to_json()["lengths"]
        ]

    def notes(self) -> Iterator[str]:
        """Say what was not measured again."""
        if self.kept:
            yield f"{self.kept} lengths were measured before and are kept"
        if self.prompting is not None and self.prompting.beyond is not None:
            yield f"some inputs are longer than the {self.prompting.beyond:,} tokens of its context"

    def to_json(self) -> dict[str, Any]:
        """Return the counts and the interval of every length."""
        reach = self.reach
        return {
            "model": self.model,
            "task": self.task,
            "metric": self.metric,
            "trained": self.trained,
            "lengths": [
                {
                    "length": n,
                    "right": self.accuracy.correct.get(n, 0),
                    "tried": self.accuracy.total[n],
                    "accuracy": self.accuracy.between(n, n).accuracy,
                    "interval": self.accuracy.between(n, n).interval,
                }
                for n in self.accuracy.lengths
            ],
            "reach": None if reach is None else vars(reach),
            **(
                {}
                if self.prompting is None
                else {"encoding": self.encoding, **vars(self.prompting)}
            ),
        }

    def missing(self, method: str) -> str:
        """A curve has a mark where training ended."""
        return "" if self.trained else "there are no training lengths to mark."

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Write the curve to this .png, .svg or .pdf file."""
        from lengthwise.report.static_panels import save_figure

        save_figure([self._curve()], path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write a page with the curve, the tables and the prediction to this .html file."""
        from lengthwise.report.model_page import save_model_page

        asked = self.prompting
        prompt, verdict = (None, None) if asked is None else (asked.prompt, asked.verdict)
        save_model_page(self._curve(), path, self.model, prompt=prompt, verdict=verdict)

    def _curve(self) -> "Curve":
        from lengthwise.analysis.length_curve import ranges
        from lengthwise.report.curves import Curve

        assert self.trained is not None
        points = tuple(ranges(self.accuracy, self.trained[1], 40))
        bins = tuple(ranges(self.accuracy, self.trained[1], 4))
        return Curve(self.task, self.encoding, self.trained, 1, points, bins)


def _lengths(part: "AccuracyByLength", trained: int | None, seen: str) -> str:
    """Name a row of the table."""
    name = part.name if part.low < part.high else str(part.low)
    return f"{name} ({seen})" if trained is not None and part.high <= trained else name


def _reached(reach: "MeasuredReach") -> str:
    """Say how far a model reaches, and what ended the search.

    Example:
        >>> from lengthwise.analysis.length_curve import MeasuredReach
        >>> _reached(MeasuredReach(0.7, 20, 21))
        'reach: length 20 at 70% or more, 21 below (found by doubling and halving)'
    """
    how = "(found by doubling and halving)"
    if reach.length is None:
        return f"reach: none; below {reach.line:.0%} already at length {reach.below}"
    text = f"reach: length {reach.length} at {reach.line:.0%} or more"
    if reach.refused:
        return f"{text}; longer inputs are refused: {reach.refused}"
    if reach.below is None:
        return f"{text}, the longest that was tried"
    return f"{text}, {reach.below} below {how}"


@verb()
def evaluate(
    model: str | object,
    *,
    task: str | None = None,
    length: str | object | None = None,
    metric: Metric = "exact",
    until: str | object | None = None,
    instances: Count = 100,
    seed: Seed = 0,
    shots: Whole | None = None,
    shot_length: str | object | None = None,
    spelling: Sequence[str] = (),
    device: str = "auto",
    again: bool = False,
    store: Path | None = None,
    trust_code: bool = False,
    progress: bool | None = None,
) -> Evaluated:
    """Measure a finished model at any lengths, without training it again.

    What was measured is kept with the run and not measured twice.

    Example: lengthwise evaluate 3f2a --length 1:200 --until 70%

    Args:
        model: A run by the beginning of its id or by its folder, a checkpoint of one
            (`.safetensors`), weights written by `lengthwise compile`, or a folder in the
            transformers library's format (GPT-2 and Llama families).
        task: The task; by default the one it was trained on. A compiled program and a folder have
            none of their own: name one, or a regular expression.
        length: Lengths to measure, low:high, every one of them; with --until the range that is
            searched. By default three times the training lengths, or those of the examples.
        metric: exact (the whole output is right), answer (the output is generated, the answer in it
            is right by the task's rule) or likelihood (every right symbol is the likeliest among
            those that the task asks for).
        until: Find the longest length with this accuracy, such as 70%, by doubling.
        instances: Instances at every length.
        seed: Of the instances.
        shots: For a folder: worked examples before each instance; by default 8, or none if its
            tokenizer knows the task's symbols, as that of an exported run.
        shot_length: For a folder: the lengths of these examples, low:high; by default the eight
            shortest.
        spelling: For a folder: how a symbol is written, as `accept=yes`; may be repeated. Every
            symbol must be one token.
        device: Where to compute: cpu, cuda, mps, or auto for the best one present.
        again: Measure again what is kept.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        trust_code: Execute the Python file that the run names as its task, encoding or relation;
            only if it is the file that the run was made with.
        progress: Whether progress is shown; by default in a terminal or a notebook.
    """
    from lengthwise.analysis.length_curve import LengthCurve
    from lengthwise.runs.execute import choose_device

    line = None if until is None else _line(until)
    span = None if length is None else _span(length)
    loaded = load(model, store=store, trust_code=trust_code)
    loaded.decoder.to(choose_device(device))
    loaded = _prompted(loaded, shots, shot_length, spelling)
    named = _task(task, loaded)
    curve = LengthCurve(
        loaded,
        named,
        metric=metric,
        instances=instances,
        seed=seed,
        again=again,
        listener=_listener(sys.stderr.isatty() if progress is None else progress),
    )
    found = _evaluated(curve, named, span, line)
    return _with_prompt(found, curve, store)


def _prompted(
    model: "Model", shots: int | None, shown: object | None, spelling: Sequence[str]
) -> "Model":
    """Say how tasks are put to a pretrained model; others know their symbols."""
    from lengthwise.subjects.imported import ImportedModel, Prompt
    from lengthwise.tasks.text.spelling import read_spelling

    if isinstance(model, ImportedModel):
        lengths = None if shown is None else _span(shown, "--shot-length")
        texts = [spelling] if isinstance(spelling, str) else spelling
        return replace(model, prompt=Prompt(shots, lengths, read_spelling(texts)))
    given = {"shots": shots is not None, "shot_length": shown is not None, "spelling": spelling}
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name}: only for a folder in the transformers library's format.")
    return model


def _with_prompt(found: Evaluated, curve: "LengthCurve", store: Path | None) -> Evaluated:
    """Add how a pretrained model was asked, and what is predicted for its encoding."""
    from lengthwise.report.predicted import verdicts
    from lengthwise.runs.store import Store
    from lengthwise.subjects.imported import ImportedModel
    from lengthwise.tasks.text.prompted import PromptedTask

    if not isinstance(curve.model, ImportedModel) or not isinstance(curve.task, PromptedTask):
        return found
    longest = curve.instances_of(max(found.accuracy.lengths))
    described = curve.model.imported.described
    made_for = described.context
    name = found.encoding.partition(":")[0]
    if "scaling" not in found.encoding:
        said = verdicts({found.task: [name]}, cache=Store(store).root / ".cache")
        verdict = said.get(found.task, {}).get(name, {})
    else:
        verdict = {}
    asked = Prompted(
        prompt=curve.task.prompt(curve.instances_of(min(found.accuracy.lengths))),
        shots=curve.task.shots,
        verdict=verdict,
        beyond=made_for if int(longest.size.max()) > made_for else None,
    )
    return replace(found, prompting=asked)


def _listener(shown: bool) -> "Callable[[int, AccuracyByLength], None]":
    """Say on standard error how far the measuring is: one line in a terminal, a few elsewhere."""
    done = 0

    def listen(length: int, found: "AccuracyByLength") -> None:
        nonlocal done
        done += 1
        line = f"measured {done}: length {length}, {found.accuracy:.0%} right"
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{line}\r")
        elif done % SAID == 0:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    return listen if shown else lambda length, found: None


def _evaluated(
    curve: "LengthCurve", task: "Component", span: tuple[int, int] | None, line: float | None
) -> Evaluated:
    """Measure the range, or search it for the line; a run's own lengths are the default."""
    from lengthwise.tasks.text.prompted import PromptedTask

    trained, reach = curve.model.trained, None
    if isinstance(curve.task, PromptedTask) and curve.task.shots:
        trained = curve.task.shown
    if span is None and trained is None:
        raise InputError("this model has no training lengths: name some with --length.")
    if line is not None:
        reach = curve.reach(line, *(span or (trained[1], SEARCHED * trained[1])))  # type: ignore[index]
        found = curve.measured()
    else:
        found = curve.over(*(span or (trained[0], TIMES * trained[1])))  # type: ignore[index]
    model, metric = curve.model, curve.metric
    name, encoding = model.name, model.encoding
    return Evaluated(name, str(task), encoding, metric, found, trained, reach, curve.read)


def _task(named: str | None, model: "Model") -> "Component":
    """Return the task to evaluate on."""
    from lengthwise.core.components import Component
    from lengthwise.subjects import as_task
    from lengthwise.tasks import TASKS

    if named is not None:
        return Component.parse(as_task(named), TASKS)
    if model.task is None:
        raise InputError("this model has no task of its own: name one with --task.")
    return model.task


def _span(length: object, option: str = "--length") -> tuple[int, int]:
    """Read ``1:200``, or a pair of numbers in Python."""
    if isinstance(length, str):
        return read_range(length, option)
    try:
        low, high = length  # type: ignore[misc]
        return read_range(f"{int(low)}:{int(high)}", option)
    except (TypeError, ValueError):
        raise InputError(f"{option} {length!r}: use low:high, as 1:200.") from None


def _line(text: object) -> float:
    """Read an accuracy: ``70%``, or 0.7 in Python.

    Example:
        >>> _line("70%"), _line(0.7)
        (0.7, 0.7)
    """
    try:
        plain = str(text).strip()
        value = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise InputError(f"--until {text}: an accuracy above 0% and at most 100%, such as 70%.")
    return value
