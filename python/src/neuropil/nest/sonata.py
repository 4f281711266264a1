# SPDX-License-Identifier: Apache-2.0
"""SonataNetwork: networks of point neurons in files of the SONATA format (Dai et al. 2020, PLoS Comput Biol 16:e1007696), read with h5py."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import sonata
from . import connect, create, defaults, simulate
from .errors import NESTErrors, NotSupported, is_a, translating
from .kernel_status import SetKernelStatus
from .node_collection import NodeCollection

_INJECTOR = "spike_train_injector"
_AT_ONCE = 2**20


class SonataNetwork:
    """A network in SONATA files: `Create` its nodes, `Connect` them (both: `BuildNetwork`), `Simulate`.

    config : JSON file with `networks` (HDF5 and CSV files of nodes and edges), `components` (folders of JSON files of parameters) and, if they are not
        in `sim_config`, `run` (tstop or duration, dt; ms) and `inputs` (files of spikes for the nodes of virtual populations). A file may name both others
        as `network` and `simulation`.

    Sets the resolution to dt. Raises FileNotFoundError, TypeError, NESTError for entries that are missing; MissingLibrary without h5py.
    """

    def __init__(self, config: str | os.PathLike[str], sim_config: str | os.PathLike[str] | None = None) -> None:
        found = sonata.read_config(config) | ({} if sim_config is None else sonata.read_config(sim_config))
        for key in ("network", "simulation"):
            if isinstance(found.get(key), str):
                found |= sonata.read_config(found[key])
        for key in ("networks", "run"):
            if key not in found:
                raise NESTErrors.KernelException(f"{config}: no entry '{key}'")
        if "dt" not in found["run"]:
            raise NESTErrors.KernelException(f"{config}: run has no dt")
        self._config, self._nodes, self._connected = found, dict[str, NodeCollection](), False
        self._virtual: set[str] = set()  # populations
        SetKernelStatus({"resolution": float(found["run"]["dt"])})

    @property
    def config(self) -> dict[str, Any]:
        """The configuration, variables of its manifest replaced."""
        return self._config

    @property
    def node_collections(self) -> dict[str, NodeCollection]:
        """Nodes by population."""
        return self._nodes

    def BuildNetwork(self, hdf5_hyperslab_size: int | None = None) -> dict[str, NodeCollection]:  # noqa: N802
        """Creates and connects all nodes; returns them by population."""
        self.Create()
        self.Connect(hdf5_hyperslab_size)
        return self._nodes

    def Create(self) -> dict[str, NodeCollection]:  # noqa: N802
        """Creates the nodes of all populations; virtual ones send the spikes of `inputs`. Raises NESTError when that was done, or for unknown types."""
        if self._nodes:
            raise NESTErrors.KernelException("the nodes of this network were created already")
        for entry in self._config["networks"].get("nodes", ()):
            with translating():
                for name, types in sonata.populations(entry):
                    self._nodes[name] = self._created(name, types)
        self._check_inputs()
        return self._nodes

    def _check_inputs(self) -> None:
        """Raises NotSupported for inputs that no nodes have got."""
        for name, entry in self._config.get("inputs", {}).items():
            kind, chosen = entry.get("input_type", "spikes"), sonata.population_of(entry)
            if kind != "spikes":
                raise NotSupported(f"input_type '{kind}' of the input '{name}'", "spikes for virtual nodes")
            if chosen is not None and chosen not in self._virtual:
                raise NotSupported(f"node_set '{chosen}' of the input '{name}'", f"virtual populations: {', '.join(sorted(self._virtual))}")

    def Connect(self, hdf5_hyperslab_size: int | None = None) -> None:  # noqa: N802
        """Connects the nodes; so many edges are read at a time. Raises NESTError before Create, for unknown types, and where a weight or delay is missing."""
        size = _AT_ONCE if hdf5_hyperslab_size is None else hdf5_hyperslab_size
        if not is_a(int, size):
            raise TypeError("hdf5_hyperslab_size must be a whole number")
        if size < 1:
            raise ValueError("hdf5_hyperslab_size must be at least 1")
        if not self._nodes or self._connected:
            raise NESTErrors.KernelException("the network must be created, and is connected once")
        for entry in self._config["networks"].get("edges", ()):
            with translating():
                for found in sonata.edges(entry, int(size), ("syn_weight", "delay")):
                    source, target = map(self._population, found.populations)
                    connect.Connect(source[found.source], target[found.target], "one_to_one", self._spec(found.properties, found.own))
        self._connected = True

    def Simulate(self) -> None:  # noqa: N802
        """Simulates `tstop` (or `duration`) ms. Raises NESTError before BuildNetwork, and without such a time."""
        if not self._connected:
            raise NESTErrors.KernelException("the network must be built before it is simulated")
        run = self._config["run"]
        time = run.get("tstop", run.get("duration"))
        if time is None:
            raise NESTErrors.KernelException("run has no tstop")
        simulate.Simulate(float(time))

    # --- nodes

    def _created(self, name: str, types: sonata.Types) -> NodeCollection:
        made = []
        for properties, n in types:
            if properties.get("model_type") == "virtual":
                made.append(create.Create(_INJECTOR, n))
            else:
                if "model_template" not in properties:
                    raise NESTErrors.KernelException("a node type has no model_template")
                model = properties["model_template"].removeprefix("nest:")
                made.append(create.Create(model, n, sonata.read_parameters(self._config, "point_neuron_models_dir", properties)))
        nodes: NodeCollection = sum(made, start=NodeCollection())
        if types[0][0].get("model_type") == "virtual":
            self._virtual.add(name)
            self._tell(name, nodes)
        return nodes

    def _tell(self, population: str, nodes: NodeCollection) -> None:
        """Gives virtual nodes their spikes."""
        for entry in self._config.get("inputs", {}).values():
            if entry.get("input_type", "spikes") != "spikes" or sonata.population_of(entry) not in (None, population):
                continue  # it is another population's, see `_check_inputs`
            ids, times = sonata.read_spikes(entry["input_file"], population)
            if len(ids) and not 0 <= ids[0] <= ids[-1] < len(nodes):
                raise NESTErrors.KernelException(f"{entry['input_file']}: spikes of nodes that {population} does not have")
            cuts = np.searchsorted(ids, np.arange(len(nodes) + 1))
            for k in np.unique(ids).tolist():
                nodes[k].set(spike_times=times[cuts[k] : cuts[k + 1]], allow_offgrid_times=True)

    # --- edges

    def _population(self, name: str) -> Any:
        """Ids of all nodes of a population."""
        if name not in self._nodes:
            raise NESTErrors.KernelException(f"edges of the population {name}, which is not there")
        return np.asarray(self._nodes[name])

    def _spec(self, properties: Mapping[str, str], own: Mapping[str, Any]) -> dict[str, Any]:
        n = len(next(iter(own.values()))) if own else 1
        spec: dict[str, Any] = {"synapse_model": properties.get("model_template", "static_synapse").removeprefix("nest:")}
        spec |= sonata.read_parameters(self._config, "synaptic_models_dir", properties)
        of_model = defaults.GetDefaults(spec["synapse_model"])
        for key, name in (("syn_weight", "weight"), ("delay", "delay")):
            common = float(properties[key]) if key in properties else spec.get(name, of_model[name])
            spec[name] = np.where(np.isnan(own[key]), common, own[key]) if key in own else common
        return spec | ({name: np.full(n, spec[name]) for name in ("weight", "delay")} if own else {})
