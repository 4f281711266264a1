# SPDX-License-Identifier: Apache-2.0
"""Arrays of NEST that the kernel keeps as numbered scalars: tau_syn is tau_syn_1, tau_syn_2, ... up to the most that a model has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...catalog import Entry
from ..errors import NESTErrors, NotSupported

_NUMBERED = re.compile(r"(.+)_(\d+)")
COUNTS = ("n_synapses", "n_receptors")  # parameters of the kernel that say how many are in use


@cache
def _of_names(names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match:
            found.setdefault(match[1], []).append(name)
    return {prefix: tuple(members) for prefix, members in found.items()}


def count_key(entry: Entry) -> str | None:
    """The parameter with the number of entries in use; None where a model has no arrays of this kind."""
    return next((key for key in COUNTS if key in entry.parameters), None)


def parameters(entry: Entry) -> Mapping[str, tuple[str, ...]]:
    """Names of numbered parameters by the name of their array."""
    return _of_names(tuple(entry.parameters)) if count_key(entry) else {}


def states(entry: Entry) -> Mapping[str, tuple[str, ...]]:
    """Names of numbered state variables by the name of their array."""
    return _of_names(tuple(entry.state)) if count_key(entry) else {}


def expanded(entry: Entry, values: Mapping[str, Any], connected: bool, before: int) -> dict[str, Any]:
    """Values of a call with its arrays as numbered scalars and their number.

    connected : the nodes have connections: then the number cannot change; before : the number so far
    Raises BadProperty, TypeMismatch, NotSupported (more than the kernel has).
    """
    arrays = parameters(entry)
    given = {key: _vector(key, value) for key, value in values.items() if key in arrays}
    found = {key: value for key, value in values.items() if key not in given}
    if not given:
        return found
    sizes = {len(vector) for vector in given.values()}
    if len(sizes) > 1:
        raise NESTErrors.BadProperty(f"The arrays {', '.join(given)} must have the same length.")
    n = sizes.pop()
    if n != before:
        if connected:
            raise NESTErrors.BadProperty("The neuron has connections, therefore the number of ports cannot be changed.")
        if set(given) != set(arrays):
            raise NESTErrors.BadProperty(f"If the number of receptor ports is changed, all of {', '.join(arrays)} must be provided.")
    for key, vector in given.items():
        if n > len(arrays[key]):
            raise NotSupported(f"more than {len(arrays[key])} entries of {key} of {entry.name}")
        found |= dict(zip(arrays[key], vector.tolist(), strict=False))
    key = count_key(entry)
    assert key is not None
    return found | {key: float(n)}


def _vector(key: str, value: Any) -> NDArray[np.float64]:
    array = np.asarray(value)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biuf"):
        raise NESTErrors.TypeMismatch(f"Expected datatype: {key} takes an array of numbers, not {value!r}")
    return array.astype(np.float64)
