"""How a sweep looks in the terminal: its plan, its progress, its table, its outcome."""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lengthwise.cli.console import console, name_damage, print_table
from lengthwise.core.errors import InputError
from lengthwise.core.text import duration
from lengthwise.records.spec import RunSpec
from lengthwise.runs.driver import Outcome
from lengthwise.runs.estimate import Estimate
from lengthwise.runs.job import Message
from lengthwise.runs.local import Plan
from lengthwise.runs.status import Status, status
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import FIELDS

if TYPE_CHECKING:
    from rich.table import Table

    from lengthwise.records.selection import Choice, Repeats

LOOK_SECONDS = 1.0


def plan_data(name: str, plan: Estimate, how: Plan) -> dict[str, Any]:
    """Return the plan as plain data."""
    return {"name": name, **vars(plan), "jobs": how.jobs, "threads": how.threads}


def print_plan(name: str, plan: Estimate, how: Plan) -> None:
    """Say what is going to happen."""
    already = f", {plan.done} done already" if plan.done else ""
    already += f", {plan.begun} begun" if plan.begun else ""
    already += f", {plan.failed} failed" if plan.failed else ""
    already += f", {plan.damaged} damaged" if plan.damaged else ""
    time_ = "" if plan.seconds is None else f"at most about {duration(plan.seconds)}, "
    console().print(
        f"{name}: {plan.runs} runs{already}; {plan.left} to do with {how.jobs} at a time "
        f"({how.threads} {'thread' if how.threads == 1 else 'threads'} each): {time_}"
        f"{megabytes(plan.disk)} of disk and {megabytes(plan.working)} while working",
        highlight=False,
    )


def megabytes(size: int) -> str:
    """Say a number of bytes in MB or GB."""
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


@contextmanager
def follow(
    specs: Sequence[RunSpec], store: Store, *, watch: bool = False, quiet: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the listeners for ``drive``: a line per finished run, or a live table."""
    if quiet:
        yield {}
    elif watch and sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), refresh_per_second=4) as live:
            looked = 0.0

            def refresh(spec: RunSpec, news: Any) -> None:
                nonlocal looked
                if time.monotonic() - looked > LOOK_SECONDS:
                    live.update(status_table(status(store, specs)))
                    looked = time.monotonic()

            yield {"on_progress": refresh, "on_end": refresh}
            live.update(status_table(status(store, specs)))
    else:
        yield {"on_end": _line_per_run(specs, store)}


def _line_per_run(specs: Sequence[RunSpec], store: Store) -> Any:
    done = sum(store.record(store.folder(spec)).state == "done" for spec in specs)
    ended, started = 0, time.monotonic()

    def line(spec: RunSpec, message: Message) -> None:
        nonlocal done, ended
        done, ended = done + (message.kind == "done"), ended + 1
        left = (time.monotonic() - started) / ended * (len(specs) - done)
        what = {"done": "done", "lost": f"{message.reason}; started again"}
        sys.stderr.write(
            f"{done}/{len(specs)} {spec.id} {spec.task} {spec.position} seed {spec.seed}: "
            f"{what.get(message.kind, f'failed: {message.reason}')} "
            f"(about {duration(left)} left)\n"
        )
        sys.stderr.flush()

    return line


def status_table(now: Status) -> "Table":
    """Draw the state of a sweep."""
    from rich.table import Table

    left = "" if now.seconds_left is None else f", about {duration(now.seconds_left)} left"
    title = (
        f"{now.done} of {now.total} done, {len(now.running)} running, {now.waiting} waiting, "
        f"{len(now.failed)} failed{f', {len(now.damaged)} damaged' if now.damaged else ''}{left}"
    )
    table = Table("run", "task", "encoding", "seed", "state", title=title, title_justify="left")
    for spec, step in now.running:
        table.add_row(*_words(spec), f"evaluated at step {step} of {spec.training.steps}")
    for spec, reason in now.failed:
        table.add_row(*_words(spec), f"failed: {reason}")
    for spec, problem in now.damaged:
        table.add_row(*_words(spec), f"damaged: {problem}")
    return table


def _words(spec: RunSpec) -> tuple[str, str, str, str]:
    return spec.id, str(spec.task), str(spec.position), str(spec.seed)


def show_table(specs: Sequence[RunSpec], store: Store) -> None:
    """Print one row per configuration: what varies, how many seeds, mean exact match by range."""
    from lengthwise.runs.index import rows

    found = {row["id"]: row for row in rows(store)}
    groups: defaultdict[tuple[Any, ...], list[tuple[RunSpec, list[float]]]] = defaultdict(list)
    columns = varying(specs)
    for spec in specs:
        row = found.get(spec.id)
        if row and row["state"] == "done":
            groups[tuple(_field(spec, name) for name in columns)].append((spec, row["accuracies"]))
    if groups:
        print_table([_group_row(columns, key, members) for key, members in groups.items()])


def varying(specs: Sequence[RunSpec]) -> list[str]:
    """Return the fields, but the seed, in which runs differ; task and encoding always."""
    names = [name for name in FIELDS if name not in ("seed", "preset", "evaluation.lengths")]
    return [
        name
        for name in names
        if name in ("task", "position") or len({str(_field(s, name)) for s in specs}) > 1
    ]


def _field(spec: RunSpec, name: str) -> Any:
    value: Any = spec
    for part in name.split("."):
        value = getattr(value, part)
    return str(value)


def _group_row(
    columns: list[str], key: tuple[Any, ...], members: list[tuple[RunSpec, list[float]]]
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


def print_outcome(outcome: Outcome, specs: Sequence[RunSpec]) -> None:
    """Say how many runs ended how, and why those failed that did."""
    damaged = f", {len(outcome.damaged)} damaged" if outcome.damaged else ""
    lost = f", {outcome.lost} lost workers replaced" if outcome.lost else ""
    sys.stderr.write(
        f"{len(outcome.done)} runs done now, {len(outcome.before)} before, "
        f"{len(outcome.failed)} failed{damaged}{lost}\n"
    )
    by_id = {spec.id: spec for spec in specs}
    for run, reason in outcome.failed.items():
        spec = by_id[run]
        sys.stderr.write(f"failed: {run} {spec.task} {spec.position} seed {spec.seed}: {reason}\n")
    if outcome.failed:
        sys.stderr.write("give the command with --retry to try these again\n")
    name_damage(outcome.damaged)
    if outcome.damaged:
        sys.stderr.write("these count as not done; give the command with --repair to mend them\n")


def read_parameters(texts: Sequence[str], executor: str) -> dict[str, Any]:
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


def choice_row(choice: "Choice") -> dict[str, Any]:
    """Return a selected configuration as a row."""
    return {
        **_configuration(choice.spec),
        "exact match": choice.accuracy,
        "perfect in distribution": f"{choice.eligible} of {choice.tried}",
    }


def repeats_row(repeats: "Repeats") -> dict[str, Any]:
    """Return the repetitions of a configuration as a row."""
    return {
        **_configuration(repeats.spec),
        "exact match": repeats.accuracy,
        "successful seeds": f"{len(repeats.successes)} of {repeats.tried} tried",
    }


def _configuration(spec: RunSpec) -> dict[str, Any]:
    return {
        "task": str(spec.task),
        "encoding": str(spec.position),
        "layers": spec.model.layers,
        "heads": spec.model.heads,
        "width": spec.model.width,
        "learning rate": spec.training.learning_rate,
    }
