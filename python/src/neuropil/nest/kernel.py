# SPDX-License-Identifier: Apache-2.0
"""The one session: settings, models, the network, what recorders and devices add to it; and what ranks must know of each other."""

from __future__ import annotations

import builtins
import functools
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .. import Network
from ..engine import Clocks, Engine, Ints, Ranges, SharedSamples, SharedSpikes, gather_bytes, rank_and_size
from .errors import NESTErrors, translating, unaccessed
from .models.node_models import NodeModel, node_models
from .models.synapse_models import synapse_models
from .registry import Registry, Row
from .wires import Wires

WAVEFORMS = {"use_wfr": True, "wfr_comm_interval": 1.0, "wfr_interpolation_order": 3, "wfr_max_iterations": 15, "wfr_tol": 1e-4}
SETTINGS: dict[str, Any] = {  # with their defaults; those of buffers, and rng_type, are kept and shown only
    "adaptive_target_buffers": True,
    "buffer_size_spike_data": 2,
    "buffer_size_target_data": 2,
    "data_path": "",
    "data_prefix": "",
    "dict_miss_is_error": True,
    "eprop_learning_window": 1000.0,
    "eprop_reset_neurons_on_update": True,
    "eprop_update_interval": 1000.0,
    "growth_factor_buffer_spike_data": 1.5,
    "growth_factor_buffer_target_data": 1.5,
    "keep_source_table": True,
    "max_buffer_size_target_data": 16777216,
    "overwrite_files": False,
    "print_time": False,
    "rng_type": "mt19937_64",
    "spike_buffer_grow_extra": 0.5,
    "spike_buffer_shrink_limit": 0.2,
    "spike_buffer_shrink_spare": 0.1,
    "use_compressed_spikes": True,
    **WAVEFORMS,
}


@dataclass
class Structure:
    """What the kernel attributes of structural plasticity say.

    `given`: structural_plasticity_synapses as given, `labels`: by which the kernel tells the synapses of each
    """

    on: bool = False
    interval: float = 10000.0  # ms
    given: dict[str, dict[str, Any]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)  # ms, of these synapses
    told: bool = False  # the kernel knows all this


