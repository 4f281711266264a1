# SPDX-License-Identifier: Apache-2.0
"""A simulation that a configuration of SONATA describes: its network, inputs and reports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_whole
from ..base.libraries import needed
from ..base.progress import Progress
from ..circuit.team import Team
from ..errors import bad_parameter, unknown_name
from ..model.network import Network
from ..model.nodes import Nodes
from . import reports
from .config import Config, read_config
from .connecting import Work, connect
from .edge_types import Functions, WeightFunction
from .edges import AT_ONCE, edge_populations
from .inputs import apply_inputs
from .links import connect_links
from .nodes import Made, create, populations
from .spike_files import write_spikes, write_spikes_csv

__all__ = ["Simulation", "load", "run"]

_SETTINGS = ("strict_weights", "sources_on_grid")  # of the network, in the section `neuropil` of a configuration


class Simulation:
    """A network from files of SONATA, with its inputs and records. From `load`.

    net : the network; config : the configuration, every path absolute; notes : keys of it that have no meaning for point neurons
    """

    def __init__(self, net: Network, config: Config, made: Mapping[str, Made]) -> None:
        self.net, self.config, self.notes, self._made = net, config, config.notes, dict(made)
        self._output = reports.output_of(config)
        self._spikes = reports.record_spikes(net, made)
        self._reports = reports.record_reports(net, config, made, self._output)

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of the node populations."""
        return tuple(self._made)

    def nodes(self, population: str) -> Nodes:
        """The nodes of a population, in the order of their node ids. Raises UnknownName."""
        return self._of(population).subset(np.arange(self._of(population).population.n))

    def gids(self, population: str) -> NDArray[np.int64]:
        """Gid of each node id of a population, int64 of shape (n,). Raises UnknownName."""
        return self._of(population).gids

    def spikes(self, population: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Node ids and times (ms) of the spikes so far, by time, then by node; both of shape (n_spikes,). Collective. Raises UnknownName."""
        made = self._of(population)
        if population not in self._spikes:
            raise unknown_name("population of neurons", population, self._spikes)
        found, node = self._spikes[population], np.empty(made.population.n, np.int64)
        node[made.place] = np.arange(len(node))
        ids, times = node[found.gids - made.first], found.times
        order = np.lexsort((ids, times))
        return ids[order], times[order]

    def report(self, name: str) -> dict[str, Any]:
        """Samples of a report by population, see `neuropil.results.TraceData`. Raises UnknownName."""
        every = {report.name: dict(report.traces) for report in self._reports}
        if name not in every:
            raise unknown_name("report", name, every)
        return every[name]

    def run(self, duration: float | None = None, *, progress: Progress = None) -> None:
        """Simulates up to tstop of the configuration, or `duration` ms. Collective. Raises as `Network.run`."""
        left = self.config.tstop - self.net.time if duration is None else duration
        self.net.run(left, progress)

    def write(self) -> list[Path]:
        """Writes spikes and reports to the output folder of the configuration, on rank 0; returns the files. Collective. Raises BadFile, DiskFull."""
        spikes = {name: self.spikes(name) for name in self._spikes}
        for report in self._reports:
            for trace in report.traces.values():
                trace.times  # noqa: B018  (collective: the samples of all ranks come together)
        out, team = self._output, Team(self.net._comm)
        files = [out.spikes, *([out.csv] if out.csv else []), *(report.file for report in self._reports)]

        def write() -> None:
            write_spikes(out.spikes, spikes, out.sorting)
            if out.csv:
                write_spikes_csv(out.csv, spikes, out.sorting)
            for report in self._reports:
                reports.write_report(report)

        team.first(write)
        return files

    def _of(self, population: str) -> Made:
        if population not in self._made:
            raise unknown_name("node population", population, self._made)
        return self._made[population]


def load(
    config: str | os.PathLike[str],
    *,
    threads: int | None = None,
    seed: int | None = None,
    weight_functions: Mapping[str, WeightFunction] | None = None,
    delay_functions: Mapping[str, WeightFunction] | None = None,
    edges_at_once: int = AT_ONCE,
    **options: Any,
) -> Simulation:
    """The network, inputs and reports of simulation_config.json.

    Parameters
    ----------
    config : the file; it may name a circuit configuration as `network`
    threads, options : of `Network`: threads, distribution, exchange, memory_limit, ...
    seed : default: `random_seed` of the section `run`, else 1
    weight_functions, delay_functions : functions that edge types name (weight_function, delay_function), called with properties of edges, sources and
        targets, each a mapping of names to arrays of shape (n,); they return weights, or delays (ms), of shape (n,)
    edges_at_once : edges that are read and connected together; more need more memory

    On several ranks every rank reads the edges onto its own neurons. Collective. Raises BadFile with file and key for all that is missing, unknown or
    not supported; MissingLibrary without h5py.
    """
    needed("h5py", "sonata", "SONATA files need")
    size = to_whole("edges_at_once", edges_at_once)
    if size < 1:
        raise bad_parameter("edges_at_once", edges_at_once, "at least 1")
    team = Team(options["ranks"]) if options.get("ranks") is not None else Team()
    found = team.together(lambda: read_config(config))
    settings = {key: found.settings[key] for key in _SETTINGS if key in found.settings}
    net = Network(found.dt, found.seed if seed is None else seed, threads, **(settings | options))
    team = Team(net._comm)
    of_nodes = team.together(lambda: [*populations(found)])
    made = {each.name: create(net, found, each) for each in of_nodes}
    functions = Functions(dict(weight_functions or {}), dict(delay_functions or {}))

    def edges() -> list[Work]:
        return [Work(net, found, each, (made[each.source], made[each.target]), functions) for each in edge_populations(found, made)]

    works = team.together(edges)
    connect_links(net, [work for work in works if work.links])
    for work in works:
        if not work.only_links():
            connect(work, size)
    team.together(lambda: apply_inputs(net, found, made))
    return Simulation(net, found, made)


def run(config: str | os.PathLike[str], *, progress: Progress = None, **options: Any) -> Simulation:
    """Loads a simulation, runs it to its end and writes spikes and reports. Options and errors: `load`. Collective."""
    simulation = load(config, **options)
    simulation.run(progress=progress)
    simulation.write()
    return simulation
