# SPDX-License-Identifier: Apache-2.0
"""The engine beneath a network, for front ends: what neuropil.nest uses beside the public names of neuropil, and what others (PyNN, SONATA) may use.

A script has no need of it: `Network` checks its arguments and names them; here arguments are those of the C++ kernel. What is written here stays
when the inside of neuropil changes. Collectivity is that of the kernel's calls: see the headers of bindings/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base.clocks import Clocks, Times
from .base.groups import RowIndex, distinct, numbered, numbered_rows, rows_in, without_repeats
from .base.libraries import needed
from .base.ranges import Ranges, pieces
from .model import catalog
from .model import sonata_files as sonata
from .model.arguments import kernel_arguments
from .model.connections import Connections
from .model.distributions import Distribution, to_spec
from .model.followed import HANDLE, FollowedConnections
from .model.network import Network
from .model.nodes import Nodes
from .model.population import history_steps
from .parallel.ranks import world
from .results.shared import OFFSETS, Columns, SharedPart, SharedSamples, SharedSpikes, flat, joined, offsets
from .results.text_files import read_events

__all__ = [
    "HANDLE",
    "OFFSETS",
    "Clocks",
    "Columns",
    "Engine",
    "Floats",
    "FollowedConnections",
    "Ints",
    "PreparedConnect",
    "Ranges",
    "RowIndex",
    "SharedPart",
    "SharedSamples",
    "SharedSpikes",
    "Times",
    "all_names",
    "alone",
    "any_rank",
    "available_memory",
    "build_info",
    "catalog",
    "columns_of",
    "distinct",
    "draw",
    "flat",
    "gather_bytes",
    "gathered",
    "history_steps",
    "is_stale",
    "joined",
    "load_model_text",
    "load_module",
    "needed",
    "network_of",
    "numbered",
    "numbered_rows",
    "offsets",
    "own_parameters",
    "own_values",
    "pieces",
    "rank_and_size",
    "read_events",
    "register_saved",
    "renewed",
    "rows_in",
    "sonata",
    "text_rows",
    "to_spec",
    "without_repeats",
    "world",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PreparedConnect = _core.PreparedConnect


class Engine:
    """The engine of a network. `kernel`: the C++ kernel itself, whose calls a front end makes for what `Network` has no word for."""

    __slots__ = ("_network", "kernel")

    def __init__(self, network: Network) -> None:
        self._network = network
        self.kernel = network._kernel

    def ms(self, steps: Ints) -> Floats:
        """Times (ms) of steps, as neuropil shows them."""
        return np.asarray(self._network._grid.ms(steps))

    def next_draw(self) -> int:
        """A number that no other draw of the network has: its random numbers are its own, see `draw`."""
        self._network._draws += 1
        return self._network._draws

    @property
    def draws(self) -> int:
        """How many numbers `next_draw` has given. May be set back where what was drawn is not used."""
        return self._network._draws

    @draws.setter
    def draws(self, number: int) -> None:
        self._network._draws = number

    def reseed(self, seed: int) -> None:
        """Another seed for what is drawn from now on."""
        self._network._reseed(seed)

    def create(self, model: str, n: int, values: Mapping[str, Any]) -> int:
        """Makes n nodes; returns the gid of the first. values : a number, n numbers or a distribution each. Raises as `Network.create`."""
        drawn = {key: value for key, value in values.items() if isinstance(value, Distribution)}
        numbers = {key: np.asarray(value, np.float64).reshape(-1) for key, value in values.items() if key not in drawn}
        if drawn:
            with self._network._drawing() as draw:
                first = self.kernel.create(
                    model, n, numbers, [(key, value.spec(), draw.number(key, value)) for key, value in drawn.items()]
                )
        else:
            first = self.kernel.create(model, n, numbers)
        self._network._populations.add(first, n, catalog.node_model(model))
        return first

    def undo_create(self, first: int) -> None:
        """Takes the last call of `create` back; `first`: gid of its first node. Nothing may be connected to its nodes."""
        self.kernel.undo_create(first)
        self._network._populations.drop_last()

    def reshape(self, first: int, model: str) -> None:
        """Gives the nodes of the call of `Network.create` that made `first` another shape of their model ("name[shape]"), before they are simulated.

        Values of parameters and state variables that both shapes have stay. Once they are connected or recorded a shape may only grow.
        Raises BadParameter, UnknownName; then nothing has changed.
        """
        entry = catalog.node_model(model)
        self.kernel.reshape(first, model)
        self._network._populations.replace(first, entry)

    # --- nodes and connections

    def nodes(self, ranges: Ranges) -> Nodes:
        """Nodes by their gids."""
        return Nodes(self._network, ranges)

    def arguments(self, pre: Nodes, post: Nodes, *given: Any) -> dict[str, Any]:
        """Arguments of `connect`.

        Rule, weight, delay, synapse, receptor, double_weights, label (a number) and weight recorder (its number), checked as
        `Network.connect` does.
        """
        return kernel_arguments(self._network, pre, post, *given)

    def connect(self, pre: Nodes, post: Nodes, arguments: dict[str, Any], check_only: bool = False) -> int:
        """Connects, or only checks whether that can be done; returns the number of the call. Raises as `Network.connect`."""
        number = self.kernel.connect(pre=pre._ranges.ascending(), post=post._ranges.ascending(), check_only=check_only, **arguments)
        if not check_only:
            self._network._version += 1
        return number

    def connect_prepared(
        self,
        call: PreparedConnect,
        pre: Ranges,
        post: Ranges,
        weight: float | None = None,
        delay: float | None = None,
        edges: _core.EdgeList | None = None,
    ) -> None:
        """Connects nodes whose ranges ascend by a call from `kernel.prepared`.

        weight, delay (ms) : instead of those of the call; edges : of a call with the rule "explicit"
        """
        self.kernel.connect_prepared(call, pre.table, post.table, weight, delay, edges)
        object.__setattr__(self._network, "_version", self._network._version + 1)  # loops over nodes feel the checks of names

    def connections(self, sources: Ranges | None, targets: Ranges | None, synapse: str = "", gather: bool = True) -> Connections:
        """As `Network.connections`, with a column "projection": the number of the call of `connect` that made each, -1 where none did."""
        ends = (None if nodes is None else nodes.ascending() for nodes in (sources, targets))
        return self._network._find(*ends, synapse, gather, None, True)


def columns_of(connections: Connections) -> dict[str, NDArray[Any]]:
    """Columns of connections, each of shape (n,): source, target, slice, table, position, ...; to be read only."""
    return connections._columns


def own_values(connections: Connections, what: str, *name: str, **more: Any) -> Floats:
    """Present "weights" of connections, a "state" variable or a "parameter" of their synapses by its name; float64 of shape (n,).

    On several ranks of this one: other ranks need not ask at the same time. when : for a state, two steps: spikes up to the first one have
    arrived, at the second.
    """
    read = getattr(connections._network._kernel, f"get_{what}")
    return np.asarray(read(*name, *(connections._columns[key] for key in HANDLE), gather=False, **more))


def own_parameters(connections: Connections, names: Sequence[str]) -> Floats:
    """Parameters of the synapses of connections, float64 of shape (names, n), nan where a model has none of this name; as own_values."""
    handles = (connections._columns[key] for key in HANDLE)
    return np.asarray(connections._network._kernel.get_parameters(names, *handles)).reshape(len(names), len(connections))


def network_of(connections: Connections) -> Network:
    """The network that connections belong to."""
    return cast(Network, connections._network)


def is_stale(connections: Connections, network: Network) -> bool:
    """Whether connections of the network were made, edited or removed since these were queried."""
    return connections._network is network and connections._version != network._version


def renewed(connections: Connections, columns: Mapping[str, NDArray[Any]]) -> Connections:
    """Connections of now by other columns, which a call of the kernel gave."""
    network = connections._network
    return Connections(network, dict(columns), network._version)


def draw(what: Distribution, seed: int, stream: int, keys: Ints) -> Floats:
    """One value per key, float64 of shape (n,), of its own random numbers: (seed, stream, key)."""
    return np.asarray(_core.draw_values(what.spec(), seed, stream, keys), np.float64)


# --- ranks, text, this build


@cache
def rank_and_size() -> tuple[int, int]:
    """Number of this rank, and of all."""
    found = _core.world()
    return int(found["rank"]), int(found["size"])


def gather_bytes(part: bytes) -> list[bytes]:
    """What every rank gave, in order of ranks. Collective."""
    return [bytes(found) for found in _core.gather_bytes(world(), part)]


def gathered(rows: Floats) -> tuple[Floats, int]:
    """The rows of all ranks, float64 of shape (n, k), and where those of this rank begin. Collective."""
    rank, size = rank_and_size()
    if size == 1:
        return rows, 0
    parts = [np.frombuffer(part, np.float64).reshape(-1, rows.shape[1]) for part in gather_bytes(rows.tobytes())]
    return np.concatenate(parts), sum(len(part) for part in parts[:rank])


def any_rank(here: bool) -> bool:
    """Whether `here` is true on one of the ranks. Collective."""
    return here if rank_and_size()[1] == 1 else any(part == b"1" for part in gather_bytes(b"1" if here else b"0"))


def all_names(here: frozenset[str]) -> frozenset[str]:
    """The names that any rank has. Collective."""
    if rank_and_size()[1] == 1:
        return here
    return frozenset(name for part in gather_bytes("\n".join(here).encode()) for name in part.decode().split("\n") if name)


def alone() -> Any:
    """A communicator of one rank, for a network that only this rank makes."""
    return _core.thread_ranks(1)[0]


def available_memory() -> int:
    """Bytes that this process may still take."""
    return _core.available_memory()


def text_rows(columns: list[NDArray[Any]], precision: int) -> bytes:
    """Rows of columns as text, separated by tabs; floats with `precision` digits behind the point."""
    return _core.text_rows(columns, precision)


def build_info() -> dict[str, Any]:
    """About this build: version, whether it has MPI, and the SIMD target in use."""
    return {"version": _core.version(), "mpi": bool(_core.mpi()), "simd": _core.simd()}


def load_model_text(text: str, file: str) -> str:
    """Compiles a model from the text of a C++ file, as `neuropil.load_model` does of a file, and returns its name. Raises ModelError."""
    from .own_models.loading import load_source

    return load_source(text, file).name


def load_module(name: str) -> list[str]:
    """Loads the models of a module that `neuropil build-model` made; returns their names. Raises UnknownName."""
    from .own_models.modules import load_module as load  # here: few scripts have models of their own

    return [entry.name for entry in load(name)]


def register_saved(name: str, kind: type, anew: Mapping[str, Callable[[Any], Any]] | None = None) -> None:
    """Lets checkpoints hold objects of a class of a front end, by a name that stays when the class moves: all attributes but those of `anew`.

    anew : attributes that are made when a checkpoint is loaded, each by a function of the object
    """
    from .checkpoint.classes import register

    register(name, kind, anew or {})
