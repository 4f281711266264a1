# SPDX-License-Identifier: Apache-2.0
"""What `Network.describe` tells and the kernel does not keep: what is recorded of which nodes, and what states were drawn from.

Texts, numbers and ranges of gids alone, so that copies and checkpoints hold them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.ranges import Ranges
from ..space.expression import Term
from .distributions import Distribution
from .populations import Populations

__all__ = ["TRANSMITTED", "Notes", "copied", "new_notes", "note_record", "note_states", "since_time_0"]

Notes = dict[str, Any]
"""measured: rows (quantities, nodes, None or nodes that synapses go to, when); drawn: {first gid of a population: {state: what it was drawn from}}."""

TRANSMITTED = "transmitted weights"
_SOME_SET = "; some were set"


def new_notes() -> Notes:
    """Those of an empty network."""
    return {"measured": [], "drawn": {}}


def copied(notes: Notes) -> Notes:
    """The same for a copy of the network."""
    return {"measured": list(notes["measured"]), "drawn": {first: dict(states) for first, states in notes["drawn"].items()}}


def since_time_0(notes: Notes, n_nodes: int) -> Notes:
    """Those of a network that was reset: without what is of nodes that are gone."""
    measured = [row for row in notes["measured"] if max(map(_highest, row[1:3])) <= n_nodes]
    return {"measured": measured, "drawn": {first: states for first, states in notes["drawn"].items() if first <= n_nodes}}


def _highest(nodes: Ranges | None) -> int:
    """The highest gid, 0 where there is none."""
    return 0 if nodes is None else max((max(first, first + (n - 1) * stride) for first, n, stride in nodes.table.tolist()), default=0)


def note_record(notes: Notes, what: str, nodes: Ranges | None, when: str, targets: Ranges | None = None) -> None:
    """Notes that quantities of nodes are recorded, or of synapses between them; None: of all."""
    notes["measured"].append([what, nodes, targets, when])


def note_states(notes: Notes, populations: Populations, nodes: Ranges, params: Mapping[str, Any]) -> None:
    """Notes what the states of nodes are drawn from when the network begins; numbers take the place of an earlier distribution."""
    drawn = notes["drawn"]
    if not drawn and not any(isinstance(value, Distribution | Term) for value in params.values()):
        return
    for p, count in populations.touched(nodes.table):
        first, whole, entry = populations.row(p)
        states = drawn.setdefault(first, {})
        for name in params.keys() & entry.state.keys():
            value = params[name]
            if count < whole:
                known = states.get(name, repr(value) if isinstance(value, Distribution | Term) else "")
                if known:
                    states[name] = known.removesuffix(_SOME_SET) + _SOME_SET
            elif isinstance(value, Distribution | Term):
                states[name] = repr(value)
            else:
                states.pop(name, None)
        if not states:
            del drawn[first]
