# SPDX-License-Identifier: Apache-2.0
"""Disconnect: which connections it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import connection_query, editing
from .errors import NESTErrors
from .kernel import any_rank, session
from .node_collection import NodeCollection
from .specs import ConnRule, to_rule, to_specs

Ints = NDArray[np.int64]


def disconnect_pairs(pre: NodeCollection, post: NodeCollection, given: Any, syn_spec: Any) -> None:
    """Removes one connection of each pair of a rule, the one made first. Raises the errors of NEST; then nothing has changed."""
    rule = to_rule({"rule": "one_to_one", **given} if isinstance(given, Mapping) else "one_to_one" if given is None else given)
    if rule.name not in ("one_to_one", "all_to_all"):
        raise NESTErrors.NotImplemented("This disconnection rule is not implemented.")
    if rule.name == "one_to_one" and len(pre) != len(post):
        raise NESTErrors.DimensionMismatch("Source and Target population must be of the same size.")
    spec = to_specs(syn_spec, rule, len(pre), len(post))[0]
    columns = connection_query.query(pre, post, spec.model.name, None)
    sources, targets = _pairs(pre, post, rule)
    own = session().own(targets)
    at, found = _first_of(columns.source, columns.target, sources[own], targets[own])
    if any_rank(not found.all()) or any_rank(bool((columns.origin[at] < 0).any())):
        raise NESTErrors.InexistentConnection(editing.MISSING)
    editing.disconnect(columns.part(np.sort(at)))


def _pairs(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> tuple[Ints, Ints]:
    sources, targets = pre._gids, post._gids
    if rule.name == "all_to_all":
        sources, targets = np.tile(sources, len(targets)), np.repeat(targets, len(sources))
    if rule.autapses:
        return sources, targets
    return sources[sources != targets], targets[sources != targets]


def _first_of(source: Ints, target: Ints, sources: Ints, targets: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Position of the first connection of each pair among sorted ones, and whether there is one."""
    width = int(max(target.max(initial=0), targets.max(initial=0))) + 1
    keys, wanted = source * width + target, sources * width + targets
    at = np.searchsorted(keys, wanted)
    found = at < len(keys)
    found[found] = keys[at[found]] == wanted[found]
    return at[found], found


__all__ = ["disconnect_pairs"]
