# SPDX-License-Identifier: Apache-2.0
"""Scripts of requests: Python text that uses nest, and the values of it that are asked for."""

from __future__ import annotations

import builtins
import contextlib
import io
from collections.abc import Mapping
from types import CodeType
from typing import Any

from neuropil import nest

from .. import errors as native
from ..errors import BadParameter
from ..nest_alias import nest_alias
from . import restricted
from .errors import SCRIPT, Refused

__all__ = ["KINDS", "run"]

KINDS = {  # what a server may be allowed
    "off": "no scripts",
    "restricted": "scripts that use nest, numpy and math, without files and other modules",
    "full": "any Python, with all that the user who started the server may do",
}
_KEYS = ("source", "return", "response_keys")  # the last: NEST Desktop sends it beside `return`


def run(given: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Runs a script in names of its own. Returns `data`, the value of one name or a dict of several, and `stdout`.

    Raises Refused where scripts are off, BadParameter and BadType for wrong requests, and what the script raises.
    """
    if kind == "off":
        raise Refused("this server runs no scripts; `neuropil serve --scripts restricted` starts one that does")
    for key in given:
        if key not in _KEYS:
            raise native.unknown_argument("/exec", key, _KEYS)
    wanted = _wanted(given)
    names, printed = _executed(_source(given), kind)
    found: dict[str, Any] = {"stdout": printed}
    if wanted is not None:
        found["data"] = _value(names, wanted) if isinstance(wanted, str) else {name: _value(names, name) for name in wanted}
    return found


def _source(given: Mapping[str, Any]) -> str:
    source = given.get("source")
    if not isinstance(source, str):
        raise native.bad_type("source", source, "the text of a Python script")
    return source


def _wanted(given: Mapping[str, Any]) -> str | list[str] | None:
    """Names whose values are sent back."""
    wanted = given.get("return", given.get("response_keys"))
    if wanted is None or isinstance(wanted, str):
        return wanted
    if isinstance(wanted, list) and all(isinstance(name, str) for name in wanted):
        return wanted
    raise native.bad_type("return", wanted, "the name of a variable of the script, or a list of names")


def _executed(source: str, kind: str) -> tuple[dict[str, Any], str]:
    """The names of a script after its run, and what it printed."""
    printed = io.StringIO()
    names: dict[str, Any] = {"__name__": "__main__", **(restricted.names() if kind == "restricted" else _everything())}
    with contextlib.redirect_stdout(printed), nest_alias():
        try:
            exec(_compiled(source, kind), names)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise native.bad_parameter("exit code of the script", end.code, "0, or no exit at all") from end
    return names, printed.getvalue()


def _compiled(source: str, kind: str) -> CodeType:
    try:
        return compile(restricted.checked(source) if kind == "restricted" else source, SCRIPT, "exec")
    except (MemoryError, RecursionError) as error:
        raise BadParameter("source: the script is nested too deeply to be compiled", "source", source[:60], "nested less deeply") from error


def _everything() -> dict[str, Any]:
    return {"__builtins__": builtins, "nest": nest}


def _value(names: Mapping[str, Any], name: str) -> Any:
    if name not in names or name.startswith("__"):
        given = [each for each in names if not each.startswith("__")]
        near = native.near_names(name, given)
        raise native.bad_parameter("return", name, f"a name that the script gives a value{f' (nearest: {near[0]})' if near else ''}")
    return names[name]
