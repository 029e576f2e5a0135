"""The playground's HTTP: this machine only, a secret in every address, a fixed set of files.

Every answer is one connection (HTTP/1.0), so a page that cancels or closes drops its connection and
that is how the server learns that a computation is no longer wanted.
"""

import hmac
import json
import secrets
import select
import socket
from collections.abc import Callable
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

from lengthwise._version import __version__
from lengthwise.core.errors import InputError
from lengthwise.playground import api, requests
from lengthwise.playground.workers import CancelledError, Workers
from lengthwise.report.vega import vega_bundle

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
SCRIPTS = (
    *("address", "app", "ask", "automaton", "changes", "charts", "check_certificate"),
    *("disagreement", "dom", "gallery", "language", "live", "program", "runs", "step"),
)
STATIC = ("app.css", "icon.svg", "vega.js", "vendor/viz.js", *(f"{name}.js" for name in SCRIPTS))
"""The only files that are served; a request can name no other."""


def static_file(name: str) -> bytes:
    """Return the content of one of them; the charts' script is made by the installed libraries."""
    if name == "vega.js":
        return vega_bundle().encode()
    return resources.files("lengthwise.playground").joinpath("static", name).read_bytes()


def render_page(**values: Any) -> str:
    """Return the one page, for the server or for a site without one."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("lengthwise.playground"), autoescape=True)
    environment.trim_blocks = environment.lstrip_blocks = True
    template = environment.get_template("index.html")
    return template.render(version=__version__, limits=requests.table(), **values)


HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
        "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Playground(ThreadingHTTPServer):
    """The server; its ``address`` holds the token.

    Example:
        >>> with Playground(Workers()) as server:
        ...     server.address.startswith("http://127.0.0.1:")
        True
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, workers: Workers, port: int = 0) -> None:
        self.workers = workers
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except (OSError, OverflowError) as error:
            raise InputError(f"--port {port}: cannot listen there ({error}).") from None

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Names under which a browser may call; any other is another site's trick."""
        return frozenset(f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost"))

    @cached_property
    def page(self) -> bytes:
        """The one page."""
        workers = self.workers
        return render_page(store=workers.store, seconds=workers.seconds).encode()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about connections that break; they are the browser's business."""

    def server_close(self) -> None:
        """Stop listening and kill what still runs."""
        self.workers.close()
        super().server_close()


class _RefusedError(Exception):
    """A request that is not answered, with the status and the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Playground  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "lengthwise", ""
    timeout = 30

    def do_GET(self) -> None:
        """Serve the page and its few files."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """Answer one question of the page."""
        self._serve(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: addresses hold the token."""

    def _serve(self, respond: Callable[[str], None]) -> None:
        try:
            respond(self._admitted())
        except _RefusedError as refusal:
            text = f"{refusal.status.value} {refusal.status.phrase}: {refusal.reason}\n"
            self._send(refusal.status, "text/plain", text.encode())
        except CancelledError:
            self.close_connection = True

    def _get(self, path: str) -> None:
        name = path.removeprefix("static/")
        if path == "":
            self._send(HTTPStatus.OK, "text/html", self.server.page)
        elif path != name and name in STATIC:
            kind = TYPES[name.rpartition(".")[2]]
            self._send(HTTPStatus.OK, kind, static_file(name))
        else:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here.")

    def _post(self, path: str) -> None:
        action = path.removeprefix("api/")
        if path == action or action not in api.ACTIONS:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here.")
        found = self.server.workers.answer(action, self._body(), self._gone)
        self._send(HTTPStatus.OK, "application/json", json.dumps(found).encode())

    def _admitted(self) -> str:
        """Return the path behind the token; refuse who does not know it or calls from elsewhere."""
        hosts, origin = self.server.hosts, self.headers.get("Origin")
        if self.headers.get("Host") not in hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong host.")
        if origin is not None and origin.removeprefix("http://") not in hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong origin.")
        token, slash, path = self.path.partition("?")[0].removeprefix("/").partition("/")
        mine = self.server.token.encode()
        if not hmac.compare_digest(token.encode("utf-8", "replace"), mine) or not slash:
            reason = "open the whole address that `lengthwise ui` printed."
            raise _RefusedError(HTTPStatus.FORBIDDEN, reason)
        return path

    def _body(self) -> Any:
        """Read a JSON body."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "say how long the request is.")
        if len(length) > 12 or int(length) > requests.BODY_BYTES:
            text = f"the limit is {requests.BODY_BYTES:,} bytes."
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        if self.headers.get_content_type() != "application/json":
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json.")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "this is not JSON.") from None

    def _gone(self) -> bool:
        """Whether the other side has closed the connection."""
        ready, _, _ = select.select([self.connection], [], [], 0)
        if not ready:
            return False
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True
