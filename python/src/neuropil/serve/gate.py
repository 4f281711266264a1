# SPDX-License-Identifier: Apache-2.0
"""Who may ask: clients of this machine that know the token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .errors import Refused, answer, status

__all__ = ["HEADER", "LOCAL", "Gate"]

HEADER = "NESTServerAuth"
LOCAL = ("localhost", "127.0.0.1", "[::1]")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Gate:
    """Lets requests through that come by a local name, against DNS rebinding, and that know the token. `open_path`: needs no token, nor does what is below it."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str, open_path: str) -> None:
        self.app = app
        self.token = token.encode()
        self.open_path = open_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. Anything but HTTP goes on to the application."""
        try:
            if scope["type"] == "http":
                self.check(dict(scope["headers"]), scope["path"])
        except Refused as error:
            body = json.dumps(answer(error)).encode()
            head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": status(error), "headers": head})
            await send({"type": "http.response.body", "body": body})
        else:
            await self.app(scope, receive, send)

    def check(self, headers: dict[bytes, bytes], path: str) -> None:
        """Raises Refused."""
        host = headers.get(b"host", b"").decode("latin-1")
        if host.rpartition(":")[0] not in LOCAL and host not in LOCAL:
            raise Refused(f"Host = {host!r}: must be {', '.join(LOCAL)}, as the server is for this machine only")
        given = headers.get(HEADER.lower().encode())
        if f"{path}/".startswith(f"{self.open_path}/"):
            return
        if given is None:
            raise Refused(f"the header {HEADER} is missing: it must be the token that `neuropil serve` has printed")
        if not secrets.compare_digest(given, self.token):
            raise Refused(f"{HEADER}: not the token of this server, which `neuropil serve` has printed")
