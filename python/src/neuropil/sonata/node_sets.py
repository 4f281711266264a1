# SPDX-License-Identifier: Apache-2.0
"""Node sets: named or written selections of nodes, by population, node id and properties."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_file, unknown_name
from .config import Config
from .nodes import NodePopulation
from .tables import different

__all__ = ["Selected", "select"]

Selected = dict[str, NDArray[np.int64]]
"""Node ids by population, ascending."""

_ORDER: dict[str, Callable[[Any, Any], Any]] = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


def select(config: Config, populations: Mapping[str, NodePopulation], chosen: Any, place: str) -> Selected:
    """The nodes of a node set: its name, the name of a population, "all" (all but virtual nodes), or conditions. Raises BadFile, UnknownName."""
    return {name: ids for name, ids in _select(config, populations, chosen, place, ()).items() if len(ids)}


def _select(config: Config, populations: Mapping[str, NodePopulation], chosen: Any, place: str, within: tuple[str, ...]) -> Selected:
    if isinstance(chosen, Mapping):
        return _by_conditions(config, populations, chosen, place)
    if isinstance(chosen, list):
        return _union([_select(config, populations, each, place, within) for each in chosen])
    if not isinstance(chosen, str):
        raise bad_file(config.file, place, f"is {chosen!r}, must be a node set: its name or conditions")
    if chosen in within:
        raise bad_file(config.file, f"node_sets/{chosen}", "leads in a circle")
    if chosen in config.node_sets:
        return _select(config, populations, config.node_sets[chosen], f"node_sets/{chosen}", (*within, chosen))
    if chosen in populations:
        return {chosen: np.arange(populations[chosen].n)}
    if chosen == "all":
        return {name: np.arange(each.n) for name, each in populations.items() if not each.virtual}
    raise unknown_name(f"node set of {config.file}", chosen, [*config.node_sets, *populations, "all"])


def _union(parts: list[Selected]) -> Selected:
    names = {name: None for part in parts for name in part}
    return {name: different(np.concatenate([part[name] for part in parts if name in part])) for name in names}


def _by_conditions(config: Config, populations: Mapping[str, NodePopulation], conditions: Mapping[str, Any], place: str) -> Selected:
    """Nodes that meet all conditions."""
    wanted = conditions.get("population")
    names = list(populations) if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in populations:
            raise unknown_name(f"node population in {config.file}, {place}", str(name), populations)
    properties = {key: value for key, value in conditions.items() if key not in ("population", "node_id")}
    found = {}
    for name in names:
        of = populations[name]
        if wanted is None and (of.virtual or not set(properties) <= of.names):
            continue
        keep = np.ones(of.n, bool)
        if "node_id" in conditions:
            keep = _with_ids(config, of, conditions["node_id"], place)
        for key, value in properties.items():
            keep &= _meets(config, of.column(key), value, f"{place}/{key}")
        found[name] = np.flatnonzero(keep)
    if properties and not found:
        raise bad_file(config.file, place, f"asks for {', '.join(properties)}, which no node population has")
    return found


def _with_ids(config: Config, of: NodePopulation, given: Any, place: str) -> NDArray[np.bool_]:
    ids = np.atleast_1d(np.asarray(given, np.int64))
    if len(ids) and not 0 <= ids.min() <= ids.max() < of.n:
        raise bad_file(config.file, f"{place}/node_id", f"has a node id out of 0 to {of.n - 1} of {of.name}")
    keep = np.zeros(of.n, bool)
    keep[ids] = True
    return keep


def _meets(config: Config, column: NDArray[Any], value: Any, place: str) -> NDArray[np.bool_]:
    """Which nodes have one of the values, or meet the comparisons."""
    if not isinstance(value, Mapping):
        values = value if isinstance(value, list) else [value]
        texts = column.dtype == object
        return np.isin(column, np.array([str(each) for each in values], object) if texts else np.array(values))
    keep = np.ones(len(column), bool)
    for name, limit in value.items():
        if name == "$regex":
            keep &= np.array([re.search(limit, str(text)) is not None for text in column], bool)
        elif name in _ORDER:
            keep &= np.asarray(_ORDER[name](column, limit), bool)
        else:
            raise bad_file(config.file, place, f"has the comparison {name}; there are {', '.join(_ORDER)}, $regex")
    return keep
