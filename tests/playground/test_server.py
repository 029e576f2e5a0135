"""The door: who is let in, what is served, and what never is."""

import http.client
import json
import socket
import threading
import time

import pytest

from lengthwise.core.errors import InputError
from lengthwise.playground.server import HEADERS, STATIC, Playground
from lengthwise.playground.workers import CancelledError, Workers
from tests.playground.conftest import fetch


def test_the_page_and_its_files_are_served_with_strict_headers(playground):
    for path in ("", *(f"static/{name}" for name in STATIC)):
        status, content, headers = fetch(playground, path)
        assert status == 200, path
        assert content
        for name, value in HEADERS.items():
            assert headers[name] == value
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    # WebAssembly may be compiled, for Graphviz; no text is ever evaluated and nothing is inline
    assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
    assert "http" not in policy


def test_the_page_asks_for_nothing_elsewhere_and_has_no_inline_code(playground):
    _, content, _ = fetch(playground, "")
    page = content.decode()
    assert "http://" not in page
    assert "https://" not in page
    assert "<style" not in page
    assert "onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src=') == 1


@pytest.mark.parametrize("token", ["", "x", "static", "x" * 32, "%00", "..", "%2e%2e"])
def test_requests_without_the_token_are_refused(playground, token):
    for path, body in (("", None), ("static/app.js", None), ("api/runs", {})):
        status, content, headers = fetch(playground, path, body, token=token)
        assert status == 403
        assert playground.token.encode() not in content
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_token_without_its_slash_or_with_more_is_refused(playground):
    for token in (playground.token[:-1], playground.token + "x", playground.token.lower()):
        if token != playground.token:
            assert fetch(playground, "", token=token)[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", ""]
)
def test_other_hosts_are_refused(playground, host):
    assert fetch(playground, "", Host=host)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost", "file://"])
def test_other_origins_are_refused(playground, origin):
    assert fetch(playground, "api/runs", {}, Origin=origin)[0] == 403


def test_localhost_is_a_name_of_this_machine(playground):
    host = f"localhost:{playground.server_port}"
    assert fetch(playground, "", Host=host, Origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "static/../server.py",
        "static/%2e%2e/server.py",
        "static/..%2fserver.py",
        "static//etc/passwd",
        "static/",
        "static/app.js/",
        "static/app.js%00.css",
        "../../../etc/passwd",
        "templates/index.html",
        "app.js",
        "api/",
        "runs",
    ],
)
def test_path_tricks_reach_no_other_file(playground, path):
    connection = http.client.HTTPConnection("127.0.0.1", playground.server_port)
    connection.request("GET", f"/{playground.token}/{path}")
    response = connection.getresponse()
    assert response.status == 404
    assert b"root:" not in response.read()
    connection.close()


def test_only_known_methods_are_answered(playground):
    connection = http.client.HTTPConnection("127.0.0.1", playground.server_port)
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        connection.request(method, f"/{playground.token}/")
        assert connection.getresponse().status == 501
        connection.close()


def test_bad_bodies_are_refused(playground):
    assert fetch(playground, "api/runs", data=b"{")[0] == 400
    assert fetch(playground, "api/runs", data=b"[" * 100_000)[0] == 400
    assert fetch(playground, "api/runs", {}, Content_Type="text/plain")[0] == 415
    assert fetch(playground, "api/nothing", {})[0] == 404
    for size, status in (("300000", 413), ("9" * 50, 413), ("x", 411), ("-1", 411)):
        connection = http.client.HTTPConnection("127.0.0.1", playground.server_port)
        connection.putrequest("POST", f"/{playground.token}/api/runs")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", size)
        connection.endheaders()
        assert connection.getresponse().status == status
        connection.close()


def test_answers_are_json_also_for_what_is_not_an_object(playground):
    for body in (None, [], 3, "x"):
        status, content, _ = fetch(playground, "api/runs", data=json.dumps(body).encode())
        assert status == 200
        assert json.loads(content) == json.loads(content) | {"ok": False}


def test_a_question_is_answered(playground):
    status, content, _ = fetch(playground, "api/runs", {"filter": "nope"})
    assert (status, json.loads(content)["total"]) == (200, 2)


def test_only_this_machine_is_listened_to(playground):
    assert playground.server_address[0] == "127.0.0.1"
    with Playground(Workers()) as other:
        assert other.token != playground.token
        assert len(other.token) >= 32


class Listening(Workers):
    """Workers that wait until the question is dropped."""

    def answer(self, action, request, gone=lambda: False):
        self.asked.set()
        while not gone():
            time.sleep(0.01)
        self.dropped.set()
        raise CancelledError


def test_a_dropped_connection_reaches_the_computation():
    pool = Listening()
    pool.asked, pool.dropped = threading.Event(), threading.Event()
    with Playground(pool) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = socket.create_connection(("127.0.0.1", server.server_port))
        head = (
            f"POST /{server.token}/api/runs HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        )
        client.sendall(head.encode())
        assert pool.asked.wait(20)
        assert not pool.dropped.is_set()
        client.close()
        assert pool.dropped.wait(20)
        server.shutdown()


def test_a_taken_port_is_a_sentence():
    with Playground(Workers()) as server, pytest.raises(InputError, match="--port"):
        Playground(Workers(), server.server_port)
