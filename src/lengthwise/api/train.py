"""``train``: from the name of a task to accuracy against length."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from pydantic import ValidationError

from lengthwise.api.shown import PICTURES, Rows, Shown, writes
from lengthwise.api.verb import several, verb
from lengthwise.core.bounds import Count, Processors, Seed
from lengthwise.core.errors import InputError
from lengthwise.models.config import ModelConfig, Preset
from lengthwise.records.options import gather, named_problem
from lengthwise.records.spec import EvaluationConfig, RunSpec, TrainingConfig, further_ranges

if TYPE_CHECKING:
    from lengthwise.records.accuracy import AccuracyByLength
    from lengthwise.records.result import RunResult
    from lengthwise.report.curves import Curve
    from lengthwise.report.document import Document
    from lengthwise.subjects.model import Model

CONFIGURATIONS = (ModelConfig, TrainingConfig, EvaluationConfig)


class Trained(Shown, Sequence["RunResult"]):
    """Finished runs, in the order task, encoding, seed; a sequence of ``RunResult``."""

    def __init__(
        self, results: Sequence["RunResult"], store: Path, extended: Sequence[str] = ()
    ) -> None:
        self.results, self.store, self.extended = tuple(results), store, tuple(extended)

    @overload
    def __getitem__(self, index: int) -> "RunResult": ...
    @overload
    def __getitem__(self, index: slice) -> Sequence["RunResult"]: ...
    def __getitem__(self, index: int | slice) -> "RunResult | Sequence[RunResult]":
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def model(self, number: int = 0, *, trust_code: bool = True) -> "Model":
        """Return the trained model of one of the runs, the first by default.

        A file that a run names was executed to train it, and is so again if it is unchanged.
        """
        from lengthwise.subjects.model import read_model

        return read_model(self.results[number].spec.id, self.store, trust_code=trust_code)

    def __repr__(self) -> str:
        names = ", ".join(f"{r.spec.task} {r.spec.position}" for r in self.results[:4])
        more = ", ..." if len(self.results) > 4 else ""
        return f"Trained({len(self.results)} runs: {names}{more})"

    def laid_out(self) -> "Document":
        """Return the first parts of the page: what came out, the matrix, the curves."""
        from lengthwise.report.document import unfolded
        from lengthwise.report.measured import from_result
        from lengthwise.report.run_page import runs_document

        return unfolded(runs_document([from_result(result) for result in self.results], ""))

    def rows_of_frame(self) -> list[dict[str, Any]]:
        """Return one row for every run and range of lengths."""
        return [
            {
                "run": r.spec.id,
                "task": str(r.spec.task),
                "encoding": str(r.spec.position),
                "seed": r.spec.seed,
                "low": bin_.low,
                "high": bin_.high,
                "trained": number == 0,
                "accuracy": bin_.accuracy,
                **dict(zip(("interval_low", "interval_high"), bin_.interval, strict=True)),
                **dict(zip(("right", "tried"), bin_.counts, strict=True)),
            }
            for r in self.results
            for number, bin_ in enumerate(r.bins)
        ]

    def parts(self) -> Iterator[str | Rows]:
        """Yield one table and one plot per task."""
        from lengthwise.report.curves import curves
        from lengthwise.report.terminal import draw

        drawn = curves(self.results)
        for task in dict.fromkeys(curve.task for curve in drawn):
            members = [curve for curve in drawn if curve.task == task]
            yield Rows([_row(curve) for curve in members], f"\n{task}: exact match by length")
            yield draw(members)

    def notes(self) -> Iterator[str]:
        """Say which finished runs were extended, or why not, and whose loss was no number."""
        yield from self.extended
        for result in self.results:
            if result.history and result.history[-1].loss is None:
                spec = result.spec
                yield (
                    f"{spec.task}, {spec.position}, seed {spec.seed}: the loss was not finite by "
                    f"step {result.steps}; a number was expected. Try a lower --learning-rate "
                    f"(now {spec.training.learning_rate:g}) or look at the encoding's numbers."
                )

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain data, with the accuracy of every bin spelled out."""
        return [_plain(result) for result in self.results]

    @writes(*PICTURES)
    def plot(self, path: Path) -> None:
        """Write the curves to this .png, .svg or .pdf file."""
        from lengthwise.report.curves import curves
        from lengthwise.report.static_panels import save_figure

        save_figure(curves(self.results), path)

    @writes(".html")
    def report(self, path: Path) -> None:
        """Write a page with predictions, curves and tables to this .html file."""
        from lengthwise.report.run_page import save_page

        title = "Exact match against length"
        save_page(list(self.results), path, title, cache=self.store / ".cache")