class Session:
    """Everything that ResetKernel clears. Settings may change until the network is needed, at the first Create."""

    def __init__(self) -> None:
        self.born = time.monotonic()
        self.resolution = 0.1
        self.tics = 1000  # per ms
        self.threads = 1
        self.seed = 143202461
        self.settings: dict[str, Any] = {}  # kernel attributes that the script has set
        self.modules: list[str] = []  # of own models
        self.node_models = node_models()
        self.synapse_models = synapse_models()
        self.defaults_changed = False
        self.registry = Registry()
        self.wires = Wires()
        self.plans: dict[Any, Any] = {}  # of calls of Connect, see plans.py; to be cleared when defaults of models or settings change
        self.made: list[Any] | None = None  # calls of the kernel by a Connect, where these are to be kept
        self.structure = Structure()
        self.recorders: dict[int, Any] = {}  # by id, those that were connected, see devices/
        self.shared_spikes = SharedSpikes()  # of recorders that share recordings of the kernel
        self.shared_samples = SharedSamples()  # of multimeters that do
        self.freezes: list[tuple[int, Ints, bool]] = []  # steps at which nodes were frozen (True) or thawed, in order
        self.gates: dict[int, Any] = {}  # NMDA connections of the nodes of a row, by its first one, see gates.py
        self.ports: Any = None  # all connections, whose ports are kept, see synapse_columns.py
        self.read_synapses: dict[str, tuple[int, int]] = {}  # numbers before and of those numbered, by model, see simulate.py
        self.prepared = False
        self.refused = False  # whether the last Simulate or Prepare was: see Cleanup
        self.prepared_nodes = 0  # those that there were when Prepare was last called
        self.counted_nodes = 0  # those that there were at the last Connect or Prepare
        self.simulated = False
        self.delay_bounds: tuple[float, float] | None = None  # ms, set by hand or by the first Simulate
        self.clocks = Clocks(("create", "connect", "simulate", "prepare"))
        self.own_spikes_before_run = 0  # of this rank
        self.run_began = 0.0  # ms, the last Run
        self._network: Network | None = None
        self._engine: Engine | None = None

    @property
    def network(self) -> Network:
        """The network, made when first asked for."""
        if self._network is None:
            with translating():
                self._network = Network(
                    self.resolution, self.seed, self.threads, strict_weights=False, sources_on_grid=True, keep_calls=False
                )
                self.tell_waveforms()
        return self._network

    @property
    def engine(self) -> Engine:
        """What is beneath the network."""
        if self._engine is None:
            self._engine = Engine(self.network)
        return self._engine

    @property
    def tics_per_step(self) -> int:
        """Tics of a step."""
        return round(self.resolution * self.tics)

    def setting(self, name: str) -> Any:
        """Value of a setting."""
        return self.settings.get(name, SETTINGS[name])

    @property
    def waveform_interval(self) -> float:
        """wfr_comm_interval (ms), which follows the resolution where waveform relaxation is not used."""
        return max(self.setting("wfr_comm_interval"), self.resolution) if self.setting("use_wfr") else self.resolution

    def tell_waveforms(self) -> None:
        """Tells the network, if there is one, how waveforms are relaxed, where that is not as it begins."""
        if self._network is not None and (self.resolution > WAVEFORMS["wfr_comm_interval"] or self.settings.keys() & WAVEFORMS):
            self._network.relax_waveforms(
                self.setting("use_wfr"),
                tolerance=self.setting("wfr_tol"),
                interval=self.waveform_interval,
                most_iterations=self.setting("wfr_max_iterations"),
                order=self.setting("wfr_interpolation_order"),
            )

    @property
    def max_delay(self) -> float:
        """Longest delay of all connections (ms), as users of NEST know it: the resolution without connections."""
        return self.delay_bounds[1] if self.delay_bounds else max(self._delays("max_delay", self.wires.longest))

    @property
    def min_delay(self) -> float:
        """Shortest delay of all connections (ms), as users of NEST know it, those of devices included; the resolution when there are none."""
        return self.delay_bounds[0] if self.delay_bounds else min(self._delays("min_delay", self.wires.shortest))

    def _delays(self, of_network: str, of_devices: float | None) -> list[float]:
        """One delay of each kind of connections that there are or will grow (ms); the resolution when there are none."""
        found = [d for d in (self._network and getattr(self._network, of_network), of_devices, *self.structure.delays) if d]
        without_delay = any(not self.synapse_models[kind.model].entry.delayed for kind in self.wires.kinds)
        return [*found, *([self.waveform_interval] if without_delay else [])] or [self.resolution]

    @property
    def slice_steps(self) -> int:
        """Steps of the shortest delay."""
        return max(1, round(self.min_delay / self.resolution))

    @property
    def has_network(self) -> bool:
        """Whether the network of the kernel was made."""
        return self._network is not None

    @property
    def time(self) -> float:
        """Biological time (ms)."""
        return self._network.time if self._network else 0.0

    @property
    def rank(self) -> int:
        """Number of this rank."""
        return rank_and_size()[0]

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return rank_and_size()[1]

    def forget_network(self) -> None:
        """After a change of settings, before there are nodes: the network is made anew."""
        self._network = self._engine = None

    def next_draw(self) -> int:
        """A number that no other draw of the network has: its random numbers are its own."""
        return self.engine.next_draw()

    def check_nodes(self, last: int) -> None:
        """Raises UnknownNode when there is no node with this id."""
        if last > self.registry.size:
            raise NESTErrors.UnknownNode(f"Node with id {last} does not exist.")

    def is_connected(self, gids: Ints, parameter: str = "") -> bool:
        """Whether one of the nodes is at an end of a connection; with a parameter: is a target of synapses that have it."""
        if not self.has_network:
            return False
        if self.engine.kernel.is_connected(Ranges.of(np.sort(gids)).ascending(), parameter):
            return True
        ends = [end for wire in self.wires.devices for end in (wire.pre, wire.post)] if not parameter else []
        return any(bool(end.contains(gids).any()) for end in ends)

    def own(self, gids: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of the nodes live on this rank, bool of the shape of gids."""
        if self.n_ranks == 1:
            return np.ones(len(gids), bool)
        found: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(self.engine.kernel.ranks_of(gids)) == self.rank
        return found


_session = Session()


_P = ParamSpec("_P")
_T = TypeVar("_T")


def drawing(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function whose draws count only when it succeeds: refused calls change no random numbers of later ones."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        s = _session
        network, before = s._network, 0 if s._network is None else (s._engine or s.engine).draws
        try:
            return function(*args, **kwargs)
        except BaseException:
            if s._network is not None:
                s.engine.draws = before if s._network is network else 0
            raise

    return call


def session() -> Session:
    """The session of now."""
    return _session


def generation() -> Registry:
    """The nodes of now: collections that belong to an earlier registry name nodes that are gone."""
    return _session.registry


def begin() -> None:
    """Puts a new session with default settings in the place of the one of now, of which only where files go is kept."""
    global _session
    kept = {key: value for key, value in _session.settings.items() if key in ("data_path", "data_prefix")}
    _session = Session()
    _session.settings |= kept


def reset() -> None:
    """Forgets everything but where files go. Of the nodes that go, collections of them that are left still tell the models."""
    for row in _session.registry.rows:
        row.recorders, row.extras, row.layer = [], {}, None
    begin()


def reshape(row: Row, model: NodeModel) -> None:
    """Gives nodes another shape of their model."""
    with translating():
        _session.engine.reshape(row.first, model.base)
    row.model = model
    _session.plans.clear()


def known_only(given: Mapping[str, Any], known: Collection[str], what: str, function: str) -> dict[str, Any]:
    """The entries with known keys. Raises UnaccessedDictionaryEntry when there are others, unless the kernel attribute forbids it."""
    unknown = [key for key in given if key not in known]
    if not unknown:
        return dict(given)
    if _session.setting("dict_miss_is_error"):
        raise unaccessed(what, function, unknown, known)
    warnings.warn(f"Unaccessed elements in {what}: {' '.join(map(str, unknown))}", stacklevel=4)
    return {key: value for key, value in given.items() if key in known}


def together(work: Callable[[], Any]) -> Any:
    """What `work` returns. Raises its error; where it has none on this rank, that of the lowest rank that has one. Collective."""
    found, error = None, None
    try:
        found = work()
    except Exception as raised:
        error = raised
    if session().n_ranks > 1:
        said = [part.decode() for part in gather_bytes(b"" if error is None else f"{_class_of(error)}\n{error}".encode())]
        if error is None and (first := next(filter(None, said), "")):
            name, _, text = first.partition("\n")
            error = (getattr(NESTErrors, name, None) or getattr(builtins, name))(text)
    if error is not None:
        raise error
    return found


def _class_of(error: Exception) -> str:
    """The class of an error that another rank can raise, too: one of NEST, or of Python."""
    return next(c.__name__ for c in type(error).__mro__ if hasattr(NESTErrors, c.__name__) or hasattr(builtins, c.__name__))
