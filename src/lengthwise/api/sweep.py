"""``sweep``, ``runs work`` and ``runs select``: many runs from one file."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lengthwise.api.shown import Rows, Shown
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Processors, Whole
from lengthwise.core.errors import InputError
from lengthwise.core.text import duration

if TYPE_CHECKING:
    from lengthwise.records.selection import Choice, Repeats
    from lengthwise.records.spec import RunSpec
    from lengthwise.runs.driver import RunsOutcome
    from lengthwise.runs.estimate import Estimate
    from lengthwise.runs.processes import Plan
    from lengthwise.runs.store import Store

ExecutorName = Literal["local", "ray", "slurm"]


@dataclass(frozen=True)
class SweepPlan(Shown):
    """What a sweep is going to do, and what it will take at most."""

    name: str
    estimate: "Estimate"
    how: "Plan"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one sentence."""
        plan, how = self.estimate, self.how
        already = f", {plan.done} done already" if plan.done else ""
        already += f", {plan.begun} begun" if plan.begun else ""
        already += f", {plan.failed} failed" if plan.failed else ""
        already += f", {plan.damaged} damaged" if plan.damaged else ""
        time = "" if plan.seconds is None else f"at most about {duration(plan.seconds)}, "
        yield (
            f"{self.name}: {plan.runs} runs{already}; {plan.left} to do with {how.jobs} at a time "
            f"({how.threads} {'thread' if how.threads == 1 else 'threads'} each): {time}"
            f"{_megabytes(plan.disk)} of disk and {_megabytes(plan.working)} while working"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the plan."""
        workers = {"jobs": self.how.jobs, "threads": self.how.threads}
        return {"plan": {"name": self.name, **vars(self.estimate), **workers}}


@dataclass(frozen=True)
class Worked(Shown):
    """How the runs of a sweep, or of a share of it, ended."""

    outcome: "RunsOutcome"
    specs: Sequence["RunSpec"]

    def parts(self) -> Iterator[str | Rows]:
        """Yield nothing: a share has no table of its own."""
        yield from ()

    def to_json(self) -> dict[str, Any]:
        """Return how each run ended."""
        return {"outcome": vars(self.outcome)}

    def notes(self) -> Iterator[str]:
        """Say how many runs ended how, and why those failed that did."""
        outcome = self.outcome
        damaged = f", {len(outcome.damaged)} damaged" if outcome.damaged else ""
        lost = f", {outcome.lost} lost workers replaced" if outcome.lost else ""
        yield (
            f"{len(outcome.done)} runs done now, {len(outcome.before)} before, "
            f"{len(outcome.failed)} failed{damaged}{lost}"
        )
        by_id = {spec.id: spec for spec in self.specs}
        for run, reason in outcome.failed.items():
            spec = by_id[run]
            yield f"failed: {run} {spec.task} {spec.position} seed {spec.seed}: {reason}"
        if outcome.failed:
            yield "give the command with --retry to try these again"
        if outcome.damaged:
            yield "damaged runs count as not done; give the command with --repair to mend them"

    @property
    def damaged(self) -> Mapping[str, str]:
        """Runs whose files are damaged; they are neither done nor to do."""
        return self.outcome.damaged

    def failed(self) -> bool:
        """Whether some runs of the sweep are missing."""
        return bool(self.outcome.failed or self.outcome.damaged)


@dataclass(frozen=True)
class Swept(Worked):
    """A sweep that came to its end."""

    plan: SweepPlan
    store: "Store"

    def parts(self) -> Iterator[str | Rows]:
        """Yield one row per configuration: what varies, seeds, mean exact match by range."""
        from lengthwise.runs.index import rows

        found = {row["id"]: row for row in rows(self.store)}
        groups: defaultdict[tuple[Any, ...], list[tuple[RunSpec, list[float]]]] = defaultdict(list)
        columns = _varying(self.specs)
        for spec in self.specs:
            row = found.get(spec.id)
            if row and row["state"] == "done":
                key = tuple(_field(spec, name) for name in columns)
                groups[key].append((spec, row["accuracies"]))
        if groups:
            yield Rows([_group_row(columns, key, members) for key, members in groups.items()])

    def to_json(self) -> dict[str, Any]:
        """Return the plan and how each run ended."""
        return self.plan.to_json() | super().to_json()


@verb()
def sweep(
    file: str,
    *,
    size: str | None = None,
    dry_run: bool = False,
    calibrate: bool = True,
    executor: ExecutorName = "local",
    jobs: Processors | None = None,
    threads: Processors | None = None,
    device: str = "auto",
    keep_going: bool = False,
    retry: bool = False,
    repair: bool = False,
    watch: bool = False,
    address: str | None = None,
    fetch: bool = False,
    cpus: float = 1.0,
    gpus: float = 0.0,
    slurm: Sequence[str] = (),
    tracker: Sequence[str] = (),
    store: Path | None = None,
    progress: bool | None = None,
    announce: Callable[[Shown], None] | None = None,
) -> Swept | SweepPlan:
    """Run every combination that a file describes.

    The plan is shown first. Stop it at any time: the same command continues, and what is finished
    is not repeated.

    Example: lengthwise sweep examples/encodings.toml --size smoke --keep-going

    Args:
        file: The sweep: a .toml file, or a .py file with a SWEEP (or `file.py:NAME`).
        size: One of the sizes that the file names.
        dry_run: Show the plan and stop.
        calibrate: Try a few steps of a few runs to estimate the time.
        executor: Where runs execute: processes of this machine, Ray, or SLURM.
        jobs: Runs at the same time (SLURM: jobs in the array); by default one per core.
        threads: Threads per run; by default 1 for models narrower than 256.
        device: Where to compute: cpu, cuda, mps, or auto for the best one present.
        keep_going: Go on when a run fails; without it the others save their state and stop.
        retry: Try again what failed in an earlier call.
        repair: Mend runs whose files are damaged: keep what is whole, train again what is not.
        watch: Show a live table instead of a line per finished run.
        address: Ray: join the cluster at this address (`auto` for the one on this machine).
        fetch: Ray: nodes do not share the store; the driver fetches checkpoints and results.
        cpus: Ray: CPUs per run, also a fraction.
        gpus: Ray: GPUs per run, also a fraction.
        slurm: SLURM: a parameter of submitit as `slurm_partition=gpu` or `timeout_min=60`; several
            times.
        tracker: Also tell `tensorboard:DIRECTORY`, `wandb:PROJECT` or `mlflow:EXPERIMENT`; several
            times.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        progress: Whether progress is shown; by default in a terminal or a notebook.
        announce: Called with the plan before anything runs.
    """
    from lengthwise.api.live import follow
    from lengthwise.runs.driver import drive
    from lengthwise.runs.estimate import estimate
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.executors import open_executor
    from lengthwise.runs.job import Job
    from lengthwise.runs.processes import plan
    from lengthwise.runs.store import Store
    from lengthwise.runs.sweep import load_sweep, note_sweep
    from lengthwise.runs.trackers import load_tracker

    described, where = load_sweep(file), Store(store)
    specs = described.specs(size)
    if executor == "local":
        choose_device(device)
    for name in tracker:
        load_tracker(name)
    parameters = _slurm_parameters(slurm, executor)
    how = plan(specs, jobs, threads)
    expected = estimate(specs, where, how, calibrate=calibrate, repair=repair)
    planned = SweepPlan(described.name, expected, how)
    if dry_run:
        return planned
    if announce is not None:
        announce(planned)
    todo = [
        Job(spec, where.root, device, restart_damaged=True, repair=repair, trackers=tuple(tracker))
        for spec in specs
    ]
    ray = {"address": address, "fetch": fetch, "cpus": cpus, "gpus": gpus}
    with (
        open_executor(executor, where, how, slurm=parameters, **ray) as running,
        follow(specs, where, watch=watch, progress=progress) as listeners,
    ):
        note_sweep(where, described.name, specs)
        outcome = drive(todo, running, keep_going=keep_going, retry=retry, **listeners)
    return Swept(outcome, specs, planned, where)


@verb()
def work(
    *,
    sweep: str,
    shard: str = "1/1",
    size: str | None = None,
    jobs: Processors = 1,
    threads: Processors | None = None,
    device: str = "auto",
    keep_going: bool = False,
    retry: bool = False,
    repair: bool = False,
    store: Path | None = None,
    progress: bool | None = None,
) -> Worked:
    """Execute one share of a sweep, for any scheduler.

    Start it n times with --shard 1/n to n/n on machines that share the store.

    Example: lengthwise runs work --sweep examples/encodings.toml --shard 2/8

    Args:
        sweep: The sweep's file, as for `lengthwise sweep`.
        shard: Which share, i/n with i from 1 to n.
        size: One of the sizes that the file names.
        jobs: Runs at the same time.
        threads: Threads per run; by default 1 for models narrower than 256.
        device: Where to compute: cpu, cuda, mps, or auto for the best one present.
        keep_going: Go on when a run fails.
        retry: Try again what failed in an earlier call.
        repair: Mend runs whose files are damaged: keep what is whole, train again what is not.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        progress: Whether progress is shown; by default in a terminal or a notebook.
    """
    import signal

    from lengthwise.api.live import follow
    from lengthwise.runs import sweep as sweeps
    from lengthwise.runs.driver import drive
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.executors import open_executor
    from lengthwise.runs.job import Job
    from lengthwise.runs.processes import plan
    from lengthwise.runs.store import Store

    described, where = sweeps.load_sweep(sweep), Store(store)
    everything = described.specs(size)
    choose_device(device)
    mine = sweeps.shard(everything, shard)
    sweeps.note_sweep(where, described.name, everything)
    share = [Job(spec, where.root, device, restart_damaged=True, repair=repair) for spec in mine]
    with (
        open_executor("local", where, plan(mine, jobs, threads)) as running,
        follow(mine, where, progress=progress) as listeners,
    ):
        signals = (signal.SIGINT, signal.SIGTERM)
        outcome = drive(
            share, running, keep_going=keep_going, retry=retry, signals=signals, **listeners
        )
    return Worked(outcome, mine)


@dataclass(frozen=True)
class Selected(Shown):
    """The chosen configuration of each task and encoding."""

    rows: Sequence[Mapping[str, Any]]
    problems: Mapping[str, str]
    unfinished: str
    """How many runs are not done yet, or nothing."""

    def parts(self) -> Iterator[str | Rows]:
        """Yield the table."""
        yield Rows([{key: _shown(value) for key, value in row.items()} for row in self.rows])

    def to_json(self) -> list[dict[str, Any]]:
        """Return one row per choice."""
        return [dict(row) for row in self.rows]

    def notes(self) -> Iterator[str]:
        """Say how many runs could not be chosen from."""
        if self.unfinished:
            yield self.unfinished

    @property
    def damaged(self) -> Mapping[str, str]:
        """Damaged runs, which might have been chosen."""
        return self.problems


@verb()
def select(
    file: str,
    *,
    size: str | None = None,
    threshold: float = 1.0,
    repeat: Whole = 0,
    limit: Count = 100,
    jobs: Processors | None = None,
    threads: Processors | None = None,
    device: str = "auto",
    store: Path | None = None,
    progress: bool | None = None,
) -> Selected:
    """Choose the best configuration of a finished sweep, as the papers do.

    For each task and encoding: among those perfect in distribution the best on the next range of
    lengths, ties to the simplest. With --repeat the choice is run with seeds 0, 1, 2, ... until so
    many are perfect in distribution, and averaged over these.

    Example: lengthwise runs select examples/encodings.toml --repeat 5 --limit 50

    Args:
        file: The sweep's file, as for `lengthwise sweep`.
        size: One of the sizes that the file names.
        threshold: Exact match on the trained lengths from which a run counts as successful.
        repeat: Successful seeds wanted; 0 only chooses.
        limit: Most seeds to try.
        jobs: Runs at the same time; by default one per core.
        threads: Threads per run; by default 1 for models narrower than 256.
        device: Where to compute: cpu, cuda, mps, or auto for the best one present.
        store: Directory of runs; by default $LENGTHWISE_STORE or ./runs.
        progress: Whether progress is shown; by default in a terminal or a notebook.
    """
    from lengthwise.api.progress_bars import listening
    from lengthwise.records.selection import repeat_until
    from lengthwise.records.selection import select as choose
    from lengthwise.runs.local import execute_all
    from lengthwise.runs.processes import plan
    from lengthwise.runs.store import Store
    from lengthwise.runs.sweep import load_sweep

    where, specs = Store(store), load_sweep(file).specs(size)
    records = [where.record(where.folder(spec)) for spec in specs]
    results = [record.result for record in records if record.result]
    damaged = {record.id: record.problem or "" for record in records if record.state == "damaged"}
    left = len(specs) - len(results)
    missing = f"{left} of {len(specs)} runs are not done yet" if left else ""
    choices = choose(results, threshold)
    if not choices:
        why = "; ".join(filter(None, [missing, *(f"{run} is damaged" for run in damaged)]))
        raise InputError(
            f"select: no configuration is perfect in distribution{why and f' ({why})'}."
        )
    if not repeat:
        return Selected([_choice_row(choice) for choice in choices], damaged, missing)
    with listening(progress) as listener:

        def execute(some: Any) -> Any:
            how = plan(some, jobs, threads)
            return execute_all(some, where, how, device=device, on_progress=listener)

        at_once = plan(specs, jobs).jobs
        options = {"limit": limit, "threshold": threshold, "at_once": at_once}
        repeated = [repeat_until(choice.spec, repeat, execute, **options) for choice in choices]
    return Selected([_repeats_row(each) for each in repeated], damaged, missing)


def _slurm_parameters(texts: Sequence[str], executor: str) -> dict[str, Any]:
    """Read ``name=value`` parameters for submitit; numbers become numbers."""
    if texts and executor != "slurm":
        raise InputError(f"--slurm is for --executor slurm, not {executor}.")
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--slurm {text!r}: use name=value, as slurm_partition=gpu.")
        parameters[name] = int(value) if value.lstrip("-").isdigit() else value
    return parameters


def _megabytes(size: int) -> str:
    """Say a number of bytes in MB or GB."""
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


def _varying(specs: Sequence["RunSpec"]) -> list[str]:
    """Return the fields, but the seed, in which runs differ; task and encoding always."""
    from lengthwise.runs.sweep import FIELDS

    names = [name for name in FIELDS if name not in ("seed", "preset", "evaluation.lengths")]
    return [
        name
        for name in names
        if name in ("task", "position") or len({str(_field(s, name)) for s in specs}) > 1
    ]


def _field(spec: "RunSpec", name: str) -> Any:
    value: Any = spec
    for part in name.split("."):
        value = getattr(value, part)
    return str(value)


def _group_row(
    columns: list[str], key: tuple[Any, ...], members: "list[tuple[RunSpec, list[float]]]"
) -> dict[str, Any]:
    accuracies = [accuracy for _, accuracy in members]
    means = [sum(values) / len(values) for values in zip(*accuracies, strict=False)]
    names = ["trained lengths", *(f"{low}-{high}" for low, high in members[0][0].bins[1:])]
    if len({spec.bins for spec, _ in members}) > 1 or "training.length" in columns:
        names = ["trained lengths", *(f"range {i + 1}" for i in range(1, len(names)))]
    return {
        **dict(zip(columns, key, strict=True)),
        "seeds": len(members),
        "perfect": sum(accuracy[0] == 1.0 for accuracy in accuracies),
        **{name: f"{mean:.1%}" for name, mean in zip(names, means, strict=False)},
    }


def _choice_row(choice: "Choice") -> dict[str, Any]:
    return {
        **_configuration(choice.spec),
        "exact match": choice.accuracy,
        "perfect in distribution": f"{choice.eligible} of {choice.tried}",
    }


def _repeats_row(repeats: "Repeats") -> dict[str, Any]:
    return {
        **_configuration(repeats.spec),
        "exact match": repeats.accuracy,
        "successful seeds": f"{len(repeats.successes)} of {repeats.tried} tried",
    }


def _configuration(spec: "RunSpec") -> dict[str, Any]:
    return {
        "task": str(spec.task),
        "encoding": str(spec.position),
        "layers": spec.model.layers,
        "heads": spec.model.heads,
        "width": spec.model.width,
        "learning rate": spec.training.learning_rate,
    }


def _shown(value: Any) -> Any:
    return " / ".join(f"{v:.1%}" for v in value) if isinstance(value, tuple) else value
