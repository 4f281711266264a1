# SPDX-License-Identifier: Apache-2.0
"""Columns of connections: those of the kernel, which are read when asked for, and those of devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import Connections
from ..engine import FollowedConnections, Ints, RowIndex, any_rank, columns_of, numbered_rows, own_parameters, own_values
from ..space.engine import shortest
from .errors import NESTErrors, NotSupported, translating
from .kernel import session
from .models import optimizers
from .models.hardware import FACETS
from .models.node_models import CM, NodeModel, takes_ports
from .models.synapse_models import SUB_STEP_DELAY, TRANSMITTER, SynapseModel
from .models.table import until_loaded
from .wires import DeviceWire, SynapseKind

T = TypeVar("T")
MODULATED = ("c", "n")  # what synapses with a volume_transmitter show besides their weight
FIXED = ("source", "target", "target_thread", "synapse_id", "port", "synapse_model", "receptor", "sizeof")


@dataclass(slots=True)
class Columns:
    """Connections in order: `source`, `target` int64 of shape (n,); `origin`: row in `kernel`, or -1 - position in `wired`.

    kernel : connections that the kernel lists (on several ranks those of this one); wired: of devices, (wire, position in it)
    """

    source: Ints
    target: Ints
    origin: Ints
    kernel: FollowedConnections | None
    wired: list[tuple[DeviceWire, Ints]]
    every: Callable[[], Columns]  # asks for all connections
    whole: bool = False  # all connections of `kernel`, in its order, and no others
    there: Connections | None = None  # the state of the list in which none of these was removed
    known: dict[str, Any] = field(default_factory=dict)  # what was found about them in the state `known_of` of the list
    known_of: Connections | None = None
    reading: Connections | None = None  # in read(), where nothing changes: what kernel_part gives

    def __len__(self) -> int:
        return len(self.source)

    def part(self, index: Ints) -> Columns:
        """Some of the connections."""
        return Columns(self.source[index], self.target[index], self.origin[index], self.kernel, self.wired, self.every, there=self.there)

    # --- where from

    def _all_of_kernel(self) -> bool:
        """Whether none of the connections is of a device."""
        return not self.wired or bool((self.origin >= 0).all())

    def rows(self) -> Ints:
        """Rows in `kernel` of the connections that are there."""
        return self.origin if not self.wired else self.origin[self.origin >= 0]

    def kernel_part(self) -> Connections | None:
        """The connections of the kernel that are here, in order; on several ranks as of the last refresh."""
        if self.kernel is None or self.reading is not None:
            return self.reading
        kernel = self.followed()
        return self._once("part", lambda: kernel.part(None if self.whole else self.rows()))

    def followed(self) -> FollowedConnections:
        """`kernel`, where there is one; on one rank as of now."""
        assert self.kernel is not None
        if session().n_ranks == 1 and (self.there is not self.kernel.now or self.kernel.stale):
            self.refresh()
        return self.kernel

    def _once(self, name: str, find: Callable[[], T]) -> T:
        """What `find` gives, found once for each state of the list."""
        now = None if self.kernel is None else self.kernel.now
        if self.known_of is not now:
            self.known_of, self.known = now, {}
        if name not in self.known:
            self.known[name] = find()
        found: T = self.known[name]
        return found

    def _here(self) -> Connections:
        """kernel_part where there are connections of the kernel."""
        found = self.kernel_part()
        assert found is not None
        return found

    def kinds(self) -> Ints:
        """Index into session().wires.kinds of each connection of the kernel that is here, in order; int32 of shape (n,)."""
        part = self.kernel_part()
        return np.empty(0, np.int64) if part is None else columns_of(part)["label"]

    def models(self) -> list[SynapseModel]:
        """The models of all connections here, each once."""
        self.kernel_part()

        def find() -> list[SynapseModel]:
            s = session()
            names = [s.wires.kinds[k].model for k in np.flatnonzero(np.bincount(self.kinds(), minlength=1))]
            names += [] if self._all_of_kernel() else [wire.model for wire, _ in self.wired]
            return [s.synapse_models[name] for name in dict.fromkeys(names)]

        return self._once("models", find)

    # --- after connections were made or removed

    def refresh(self) -> None:
        """Finds the connections of the kernel again, if others were made or removed. Raises InexistentConnection where one is gone. Collective."""
        if any_rank(self.kernel is not None and self.kernel.stale):
            assert self.kernel is not None
            self.kernel.refresh()
        changed = self.kernel is not None and self.there is not self.kernel.now
        if any_rank(changed and self.kernel is not None and self.kernel.lacks(self.rows())):
            raise NESTErrors.InexistentConnection("The connection does not exist any more")
        self.there = None if self.kernel is None else self.kernel.now

    def joined(self, of_kernel: Any, of_wire: Any, kind: Any = np.float64) -> NDArray[Any]:
        """A column: what of_kernel gives for the connections of the kernel, and of_wire(wire, positions) for those of devices."""
        if len(self) and self._all_of_kernel():
            return np.asarray(of_kernel(self._here()), kind)
        here, found = self.origin >= 0, np.empty(len(self), kind)
        if here.any():
            found[here] = of_kernel(self._here())
        if not here.all():
            found[~here] = np.concatenate([of_wire(wire, at) for wire, at in self.wired])[-1 - self.origin[~here]]
        return found

    def of_model(self, what: Callable[[SynapseModel], Any]) -> list[Any]:
        """What the model of each connection has."""
        models, s = self.models(), session()
        if len(models) == 1:
            return [what(models[0])] * len(self)
        each = of_kinds(lambda _, model: what(model), object)
        column = self.joined(
            lambda c: each[self.kinds()], lambda wire, at: np.full(len(at), what(s.synapse_models[wire.model]), object), object
        )
        found: list[Any] = column.tolist()
        return found

    def names(self) -> list[str]:
        """Names of the models in NEST."""
        return self.of_model(lambda model: model.name)

    def is_of(self, model: str) -> NDArray[np.bool_]:
        """Which connections are of a model of NEST, bool of shape (n,)."""
        fits = of_kinds(lambda kind, _: kind.model == model)
        return self.joined(lambda c: fits[self.kinds()], lambda wire, at: np.full(len(at), wire.model == model), bool)

    def labels(self) -> Ints:
        """Synapse labels, -1 without."""
        labels = of_kinds(lambda kind, _: kind.synapse_label, np.int64)
        return self.joined(lambda c: labels[self.kinds()], lambda wire, at: np.full(len(at), wire.label), np.int64)

    # --- values

    def weight(self) -> NDArray[np.float64]:
        """Weights, float64 of shape (n,)."""
        with translating():
            return self.joined(_weights_of_now, lambda wire, at: wire.column("weight")[at])

    def delay(self) -> NDArray[np.float64]:
        """Delays [ms], float64 of shape (n,)."""
        found = self.joined(lambda c: c.delay, lambda wire, at: wire.column("delay")[at])
        if all(model.entry.delayed and SUB_STEP_DELAY not in model.entry.parameters for model in self.models()):
            return found
        here, found, kinds = self.origin >= 0, found.copy(), self.kinds()
        found[here] -= np.nan_to_num(own_values(self._here(), "parameter", SUB_STEP_DELAY)) if here.any() else 0.0
        shown = of_kinds(lambda _, model: np.nan if model.entry.delayed else model.delay, float)[kinds]  # no delay: its default
        found[here] = np.where(np.isnan(shown), found[here], shown)
        return found

    def receptor(self) -> Ints:
        """receptor_type of NEST: from 1 where a model's receptors are chosen, else 0."""
        adapted = [k.base == "tsodyks_synapse" != session().synapse_models[k.model].base for k in session().wires.kinds]  # of iaf_tum_2000

        def of_kernel(c: Connections) -> Ints:
            found = receptor_types(c.target, columns_of(c)["receptor"])
            return found + np.array(adapted)[self.kinds()] if any(adapted) else found

        return self.joined(of_kernel, _wired_receptors, np.int64)

    def thread(self) -> Ints:
        """Thread of each connection: that of its target, or where that is a device of its source; int64 of shape (n,)."""
        s = session()
        to_device = s.registry.of_models(lambda model: model.kind != "neuron", self.target)
        return (np.where(to_device, self.source, self.target) % (s.threads * s.n_ranks)) // s.n_ranks

    def port(self) -> Ints:
        """Numbers of connections among all of their model and thread, int64 (n,); of those to or from a device, among those of the source."""
        s = session()
        if s.n_ranks > 1:  # where asking is for all ranks together
            return numbered_rows(self._groups())
        every: Columns = s.ports
        if every is None or len(every.wired) != len(s.wires.devices) or (every.kernel.stale if every.kernel else s.wires.kinds):
            every = s.ports = self.every()
        index, ports = every._once("ports", lambda: (RowIndex(every._places()), numbered_rows(every._groups())))
        return ports[index.find(self._places())]

    def _groups(self) -> list[Ints]:
        """What connections must have in common to be counted together."""
        ends = [session().registry.of_models(lambda model: model.kind != "neuron", gids) for gids in (self.source, self.target)]
        devices = np.where(ends[0] | ends[1], self.source, -1)
        return [np.array(self.of_model(lambda model: model.model_id), np.int64), self.thread(), devices]

    def _places(self) -> list[Ints]:
        """What tells connections from all others: place in the kernel, or wire and position."""
        self.refresh()
        some: list[Ints] = [] if self.kernel is None else [np.asarray(column, np.int64) for column in self.kernel.handles_of(self.rows())]
        if not self.wired:
            return some
        number = {id(wire): k for k, wire in enumerate(session().wires.devices)}
        of_wire = (lambda wire, at: 0 * at - 1 - number[id(wire)], lambda _, at: 0 * at, lambda _, at: at)
        return [self.joined(lambda _, k=k: some[k], of_wire[k], np.int64) for k in range(3)]

    def keys(self) -> list[str]:
        """Keys that a connection has, of all models here."""
        return sorted({*FIXED}.union(*(keys_of(model.root) for model in self.models())))

    def read(self, keys: Sequence[str]) -> dict[str, Any]:
        """Columns by their keys, see values()."""
        models, own = self.models(), {}
        if len(keys) > 1 and len(models) == 1 and self._all_of_kernel():  # one call reads all parameters
            plain = sorted(_plain_keys(models[0].root).intersection(keys))
            found = own_parameters(self._here(), plain) if plain else np.empty(0)
            if not np.isnan(found).any():
                own = {key: _shown(models, key, column) for key, column in zip(plain, found.tolist(), strict=True)}
        self.reading = self.kernel_part()
        try:
            return {key: own[key] if key in own else self.values(key) for key in keys}
        finally:
            self.reading = None

    def values(self, key: str) -> Any:
        """A column; [] when no connection has the key, None for those that lack it."""
        if key in _SIMPLE and not (key == "weight" and any("weight" in model.homogeneous for model in self.models())):
            return _SIMPLE[key](self)
        if key == "synapse_id" and all(model.base == FACETS for model in self.models()):
            return [int(number) for number in self._parameter(key)]  # this one's own
        if key in _OF_MODEL:
            return self.of_model(_OF_MODEL[key])
        if key == "synapse_label":
            return self.labels() if any(model.labelled for model in self.models()) else []
        return self._optimizers() if key == optimizers.KEY else self._parameter(key)

    def _parameter(self, key: str) -> Any:
        """A parameter of synapse models: of the kernel's connections that of the call that made them."""
        of_key = [model for model in self.models() if key in keys_of(model.root)]
        if not of_key:
            return []
        having = {model.name for model in of_key}
        changes = {model.has_state(key) for model in of_key}
        if changes == {True, False}:
            raise NotSupported(f"{key} of several models, of which one has it as a parameter", "ask for each model by itself")
        if True in changes:
            return self._state(key, having)
        if key == "weight":
            return [w if name in having else None for w, name in zip(self.weight().tolist(), self.names(), strict=True)]

        values: Any = own_values(self._here(), "parameter", key) if (here := self.origin >= 0).any() else np.empty(0)
        having_each = of_kinds(lambda _, model: model.name in having)[self.kinds()]
        defaults = of_kinds(lambda _, model: model.entry.parameters[key].default if key in model.entry.parameters else np.nan, float)
        values = np.where(np.isnan(values), defaults[self.kinds()], values)
        shown, found = values.astype(object), np.full(len(self), None, object)
        shown[~having_each | np.isnan(values)] = None
        found[here] = shown
        return _shown(of_key, key, found.tolist())

    def _optimizers(self) -> Any:
        """What each connection's optimizer keeps; None for those without one."""
        models = {model.name: model for model in self.models() if model.optimizes}
        names = self.names()
        if not models:
            return []
        adam = {name for name, model in models.items() if model.default("adam")}
        m, v = (self._state(key, adam) if adam else [0.0] * len(self) for key in ("m", "v"))
        return [
            None if name not in models else {"m": float(m[k]), "v": float(v[k])} if name in adam else {} for k, name in enumerate(names)
        ]

    def _state(self, key: str, having: set[str]) -> Any:
        """What changes with the spikes, of the kernel's connections of the models that have it; None for the others."""
        here = self.origin >= 0
        with translating():
            find = modulated if key in MODULATED else lambda name, c: own_values(c, "state", name)
            values = find(key, self._here()) if here.any() else np.empty(0)
        if key == "init_flag" or any(model.is_whole(key) for model in self.models()):
            values = np.nan_to_num(values).astype(bool if key == "init_flag" else np.int64)
        if here.all() and having == {model.name for model in self.models()}:
            return values
        found = np.full(len(self), None, object)
        found[here] = values
        found[~np.isin(self.names(), list(having))] = None
        return found.tolist()

    def distance(self) -> Any:
        """Distances of source and target along the shortest way, nan where one has no position: a number for one connection, else a tuple."""
        found = np.full(len(self), np.nan)
        registry = session().registry
        ends = [registry.index_of(ids) for ids in (self.source, self.target)]
        for a, b in set(zip(*(end.tolist() for end in ends), strict=True)):
            layers = [registry.rows[k].layer for k in (a, b)]
            if None in layers:
                continue
            some = (ends[0] == a) & (ends[1] == b)
            difference = layers[1].positions_of(self.target[some]) - layers[0].positions_of(self.source[some])
            found[some] = np.sqrt((shortest(difference, layers[1]) ** 2).sum(axis=1))
        return float(found[0]) if len(found) == 1 else tuple(found.tolist())

    def same(self, other: Columns) -> bool:
        """Whether the connections of both are the same, in the same order."""
        names = ("source", "target", "port")
        return (
            len(self) == len(other)
            and all(np.array_equal(self.values(n), other.values(n)) for n in names)
            and self.names() == other.names()
        )


