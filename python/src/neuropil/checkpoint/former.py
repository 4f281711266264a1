# SPDX-License-Identifier: Apache-2.0
"""What checkpoints of former versions hold otherwise: attributes of today from those of then, by the names of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FORMER", "FormerTap"]

State = dict[str, Any]


class FormerTap:
    """What a recorder of the NEST front end had for each stimulator that was connected to it."""


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


def _structure(state: State) -> State:
    """A former structure had no delays [ms] of growing synapses."""
    return {"delays": [float(entry.get("delay", 1.0)) for entry in state["given"].values()]} | state


FORMER: dict[str, Callable[[State], State]] = {
    "nest.Clocks": _clocks,
    "nest.NodeCollection": _node_collection,
    "nest.Registry": _registry,
    "nest.Structure": _structure,
}
