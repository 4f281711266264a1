# SPDX-License-Identifier: Apache-2.0
"""Touches become synapses of a network of point neurons: pruned by pathway, with weights per connection and delays from path lengths."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_number, to_whole
from ..errors import bad_parameter, unknown_name
from ..model.devices import poisson
from ..model.network import Network
from ..model.rules import explicit
from .columns import SOURCE, TARGET
from .edges import EdgeFile, circuit_of, runs
from .errors import bad_file
from .nodes import NodeFile
from .team import Team, share

if TYPE_CHECKING:
    from ..model.nodes import Nodes

__all__ = ["CircuitNetwork", "SynapseOptions", "delays_of", "survives", "touches_to_network"]

_PATH = "efferent_distance_soma"
# Names of excitatory mtypes where the file has no synapse_class: pyramidal, spiny stellate and star pyramidal cells.
_EXCITATORY = ("*PC*", "*SS*", "*SP*")
E, I = "EXC", "INH"  # noqa: E741


@dataclass(frozen=True)
class SynapseOptions:
    """How touches become synapses. pA, ms, um.

    survival: part of the connections of a pathway that is kept, with all their touches: one number, or by pattern "pre>post" of mtypes or classes
    (EXC, INH), e.g. {"EXC>*": 0.5, "L4_SS>L4_SS": 0.1}; the last pattern that fits counts, without one all are kept
    weight_exc, weight_inh: mean weight of a connection by the class of its source, shared evenly by its touches; weight_cv: lognormal spread
    velocity: of spikes along the axon (um/ms); synaptic_delay: added to path length / velocity, the sum is rounded to the grid
    drive: Poisson input of every neuron, as a multiple of the rate whose mean current just reaches the threshold; drive_weight: of its spikes
    model: of the neurons, with its default parameters; seed: of what is kept and of the weights

    Raises BadParameter, BadType.
    """

    survival: float | Mapping[str, float] = 0.4
    weight_exc: float = 30.0
    weight_inh: float = -60.0
    weight_cv: float = 0.5
    velocity: float = 300.0
    synaptic_delay: float = 0.5
    drive: float = 0.9
    drive_weight: float = 30.0
    model: str = "iaf_psc_exp"
    seed: int = 1

    def __post_init__(self) -> None:
        for pattern, value in self.pathways().items():
            if pattern.count(">") != 1:
                raise bad_parameter("survival", pattern, 'a pattern "pre>post"')
            _check(f"survival[{pattern!r}]", value, 0.0, 1.0)
        _check("weight_exc", self.weight_exc, 0.0)
        _check("weight_inh", self.weight_inh, -math.inf, 0.0)
        _check("weight_cv", self.weight_cv, 0.0)
        _check("velocity", self.velocity, 1e-6)
        _check("synaptic_delay", self.synaptic_delay, 0.0)
        _check("drive", self.drive, 0.0)
        _check("drive_weight", self.drive_weight, 1e-6)
        if to_whole("seed", self.seed) < 0:
            raise bad_parameter("seed", self.seed, "a whole number from 0")

    def pathways(self) -> dict[str, float]:
        """Survival by pattern."""
        return dict(self.survival) if isinstance(self.survival, Mapping) else {"*>*": to_number("survival", self.survival)}

    def key(self) -> dict[str, Any]:
        """All settings by name, as JSON knows them."""
        return asdict(self) | {"survival": self.pathways()}


def _check(name: str, value: float, least: float, most: float = math.inf) -> None:
    number = to_number(name, value)
    if not (least <= number <= most and math.isfinite(number)):
        raise bad_parameter(
            name,
            value,
            f"from {least:g} to {most:g}"
            if math.isfinite(most - least)
            else f"at least {least:g}"
            if math.isfinite(least)
            else f"at most {most:g}",
        )


@dataclass
class CircuitNetwork:
    """A network made of touches. populations: name ("mtype E" or "mtype I") -> neurons; gid: of every cell, by node id: int64 (n,).

    touches, connections: in the file; synapses, kept: what became of them. Of all ranks.
    """

    net: Network
    populations: dict[str, Nodes]
    gid: NDArray[np.int64]
    touches: int
    connections: int = 0
    synapses: int = 0
    kept: int = 0
    pathways: list[dict[str, Any]] = field(default_factory=list)

    def run(self, duration: float, **options: Any) -> None:
        """As Network.run."""
        self.net.run(duration, **options)


def touches_to_network(
    edges: Path | str,
    circuit: Path | str | None = None,
    options: SynapseOptions | None = None,
    *,
    net: Network | None = None,
    population: str | None = None,
) -> CircuitNetwork:
    """A network whose synapses are the touches of an edge file.

    circuit: configuration of the circuit of its nodes, default: the one beside the file; net: an empty network to build in, default: a new one;
    population: of edges, where the file has several. On several ranks every rank makes the same call: each checks a share of the file, then reads
    the touches that end on its own neurons; what it holds besides is 13 bytes per cell. Spikes are the same for any ranks. Collective. Raises
    BadFile, BadParameter, UnknownName on all ranks before the network changes.
    """
    net = Network() if net is None else net
    team = Team(net._comm)
    source = team.together(lambda: _Source(edges, circuit, options or SynapseOptions(), population, team))
    made = CircuitNetwork(net, {}, np.zeros(source.cells.n, np.int64), source.file.n)
    neurons, place = _create(made, source)
    _connect(made, source, team, neurons, place)
    return made


class _Source:
    """Files and options of a network, checked; on several ranks each checks its share of the touches.

    mtype: int32 (n,), index into `mtypes`; excites: bool (mtypes,); survival: (mtypes, mtypes).
    """

    def __init__(self, edges: Path | str, circuit: Path | str | None, options: SynapseOptions, population: str | None, team: Team) -> None:
        self.options = options
        self.file = _open(edges, population)
        nodes = circuit_of(edges, circuit)
        self.cells = NodeFile(nodes.population(self.file.source_population or None))
        part = share(self.file.n, team.rank, team.size)
        self.file.check_nodes(self.cells.n, self.cells.n, part)
        self.file.check_order(part)
        _check_paths(self.file, part)
        self.mtype, self.mtypes, self.excites = _classes(self.cells)
        self.survival = _survival_table(options, self.mtypes, self.excites)


def _open(edges: Path | str, population: str | None) -> EdgeFile:
    file = EdgeFile(edges, population)
    if _PATH not in file.names:
        raise bad_file(file.path, f"/edges/{file.population}/0/{_PATH}", "is missing: delays come from it")
    if file.source_population != file.target_population:
        raise bad_file(file.path, f"/edges/{file.population}", "joins two populations: a network is made of the touches of one")
    return file


def _check_paths(file: EdgeFile, part: range) -> None:
    for block in file.blocks((_PATH,), part=part):
        path = block[_PATH]
        if not np.isfinite(path).all() or (len(path) and path.min() < 0.0):
            raise bad_file(file.path, f"/edges/{file.population}/0/{_PATH}", "has lengths that are negative or not finite")


def _classes(cells: NodeFile) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.bool_]]:
    """Number of the mtype of every cell, names of mtypes, whether each excites: by synapse_class, else by its name."""
    mtype, mtypes = cells.labels("mtype")
    mtypes = mtypes or ("cells",)
    named, classes = cells.labels("synapse_class")
    excites = np.array([any(fnmatch.fnmatchcase(name, pattern) for pattern in _EXCITATORY) for name in mtypes])
    if classes:
        known = np.array([name.upper().startswith("E") for name in classes])[named]
        for k in range(len(mtypes)):
            of_type = known[mtype == k]
            excites[k] = bool(of_type.mean() >= 0.5) if len(of_type) else excites[k]
    return mtype, mtypes, excites


# --- pruning


def survives(seed: int, source: NDArray[np.int64], target: NDArray[np.int64], probability: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether connections are kept: each by a random number of its own, keyed by (seed, source, target), whatever else is in the file."""
    return _uniform(seed, 0, source, target) < probability