_SIMPLE: dict[str, Callable[[Columns], Any]] = {  # what all connections have
    "source": lambda c: c.source,
    "target": lambda c: c.target,
    "weight": Columns.weight,
    "delay": Columns.delay,
    "receptor": Columns.receptor,
    "port": Columns.port,
    "synapse_model": Columns.names,
    "target_thread": Columns.thread,
}

_OF_MODEL: dict[str, Callable[[SynapseModel], Any]] = {"synapse_id": lambda model: model.model_id, "sizeof": lambda model: model.sizeof}


@until_loaded
def keys_of(root: str) -> frozenset[str]:
    """Keys of connections of a model and of its copies, but for those that all connections have and that cannot be set."""
    model = session().synapse_models[root]
    more = ["delay"] + [optimizers.KEY] * model.optimizes + ["synapse_label"] * model.labelled
    return frozenset({*model.of_connection, *model.extras, *more})


@until_loaded
def _plain_keys(root: str) -> frozenset[str]:
    """Keys that are parameters of the kernel's synapses, of a model and of its copies."""
    model = session().synapse_models[root]
    special = {*_SIMPLE, *_OF_MODEL, "synapse_label", optimizers.KEY}
    return frozenset(key for key in keys_of(root) - special if key in model.entry.parameters and not model.has_state(key))


