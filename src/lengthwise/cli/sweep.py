"""``lengthwise sweep``, ``work`` and ``select``: many runs from one file."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Whole, name_damage, print_json
from lengthwise.core.errors import InputError

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")
ExecutorName = Literal["local", "ray", "slurm"]


def sweep(
    file: str,
    *,
    size: str | None = None,
    dry_run: Annotated[bool, Flag] = False,
    calibrate: bool = True,
    executor: ExecutorName = "local",
    jobs: Count | None = None,
    threads: Count | None = None,
    device: str = "auto",
    keep_going: Annotated[bool, Flag] = False,
    retry: Annotated[bool, Flag] = False,
    repair: Annotated[bool, Flag] = False,
    watch: Annotated[bool, Flag] = False,
    address: str | None = None,
    fetch: Annotated[bool, Flag] = False,
    cpus: float = 1.0,
    gpus: float = 0.0,
    slurm: Annotated[tuple[str, ...], Many] = (),
    tracker: Annotated[tuple[str, ...], Many] = (),
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Run every combination that a file describes.

    The plan is shown first. Stop it at any time: the same command continues, and what is finished
    is not repeated.

    Example: lengthwise sweep examples/encodings.toml --size smoke --keep-going

    Parameters
    ----------
    file
        The sweep: a .toml file, or a .py file with a SWEEP (or `file.py:NAME`).
    size
        One of the sizes that the file names.
    dry_run
        Show the plan and stop.
    calibrate
        Try a few steps of a few runs to estimate the time.
    executor
        Where runs execute: processes of this machine, Ray, or SLURM.
    jobs
        Runs at the same time (SLURM: jobs in the array); by default one per core.
    threads
        Threads per run; by default 1 for models narrower than 256.
    device
        cpu, cuda, mps, or auto for the best one present.
    keep_going
        Go on when a run fails; without it the others save their state and stop.
    retry
        Try again what failed in an earlier call.
    repair
        Mend runs whose files are damaged: keep what is whole, train again what is not.
    watch
        Show a live table instead of a line per finished run.
    address
        Ray: join the cluster at this address (`auto` for the one on this machine).
    fetch
        Ray: nodes do not share the store; the driver fetches checkpoints and results.
    cpus
        Ray: CPUs per run, also a fraction.
    gpus
        Ray: GPUs per run, also a fraction.
    slurm
        SLURM: a parameter of submitit as `slurm_partition=gpu` or `timeout_min=60`; several times.
    tracker
        Also tell `tensorboard:DIRECTORY`, `wandb:PROJECT` or `mlflow:EXPERIMENT`; several times.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print the plan and the outcome as JSON.
    """
    from lengthwise.cli.sweeps import (
        follow,
        plan_data,
        print_outcome,
        print_plan,
        read_parameters,
        show_table,
    )
    from lengthwise.runs.driver import drive
    from lengthwise.runs.estimate import estimate
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.executors import open_executor
    from lengthwise.runs.job import Job
    from lengthwise.runs.local import plan
    from lengthwise.runs.store import Store
    from lengthwise.runs.sweep import load_sweep, note_sweep
    from lengthwise.runs.trackers import load_tracker

    described, where = load_sweep(file), Store(store)
    specs = described.specs(size)
    if executor == "local":
        choose_device(device)
    for name in tracker:
        load_tracker(name)
    parameters = read_parameters(slurm, executor)
    how = plan(specs, jobs, threads)
    expected = estimate(specs, where, how, calibrate=calibrate, repair=repair)
    if not as_json:
        print_plan(described.name, expected, how)
    if dry_run:
        if as_json:
            print_json({"plan": plan_data(described.name, expected, how)})
        return
    work = [
        Job(spec, where.root, device, restart_damaged=True, repair=repair, trackers=tracker)
        for spec in specs
    ]
    ray = {"address": address, "fetch": fetch, "cpus": cpus, "gpus": gpus}
    with (
        open_executor(executor, where, how, slurm=parameters, **ray) as running,
        follow(specs, where, watch=watch, quiet=as_json) as listeners,
    ):
        note_sweep(where, described.name, specs)
        outcome = drive(work, running, keep_going=keep_going, retry=retry, **listeners)
    if as_json:
        print_json({"plan": plan_data(described.name, expected, how), "outcome": vars(outcome)})
    else:
        show_table(specs, where)
        print_outcome(outcome, specs)
    if outcome.failed or outcome.damaged:
        sys.exit(1)


