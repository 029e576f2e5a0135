"""The views of the store: its runs, their curves, and a sweep as it goes.

A run or a sweep is only ever named by what the store itself lists; nothing a request says becomes
part of a path.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lengthwise.core.errors import InputError, unknown
from lengthwise.playground import commands, requests
from lengthwise.playground.first_words import example_of
from lengthwise.records.record import STATES
from lengthwise.report.curve_parts import series_data
from lengthwise.report.curves import pool_runs
from lengthwise.report.document import Panel
from lengthwise.report.measured import Measured, from_record
from lengthwise.report.run_command import command
from lengthwise.report.stills import filled
from lengthwise.report.vega import curve_template, styles
from lengthwise.runs.index import damaged, detail, rows, summary
from lengthwise.runs.status import status, sweep_of
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import SWEEPS

if TYPE_CHECKING:
    from lengthwise.records.record import Record
    from lengthwise.records.spec import RunSpec
    from lengthwise.report.curves import Curve
    from lengthwise.report.measured import Measured

SEARCHED = ("task", "position", "id", "state")
"""What the filter of the list looks at."""


FIRST_SWEEP = """\
[axes]
task = ["binary-majority", "parity"]
position = ["nope", "ape"]
seed = [0]

[fixed]
"training.length" = [1, 20]
"training.steps" = 500
"""
"""What an empty live view suggests."""


def runs(request: Mapping[str, Any]) -> dict[str, Any]:
    """List the newest runs, of one state or whose task, encoding or id holds some text."""
    requests.refuse_others(request, ("filter", "state", "store", "seconds"))
    wanted = requests.read_text(request, "filter", requests.SMALL_TEXT).strip().lower()
    state = requests.read_choice(request, "state", ("any", *STATES))
    store = _store(request)
    listed = rows(store)
    found = [
        row
        for row in reversed(listed)
        if state in ("any", row["state"])
        and wanted in " ".join(str(row[name]) for name in SEARCHED if row[name]).lower()
    ]
    return {
        "runs": found[: requests.LISTED_RUNS],
        "total": len(found),
        "damaged": damaged(listed),
        "store": str(store.root),
        "commands": [_listing(wanted, state, store)],
    }


def _listing(wanted: str, state: str, store: Store) -> commands.Command:
    """List with the plain command; a filter needs a query."""
    words = ["runs", "list", *([] if state == "any" else ["--state", state])]
    if wanted:
        text = wanted.replace("'", "''")
        sql = "select id, state, task, position, seed, accuracies from runs where "
        sql += f"contains(lower(concat_ws(' ', {', '.join(SEARCHED)})), '{text}')"
        words = ["runs", "query", sql + ("" if state == "any" else f" and state = '{state}'")]
    return commands.command("List the runs", *words, *commands.at(store.root))


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return one run: its specification, its ranges of lengths, and how to make it again."""
    requests.refuse_others(request, ("id", "store", "seconds"))
    store = _store(request)
    record = _record(store, requests.read_text(request, "id", requests.SMALL_TEXT, needed=True))
    known = detail(record)
    keep = ("id", "state", "task", "position", "seed", "steps", "stopped", "seconds", "problem")
    return {
        **{name: known[name] for name in keep},
        "bins": known["bins"],
        "history": known["history"][-200:],
        "spec": known["spec"],
        **(example_of(record.spec) if record.state == "done" else {}),
        "commands": [*_made_by(record.spec, store), _show(record, store)],
    }


def _made_by(spec: "RunSpec | None", store: Store) -> list[commands.Command]:
    """Say how a run was made; one that names a Python file is not looked into, as that runs it."""
    if spec is None or any(".py" in str(part) for part in (spec.task, spec.position)):
        return []
    where = "".join(" " + word for word in commands.quoted(commands.at(store.root)))
    return [{"label": "Make this run", "command": command(spec) + where}]


def _show(record: "Record", store: Store) -> commands.Command:
    words = ["runs", "list", record.id, *commands.at(store.root)]
    return commands.command("Show this run", *words, *([] if record.result else ["--json"]))


