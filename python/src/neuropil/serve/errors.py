# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (as in neuropil.errors)
"""Errors of requests, and how any error becomes an answer."""

from __future__ import annotations

import traceback
from typing import Any

from neuropil import nest

from ..errors import NeuropilError, UnknownName

__all__ = ["SCRIPT", "Gone", "NotFound", "Refused", "TooBig", "Unavailable", "answer", "status"]

SCRIPT = "<script>"  # file name of scripts in tracebacks


class Refused(NeuropilError):
    """The server does not do this, for anyone or for this client. `line` : of a script, where it is one that is refused."""

    def __init__(self, message: str, line: int = -1) -> None:
        super().__init__(message)
        self.line = line


class NotFound(UnknownName):
    """There is no such path or function."""


class TooBig(NeuropilError, ValueError):
    """The body of a request is too long."""


class Unavailable(NeuropilError):
    """No call is made now: others were running all the time that a call may wait, or the server ends."""


class Gone(NeuropilError):
    """The client has closed the connection; nobody reads the answer."""


_STATUS: tuple[tuple[type[BaseException], int], ...] = (
    (Refused, 403),
    (NotFound, 404),
    (TooBig, 413),
    (Unavailable, 503),
    (Gone, 499),
)
# What a client can have caused. Anything else is a fault of neuropil.
_OF_CLIENTS = (NeuropilError, nest.NESTError, SyntaxError, TypeError, ValueError, LookupError, ArithmeticError, NotImplementedError)


def status(error: BaseException) -> int:
    """The HTTP status of an error."""
    for kind, found in _STATUS:
        if isinstance(error, kind):
            return found
    return 400 if isinstance(error, _OF_CLIENTS) or line_of(error) > 0 else 500


def line_of(error: BaseException) -> int:
    """The line of the script in which an error was raised; -1 outside of scripts, as NEST Server has it."""
    if isinstance(error, Refused):
        return error.line
    if isinstance(error, SyntaxError) and error.filename == SCRIPT:
        return error.lineno or -1
    lines = [frame.lineno or -1 for frame in traceback.extract_tb(error.__traceback__, limit=1000) if frame.filename == SCRIPT]
    return lines[-1] if lines else -1


def answer(error: BaseException) -> dict[str, Any]:
    """What a client is told: `error`, `message` and `lineNumber`, and of neuropil's own errors what they are about."""
    line = line_of(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    where = f" at line {line}" if line > 0 else ""
    message = text if isinstance(error, NeuropilError) and not where else f"{type(error).__name__}{where}: {text}"
    return {"error": type(error).__name__, "message": message, "lineNumber": line, **_about(error)}


def _about(error: BaseException) -> dict[str, Any]:
    native = error if isinstance(error, NeuropilError) else error.__cause__
    if not isinstance(native, NeuropilError):
        return {}
    found = {name: getattr(native, name) for name in ("parameter", "value", "allowed", "kind", "name", "near") if hasattr(native, name)}
    return {name: _short(value) for name, value in found.items()}


def _short(value: object) -> Any:
    """Values as JSON has them, or their text."""
    if isinstance(value, tuple):
        return [_short(each) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value if not isinstance(value, str) else value[:1000]
    return repr(value)[:1000] if not isinstance(value, float) or value != value or abs(value) == float("inf") else value
