# SPDX-License-Identifier: Apache-2.0
"""Synaptic elements of nodes, as they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .nodes import Nodes

__all__ = ["CALCIUM", "elements_of"]

CALCIUM = ("Ca", "tau_Ca", "beta_Ca", "t_spike")
_CURVES = ("gaussian", "linear", "sigmoid")
_FIELDS = ("growth_rate", "eta", "eps", "psi", "tau_vacant", "continuous", "z", "z_connected")


def elements_of(nodes: Nodes) -> dict[str, dict[str, NDArray[Any]]]:
    """What nodes have of each name: arrays of shape (n,), nan (growth_curve: "") where a neuron has none of this name."""
    net = nodes._network
    if not net._kernel.tables_built:
        net.build(progress=False)
    found = {}
    for name, values in net._kernel.elements(nodes.gids):
        has = values[:, 0] > 0
        if not has.any():
            continue
        curves = np.where(has, np.array(_CURVES)[values[:, 1].astype(int)], "")
        found[name] = {"growth_curve": curves, **{k: np.where(has, values[:, 2 + i], np.nan) for i, k in enumerate(_FIELDS)}}
    return found
