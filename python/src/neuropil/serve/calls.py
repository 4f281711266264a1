# SPDX-License-Identifier: Apache-2.0
"""Functions and attributes of nest by their names, with arguments from JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from neuropil import nest

from .. import errors as native
from .errors import NotFound, Refused

__all__ = ["WITHOUT", "attributes", "call", "functions"]

# Functions that are not offered, and why.
_FILES = "it writes files"
_PICTURES = "it draws in the process of the server"
_OBJECTS = "its result is an object of Python: use a script"
WITHOUT = {
    "CreateMask": _OBJECTS,
    "CreateParameter": _OBJECTS,
    "DumpLayerConnections": _FILES,
    "DumpLayerNodes": _FILES,
    "PlotLayer": _PICTURES,
    "PlotProbabilityParameter": _PICTURES,
    "PlotSources": _PICTURES,
    "PlotTargets": _PICTURES,
    "PrintNodes": "it prints in the process of the server: use GetNodes",
    "RunManager": "it is a context of Python: use Prepare, Run and Cleanup",
    "SelectNodesByMask": "its mask is an object of Python: use a script",
    "help": "it prints in the process of the server",
    "message": "it prints in the process of the server",
    "serialize_data": _OBJECTS,
    "set_communicator": "the server runs on one rank",
    "to_json": _OBJECTS,
}
# Arguments that are nodes: lists of ids become NodeCollections.
_NODES = frozenset(
    [
        "args",
        "from_arg",
        "layer",
        "nc",
        "nodes",
        "nodes_or_conns",
        "post",
        "pre",
        "source",
        "source_layer",
        "sources",
        "src_layer",
        "src_nrn",
        "target",
        "target_layer",
        "targets",
        "tgt_layer",
        "tgt_nrn",
        "third",
        "to_arg",
    ]
)


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """Functions that are offered, by name."""
    named = [name for name in dir(nest) if name[0].isupper() or name in nest.__all__]  # submodules are left out: some import matplotlib
    return {name: getattr(nest, name) for name in named if name not in WITHOUT and inspect.isfunction(getattr(nest, name))}


@cache
def attributes() -> frozenset[str]:
    """Attributes of the kernel."""
    return frozenset(nest.GetKernelStatus())


def call(name: str, given: Mapping[str, Any], read: bool = False) -> Any:
    """Calls a function of nest. read: attributes of the kernel can be read, too. Raises NotFound, Refused and what the function raises."""
    if read and name in attributes() and not given:
        return nest.GetKernelStatus(name)
    if name in WITHOUT:
        raise Refused(f"/api/{name} is not offered: {WITHOUT[name]}")
    if name not in functions():
        near = native.near_names(name, [*functions(), *attributes()])
        raise NotFound(f"there is no /api/{name}{_hint(near)}; GET /api lists all functions", "function", name, near)
    return _bound(name, given)


def _hint(near: list[str]) -> str:
    return f" (nearest: {', '.join(near)})" if near else ""


def _bound(name: str, given: Mapping[str, Any]) -> Any:
    function = functions()[name]
    known = inspect.signature(function).parameters
    for key in given:
        if key not in known:
            raise native.unknown_argument(name, key, known)
    keywords = {key: _nodes(value) if key in _NODES else value for key, value in given.items() if key != "args"}
    several = given.get("args", [])
    return function(*[_nodes(value) for value in several], **keywords)


def _nodes(value: Any) -> Any:
    """Nodes for a list of ids, anything else as it is."""
    if isinstance(value, list) and value and all(type(each) is int for each in value):
        return nest.NodeCollection(value)
    return value
