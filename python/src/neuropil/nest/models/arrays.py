# SPDX-License-Identifier: Apache-2.0
"""Keys of NEST that the kernel has in other ways: arrays that are numbered scalars, and dicts that are parameters of the neuron."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classes import Entry
from ...engine import catalog
from ..errors import NESTErrors, NotSupported, expect, unaccessed
from .faces import is_shown
from .table import until_loaded

_NUMBERED = re.compile(r"(.+)_([1-9]\d*)")
RECEPTORS = ("n_synapses", "n_receptors")  # counts that NEST shows, too
_OTHER_WORDS = {"ASCurrents": "asc"}

Arrays = Mapping[str, tuple[str, ...]]
"""Names of numbered scalars by the name of their array."""


def receptor_count(entry: Entry) -> str | None:
    """The parameter with the number of receptors in use; None where a model does not choose it."""
    return next((key for key in RECEPTORS if key in entry.parameters), None)


def count_key(entry: Entry, array: str) -> str | None:
    """The parameter with the number of entries of an array that are in use."""
    words = [_OTHER_WORDS.get(array, array).split("_")[k] for k in (-1, 0)]
    return next((f"n_{word}" for word in words if f"n_{word}" in entry.parameters), receptor_count(entry))


def parameters(entry: Entry) -> Arrays:
    """Arrays of parameters."""
    return _arrays(entry.name, "parameters")


def states(entry: Entry) -> Arrays:
    """Arrays of state variables."""
    return _arrays(entry.name, "state")


def readable(entry: Entry) -> Arrays:
    """Arrays that NEST shows: parameters, and the state that is in the status."""
    return _readable(entry.name)


@until_loaded
def _readable(model: str) -> Arrays:
    entry = catalog.node_model(model)
    return {**parameters(entry), **{array: names for array, names in states(entry).items() if is_shown(entry.state[names[0]])}}


@until_loaded
def _arrays(model: str, kind: str) -> Arrays:
    entry = catalog.node_model(model)
    return {array: members for array, members in numbered(getattr(entry, kind)).items() if count_key(entry, array)}


def numbered(names: Iterable[str]) -> Arrays:
    """Names that end in numbers from 1, in their order, by what they have in common."""
    found = dict[str, tuple[str, ...]]()
    for match in filter(None, map(_NUMBERED.fullmatch, names)):
        found[match[1]] = (*found.get(match[1], ()), match[0])
    return found


def expanded(entry: Entry, values: Mapping[str, Any], connected: bool, before: Mapping[str, int]) -> dict[str, Any]:
    """Values of a call with its arrays as numbered scalars and their numbers.

    connected : the nodes have connections: then the number of receptors cannot change; before : the counts so far, by their names
    Raises BadProperty, TypeMismatch, NotSupported (more than the kernel has).
    """
    arrays = parameters(entry)
    given = {key: _vector(key, value) for key, value in values.items() if key in arrays}
    found = {key: value for key, value in values.items() if key not in given}
    for count in {count_key(entry, key) for key in given}:
        assert count is not None
        group = [key for key in arrays if count_key(entry, key) == count]
        sizes = {len(given[key]) for key in group if key in given}
        n = min(sizes)
        if len(sizes) > 1:
            raise NESTErrors.BadProperty(f"The arrays {', '.join(group)} must have the same length.")
        if n != before[count] and connected and count in RECEPTORS:
            raise NESTErrors.BadProperty("The neuron has connections, therefore the number of ports cannot be changed.")
        if n != before[count] and not all(key in given for key in group):
            raise NESTErrors.BadProperty(f"If the number of entries is changed, all of {', '.join(group)} must be provided.")
        if n > (most := min(len(arrays[key]) for key in group)):
            raise NotSupported(f"more than {most} entries of {', '.join(group)} of {entry.name}")
        for key in given.keys() & set(group):
            found |= zip(arrays[key], given[key].tolist(), strict=False)
        found[count] = float(n)
    return found


def listed(entry: Entry, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with arrays of one entry, where NEST takes a number for each of the arrays."""
    some = [array for array, names in parameters(entry).items() if "number_for_one" in entry.parameters[names[0]].marks]
    if not some or not all(np.isscalar(given.get(key)) for key in some):
        return given
    return {**given, **{key: [given[key]] for key in some}}


def _vector(key: str, value: Any) -> NDArray[np.float64]:
    array = np.asarray(value)
    expect(array.ndim == 1 and (not array.size or array.dtype.kind in "biuf"), f"{key} takes an array of numbers", value)
    return array.astype(np.float64)


def groups(entry: Entry, compartments: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Keys of a model that hold dicts: the kernel's names by the keys in them. compartments : these keys, and the potential of each."""
    found = {part: {"V_m": potential} for part, potential in compartments.items()}
    for part, names in found.items():
        names |= {name.removeprefix(f"{part}_"): name for name in entry.parameters if name.startswith(f"{part}_")}
    return found


def taken_apart(own: Mapping[str, Mapping[str, str]], base: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with dicts taken apart; own : see `groups`. Raises UnaccessedDictionaryEntry, NotSupported."""
    if not own:
        return given
    found = {key: value for key, value in given.items() if key not in own}
    for key in own.keys() & given.keys():
        if not isinstance(given[key], Mapping):
            raise NotSupported(f"{key} of {base} that is not one dict")
        if unknown := [name for name in given[key] if name not in own[key]]:
            raise unaccessed("params", "NodeManager::set_status:", unknown)
        found |= {own[key][name]: value for name, value in given[key].items()}
    return found