def of_kinds(what: Callable[[SynapseKind, SynapseModel], Any], dtype: Any = bool) -> NDArray[Any]:
    """What each kind of connections has, by the kind and its model in NEST; of shape (kinds,)."""
    s = session()
    return np.array([what(kind, s.synapse_models[kind.model]) for kind in s.wires.kinds], dtype)


def _shown(models: list[SynapseModel], key: str, values: list[Any]) -> list[Any]:
    whole = any(model.is_whole(key) for model in models)
    return [value if value is None else int(value) for value in values] if whole else values


def each(value: Any, n: int) -> NDArray[np.float64]:
    """One value for each of n connections."""
    return np.asarray(value, np.float64) if np.ndim(value) else np.full(n, value, np.float64)


def _weights_of_now(c: Connections) -> NDArray[np.float64]:
    """Present weights; those that change without spikes, too."""
    weights = own_values(c, "weights")
    if any(session().synapse_models[kind.model].is_modulated for kind in session().wires.kinds):
        changed = modulated("weight", c)
        weights = np.where(np.isnan(changed), weights, changed)
    return weights


def _wired_receptors(wire: DeviceWire, at: Ints) -> Ints:
    """receptor_type of connections of devices; those of meters count the meters of each target."""
    if not _from_meters(wire):
        return np.full(len(at), wire.receptor)
    targets = wire.target[at]
    earlier = [other for other in session().wires.devices[: session().wires.numbers([wire])[0]] if _from_meters(other)]
    before = sum((other.post.contains(targets) * (1 if other.pairs else len(other.pre)) for other in earlier), np.zeros(len(at), np.int64))
    return before + 1 + (0 if wire.pairs else np.searchsorted(wire.pre.ids(), wire.source[at]))


