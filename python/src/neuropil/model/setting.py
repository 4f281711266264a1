# SPDX-License-Identifier: Apache-2.0
"""Parameters and state of nodes, set all at once or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.checks import to_vector
from ..base.ranges import Ranges
from ..errors import bad_parameter
from ..space.expression import Term
from . import catalog
from .core import Core
from .distributions import Distribution
from .elements import CALCIUM, set_elements
from .journal import RememberingKernel
from .notes import note_states

__all__ = ["set_parameter", "set_parameters"]

_SANE = 1e300  # beyond are the numbers that stand for no limit


def set_parameter(network: Core, nodes: Ranges, name: str, value: Any) -> None:
    """Sets one parameter of nodes. Raises as `Nodes.set`."""
    if not _set_numbers(network, nodes, name, value):
        set_parameters(network, nodes, {name: value})
    elif network._notes["drawn"] and not network._kernel.step:
        note_states(network._notes, network._populations, nodes, {name: value})


def set_parameters(network: Core, nodes: Ranges, params: Mapping[str, Any]) -> None:
    """Sets parameters of nodes, all or none. Raises as `Nodes.set`."""
    if growth := {k: v for k, v in params.items() if k in (*CALCIUM, "synaptic_elements")}:
        if len(growth) < len(params):
            raise bad_parameter("parameters", ", ".join(params), f"set in two calls: {', '.join(growth)} apart from the others")
        return set_elements(network, nodes, growth)
    entries = [entry for entry, _ in network._populations.parts(nodes)]
    params = given = catalog.without_units(entries, params)
    if any(isinstance(v, Term) for v in params.values()):
        with network._drawing() as draw:
            params = draw.settled(params, nodes.ids(), network._populations.part(nodes))
    if all(entry.kind == "neuron" for entry in entries) and all(isinstance(v, Distribution) or np.ndim(v) == 0 for v in params.values()):
        _set_each(network, nodes, entries, params)
    else:
        _set_vectors(network, nodes, entries, params)
    if not network._kernel.step:
        note_states(network._notes, network._populations, nodes, given)


def _set_vectors(network: Core, nodes: Ranges, entries: list[catalog.Entry], params: Mapping[str, Any]) -> None:
    """Values of each node, and arrays of devices."""
    gids = nodes.ids()
    vectors = {k: to_vector(k, v) for k, v in params.items() if entries and all(k in entry.vectors for entry in entries)}
    with network._drawing() as draw:
        values = {k: catalog.to_kernel(entries, k, draw.values(k, v, gids)) for k, v in params.items() if k not in vectors}
        network._kernel.set(gids, values, vectors)
        if draw.made and isinstance(network._kernel, RememberingKernel):
            network._kernel.note_drawn(gids, draw.made)


def _set_each(network: Core, nodes: Ranges, entries: list[catalog.Entry], params: Mapping[str, Any]) -> None:
    """The same value for all, or drawn ones: no list of nodes is made."""
    with network._drawing() as draw:
        draws = [(k, v.spec(), draw.number(k, v)) for k, v in params.items() if isinstance(v, Distribution)]
        values = {k: catalog.to_kernel(entries, k, to_vector(k, v)) for k, v in params.items() if not isinstance(v, Distribution)}
        network._kernel.set_each(nodes.ascending(), values, draws)


def _set_numbers(network: Core, nodes: Ranges, name: str, value: Any) -> bool:
    """The short way of one parameter of one population given as plain numbers, as closed loops set it each ms. False: nothing was set."""
    entry = network._populations.only(nodes)
    if entry is None or entry.kind != "neuron" or name in CALCIUM or not (name in entry.parameters or name in entry.state):
        return False
    if type(value) in (float, np.float64, int) and -_SANE < value < _SANE:
        network._kernel.set_value(nodes.table, name, value)  # ascending, as `only` says
    elif type(value) is np.ndarray and value.dtype == np.float64 and value.ndim == 1 and (abs(value) < _SANE).all():
        network._kernel.set(nodes.ids(), {name: value.copy()}, {})
    else:
        return False
    return True
