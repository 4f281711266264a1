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

from ..checks import to_number, to_whole
from ..devices import poisson
from ..errors import bad_parameter, unknown_name
from ..network import Network
from .edges import Connections, EdgeFile, circuit_of
from .errors import bad_file
from .nodes import NodeFile

if TYPE_CHECKING:
    from ..nodes import Nodes

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

    touches, connections: in the file; synapses, kept: what became of them.
    """

    net: Network
    populations: dict[str, Nodes]
    gid: NDArray[np.int64]
    touches: int
    connections: int
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
    population: of edges, where the file has several. On several ranks every rank makes the same call and reads the file. Spikes are the same
    for any ranks. Raises BadFile, BadParameter, UnknownName before the network changes.
    """
    chosen = options or SynapseOptions()
    file = EdgeFile(edges, population)
    if _PATH not in file.names:
        raise bad_file(file.path, f"/edges/{file.population}/0/{_PATH}", "is missing: delays come from it")
    nodes = circuit_of(edges, circuit)
    if file.source_population != file.target_population:
        raise bad_file(file.path, f"/edges/{file.population}", "joins two populations: a network is made of the touches of one")
    cells = NodeFile(nodes.population(file.source_population or None))
    file.check_nodes(cells.n, cells.n)
    mtype, mtypes, excites = _classes(cells)
    connections = Connections(file)
    keep, pathways = _prune(chosen, connections, mtype, mtypes, excites)
    net = Network() if net is None else net
    made = CircuitNetwork(net, {}, np.zeros(cells.n, np.int64), file.n, len(connections), pathways=pathways)
    _create(made, chosen, mtype, mtypes, excites)
    _connect(made, chosen, file, connections, keep, excites[mtype])
    return made


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


def _prune(
    options: SynapseOptions, connections: Connections, mtype: NDArray[np.int32], mtypes: Sequence[str], excites: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[dict[str, Any]]]:
    table = _survival_table(options, mtypes, excites)
    pre, post = mtype[connections.source], mtype[connections.target]
    keep = survives(options.seed, connections.source, connections.target, table[pre, post])
    pair = pre.astype(np.int64) * len(mtypes) + post
    size = len(mtypes) ** 2
    columns = [np.bincount(pair, weights, size).astype(np.int64) for weights in (None, keep, connections.count, keep * connections.count)]
    rows = [
        {
            "pathway": f"{mtypes[k // len(mtypes)]}>{mtypes[k % len(mtypes)]}",
            "survival": float(table.flat[k]),
            **dict(zip(_COUNTS, values, strict=True)),
        }
        for k, values in enumerate(zip(*(column.tolist() for column in columns), strict=True))
        if values[0]
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


def _create(
    made: CircuitNetwork, options: SynapseOptions, mtype: NDArray[np.int32], mtypes: Sequence[str], excites: NDArray[np.bool_]
) -> None:
    """A population per mtype, so that its gids follow one another."""
    for k, name in enumerate(mtypes):
        mine = np.flatnonzero(mtype == k)
        if len(mine):
            nodes = made.net.create(options.model, len(mine))
            made.populations[f"{name} {'E' if excites[k] else 'I'}"] = nodes
            made.gid[mine] = nodes.gids
    for nodes in made.populations.values() if options.drive else ():
        made.net.stimulate(nodes, poisson(rate=_drive_rate(options, nodes)), weight=options.drive_weight, delay=made.net.resolution)


def _drive_rate(options: SynapseOptions, nodes: Nodes) -> float:
    """Rate (spikes/s) at which the mean current of the input is `drive` times what just reaches the threshold."""
    one = nodes[0]
    leak = float(one.C_m[0]) / float(one.tau_m[0]) * float(one.V_th[0] - one.E_L[0])  # pA
    return options.drive * leak / (options.drive_weight * float(one.tau_syn_ex[0]) * 1e-3)


def delays_of(path: NDArray[Any], options: SynapseOptions, resolution: float) -> NDArray[np.float64]:
    """Delays (ms) of touches at these distances along the axon (um): on the grid, at least one step."""
    steps = np.rint((np.asarray(path, np.float64) / options.velocity + options.synaptic_delay) / resolution)
    return np.asarray(np.maximum(steps, 1.0) * resolution, np.float64)


def _connect(
    made: CircuitNetwork,
    options: SynapseOptions,
    file: EdgeFile,
    connections: Connections,
    keep: NDArray[np.bool_],
    excites: NDArray[np.bool_],
) -> None:
    weight = _weights(options, connections, excites) / connections.count
    of_touch = np.repeat(keep, connections.count)
    delay = np.empty(int(of_touch.sum()))
    filled = begin = 0
    for block in file.blocks((_PATH,)):
        path = block[_PATH][of_touch[begin : begin + len(block[_PATH])]]
        if not np.isfinite(path).all() or (len(path) and path.min() < 0.0):
            raise bad_file(file.path, f"/edges/{file.population}/0/{_PATH}", "has lengths that are negative or not finite")
        delay[filled : filled + len(path)] = delays_of(path, options, made.net.resolution)
        filled, begin = filled + len(path), begin + len(block[_PATH])
    count = connections.count[keep]
    source, target = (made.gid[np.repeat(column[keep], count)] for column in (connections.source, connections.target))
    made.synapses, made.kept = len(delay), int(keep.sum())
    if len(delay):
        made.net.connect_arrays(source, target, weight=np.repeat(weight[keep], count), delay=delay)


def _weights(options: SynapseOptions, connections: Connections, excites: NDArray[np.bool_]) -> NDArray[np.float64]:
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
