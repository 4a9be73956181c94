"""The studio as a page served on this machine alone.

What it refuses: any address but 127.0.0.1; a Host or an Origin that is not its own, so that no
other page reaches it; a question without the token of the address; more bytes than it can bear.
It reads the file it was started with and what is dropped on the page, and writes no file: what is
saved goes through the browser. Nothing that is dropped is unpickled.
"""

import hmac
import json
import re
import secrets
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.resources import files
from os import PathLike
from typing import TYPE_CHECKING, Any

from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.report.render import environment
from counterpoint.studio.downloads import DOWNLOADS
from counterpoint.studio.session import Session
from counterpoint.tabular.table_model import TableModel

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"
MOST_DROPPED = 512 * 2**20
"""Bytes of a table that may be dropped on the page."""
_MOST_ASKED = 8 * 2**20
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_TOKEN = "x-studio-token"


def _within(sheet: str) -> str:
    """Return the rules of a style sheet for what is in a studio, and nothing around it."""

    def rule(found: re.Match[str]) -> str:
        names = ", ".join(f".studio {name.strip()}" for name in found[1].split(","))
        return f"{names} {{{found[2]}}}\n"

    return _RULE.sub(rule, _COMMENT.sub("", sheet)).strip() + "\n"


# What pages of the report are made of, and what becomes of it here.
_SHARED: dict[str, Callable[[str], str]] = {
    "palette.css": str,
    "marks.css": _within,
    "shared.js": lambda text: text + "\nexport { MINUS, SPACE, number, percent, placeTip };\n",
}


def page_file(name: str) -> bytes | None:
    """Return a file of the page; None if there is none of that name."""
    if name in _SHARED:
        text = environment().get_template(name).render()
        return _SHARED[name](text).encode("utf-8")
    folder = files("counterpoint.studio").joinpath("page")
    if name not in {entry.name for entry in folder.iterdir()}:
        return None
    return folder.joinpath(name).read_bytes()


