# SPDX-License-Identifier: Apache-2.0
"""Calcium and synaptic elements of neurons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import Nodes
from .. import errors as native
from ..classes import SynapticElements
from ..engine import Ints, Ranges
from .errors import NESTErrors, NotSupported, expect, is_a, translating
from .kernel import session
from .registry import PerNode, Row

CHANGES = "synaptic_elements_param"  # a key that changes some parameters of elements that are there
CURVES = {"gaussian": ("eps", "eta"), "linear": ("eps",), "sigmoid": ("eps", "psi")}
_USUAL = {"Ca": 0.0, "tau_Ca": 10000.0, "beta_Ca": 0.001}
_FOLLOWED = 20_000  # neurons of networks whose calcium is followed unasked
_DEFAULTS: dict[str, Any] = {"growth_rate": 1.0, "eta": 0.1, "eps": 0.7, "psi": 0.1, "tau_vacant": 0.1, "continuous": True, "z": 0.0}


def read(row: Row, gids: Ints, key: str) -> list[Any]:
    """Values of one of GROWTH. Calcium is followed from the first question on; nan: the network has run before it."""
    s = session()
    kernel = s.engine.kernel
    if key == "synaptic_elements":
        none = len(gids) == 1 and kernel.tables_built and not kernel.elements(gids)  # the short way, for one neuron
        return [{}] if none else _shown(Nodes(s.network, Ranges.of(gids)))
    found = kernel.calcium(gids, key)
    shown: list[Any] = found.tolist()
    if not math.isnan(sum(shown)):
        return shown
    unknown = np.isnan(found)
    if not s.simulated and key in ("Ca", "t_spike"):
        Nodes(s.network, Ranges.of(gids[unknown])).set(**_defaults(row))
    if not s.simulated or key not in ("Ca", "t_spike"):
        found = np.where(unknown, {**row.model.extras, **row.extras}[key], found)
    return list(found.tolist())


def follow_all() -> None:
    """Follows calcium and last spikes of all neurons, before the first run of a network that is not large: who reads them later finds them."""
    s = session()
    if s.simulated or s.registry.size > _FOLLOWED:
        return
    rows = [row for row in s.registry.rows if row.model.kind == "neuron" and row.model.extras.get("Ca") == 0.0 and _defaults(row) == _USUAL]
    if not rows:
        return
    gids = np.concatenate([row.gids for row in rows])
    try:
        unknown = gids[np.isnan(np.asarray(s.engine.kernel.calcium(gids, "Ca")))]
    except native.IllegalConnection:  # a network that only counts: nobody reads it
        return
    if len(unknown):
        with translating():
            s.engine.kernel.set_calcium(Ranges.of(unknown).ascending(), {key: np.array([value]) for key, value in _USUAL.items()})


def refuse_unknown(found: Mapping[str, list[Any]]) -> None:
    """Raises NotSupported for calcium that was not followed."""
    for key in ("Ca", "t_spike"):
        if any(v is not None and v != v for v in found.get(key, ())):
            raise NotSupported(f"{key} of neurons that nobody asked for before Simulate", f"read {key}, or set tau_Ca, once before")


def _defaults(row: Row) -> dict[str, float]:
    return {key: float({**row.model.extras, **row.extras}[key]) for key in ("Ca", "tau_Ca", "beta_Ca")}


def _shown(nodes: Nodes) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [{} for _ in range(len(nodes))]
    for name, columns in sorted(nodes.synaptic_elements.items()):
        kinds = columns["growth_curve"]
        whole = {"continuous": columns["continuous"] > 0, "z_connected": np.nan_to_num(columns["z_connected"]).astype(int)}
        for curve in np.unique(kinds[kinds != ""]).tolist():
            keys = sorted((*CURVES[curve], "continuous", "growth_curve", "growth_rate", "tau_vacant", "z", "z_connected"))
            some = np.flatnonzero(kinds == curve)
            values = [whole.get(key, columns[key])[some].tolist() for key in keys]
            for k, one in zip(some.tolist(), zip(*values, strict=True), strict=True):
                shown[k][name] = dict(zip(keys, one, strict=True))
    return shown


def merged(row: Row, gids: Ints, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a set with CHANGES as values of synaptic_elements. Raises TypeMismatch. NEST passes over elements that are not there, too."""
    given = values[CHANGES]
    expect(isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values()), f"{CHANGES} takes a dict of dicts")
    with translating():
        present = read(row, gids, "synaptic_elements")
    changed = PerNode({name: _changed(one, given.get(name, {})) for name, one in each.items()} for each in present)
    return {key: value for key, value in values.items() if key != CHANGES} | {"synaptic_elements": changed}


def _changed(one: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Another curve begins with its default parameters."""
    other = given.get("growth_curve", one["growth_curve"]) != one["growth_curve"]
    return {key: value for key, value in one.items() if not (other and key in ("eps", "eta", "psi"))} | dict(given)


def check(key: str, value: Any) -> None:
    """Raises the errors of NEST for values of GROWTH."""
    if key == "synaptic_elements":
        expect(isinstance(value, Mapping), "synaptic_elements takes a dict")
        for name, one in value.items():
            _elements(name, one)
        return
    expect(is_a(float, value), f"{key} takes a number")
    if key == "Ca" and value < 0:
        raise NESTErrors.BadProperty("Calcium concentration cannot be negative.")
    if key == "beta_Ca" and value <= 0:
        raise NESTErrors.BadProperty("For Ca to function as an integrator of the electrical activity, beta_ca needs to be greater than 0.")
    if key == "tau_Ca" and value <= 0:
        raise NESTErrors.BadProperty("All time constants must be strictly positive.")


def _elements(name: str, given: Any) -> SynapticElements:
    expect(isinstance(given, Mapping), f"synaptic_elements['{name}'] is a dict")
    curve = given.get("growth_curve", "linear")
    if curve not in CURVES:
        raise NESTErrors.BadProperty(f"growth_curve of {name} is {curve!r}: must be one of {', '.join(CURVES)}")
    unknown = given.keys() - {*_DEFAULTS, "growth_curve", "z_connected"}
    if unknown:
        raise NESTErrors.BadProperty(f"synaptic_elements['{name}'] has no {', '.join(sorted(unknown))}")
    if not given.get("tau_vacant", 0.1) > 0:
        raise NESTErrors.BadProperty("All time constants must be strictly positive.")
    return SynapticElements(curve, {key: float(given.get(key, default)) for key, default in _DEFAULTS.items()})


def put(gids: Ints, values: Mapping[str, Any]) -> None:
    """Sets values of GROWTH that were checked: of each key one for all, or one each."""
    network = session().network
    calcium = {k: np.asarray(v, np.float64) if isinstance(v, PerNode) else v for k, v in values.items() if k != "synaptic_elements"}
    with translating():
        if calcium:
            Nodes(network, Ranges.of(gids)).set(calcium)
        if "synaptic_elements" in values:
            given = values["synaptic_elements"]
            each = given if isinstance(given, PerNode) else [given]
            alike: dict[str, list[int]] = {}
            for k, one in enumerate(each):
                alike.setdefault(repr(sorted((name, sorted(e.items())) for name, e in one.items())), []).append(k)
            for some in alike.values():
                nodes = Nodes(network, Ranges.of(gids[some] if isinstance(given, PerNode) else gids))
                nodes.set(synaptic_elements={name: _elements(name, e) for name, e in each[some[0]].items()})
