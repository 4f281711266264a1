# SPDX-License-Identifier: Apache-2.0
"""Connections of a network as edge populations of SONATA, one for each pair of node populations, in one file with indices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..circuit.edge_index import index_of
from ..errors import NotKept
from ..model import catalog
from ..model.connections import Connections
from .exported_nodes import NodeTable

__all__ = ["EdgeTable", "edge_tables", "write_edges"]

Kind = tuple[str, int, bool, dict[str, float], int | None]

_MOST_TYPES = 4096
_PORTS = ("ports", "count")  # inputs of models whose receptors are chosen by number


@dataclass
class EdgeTable:
    """Edges between two populations, by source and target. types: of each the synapse model, receptor, double weights, parameters, number of its link; all arrays int64 or float64 (n,)."""

    source: NodeTable
    target: NodeTable
    ends: tuple[NDArray[np.int64], NDArray[np.int64]]
    type_of: NDArray[np.int64]
    weight: NDArray[np.float64]
    delay: NDArray[np.float64]
    types: dict[int, Kind]

    @property
    def name(self) -> str:
        """Of the edge population."""
        return f"{self.source.name}__{self.target.name}__chemical"

    def entry(self) -> dict[str, Any]:
        """What the circuit configuration says of it."""
        files = {
            "edges_file": f"$BASE_DIR/network/{self.name}_edges.h5",
            "edge_types_file": f"$BASE_DIR/network/{self.name}_edge_types.csv",
        }
        return files | {"populations": {self.name: {"type": "chemical"}}}


def edge_tables(net: Any, nodes: list[NodeTable]) -> list[EdgeTable]:
    """All connections by the populations of their ends. Collective. Raises NotKept for connections without delay, and for too many sets of parameters."""
    parts = [*_stored(net), *_of_devices(net)]
    firsts = np.array([table.first for table in nodes], np.int64)
    columns = [np.concatenate([part[k] for part in parts]) if parts else np.empty(0) for k in range(5)]
    kinds = [kind for part in parts for kind in part[5]]
    shift = np.cumsum([0, *(len(part[5]) for part in parts)])
    if parts:
        columns[4] = np.concatenate([part[4] + shift[k] for k, part in enumerate(parts)])
    source, target = (columns[k].astype(np.int64) for k in range(2))
    pair = (np.searchsorted(firsts, source, "right") - 1) * len(nodes) + np.searchsorted(firsts, target, "right") - 1
    order = np.lexsort((target, source, pair))
    cuts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    found = []
    for at in np.split(order, cuts[1:]) if len(order) else ():
        a, b = (nodes[k] for k in divmod(int(pair[at[0]]), len(nodes)))
        kind = columns[4][at].astype(np.int64)
        types = {int(k): kinds[int(k)] for k in sorted({*kind.tolist()})}
        found.append(EdgeTable(a, b, (source[at] - a.first, target[at] - b.first), kind, columns[2][at], columns[3][at], types))
    return found


Part = tuple[Any, Any, Any, Any, Any, list[Kind]]


def _stored(net: Any) -> Iterator[Part]:
    """Connections in tables, by synapse model."""
    every = net.connections()
    names = every.synapse
    for model in sorted({*names.tolist()}):
        entry = catalog.synapses()[model]
        if not entry.delayed or entry.digest:
            raise NotKept(f"to_sonata: SONATA has no place for connections of {model}")
        some = every[names == model]
        number, kinds = _kinds(net, some, model)
        yield some.source, some.target, np.asarray(some.weight), np.asarray(some.delay), number, kinds


def _kinds(net: Any, some: Connections, model: str) -> tuple[NDArray[np.int64], list[Kind]]:
    """The type of each connection: receptor, parameters that are not the defaults, and whether weights need float64."""
    entry, weight = catalog.synapses()[model], np.asarray(some.weight)
    rows, index = net._populations.rows(), net._populations.index(some.target)
    chosen = np.array([row.input in _PORTS for _, _, row in rows])[index]
    double = model != "static_synapse" and bool((weight.astype(np.float32) != weight).any())
    names = [key for key, known in entry.parameters.items() if (np.asarray(some[key]) != known.default).any()]
    table = np.stack([np.where(chosen, some.receptor, 0), *(np.asarray(some[key]) for key in names)], axis=1).astype(np.float64)
    different, number = np.unique(table, axis=0, return_inverse=True)
    if len(different) > _MOST_TYPES:
        raise NotKept(
            f"to_sonata: {len(different)} connections of {model} have parameters of their own; at most {_MOST_TYPES} sets are written"
        )
    kinds: list[Kind] = [(model, int(row[0]), double, dict(zip(names, row[1:].tolist(), strict=True)), None) for row in different]
    return number.ravel().astype(np.int64), kinds


def _of_devices(net: Any) -> Iterator[Part]:
    """Connections of stimulators, which the kernel keeps with them."""
    seen: set[int] = set()
    for projection in net.projections:
        number = projection._given.number
        if projection._stored() or number in seen or number < 0:
            continue
        seen.add(number)
        links = net._kernel.drives(number)
        delay = np.asarray(net._grid.ms(links["delay_steps"]))
        for call in sorted({*links["call"].tolist()}):
            mine = links["call"] == call
            kind: Kind = ("static_synapse", projection._given.receptor, False, {}, int(call))
            yield links["source"][mine], links["target"][mine], links["weight"][mine], delay[mine], np.zeros(mine.sum(), np.int64), [kind]


# --- files


def write_edges(root: Path, tables: list[EdgeTable]) -> None:
    """Writes each edge population, its types and their parameters."""
    for table in tables:
        _write_types(root, table)
        _write_file(root / f"network/{table.name}_edges.h5", table)


def _write_types(root: Path, table: EdgeTable) -> None:
    lines = ["edge_type_id model_template dynamics_params syn_weight delay double_weights link"]
    for number, (model, receptor, double, parameters, link) in table.types.items():
        file, given = "NULL", parameters | ({"receptor_type": receptor} if receptor else {})
        if given:
            file = f"{table.name}_{number}.json"
            (root / "components/synaptic_models" / file).write_text(json.dumps(given) + "\n")
        mine = table.type_of == number
        weight, delay = (repr(float(values[mine][0])) if _equal(values[mine]) else "NULL" for values in (table.weight, table.delay))
        lines.append(f"{number} {model} {file} {weight} {delay} {int(double)} {'NULL' if link is None else link}")
    (root / f"network/{table.name}_edge_types.csv").write_text("\n".join(lines) + "\n")


def _equal(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())


def _varies(table: EdgeTable, values: NDArray[np.float64]) -> bool:
    """Whether edges of one type have different values."""
    return any(not _equal(values[table.type_of == number]) for number in table.types)


def _write_file(file: Path, table: EdgeTable) -> None:
    h5py = needed("h5py", "sonata", "SONATA files need")
    n = len(table.type_of)
    with h5py.File(file, "w") as handle:
        handle.attrs["magic"], handle.attrs["version"] = np.uint32(0x0A7A), np.array([0, 1], np.uint32)
        group = handle.create_group(f"edges/{table.name}")
        for key, ids, of in zip(("source_node_id", "target_node_id"), table.ends, (table.source, table.target), strict=True):
            group[key] = ids.astype(np.uint64)
            group[key].attrs["node_population"] = of.name
        group["edge_type_id"] = table.type_of
        group["edge_group_id"], group["edge_group_index"] = np.zeros(n, np.uint32), np.arange(n, dtype=np.uint64)
        own = group.create_group("0")
        for key, values in (("syn_weight", table.weight), ("delay", table.delay)):
            if _varies(table, values):
                own[key] = values
        _write_indices(group, table)


def _write_indices(group: Any, table: EdgeTable) -> None:
    """Ranges of edges of each source and onto each target, as libsonata makes them."""
    source, target = table.ends
    rows = np.stack([source, target, np.ones(len(source), np.int64)], axis=1)
    for column, (name, of) in enumerate((("source_to_target", table.source), ("target_to_source", table.target))):
        index = index_of([rows], range(of.n), column)
        made = group.create_group(f"indices/{name}")
        made["node_id_to_ranges"], made["range_to_edge_id"] = index.rows(0), index.ranges.astype(np.uint64)
