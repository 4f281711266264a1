# SPDX-License-Identifier: Apache-2.0
"""What checkpoints of former versions hold otherwise: attributes of today from those of then, by the names of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FORMER", "FormerIdentity", "FormerKind", "FormerTap"]

State = dict[str, Any]


class FormerTap:
    """What a recorder of the NEST front end had for each stimulator that was connected to it."""


class FormerKind:
    """Connections that were alike for the NEST front end, told from others by the nodes that they join."""


class FormerIdentity(tuple[Any, ...]):
    """What such connections had in common."""

    def __new__(cls, *values: Any) -> FormerIdentity:
        """Of what the file holds."""
        return tuple.__new__(cls, values)


def _clocks(state: State) -> State:
    """Former clocks had no reading of the processor clock."""
    return state if "_known" in state else state | {"_known": (-1.0, 0.0), "_read": -1.0}


def _node_collection(state: State) -> State:
    """A former NodeCollection noted that it was a slice, not the step of the slice."""
    if (sliced := state.pop("_stepped", None)) is not None:
        state["_step"] = int(sliced) * max(1, int(np.diff(state["_ranges"].ids()[:2]).sum()))
    return state


def _registry(state: State) -> State:
    """A former registry did not note whether there are spike_dilutors."""
    return {"dilutes": any(row.model.root == "spike_dilutor" for row in state["rows"])} | state


def _shared_spikes(state: State) -> State:
    """Formerly recorders with recordings of their own kept the spikes of these themselves."""
    return {"own": {}, "trains": []} | state


def _structure(state: State) -> State:
    """A former structure had no delays [ms] of growing synapses."""
    return {"delays": [float(entry.get("delay", 1.0)) for entry in state["given"].values()]} | state


def _wires(state: State) -> State:
    """Former wires had their kinds by what they join and a list of all calls; what they are today is found when the network is there."""
    if "_labels" in state:
        return state
    kept = ("kinds", "devices", "n_of_devices", "of_stimulators", "shortest", "longest")
    return {name: state[name] for name in kept} | {"fresh": [], "n_by_kind": None, "_labels": {}}


FORMER: dict[str, Callable[[State], State]] = {
    "nest.Clocks": _clocks,
    "nest.NodeCollection": _node_collection,
    "nest.Registry": _registry,
    "nest.SharedSpikes": _shared_spikes,
    "nest.Structure": _structure,
    "nest.Wires": _wires,
}