def work(
    *,
    sweep: str,
    shard: str = "1/1",
    size: str | None = None,
    jobs: Count = 1,
    threads: Count | None = None,
    device: str = "auto",
    keep_going: Annotated[bool, Flag] = False,
    retry: Annotated[bool, Flag] = False,
    repair: Annotated[bool, Flag] = False,
    store: Path | None = None,
) -> None:
    """Execute one share of a sweep, for any scheduler.

    Start it n times with --shard 1/n to n/n on machines that share the store.

    Example: lengthwise runs work --sweep examples/encodings.toml --shard 2/8

    Parameters
    ----------
    sweep
        The sweep's file, as for `lengthwise sweep`.
    shard
        Which share, i/n with i from 1 to n.
    size
        One of the sizes that the file names.
    jobs
        Runs at the same time.
    threads
        Threads per run; by default 1 for models narrower than 256.
    device
        cpu, cuda, mps, or auto for the best one present.
    keep_going
        Go on when a run fails.
    retry
        Try again what failed in an earlier call.
    repair
        Mend runs whose files are damaged: keep what is whole, train again what is not.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    """
    import signal

    from lengthwise.cli.sweeps import follow, print_outcome
    from lengthwise.runs import sweep as sweeps
    from lengthwise.runs.driver import drive
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.executors import open_executor
    from lengthwise.runs.job import Job
    from lengthwise.runs.local import plan
    from lengthwise.runs.store import Store

    described, where = sweeps.load_sweep(sweep), Store(store)
    everything = described.specs(size)
    choose_device(device)
    mine = sweeps.shard(everything, shard)
    sweeps.note_sweep(where, described.name, everything)
    jobs_ = [Job(spec, where.root, device, restart_damaged=True, repair=repair) for spec in mine]
    with (
        open_executor("local", where, plan(mine, jobs, threads)) as running,
        follow(mine, where) as listeners,
    ):
        signals = (signal.SIGINT, signal.SIGTERM)
        outcome = drive(
            jobs_, running, keep_going=keep_going, retry=retry, signals=signals, **listeners
        )
    print_outcome(outcome, mine)
    if outcome.failed or outcome.damaged:
        sys.exit(1)


def select(
    file: str,
    *,
    size: str | None = None,
    threshold: float = 1.0,
    repeat: Whole = 0,
    limit: Count = 100,
    jobs: Count | None = None,
    threads: Count | None = None,
    device: str = "auto",
    store: Path | None = None,
    as_json: Json = False,
) -> None:
    """Choose the best configuration of a finished sweep, as the papers do.

    For each task and encoding: among those perfect in distribution the best on the next range of
    lengths, ties to the simplest. With --repeat the choice is run with seeds 0, 1, 2, ... until so
    many are perfect in distribution, and averaged over these.

    Example: lengthwise runs select examples/encodings.toml --repeat 5 --limit 50

    Parameters
    ----------
    file
        The sweep's file, as for `lengthwise sweep`.
    size
        One of the sizes that the file names.
    threshold
        Exact match on the trained lengths from which a run counts as successful.
    repeat
        Successful seeds wanted; 0 only chooses.
    limit
        Most seeds to try.
    jobs
        Runs at the same time; by default one per core.
    threads
        Threads per run; by default 1 for models narrower than 256.
    device
        cpu, cuda, mps, or auto for the best one present.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    as_json
        Print plain data.
    """
    from lengthwise.api.progress import listening
    from lengthwise.cli.sweeps import choice_row, repeats_row
    from lengthwise.records.selection import repeat_until
    from lengthwise.records.selection import select as choose
    from lengthwise.runs.local import execute_all, plan
    from lengthwise.runs.store import Store
    from lengthwise.runs.sweep import load_sweep

    where, specs = Store(store), load_sweep(file).specs(size)
    records = [where.record(where.folder(spec)) for spec in specs]
    results = [record.result for record in records if record.result]
    damaged = {record.id: record.problem or "" for record in records if record.state == "damaged"}
    name_damage(damaged)
    if len(results) < len(specs):
        sys.stderr.write(f"{len(specs) - len(results)} of {len(specs)} runs are not done yet\n")
    choices = choose(results, threshold)
    if not choices:
        raise InputError("select: no configuration is perfect in distribution.")
    if not repeat:
        _print([choice_row(choice) for choice in choices], as_json)
        sys.exit(1 if damaged else 0)
    with listening(not as_json) as listener:

        def execute(some: Any) -> Any:
            how = plan(some, jobs, threads)
            return execute_all(some, where, how, device=device, on_progress=listener)

        at_once = plan(specs, jobs).jobs
        options = {"limit": limit, "threshold": threshold, "at_once": at_once}
        repeated = [repeat_until(choice.spec, repeat, execute, **options) for choice in choices]
    _print([repeats_row(each) for each in repeated], as_json)
    sys.exit(1 if damaged else 0)


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    from lengthwise.cli.console import print_table

    if as_json:
        print_json(rows)
    else:
        print_table([{k: _shown(v) for k, v in row.items()} for row in rows])


def _shown(value: Any) -> Any:
    return " / ".join(f"{v:.1%}" for v in value) if isinstance(value, tuple) else value