def _prune(source: _Source, mine: _Connections, team: Team) -> tuple[NDArray[np.bool_], list[dict[str, Any]]]:
    """Which connections of this rank are kept, and what became of those of all ranks, by pathway. Collective."""
    pre, post = source.mtype[mine.source], source.mtype[mine.target]
    keep = survives(source.options.seed, mine.source, mine.target, source.survival[pre, post])
    pair = pre.astype(np.int64) * len(source.mtypes) + post
    size = len(source.mtypes) ** 2
    own = np.array([np.bincount(pair, weights, size) for weights in (None, keep, mine.count, keep * mine.count)]).astype(np.int64)
    of_all = np.sum(team.gather(own), axis=0)
    rows = [
        {
            "pathway": f"{source.mtypes[k // len(source.mtypes)]}>{source.mtypes[k % len(source.mtypes)]}",
            "survival": float(source.survival.flat[k]),
            **dict(zip(_COUNTS, of_all[:, k].tolist(), strict=True)),
        }
        for k in np.flatnonzero(of_all[0]).tolist()
    ]
    return keep, rows


_COUNTS = ("connections", "kept", "touches", "synapses")


def _survival_table(options: SynapseOptions, mtypes: Sequence[str], excites: NDArray[np.bool_]) -> NDArray[np.float64]:
    table = np.ones((len(mtypes), len(mtypes)))
    words = [(name, E if excites[k] else I) for k, name in enumerate(mtypes)]
    for pattern, value in options.pathways().items():
        sides = []
        for part in pattern.split(">"):
            fits = np.array([any(fnmatch.fnmatchcase(word, part.strip()) for word in both) for both in words])
            if not fits.any():
                raise unknown_name(f'mtype or class in the pathway "{pattern}"', part.strip(), [*mtypes, E, I])
            sides.append(fits)
        table[np.ix_(*sides)] = value
    return table


# --- building


