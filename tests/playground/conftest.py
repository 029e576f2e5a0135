"""A small store with finished runs, and a running playground."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from lengthwise.playground.server import Playground
from lengthwise.playground.workers import Workers
from lengthwise.records.spec import RunSpec
from lengthwise.runs.execute import execute
from lengthwise.runs.store import Store
from lengthwise.runs.sweep import note_sweep

PAYLOAD = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def spec(position: str, seed: int) -> RunSpec:
    return RunSpec.create(
        task="parity",
        position=position,
        seed=seed,
        training={"length": (1, 10), "steps": 20},
        evaluation={"lengths": ((11, 20),), "instances": 50},
    )


def bins(share: float) -> list[dict[str, Any]]:
    return [
        {
            "low": low,
            "high": low + 9,
            "correct": {str(n): round(10 * share) for n in range(low, low + 10)},
            "total": {str(n): 10 for n in range(low, low + 10)},
        }
        for low in (1, 11)
    ]


@pytest.fixture(scope="session")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Three finished runs, one failed with markup in its reason, one only begun; one sweep."""
    store = Store(tmp_path_factory.mktemp("playground") / "runs")
    specs = [spec("nope", 0), spec("nope", 1), spec("ape", 0), spec("ape", 1), spec("ape", 2)]
    for number, one in enumerate(specs):
        folder = store.open(one)
        if number < 3:
            result = {
                "steps": 20,
                "stopped": "all steps taken",
                "bins": bins(1 - number / 4),
                "history": [{"step": 20, "loss": 0.5, "bins": bins(1 - number / 4)}],
                "seconds": 1.5,
                "environment": {},
            }
            (folder / "result.json").write_text(json.dumps(result))
    (store.folder(specs[3]) / "failure.json").write_text(json.dumps({"reason": PAYLOAD}))
    event = {"step": 10, "loss": 0.6, "bins": bins(0.5)}
    (store.folder(specs[4]) / "events.jsonl").write_text(json.dumps(event) + "\n")
    note_sweep(store, "demo", specs)
    (store.root.parent / "secret.json").write_text('{"secret": true}')
    return store


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, RunSpec]:
    """A run that was hardly trained, with its weights."""
    made = RunSpec.create(
        task="parity",
        position="nope",
        model={"layers": 2, "heads": 2, "width": 16},
        training={"length": (1, 6), "steps": 2, "batch": 4},
        evaluation={"lengths": ((7, 12),), "instances": 4},
    )
    store = Store(tmp_path_factory.mktemp("trained") / "runs")
    execute(made, store)
    return store, made


@pytest.fixture(scope="session")
def playground(small_store: Store) -> Iterator[Playground]:
    """A server whose workers are warm."""
    with Playground(Workers(store=str(small_store.root), seconds=120.0)) as server:
        server.workers.warm_up()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def fetch(
    server: Playground,
    path: str,
    body: Any = None,
    *,
    token: str | None = None,
    data: bytes | None = None,
    **headers: str,
) -> tuple[int, bytes, Any]:
    """Ask the server; return the status, the content and the headers."""
    secret = server.token if token is None else token
    address = f"http://127.0.0.1:{server.server_port}/{secret}/{path}"
    content = data if data is not None else None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json"} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    request = urllib.request.Request(address, content, given)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read(), response.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), error.headers