def _from_meters(wire: DeviceWire) -> bool:
    return session().registry.row(int(wire.pre.table[0, 0])).model.root in ("multimeter", "voltmeter")


def receptor_types(targets: Ints, receptors: NDArray[Any]) -> Ints:
    """receptor_type of NEST of connections that end in receptors of the kernel: from 1 where a model's receptors are chosen, else 0."""
    first = session().registry.of_models(_port, targets)
    return np.where(first >= 0, receptors + first, 0)


def empty() -> Columns:
    """No connections."""
    nothing = np.empty(0, np.int64)
    return Columns(nothing, nothing, nothing, None, [], empty)


def _port(model: NodeModel) -> int:
    """Number that NEST gives to the first receptor of nodes; -1 where receptors are chosen by the sign of weights.

    It is 1, but 0 for receptors that have names, although Connect counts them from 1, and of parrots.
    """
    if takes_ports(model.entry):
        return int((not model.face.receptors or model.face.receptors_from_1) and model.root != CM)
    return 0 if model.face.second_receptor and model.entry.input == "count" else -1


def modulated(name: str, c: Connections) -> NDArray[np.float64]:
    """weight, c or n of connections when their volume_transmitter was last delivered, every deliver_interval times min_delay; nan without one."""
    s, found = session(), np.full(len(c), np.nan) if name == "weight" else own_values(c, "state", name)
    transmitters = own_values(c, "parameter", TRANSMITTER)
    now, interval = int(s.engine.kernel.step), s.slice_steps
    for gid in np.unique(transmitters[~np.isnan(transmitters)]).astype(np.int64):
        row = s.registry.row(int(gid))
        every = int(row.extra("deliver_interval", np.array([gid]))[0]) * interval
        own = transmitters == gid
        found[own] = own_values(c, "state", name, when=(now - interval, now // every * every))[own]
    return found