def _create(made: CircuitNetwork, source: _Source) -> tuple[Nodes | None, NDArray[np.int64]]:
    """A population per mtype, so that its gids follow one another. Returns all neurons, and the position of every cell among them."""
    place, neurons = np.zeros(source.cells.n, np.int64), None
    for k, name in enumerate(source.mtypes):
        mine = np.flatnonzero(source.mtype == k)
        if len(mine):
            nodes = made.net.create(source.options.model, len(mine))
            made.populations[f"{name} {'E' if source.excites[k] else 'I'}"] = nodes
            made.gid[mine] = nodes.gids
            place[mine] = (0 if neurons is None else len(neurons)) + np.arange(len(mine))
            neurons = nodes if neurons is None else neurons + nodes
    for nodes in made.populations.values() if source.options.drive else ():
        rate = _drive_rate(source.options, nodes)
        made.net.stimulate(nodes, poisson(rate=rate), weight=source.options.drive_weight, delay=made.net.resolution)
    return neurons, place


def _drive_rate(options: SynapseOptions, nodes: Nodes) -> float:
    """Rate (spikes/s) at which the mean current of the input is `drive` times what just reaches the threshold."""
    one = nodes[0]
    leak = float(one.C_m[0]) / float(one.tau_m[0]) * float(one.V_th[0] - one.E_L[0])  # pA
    return options.drive * leak / (options.drive_weight * float(one.tau_syn_ex[0]) * 1e-3)


def delays_of(path: NDArray[Any], options: SynapseOptions, resolution: float) -> NDArray[np.float64]:
    """Delays (ms) of touches at these distances along the axon (um): on the grid, at least one step."""
    steps = np.rint((np.asarray(path, np.float64) / options.velocity + options.synaptic_delay) / resolution)
    return np.asarray(np.maximum(steps, 1.0) * resolution, np.float64)


@dataclass(frozen=True)
class _Connections:
    """Connections that end on this rank's cells: source, target, number of touches, int64; path: of every touch, um."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    count: NDArray[np.int64]
    path: NDArray[Any]


def _onto(file: EdgeFile, mine: NDArray[np.bool_]) -> _Connections:
    blocks = list(file.onto(mine, (SOURCE, TARGET, _PATH)))
    source, target = (
        np.concatenate([np.empty(0, np.int64), *(block[name] for block in blocks)]).astype(np.int64) for name in (SOURCE, TARGET)
    )
    path = np.concatenate([np.empty(0, np.float32), *(block[_PATH] for block in blocks)])
    sources, targets, first = runs(source, target, 0)
    return _Connections(sources, targets, np.diff(np.append(first, len(source))), path)


def _connect(made: CircuitNetwork, source: _Source, team: Team, neurons: Nodes | None, place: NDArray[np.int64]) -> None:
    own = np.asarray(made.net._kernel.ranks_of(made.gid)) == made.net.rank
    mine = team.together(lambda: _onto(source.file, own))
    if (
        found := sum(team.gather(len(mine.path)))
    ) != source.file.n and not made.net._kernel.dry:  # played alone, others are its mirror images
        text = f"leads to {found} touches, the file has {source.file.n}"
        raise bad_file(source.file.path, f"/edges/{source.file.population}/indices/target_to_source", text)
    keep, made.pathways = _prune(source, mine, team)
    made.connections, made.kept, made.synapses = (sum(row[name] for row in made.pathways) for name in ("connections", "kept", "synapses"))
    if neurons is None or not made.synapses:
        return
    count = mine.count[keep]
    weight = (_weights(source.options, mine, source.excites[source.mtype]) / mine.count)[keep]
    rule = explicit(*(np.repeat(place[column[keep]], count) for column in (mine.source, mine.target)), own_targets=True)
    delay = delays_of(mine.path[np.repeat(keep, mine.count)], source.options, made.net.resolution)
    made.net.connect(neurons, neurons, rule, weight=np.repeat(weight, count), delay=delay)


def _weights(options: SynapseOptions, connections: _Connections, excites: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weight of every connection (pA): lognormal around the mean of its class, keyed by the pair of cells."""
    mean = np.where(excites[connections.source], options.weight_exc, options.weight_inh)
    sigma = math.sqrt(math.log1p(options.weight_cv**2))
    pair = (connections.source, connections.target)
    normal = np.sqrt(-2.0 * np.log1p(-_uniform(options.seed, 1, *pair))) * np.cos(2.0 * np.pi * _uniform(options.seed, 2, *pair))
    return np.asarray(mean * np.exp(sigma * normal - 0.5 * sigma * sigma), np.float64)


def _uniform(seed: int, purpose: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers in [0, 1) by (seed, purpose, source, target): rounds of splitmix64, each over one of the keys."""
    with np.errstate(over="ignore"):
        state = np.full(len(source), np.uint64(seed) ^ np.uint64(purpose << 56), np.uint64)
        for key in (source, target):
            state = _mixed(state ^ (key.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)))
        return np.asarray((_mixed(state) >> np.uint64(11)).astype(np.float64) * 2.0**-53, np.float64)


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
