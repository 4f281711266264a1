# SPDX-License-Identifier: Apache-2.0
"""Synaptic elements of nodes, and their calcium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_floats
from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import ReadOnly, bad_type
from ..space.expression import Term
from .core import Core
from .distributions import Distribution, Value

__all__ = ["CALCIUM", "SynapticElements", "elements_of", "set_elements", "synaptic_elements"]

CALCIUM = ("Ca", "tau_Ca", "beta_Ca", "t_spike")
_CURVES = ("gaussian", "linear", "sigmoid")
_FIELDS = ("growth_rate", "eta", "eps", "psi", "tau_vacant", "continuous", "z", "z_connected")


@dataclass(frozen=True, slots=True)
class SynapticElements:
    """Axonal or dendritic elements of neurons, from `synaptic_elements`."""

    growth_curve: str
    parameters: Mapping[str, Value] = field(default_factory=dict)


@named_arguments
def synaptic_elements(
    growth_curve: str = "gaussian",
    *,
    growth_rate: Value,
    eta: Value | None = None,
    eps: Value | None = None,
    psi: Value | None = None,
    z: Value = 0.0,
    tau_vacant: Value = 0.1,
) -> SynapticElements:
    """Elements from which synapses grow; their number z follows dz/dt = growth_rate f(Ca), and never falls below 0.

    Parameters
    ----------
    growth_curve : f, "gaussian": 2 exp(-((Ca - xi) / zeta)^2) - 1, with xi = (eta + eps) / 2 and zeta = (eps - eta) / (2 sqrt(ln 2)), so that nothing
        grows at Ca = eta and Ca = eps; "linear": 1 - Ca / eps; "sigmoid": 2 / (1 + exp((Ca - eps) / psi)) - 1
    growth_rate : elements per ms
    eta, eps, psi : in units of Ca; defaults 0.1, 0.7, 0.1
    z : number of elements at the beginning
    tau_vacant : part of the elements without a synapse that is lost at each update

    Each is a number, an array of one value per neuron, or a distribution.
    """
    given = {"growth_rate": growth_rate, "eta": eta, "eps": eps, "psi": psi, "z": z, "tau_vacant": tau_vacant}
    return SynapticElements(str(growth_curve), {k: v for k, v in given.items() if v is not None})


def elements_of(network: Core, gids: NDArray[np.int64]) -> dict[str, dict[str, NDArray[Any]]]:
    """What nodes have of each name: arrays of shape (n,), nan (growth_curve: "") where a neuron has none of this name."""
    if not network._kernel.tables_built:
        network.build(progress=False)
    found = {}
    for name, values in network._kernel.elements(gids):
        has = values[:, 0] > 0
        if not has.any():
            continue
        curves = np.where(has, np.array(_CURVES)[values[:, 1].astype(int)], "")
        found[name] = {"growth_curve": curves, **{k: np.where(has, values[:, 2 + i], np.nan) for i, k in enumerate(_FIELDS)}}
    return found


def set_elements(network: Core, nodes: Ranges, params: Mapping[str, Any]) -> None:
    """Sets calcium and elements of nodes; `params` have nothing else. Raises ReadOnly, BadType, as `Nodes.set`."""
    if "t_spike" in params:
        raise ReadOnly("t_spike: the time of the last spike can only be read")
    elements = _as_elements(params)
    table = nodes.ascending()
    drawn = any(isinstance(v, Distribution) for given in (params, *(one.parameters for one in elements.values())) for v in given.values())
    gids = nodes.ids() if drawn else np.empty(0, np.int64)
    with network._drawing() as draw:
        calcium = {k: np.atleast_1d(draw.values(k, v, gids)) for k, v in params.items() if k != "synaptic_elements"}
        named = []
        for name, one in elements.items():
            values = {
                k: np.atleast_1d(draw.values(k, v if isinstance(v, Distribution | Term) else to_floats(k, v), gids))
                for k, v in one.parameters.items()
            }
            named.append((name, one.growth_curve, values))
        if calcium:
            network._kernel.set_calcium(table, calcium)
        if "synaptic_elements" in params:
            network._kernel.set_elements(table, named)


def _as_elements(params: Mapping[str, Any]) -> dict[str, SynapticElements]:
    given = params.get("synaptic_elements", {})
    if not isinstance(given, Mapping) or not all(isinstance(k, str) and isinstance(v, SynapticElements) for k, v in given.items()):
        raise bad_type("synaptic_elements", given, 'a dict {"name": neuropil.synaptic_elements(...)}')
    return dict(given)
