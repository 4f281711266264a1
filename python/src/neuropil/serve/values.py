# SPDX-License-Identifier: Apache-2.0
"""Values of NEST as JSON, and the JSON of requests as arguments."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from neuropil import nest

from .. import errors as native
from ..errors import BadParameter, BadType

__all__ = ["dumped", "parsed", "plain"]


def dumped(value: Any, name: str) -> bytes:
    """JSON of a value. Raises BadType for what JSON cannot have; `name` is what the value is called then."""
    try:
        return json.dumps(plain(value, name), allow_nan=False, separators=(",", ":")).encode()
    except RecursionError as error:
        raise BadType(f"{name}: must not contain itself, nor be nested deeply, to be sent as JSON", name) from error


def plain(value: Any, name: str = "value") -> Any:
    """Numbers, texts, lists and dicts. JSON has no nan and no infinity: they become null. Nodes are lists of ids, connections columns."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.generic | np.ndarray):
        return _array(value, name)
    if isinstance(value, Mapping):
        return {str(key): plain(each, f"{name}[{key!r}]") for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each, name) for each in value]
    if isinstance(value, nest.NodeCollection):
        return value.tolist()
    if isinstance(value, nest.SynapseCollection):
        return plain(value.get(), name)
    raise native.bad_type(name, value, "made of numbers, texts, lists, dicts, arrays, nodes and connections, to be sent as JSON")


def _array(value: Any, name: str) -> Any:
    if value.dtype.kind in "biuU" or (value.dtype.kind == "f" and np.isfinite(value).all()):
        return value.tolist()
    return plain(value.tolist(), name)


def parsed(body: bytes, what: str) -> dict[str, Any]:
    """The JSON object of a request; nothing is an empty one. Raises BadParameter."""
    if not body.strip():
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"body of {what}: must be a JSON object: {error}", "body", body[:60].decode(errors="replace"), "JSON") from error
    if not isinstance(found, dict):
        raise native.bad_parameter(f"body of {what}", found, "a JSON object, whose keys are the arguments")
    return found
