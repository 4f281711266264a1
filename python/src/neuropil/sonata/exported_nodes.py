# SPDX-License-Identifier: Apache-2.0
"""Populations of a network as node populations of SONATA: one file each, so that `load` creates them in their order."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..base.ranges import Ranges
from ..errors import NotKept
from ..model import catalog
from ..model.catalog import Entry, no_limit
from ..model.nodes import Nodes

__all__ = ["NodeTable", "node_tables", "write_nodes"]

Columns = dict[str, NDArray[np.float64]]


@dataclass
class NodeTable:
    """A population. common: parameters of each of its types, in order of node ids; columns: what differs from node to node; spikes: of generators."""

    name: str
    first: int
    n: int
    model: Entry
    type_of: NDArray[np.int64]
    common: list[dict[str, Any]]
    columns: Columns
    positions: Columns = field(default_factory=dict)
    spikes: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None
    first_type: int = 0

    @property
    def virtual(self) -> bool:
        """Whether the nodes are devices."""
        return self.model.kind != "neuron"

    def entry(self) -> dict[str, Any]:
        """What the circuit configuration says of it."""
        kind = "virtual" if self.virtual else "point_neuron"
        files = {f"{what}_file": f"$BASE_DIR/network/{self.name}_{what}.{end}" for what, end in (("nodes", "h5"), ("node_types", "csv"))}
        return files | {"populations": {self.name: {"type": kind}}}


def node_tables(net: Any) -> list[NodeTable]:
    """All populations, in order of gids. Collective. Raises NotKept for models of one's own."""
    found: list[NodeTable] = []
    for first, count, model in net._populations.rows():
        if model.digest or (model.name not in catalog.models() and model.name not in catalog.devices()):
            raise NotKept(f"to_sonata: {model.name} is a model that only this process has: SONATA names models that neuropil or NEST have")
        nodes = Nodes(net, Ranges.span(first, count))
        name = _name(net.name_of(nodes) or f"{model.name}_{len(found)}", {table.name for table in found})
        found.append(_table(nodes, name, first, model, sum(len(table.common) for table in found)))
    return found


def _name(wanted: str, taken: set[str]) -> str:
    name = re.sub(r"[^\w.+-]", "_", wanted)
    while name in taken:
        name += "_"
    return name


def _table(nodes: Nodes, name: str, first: int, model: Entry, first_type: int) -> NodeTable:
    n = len(nodes)
    values = {key: np.asarray(nodes.get(key), np.float64) for key in model.names if key not in model.vectors}
    fields = {**model.parameters, **model.state}
    changed = {key: column for key, column in values.items() if not (column == no_limit(fields[key].default or 0.0)).all()}
    columns = {key: column for key, column in changed.items() if not (column == column[0]).all()}
    shared = {key: float(column[0]) for key, column in changed.items() if key not in columns}
    arrays = [{key: np.atleast_1d(nodes[k].get(key)).tolist() for key in model.vectors} for k in range(n)] if model.vectors else []
    spikes = _spikes(arrays) if model.name == "spike_generator" else None
    arrays = [] if spikes is not None else arrays
    differs = any(array != arrays[0] for array in arrays)
    common = [shared | {key: value for key, value in array.items() if value} for array in (arrays if differs else arrays[:1])] or [shared]
    type_of = first_type + (np.arange(n) if differs else np.zeros(n, np.int64))
    return NodeTable(name, first, n, model, type_of, common, columns, _positions(nodes), spikes, first_type)


def _positions(nodes: Nodes) -> Columns:
    from ..errors import NoPositions

    try:
        where = np.asarray(nodes.positions)
    except NoPositions:
        return {}
    return {axis: where[:, k] for k, axis in enumerate("xyz"[: where.shape[1]])}


def _spikes(arrays: list[dict[str, Any]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Node ids and times of spike generators, times with a multiplicity as often as they count."""
    trains = [np.array(each["spike_times"], np.float64) for each in arrays]
    counts = [
        np.array(each["spike_multiplicities"], np.int64) if each["spike_multiplicities"] else np.ones(len(train), np.int64)
        for each, train in zip(arrays, trains, strict=True)
    ]
    trains = [np.repeat(train, count) for train, count in zip(trains, counts, strict=True)]
    return np.repeat(np.arange(len(trains)), [len(train) for train in trains]), np.concatenate([np.empty(0), *trains])


# --- files


def write_nodes(root: Path, table: NodeTable) -> None:
    """Writes the file of a population, its types and their parameters."""
    lines = ["node_type_id model_type model_template dynamics_params"]
    kind = "virtual" if table.virtual else "point_neuron"
    for k, parameters in enumerate(table.common):
        file = "NULL"
        if parameters:
            file = f"{table.name}_{table.first_type + k}.json"
            (root / "components/point_neuron_models" / file).write_text(json.dumps(parameters) + "\n")
        lines.append(f"{table.first_type + k} {kind} nest:{table.model.name} {file}")
    (root / f"network/{table.name}_node_types.csv").write_text("\n".join(lines) + "\n")
    h5py = needed("h5py", "sonata", "SONATA files need")
    with h5py.File(root / f"network/{table.name}_nodes.h5", "w") as handle:
        handle.attrs["magic"], handle.attrs["version"] = np.uint32(0x0A7A), np.array([0, 1], np.uint32)
        group = handle.create_group(f"nodes/{table.name}")
        group["node_type_id"] = table.type_of
        group["node_group_id"], group["node_group_index"] = np.zeros(table.n, np.uint32), np.arange(table.n, dtype=np.uint64)
        own = group.create_group("0")
        own["model_type"] = np.zeros(table.n, np.uint32)
        own.create_dataset("@library/model_type", data=[kind], dtype=h5py.string_dtype())
        for key, column in table.positions.items():
            own[key] = column
        for key, column in table.columns.items():
            own[f"dynamics_params/{key}"] = column
