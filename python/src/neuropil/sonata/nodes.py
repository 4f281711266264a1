# SPDX-License-Identifier: Apache-2.0
"""Node populations: what their files say of every node, and the neurons and spike generators that they become."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..circuit.hdf5 import dataset, opened, read, reading
from ..errors import UnknownName, bad_file
from ..model import catalog
from ..model.network import Network
from ..model.nodes import Nodes
from .config import Config
from .tables import Table, check_types, different, parameters_of, read_table, template_of

__all__ = ["Made", "NodePopulation", "create", "populations"]

_INJECTOR = "spike_generator"
_POINTS = ("point_neuron", "point_process")
_OWN = ("node_type_id", "node_group_id", "node_group_index", "node_id")


class NodePopulation:
    """A population of a file of nodes. n: number of nodes; types: properties of types by id; type_of: int64 (n,). Node ids count from 0."""

    def __init__(self, file: Path, name: str, types: Table) -> None:
        self.file, self.name, self.types = file, name, types
        with opened(file) as handle:
            group = handle[f"nodes/{name}"]
            self.type_of = read(dataset(group, "node_type_id", "iu")).astype(np.int64)
            self.n = len(self.type_of)
            self._rows = self._rows_of(group)
            self.type_of = self.type_of[self._rows]
            self._group, self._index = (self._column(group, key) for key in ("node_group_id", "node_group_index"))
            self._own = self._names(group)
        check_types(file, f"/nodes/{name}/node_type_id", different(self.type_of).tolist(), types)

    @property
    def virtual(self) -> bool:
        """Whether all nodes only send spikes that a file has."""
        return self.n > 0 and all(self.types[k].get("model_type") == "virtual" for k in different(self.type_of).tolist())

    @property
    def names(self) -> set[str]:
        """Names of what is known of nodes."""
        return {*self._own, *(key for row in self.types.values() for key in row)}

    def column(self, key: str) -> NDArray[Any]:
        """A property of all nodes, shape (n,): of a node's own, else of its type; nan or None where neither has it. Raises UnknownName."""
        if key not in self.names:
            raise UnknownName(f"unknown property '{key}' of the node population {self.name}", "property", key)
        found = self._of_types(key)
        for group in self._own.get(key, ()):
            mine = np.flatnonzero(self._group == group)
            values = self._values(f"{group}/{key}")[self._index[mine]]
            found = values.astype(object) if found is None and values.dtype.kind in "OSU" else found
            found = np.full(self.n, np.nan) if found is None else found
            found[mine] = values
        assert found is not None
        return found

    def dynamics(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Parameters that these nodes have for themselves (group `dynamics_params`), of shape (rows,)."""
        groups = different(self._group[rows]).tolist()
        found: dict[str, NDArray[Any]] = {}
        for group in groups:
            with opened(self.file) as handle:
                place = f"nodes/{self.name}/{group}/dynamics_params"
                names = sorted(handle[place]) if place in handle else []
            if names and len(groups) > 1:
                raise bad_file(self.file, f"/{place}", "has parameters for some nodes of a type only: give all of them one group")
            found |= {key: self._values(f"{group}/dynamics_params/{key}")[self._index[rows]] for key in names}
        return found

    # --- helpers

    def _rows_of(self, group: Any) -> NDArray[np.int64]:
        """Row of each node id."""
        if "node_id" not in group:
            return np.arange(self.n)
        ids = read(dataset(group, "node_id", "iu")).astype(np.int64)
        order = np.argsort(ids, kind="stable")
        if len(ids) != self.n or not np.array_equal(ids[order], np.arange(self.n)):
            raise bad_file(self.file, f"/nodes/{self.name}/node_id", f"must have each number from 0 to {self.n - 1} once")
        return order

    def _column(self, group: Any, key: str) -> NDArray[np.int64]:
        if key not in group:
            return np.zeros(self.n, np.int64) if key == "node_group_id" else self._rows
        found = read(dataset(group, key, "iu")).astype(np.int64)
        if len(found) != self.n:
            raise bad_file(self.file, f"/nodes/{self.name}/{key}", f"has {len(found)} values, node_type_id has {self.n}")
        return found[self._rows]

    def _names(self, group: Any) -> dict[str, list[int]]:
        """Numbers of the groups that have a property, by its name."""
        found: dict[str, list[int]] = {}
        for number in (key for key in group if key.isdigit()):
            for key in group[number]:
                if key not in ("@library", "dynamics_params"):
                    found.setdefault(key, []).append(int(number))
        return found

    def _values(self, place: str) -> NDArray[Any]:
        """A dataset of a group; texts where it has numbers of the entries of a list."""
        with opened(self.file) as handle, reading(self.file, place):
            group = handle[f"nodes/{self.name}"]
            values = read(group[place])
            number, _, key = place.partition("/")
            texts = group[number].get(f"@library/{key}")
            if texts is not None:
                values = read(texts)[values]
        if values.dtype.kind in "OS":
            return np.array([value.decode() if isinstance(value, bytes) else str(value) for value in values], object)
        return values

    def _of_types(self, key: str) -> NDArray[Any] | None:
        texts = {k: self.types[k][key] for k in different(self.type_of).tolist() if key in self.types[k]}
        if not texts:
            return None
        try:
            values: dict[int, Any] = {k: float(text) for k, text in texts.items()}
            found = np.full(self.n, np.nan)
        except ValueError:
            values, found = dict(texts), np.full(self.n, None, object)
        for k, value in values.items():
            found[self.type_of == k] = value
        return found


def populations(config: Config) -> Iterator[NodePopulation]:
    """All node populations, in the order of the configuration. Raises BadFile."""
    for entry in config.nodes:
        file, types = Path(entry["nodes_file"]), read_table(entry.get("node_types_file"), "node_type_id")
        with opened(file) as handle:
            there = list(handle["nodes"]) if "nodes" in handle else []
        for name in entry.get("populations") or there:
            if name not in there:
                raise bad_file(file, f"/nodes/{name}", f"is missing; the file has {', '.join(there) or 'no population'}")
            yield NodePopulation(file, name, types)


class Made:
    """The nodes that a population became.

    place: position of each node id in `nodes`, int64 (n,); models: names; model, within: of each node id the number of its model, and its position
    among the nodes of this model; int64 (n,).
    """

    def __init__(self, of: NodePopulation, net: Network, parts: list[tuple[str, NDArray[np.int64], Nodes]]) -> None:
        self.population, self.net = of, net
        self.models = sorted({model for model, _, _ in parts})
        self.place, self.model, self.within = (np.empty(of.n, np.int64) for _ in range(3))
        before = 0
        for model, rows, _ in parts:
            self.place[rows] = before + np.arange(len(rows))
            self.model[rows] = self.models.index(model)
            before += len(rows)
        for k in range(len(self.models)):
            mine = np.flatnonzero(self.model == k)
            self.within[mine[np.argsort(self.place[mine])]] = np.arange(len(mine))
        self._plain = bool((self.place == np.arange(of.n)).all())
        self.first = int(parts[0][2].gids[0])
        self.nodes = Nodes(net, Ranges.span(self.first, of.n))

    @property
    def gids(self) -> NDArray[np.int64]:
        """Gid of each node id, int64 (n,)."""
        return self.first + self.place

    def position(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position in `nodes` of nodes by their ids."""
        return ids if self._plain else self.place[ids]

    def position_in_model(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position among the nodes of their model."""
        return ids if self._plain and len(self.models) == 1 else self.within[ids]

    def of_model(self, number: int) -> Nodes:
        """The nodes of a model, by ascending gid."""
        return Nodes(self.net, Ranges.of(np.sort(self.gids[self.model == number])))

    def subset(self, ids: NDArray[np.int64]) -> Nodes:
        """Nodes by their ids, in this order."""
        return Nodes(self.net, Ranges.of(self.gids[ids]))


def create(net: Network, config: Config, of: NodePopulation) -> Made:
    """Creates the nodes of a population, those of a type in one call. Raises BadFile, and as `Network.create`."""
    parts = []
    for number in dict.fromkeys(of.type_of.tolist()):
        rows = np.flatnonzero(of.type_of == number)
        model, parameters = _model(config, of, number)
        own = {key: values.astype(np.float64) for key, values in of.dynamics(rows).items()}
        parts.append((model, rows, net.create(model, len(rows), **(parameters | own))))
    return Made(of, net, parts)


def _model(config: Config, of: NodePopulation, number: int) -> tuple[str, dict[str, Any]]:
    """Name of the model of a type, and its parameters."""
    row, what = of.types[number], f"node type {number} of {of.name}"
    kind = row.get("model_type", "point_neuron")
    if kind == "virtual" and "model_template" not in row:
        return _INJECTOR, {}
    if kind not in (*_POINTS, "virtual"):
        raise bad_file(of.file, what, f"is of the model_type {kind}: neuropil simulates {', '.join(_POINTS)} and virtual nodes")
    if "model_processing" in row:
        raise bad_file(
            of.file, what, f"has model_processing {row['model_processing']}, which is not supported: write the parameters themselves"
        )
    model = template_of(of.file, what, row)
    if model not in catalog.models() and model not in catalog.devices():
        raise bad_file(of.file, what, f"names the model {model}: {_unknown(model)}")
    return _shaped(of, what, model, parameters_of(config, "point_neuron_models_dir", row))


def _shaped(of: NodePopulation, what: str, model: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Lists of neuron parameters (tau_syn, asc_decay, ...) as the numbered parameters of the model with as many receptors or currents."""
    if model not in catalog.models():
        return model, given
    lists = {key: value for key, value in given.items() if isinstance(value, list)}
    found = {key: value for key, value in given.items() if key not in lists}
    receptors = {len(value) for key, value in lists.items() if not key.startswith("asc")}
    if len(receptors) == 1 and (shaped := f"{model}[{max(receptors)}]") in catalog.models():
        model = shaped
    known = catalog.models()[model].parameters
    for key, value in lists.items():
        names = [f"{key}_{k + 1}" for k in range(len(value))]
        if not set(names) <= set(known) or len(receptors) > 1:
            raise bad_file(of.file, what, f"gives {model} a list of {len(value)} numbers for {key}, which it does not take")
        found |= dict(zip(names, value, strict=True))
        count = "n_asc" if key.startswith("asc") else next((name for name in ("n_receptors", "n_synapses") if name in known), "")
        found |= {count: len(value)} if count in known else {}
    return model, found


def _unknown(model: str) -> str:
    from ..errors import unknown_text

    return unknown_text("model", model, [*catalog.models(), *catalog.devices()])[0]