def make_app(session: Session, token: str, port: int) -> "Starlette":
    """Return the application that answers for a session.

    Parameters
    ----------
    session : Session
    token : str
        Who knows it may ask.
    port : int
        The port it is served on: the only one that Host and Origin may name.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    def told(error: Exception, status: int = 400) -> Response:
        return JSONResponse({"error": str(error) or type(error).__name__}, status)

    async def page(request: "Request") -> "Response":
        name = request.path_params.get("name") or "index.html"
        content = page_file(name)
        if content is None:
            return JSONResponse({"error": "There is no such page."}, 404)
        kind = next((k for ending, k in _KINDS.items() if name.endswith(ending)), "text/plain")
        return Response(content, media_type=kind)

    async def ask(request: "Request") -> "Response":
        content = await _read(request, _MOST_ASKED)
        if content is None:
            return told(ValueError("That is more than a question may hold."), 413)
        try:
            data = json.loads(content or b"{}")
            if not isinstance(data, dict):
                raise ValueError("Ask with an object of names and values.")
            answer = await run_in_threadpool(session.answer, request.path_params["question"], data)
        except (ValueError, TypeError, KeyError, IndexError, OSError) as error:
            return told(error)
        except Exception as error:  # a defect of ours: say it here and there, and go on
            traceback.print_exc()
            return told(error, 500)
        return JSONResponse(answer)

    async def drop(request: "Request") -> "Response":
        content = await _read(request, MOST_DROPPED)
        if content is None:
            limit = f"{MOST_DROPPED // 2**20} MB"
            return told(ValueError(f"The file has more than {limit}: name it when you start."), 413)
        name = request.query_params.get("name", "table.csv").replace("\\", "/").rsplit("/")[-1]
        try:
            return JSONResponse(await run_in_threadpool(session.drop, name, content))
        except (ValueError, TypeError, KeyError, OSError, ImportError) as error:
            return told(error)

    def events(start: int) -> Iterator[str]:
        job = session.job
        if job is None:
            return
        for number, event in job.follow(start):
            if event is None:
                yield ": still at it\n\n"
            else:
                yield f"id: {number}\ndata: {json.dumps(event, allow_nan=False)}\n\n"

    async def follow(request: "Request") -> "Response":
        given = request.query_params.get("from", "0")
        start = int(given) if given.isascii() and given.isdigit() else 0
        return StreamingResponse(events(start), media_type="text/event-stream")

    async def download(request: "Request") -> "Response":
        content = await _read(request, _MOST_ASKED)
        try:
            make, kind = DOWNLOADS[request.path_params["what"]]
            made = await run_in_threadpool(make, session, json.loads(content or b"{}"))
        except (ValueError, TypeError, KeyError, ImportError) as error:
            return told(error)
        return Response(made, media_type=kind)

    routes = [
        Route("/", page),
        Route("/api/drop", drop, methods=["POST"]),
        Route("/api/events", follow),
        Route("/api/download/{what}", download, methods=["POST"]),
        Route("/api/{question}", ask, methods=["POST"]),
        Route("/{name}", page),
    ]
    guard = Middleware(_Guard, token=token, port=port)
    return Starlette(routes=routes, middleware=[guard])


async def _read(request: "Request", most: int) -> bytes | None:
    """Read what was sent, but not more than so many bytes; None if there are more."""
    try:
        if int(request.headers.get("content-length", "0")) > most:
            return None
    except ValueError:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


class _Guard:
    """Lets in what comes from the page itself, and nothing else."""

    def __init__(self, app: Any, token: str, port: int):
        self.app, self.token = app, token
        self.hosts = {f"{HOST}:{port}".encode(), f"localhost:{port}".encode()}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        why = self._why_not(scope)
        if why:
            from starlette.responses import JSONResponse

            refused = JSONResponse({"error": why}, 403, headers=_HEADERS)
            await refused(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _why_not(self, scope: Any) -> str:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        if len(headers.get(b"host", [])) != 1 or headers[b"host"][0] not in self.hosts:
            return "This is not the address the studio was opened at."
        origin = headers.get(b"origin")
        if origin is not None and (len(origin) != 1 or origin[0] not in self.origins):
            return "Another page may not ask the studio."
        if headers.get(b"sec-fetch-site", [b"same-origin"])[0] not in (b"same-origin", b"none"):
            return "Another page may not ask the studio."
        if scope["path"].startswith("/api/"):
            given = headers.get(_TOKEN.encode(), [b""])[0]
            if not hmac.compare_digest(given, self.token.encode()):
                return "Open the studio by the address that it printed: the token is missing."
        return ""


class Served:
    """A studio that is being served; :func:`open_studio` makes it.

    Attributes
    ----------
    address : str
        To be opened in a browser; it holds the token, so it is for nobody else.
    session : Session
    """

    def __init__(self, session: Session, port: int = 0):
        try:
            import uvicorn
        except ImportError as error:
            raise ImportError(
                "The studio needs starlette and uvicorn: pip install 'counterpoint[studio]'."
            ) from error
        self.session = session
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
        except OSError as error:
            self._socket.close()
            raise ValueError(f"port={port}: it is taken; leave it out for a free one.") from error
        self.port = self._socket.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{HOST}:{self.port}/#{self.token}"
        config = uvicorn.Config(
            make_app(session, self.token, self.port), log_level="critical", access_log=False,
            lifespan="off", timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until Ctrl-C."""
        self._server.run(sockets=[self._socket])

    def start(self) -> "Served":
        """Serve from a thread, and return when it answers."""
        thread = threading.Thread(target=self.run, daemon=True, name="studio")
        thread.start()
        while not self._server.started:
            if not thread.is_alive():
                raise RuntimeError("The studio could not be served.")
            time.sleep(0.01)
        self._thread = thread
        return self

    def close(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()


def open_studio(
    given: "str | PathLike[str] | MemberOutputs | MemberPredictions | TableModel | None" = None,
    *,
    truth: str | None = None,
    target: str | None = None,
    data: "str | PathLike[str] | None" = None,
    port: int = 0,
    browser: bool = True,
    wait: bool = True,
) -> Served:
    """Serve the studio on this machine and show it in a browser.

    Parameters
    ----------
    given : path, MemberOutputs, MemberPredictions, TableModel or None, default=None
        A table, a model file, a file of predictions, or the same from Python; None: drop one on the
        page.
    truth : str, default=None
        That ``given`` is a file of predictions, and the column of the truth.
    target : str, default=None
        That ``given`` is a table, and the column to predict.
    data : path, default=None
        For a model: a table with labels to look at, in place of the rows it keeps.
    port : int, default=0
        0: any that is free.
    browser : bool, default=True
        Whether to open a browser.
    wait : bool, default=True
        Whether to serve until Ctrl-C; if not, it is served from a thread until ``close()``.

    Returns
    -------
    Served
        With its ``address``.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.studio import open_studio
    >>> outputs = MemberOutputs([[0, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1])
    >>> studio = open_studio(outputs, browser=False, wait=False)
    >>> studio.address.startswith("http://127.0.0.1:")
    True
    >>> studio.close()
    """
    served = Served(Session(given, truth=truth, target=target, data=data), port)
    if browser:
        import webbrowser

        webbrowser.open(served.address)
    if not wait:
        return served.start()
    print(served.address, file=sys.stderr)
    served.run()
    return served
