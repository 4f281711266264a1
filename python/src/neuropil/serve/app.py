# SPDX-License-Identifier: Apache-2.0
"""The paths of NEST Server."""

from __future__ import annotations

import importlib.util
import json
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from neuropil import nest

from .. import errors as native
from ..engine import build_info
from . import calls, scripts, values
from .errors import Gone, NotFound, TooBig, answer, status
from .gate import HEADER, Gate
from .turns import Turns

__all__ = ["DESKTOP", "Settings", "application", "desktop_files"]

DESKTOP = "/desktop"  # where the files of NEST Desktop are, if it is installed
_PORT_OF_DESKTOP = 54286  # of the command nest-desktop
_ORIGINS = tuple(f"http://{host}:{_PORT_OF_DESKTOP}" for host in ("localhost", "127.0.0.1"))


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server allows.

    token : clients send it in the header NESTServerAuth
    scripts : a key of `scripts.KINDS`
    origins : pages of these origins may ask, besides those of the command nest-desktop and the server's own
    largest : bytes of a request
    """

    token: str = field(repr=False)
    scripts: str = "off"
    origins: tuple[str, ...] = ()
    largest: int = 64 * 1024 * 1024

    def __post_init__(self) -> None:
        """Raises BadParameter."""
        if not re.fullmatch(r"[A-Za-z0-9_.~-]{8,}", self.token):
            raise native.bad_parameter("token", "...", "at least 8 letters, digits, or - . _ ~")
        if self.scripts not in scripts.KINDS:
            allowed = "; ".join(f"{kind} ({what})" for kind, what in scripts.KINDS.items())
            raise native.bad_parameter("scripts", self.scripts, f"one of: {allowed}")
        for origin in self.origins:
            if not re.fullmatch(r"https?://[^/*\s]+", origin):
                raise native.bad_parameter("origin", origin, "the begin of an address, as http://localhost:8000")


def application(settings: Settings, turns: Turns) -> FastAPI:
    """The server's application; calls are made by `turns`."""
    app = FastAPI(title="NEST Server on neuropil", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Gate, token=settings.token, open_path=DESKTOP)
    allowed = [*_ORIGINS, *settings.origins]
    app.add_middleware(CORSMiddleware, allow_origins=allowed, allow_methods=["GET", "POST"], allow_headers=[HEADER, "Content-Type"])
    app.add_exception_handler(HTTPException, _no_path)
    _add_paths(app, settings, turns)
    if files := desktop_files():
        app.mount(DESKTOP, StaticFiles(directory=files, html=True))
    return app


def _add_paths(app: FastAPI, settings: Settings, turns: Turns) -> None:
    async def made(request: Request, work: Callable[[bytes], Any]) -> Response:
        what = f"{request.method} {request.url.path}"
        try:
            body = await _body(request, settings.largest)
            found = await turns.turn(what, lambda: values.dumped(work(body), f"answer of {what}"), _gone(request))
        except Exception as error:
            if status(error) == 500:
                traceback.print_exception(error)
            return _refusal(error)
        return Response(found, media_type="application/json")

    @app.get("/")
    async def about() -> dict[str, str]:
        return {"nest": nest.__version__, "neuropil": build_info()["version"]}

    @app.get("/api")
    async def listed() -> list[str]:
        return sorted(calls.functions())

    @app.get("/api/{name}")
    async def read(name: str, request: Request) -> Response:
        given = {key: _argument(request.query_params.getlist(key)) for key in request.query_params}
        return await made(request, lambda _: calls.call(name, given, read=True))

    @app.post("/api/{name}")
    async def call(name: str, request: Request) -> Response:
        return await made(request, lambda body: calls.call(name, values.parsed(body, f"/api/{name}")))

    @app.post("/exec")
    async def execute(request: Request) -> Response:
        return await made(request, lambda body: scripts.run(values.parsed(body, "/exec"), settings.scripts))


def _argument(given: list[str]) -> Any:
    """An argument of a query: JSON, or text. Several of one name are a list."""
    found = []
    for each in given:
        try:
            found.append(json.loads(each))
        except ValueError:
            found.append(each)
    return found[0] if len(found) == 1 else found


async def _body(request: Request, largest: int) -> bytes:
    """The body of a request. Raises TooBig, Gone."""
    parts, length = [], 0
    try:
        async for part in request.stream():
            length += len(part)
            if length > largest:
                raise TooBig(f"the body of {request.url.path} has more than {largest} bytes, the most that is read")
            parts.append(part)
    except ClientDisconnect as error:
        raise Gone(f"{request.url.path}: its client has gone before the end of the body") from error
    return b"".join(parts)


async def _gone(request: Request) -> None:
    """Ends when the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refusal(error: Exception) -> Response:
    return Response(json.dumps(answer(error)), status(error), media_type="application/json")


async def _no_path(request: Request, error: Exception) -> Response:
    """Paths and methods that the server does not have."""
    code = getattr(error, "status_code", 404)
    text = "POST /exec, GET and POST /api/FUNCTION, GET /api and GET /"
    refused = NotFound(f"{request.method} {request.url.path}: {'no such method here' if code == 405 else 'no such path'}; there are {text}")
    return Response(json.dumps(answer(refused)), code, media_type="application/json")


def desktop_files() -> Path | None:
    """The folder of NEST Desktop's pages; None where it is not installed."""
    found = importlib.util.find_spec("nest_desktop")
    folder = Path(found.origin).with_name("app") if found is not None and found.origin else None
    return folder if folder is not None and folder.is_dir() else None