@verb(*CONFIGURATIONS)
def train(
    *task: str,
    encoding: Sequence[str] = ("nope",),
    seeds: Count = 1,
    first_seed: Seed = 0,
    published_lengths: bool = False,
    preset: Preset = "gpt2",
    recipe: bool = False,
    from_: str | None = None,
    store: Path | None = None,
    jobs: Processors | None = None,
    threads: Processors | None = None,
    device: str = "auto",
    again: bool = False,
    progress: bool | None = None,
    **settings: Any,
) -> Trained:
    """Train models and show exact match against length.

    A run that was interrupted continues when the same command is given again, and a finished one
    is not repeated. Asked for with more steps or other tests, it is extended where that gives the
    numbers of a run made like that from the start; a line says so, or why it is trained anew.

    Example: lengthwise train binary-majority --encoding nope --encoding ape --train-length 1:50

    Args:
        task: Tasks by name (see `lengthwise list tasks`), with options as `majority:letters=5`, or
            your own as `file.py:Class`; a regular expression or an automaton (`x.json`) is the task
            of learning its language.
        encoding: A position encoding (see `lengthwise list encodings`); give several to compare.
        seeds: How many seeds to train for each task and encoding.
        first_seed: The first of these seeds.
        published_lengths: For the regular languages of Huang et al. (2024): train and test on the
            lengths of the authors' data, where ranges overlap. Without it ranges are disjoint.
        preset: Style of the decoder: GPT-2 or T5.
        recipe: Take size and training from the studies' table of recipes, whose rungs are tried in
            order until one fits the training lengths; options that you give overrule it.
        from_: Go on from a finished run of the store, by the beginning of its id: with its model
            and weights, on its task unless others are named, with its settings unless they are
            given, on batches behind those it saw. The optimiser and the schedule begin anew.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        jobs: Runs at the same time; by default as many as there are cores.
        threads: Threads per run; by default 1 for models narrower than 256.
        device: Where to compute: cpu, cuda, mps, or auto for the best one present.
        again: Run again what is finished already.
        progress: Whether progress is shown; by default in a terminal or a notebook.
        settings: Fields of the model, the training and the evaluation, by name.
    """
    from lengthwise.api.continuing import read_continued
    from lengthwise.api.progress_bars import listening
    from lengthwise.records.recipes import climb
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.extension import extend
    from lengthwise.runs.local import execute_all
    from lengthwise.runs.processes import plan
    from lengthwise.runs.store import Store

    numbers = range(first_seed, first_seed + seeds)
    if from_ is not None:
        if recipe or published_lengths or preset != "gpt2":
            raise InputError("from: the run says what is trained; leave recipe and preset out.")
        before = read_continued(from_, store)
        specs = before.specifications(task, several(encoding), numbers, settings)
        ladders = [[spec] for spec in specs]
    elif task:
        ladders = _ladders(
            task,
            several(encoding),
            numbers,
            preset,
            settings,
            published_lengths=published_lengths,
            recipe=recipe,
        )
    else:
        raise InputError("train: name at least one task; `lengthwise list tasks` lists them.")
    device, where = choose_device(device), Store(store)
    asked = [spec for ladder in ladders for spec in ladder]
    extended = [] if again else extend(asked, where, device)
    with listening(progress) as listener:

        def execute(specs: Sequence[RunSpec]) -> "Sequence[RunResult]":
            how = plan(specs, jobs, threads)
            if listener.shown:
                runs = "run" if len(specs) == 1 else "runs"
                sys.stderr.write(f"{len(specs)} {runs}, {how.jobs} at a time, in {where.root}\n")
            return execute_all(specs, where, how, device=device, again=again, on_progress=listener)

        results = climb(ladders, execute)
    return Trained(results, where.root, extended)


def _ladders(
    tasks: Sequence[str],
    encodings: Sequence[str],
    seeds: range,
    preset: Preset,
    settings: dict[str, Any],
    *,
    published_lengths: bool,
    recipe: bool,
) -> list[list[RunSpec]]:
    """Return what is tried for each task, encoding and seed, with lengths chosen for each task."""
    from lengthwise.runs.experiment import ladders, specifications
    from lengthwise.subjects import as_task
    from lengthwise.tasks.formal.lengths import published_windows

    given = gather(settings, *CONFIGURATIONS)
    found: list[list[RunSpec]] = []
    for task in dict.fromkeys(map(as_task, tasks)):
        training, evaluation = dict(given[TrainingConfig]), dict(given[EvaluationConfig])
        if published_lengths:
            if "length" in training or "lengths" in evaluation:
                raise InputError(
                    "published_lengths chooses the lengths: leave train_length and test_length out."
                )
            windows = published_windows(task)
            training["length"], evaluation["lengths"] = windows.train, windows.bins
        try:
            trained = TrainingConfig(**training)
            evaluation.setdefault("lengths", further_ranges(trained.length))
            measured = EvaluationConfig(**evaluation)
            model = ModelConfig.preset(preset, **given[ModelConfig])
        except ValidationError as error:
            raise named_problem(error, *CONFIGURATIONS) from error
        if trained.length[1] < 1:
            raise InputError("--train-length: the longest length must be at least 1.")
        if recipe:
            style = ModelConfig.preset(preset).model_dump(exclude_defaults=True)
            own = {"style": style, "model": given[ModelConfig], "training": training}
            found += ladders((task,), encodings, seeds, evaluation=measured, **own)
        else:
            specs = specifications(
                (task,), encodings, seeds, model=model, training=trained, evaluation=measured
            )
            found += [[spec] for spec in specs]
    return found


def _row(curve: "Curve") -> dict[str, Any]:
    cells = {
        f"{bin_.name}{' (trained)' if number == 0 else ''}": _percent(bin_)
        for number, bin_ in enumerate(curve.bins)
    }
    return {"encoding": curve.encoding, "seeds": curve.seeds, **cells}


def _percent(bin_: "AccuracyByLength") -> str:
    low, high = bin_.interval
    return f"{bin_.accuracy:6.1%}  {low:.1%}-{high:.1%}"


def _plain(result: "RunResult") -> dict[str, Any]:
    return {
        "id": result.spec.id,
        "task": str(result.spec.task),
        "encoding": str(result.spec.position),
        "seed": result.spec.seed,
        **({"recipe": result.spec.recipe} if result.spec.recipe else {}),
        "steps": result.steps,
        "stopped": result.stopped,
        "seconds": round(result.seconds, 3),
        "bins": [
            {
                "low": b.low,
                "high": b.high,
                "accuracy": b.accuracy,
                "interval": b.interval,
                "instances": b.counts[1],
            }
            for b in result.bins
        ],
    }