def curves(request: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the curves of some runs together, seeds pooled or apart."""
    requests.refuse_others(request, ("ids", "pooled", "log", "store", "seconds"))
    store = _store(request)
    records = [_record(store, name) for name in _ids(request)]
    found = [_measured(record) for record in records]
    drawn = (
        pool_runs(found)
        if request.get("pooled")
        else [c for one in found for c in pool_runs([one])]
    )
    names = [_name(curve) for curve in drawn]
    if not request.get("pooled"):
        names = [f"{name}, seed {one.seed}" for name, one in zip(names, found, strict=True)]
    return {
        "chart": _chart(drawn, names, log=bool(request.get("log"))),
        "styles": styles(names),
        "series": [
            {"name": name, "seeds": curve.seeds, "bins": _bins(curve)}
            for name, curve in zip(names, drawn, strict=True)
        ],
        "commands": _page(records, store),
    }


def _chart(drawn: "Sequence[Curve]", names: Sequence[str], *, log: bool) -> dict[str, Any]:
    """Return one chart of all curves; trained lengths are shaded where all share them."""
    trained = {curve.trained for curve in drawn}
    panel = Panel(
        title="",
        note="",
        trained=trained.pop() if len(trained) == 1 else (0, 0),
        series=[series_data(curve, number) for number, curve in enumerate(drawn)],
        lines=[],
        measured="",
    )
    return filled(panel, curve_template(names), names, log=log)


def _page(records: "Sequence[Record]", store: Store) -> list[commands.Command]:
    """Return the command for a page of the finished runs among some."""
    done = [record.id for record in records if record.result is not None]
    words = ["report", *done, "-o", "playground.html", *commands.at(store.root)]
    return [commands.command("The same curves as a page", *words)] if done else []


def _ids(request: Mapping[str, Any]) -> list[str]:
    ids = request.get("ids")
    if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
        raise InputError("ids: expected a list of run ids.")
    if not ids:
        raise InputError("choose at least one run.")
    if len(ids) > requests.COMPARED:
        raise InputError(f"{len(ids)} runs; at most {requests.COMPARED} are drawn together.")
    return list(dict.fromkeys(ids))


def _name(curve: "Curve") -> str:
    parts = [curve.task, curve.encoding, curve.configuration, curve.group]
    return ", ".join(filter(None, parts))


def _bins(curve: "Curve") -> list[list[str]]:
    return [
        [bin_.name, f"{bin_.accuracy:.1%}", "{:.1%} to {:.1%}".format(*bin_.interval)]
        for bin_ in curve.bins
    ]


def _measured(record: "Record") -> "Measured":
    """Return a run for drawing; one under way stands for its newest evaluation."""
    if record.result is not None:
        return from_record(record)
    bins = record.bins
    if record.spec is None or not bins:
        why = record.problem or "it has not been evaluated yet"
        raise InputError(f"run {record.id} has no curve: {why}.")
    spec = record.spec
    return Measured(
        task=str(spec.task),
        encoding=str(spec.position),
        trained=spec.training.length,
        bins=bins,
        seed=spec.seed,
        id=spec.id,
        group=record.state,
        spec=spec,
    )


def sweep(request: Mapping[str, Any]) -> dict[str, Any]:
    """Say where a sweep stands now; without a name, the newest."""
    requests.refuse_others(request, ("name", "store", "seconds"))
    store = _store(request)
    names = _sweep_names(store)
    if not names:
        start = commands.command("Start it", "sweep", "sweep.toml", *commands.at(store.root))
        none = {"sweep": None, "sweeps": [], "store": str(store.root), "over": False}
        return {**none, "example": FIRST_SWEEP, "commands": [start]}
    chosen = requests.read_text(request, "name", requests.SMALL_TEXT) or names[0]
    if chosen not in names:
        raise unknown("sweep", chosen, names)
    name, specs = sweep_of(store, chosen)
    now = status(store, specs)
    return {
        "sweep": name,
        "sweeps": names,
        "total": now.total,
        "done": now.done,
        "waiting": now.waiting,
        "over": now.over,
        "seconds_left": now.seconds_left,
        "running": [_progress(store, spec, step) for spec, step in now.running],
        "failed": [{**_brief(spec), "reason": reason} for spec, reason in now.failed],
        "damaged": [{**_brief(spec), "reason": problem} for spec, problem in now.damaged],
        "finished": _finished(store, specs),
        "commands": [
            commands.command(
                "Watch from a terminal", "runs", "watch", name, *commands.at(store.root)
            )
        ],
    }


def _sweep_names(store: Store) -> list[str]:
    paths = (store.root / SWEEPS).glob("*.json")
    return [p.stem for p in sorted(paths, key=lambda p: p.lstat().st_mtime_ns, reverse=True)]


def _brief(spec: "RunSpec") -> dict[str, Any]:
    return {
        "id": spec.id,
        "task": str(spec.task),
        "position": str(spec.position),
        "seed": spec.seed,
    }


def _progress(store: Store, spec: "RunSpec", step: int) -> dict[str, Any]:
    accuracies = summary(store.record(store.folder(spec)))["accuracies"]
    return {**_brief(spec), "step": step, "steps": spec.training.steps, "accuracies": accuracies}


def _finished(store: Store, specs: "Sequence[RunSpec]") -> list[dict[str, Any]]:
    """Return the finished runs of a sweep, newest first."""
    mine = {spec.id for spec in specs}
    done = [row for row in rows(store) if row["id"] in mine and row["state"] == "done"]
    keep = ("id", "task", "position", "seed", "accuracies")
    return [{name: row[name] for name in keep} for row in reversed(done[-requests.LISTED_RUNS :])]


def _store(request: Mapping[str, Any]) -> Store:
    """Return the store that the server was started with; pages cannot name another."""
    return Store(request.get("store"))


def _record(store: Store, name: str) -> "Record":
    """Return a run that the store lists under exactly this id."""
    folders = {folder.name: folder for folder in store.folders()}
    if name not in folders:
        raise InputError(f"the store has no run {name[:40]!r}.")
    return store.record(folders[name])
