# SPDX-License-Identifier: Apache-2.0
"""Columns of connections: those of the kernel, which are read when asked for, and those of devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Connections
from ..engine import FollowedConnections, Ints, Ranges, all_names, any_rank, columns_of, numbered, own_values
from . import editing, quick_edits
from .continuous import interval_counts
from .edges import Edges
from .editing import DeviceEdit, device_edits
from .errors import NESTErrors, NotSupported, translating
from .kernel import known_only, session, together
from .models import optimizers
from .models.extras import RECEPTOR_TYPES
from .models.hardware import FACETS
from .models.node_models import CM, NodeModel, takes_ports
from .models.synapse_models import DOPAMINE_SYNAPSE, STATE, SUB_STEP_DELAY, WHOLE, SynapseModel
from .modulated import MODULATED, modulated
from .node_collection import collection
from .node_values import is_list, is_parameter
from .ports import ports
from .projections import PARROTS
from .wires import OWN, DeviceWire

FIXED = ("source", "target", "target_thread", "synapse_id", "port", "synapse_model", "receptor", "sizeof")


_FEW = 1000  # of which a copy is kept


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
    whole: bool = False  # all connections of `kernel`, in its order, and no others
    known: tuple[Connections, Ints] | None = None  # kinds, and of which state of the list
    models_known: tuple[Connections, list[SynapseModel]] | None = None  # likewise, the models here
    cut: tuple[Connections, Connections] | None = None  # likewise, kernel_part() of a few
    there: Connections | None = None  # the state of the list in which none of these was removed

    def __len__(self) -> int:
        return len(self.source)

    def part(self, index: Ints) -> Columns:
        """Some of the connections."""
        return Columns(self.source[index], self.target[index], self.origin[index], self.kernel, self.wired)

    # --- where from

    def _of_kernel(self) -> NDArray[np.bool_]:
        return self.origin >= 0

    def rows(self) -> Ints:
        """Rows in `kernel` of the connections that are there."""
        return self.origin[self.origin >= 0]

    def kernel_part(self) -> Connections | None:
        """The connections of the kernel that are here, in order; on several ranks as of the last refresh."""
        if self.kernel is None:
            return None
        if session().n_ranks == 1:
            self.refresh()
        if self.whole or len(self) > _FEW:
            return self.kernel.part(None if self.whole else self.rows())
        if self.cut is None or self.cut[0] is not self.kernel.now:
            self.cut = self.kernel.now, self.kernel.part(self.rows())
        return self.cut[1]

    def _here(self) -> Connections:
        """kernel_part where there are connections of the kernel."""
        found = self.kernel_part()
        assert found is not None
        return found

    def kinds(self) -> Ints:
        """Index into session().wires.kinds of each connection of the kernel that is here, in order."""
        part = self.kernel_part()
        if part is None or self.kernel is None:
            return np.empty(0, np.int64)
        if self.known is None or self.known[0] is not self.kernel.now:
            self.known = self.kernel.now, session().wires.all_kinds_of(part)
        return self.known[1]

    # --- after connections were made or removed

    def refresh(self) -> None:
        """Finds the connections of the kernel again, if others were made or removed. Raises InexistentConnection where one is gone. Collective."""
        if any_rank(self.kernel is not None and self.kernel.stale):
            assert self.kernel is not None
            self.kernel.refresh()
        known = self.kernel is None or self.there is self.kernel.now
        if any_rank(not known and self.kernel is not None and self.kernel.lacks(self.rows())):
            raise NESTErrors.InexistentConnection("The connection does not exist any more")
        self.there = None if self.kernel is None else self.kernel.now

    def joined(self, of_kernel: Any, of_wire: Any, kind: Any = np.float64) -> NDArray[Any]:
        """A column: what of_kernel gives for the connections of the kernel, and of_wire(wire, positions) for those of devices."""
        here = self._of_kernel()
        if len(self) and (self.whole or here.all()):
            return np.asarray(of_kernel(self._here()), kind)
        found = np.empty(len(self), kind)
        if here.any():
            found[here] = of_kernel(self._here())
        if not here.all():
            found[~here] = np.concatenate([of_wire(wire, at) for wire, at in self.wired])[-1 - self.origin[~here]]
        return found

    def models(self) -> NDArray[Any]:
        """Names of the models in NEST, objects of shape (n,)."""
        names = np.array([kind.model for kind in session().wires.kinds], object)
        return self.joined(lambda c: names[self.kinds()], lambda wire, at: np.full(len(at), wire.model, object), object)

    def is_of(self, model: str) -> NDArray[np.bool_]:
        """Which connections are of a model of NEST, bool of shape (n,)."""
        fits = np.array([kind.model == model for kind in session().wires.kinds])
        return self.joined(lambda c: fits[self.kinds()], lambda wire, at: np.full(len(at), wire.model == model), bool)

    def labels(self) -> Ints:
        """Synapse labels, -1 without."""
        labels = np.array([kind.synapse_label for kind in session().wires.kinds])
        return self.joined(lambda c: labels[self.kinds()], lambda wire, at: np.full(len(at), wire.label), np.int64)

    # --- values

    def weight(self) -> NDArray[np.float64]:
        """Weights, float64 of shape (n,)."""
        with translating():
            return self.joined(_weights_of_now, lambda wire, at: wire.column("weight")[at])

    def delay(self) -> NDArray[np.float64]:
        """Delays [ms], float64 of shape (n,)."""
        found = self.joined(lambda c: c.delay, lambda wire, at: wire.column("delay")[at])
        s = session()
        earlier = np.array([kind.parameters.get(SUB_STEP_DELAY, 0.0) for kind in s.wires.kinds])
        if not earlier.any() and not interval_counts(s):
            return found
        here, found, kinds = self._of_kernel(), found.copy(), self.kinds()
        found[here] -= earlier[kinds]
        models = [s.synapse_models[kind.model] for kind in s.wires.kinds]
        shown = np.array([np.nan if model.entry.delayed else model.delay for model in models])[kinds]  # of those that have none
        found[here] = np.where(np.isnan(shown), found[here], shown)
        return found

    def receptor(self) -> Ints:
        """receptor_type of NEST: from 1 where a model's receptors are chosen, else 0."""
        s = session()
        adapted = np.array([kind.base == "tsodyks_synapse" != s.synapse_models[kind.model].base for kind in s.wires.kinds], bool)

        def of_kernel(c: Connections) -> Ints:
            return np.asarray(receptor_types(c.target, columns_of(c)["receptor"]) + adapted[self.kinds()])  # of iaf_tum_2000

        return self.joined(of_kernel, _wired_receptors, np.int64)

    def thread(self) -> Ints:
        """Thread of each connection: that of its target, or where that is a device of its source; int64 of shape (n,)."""
        s = session()
        to_device = s.registry.of_models(lambda model: model.kind != "neuron", self.target)
        return (np.where(to_device, self.source, self.target) % (s.threads * s.n_ranks)) // s.n_ranks

    def keys(self) -> list[str]:
        """Keys that a connection has, of all models here."""
        found = {"delay", *FIXED}
        for model in self._distinct():
            found.update(model.of_connection, model.extras)
            found.update([optimizers.KEY] if model.optimizes else [])
            if model.labelled:
                found.add("synapse_label")
        return sorted(found)

    def _distinct(self) -> list[SynapseModel]:
        kinds = self.kinds()
        state = None if self.kernel is None else self.kernel.now
        if state is None or self.models_known is None or self.models_known[0] is not state:
            found = self._find_models(kinds)
            if state is None:
                return found
            self.models_known = state, found
        return self.models_known[1]

    def _find_models(self, kinds: Ints) -> list[SynapseModel]:
        s = session()
        here = self._of_kernel()
        calls = np.flatnonzero(np.bincount(kinds, minlength=1)) if here.any() else ()
        names = [s.wires.kinds[k].model for k in calls]
        names += [wire.model for wire, _ in self.wired] if not here.all() else []
        return [s.synapse_models[name] for name in dict.fromkeys(names)]

    def values(self, key: str) -> Any:
        """A column; [] when no connection has the key, None for those that lack it."""
        if key in _SIMPLE and not (key == "weight" and _some_without_weight()):
            return _SIMPLE[key](self)
        if key == "synapse_id" and all(model.base == FACETS for model in self._distinct()):
            return [int(number) for number in self._parameter(key)]  # this one's own
        if key in ("synapse_id", "sizeof"):
            s, names = session(), self.models().tolist()
            models = {name: s.synapse_models[name] for name in set(names)}
            ids = {name: model.model_id if key == "synapse_id" else model.sizeof for name, model in models.items()}
            return [ids[name] for name in names]
        if key == "synapse_label":
            return self.labels() if any(model.labelled for model in self._distinct()) else []
        return self._optimizers() if key == optimizers.KEY else self._parameter(key)

    def _parameter(self, key: str) -> Any:
        """A parameter of synapse models: of the kernel's connections that of the call that made them."""
        having = {model.name for model in self._distinct() if key in model.of_connection or key in model.extras}
        if not having:
            return []
        if key in STATE or (key in MODULATED and all(session().synapse_models[name].base == DOPAMINE_SYNAPSE for name in having)):
            return self._state(key, having)
        if key == "weight":
            return [w if name in having else None for w, name in zip(self.weight().tolist(), self.models().tolist(), strict=True)]
        s = session()
        found: list[Any] = [None] * len(self)
        here = np.flatnonzero(self._of_kernel())
        kinds = self.kinds()
        per_kind = [k.parameters.get(key, _default(k.model, key)) if k.model in having else None for k in s.wires.kinds]
        per_kind = [int(v) if key in WHOLE and v is not None and v is not OWN else v for v in per_kind]
        for position, k in zip(here.tolist(), kinds.tolist(), strict=True):
            found[position] = per_kind[k]
        if any(value is OWN for value in per_kind):
            own = own_values(self._here(), "parameter", key).tolist()
            for position, value in zip(here.tolist(), own, strict=True):
                if found[position] is OWN:
                    found[position] = int(value) if key in WHOLE else value
        return found

    def _optimizers(self) -> Any:
        """What each connection's optimizer keeps; None for those without one."""
        models = {model.name: model for model in self._distinct() if model.optimizes}
        names = self.models().tolist()
        if not models:
            return []
        adam = {name for name, model in models.items() if model.default("adam")}
        m, v = (self._state(key, adam) if adam else [0.0] * len(self) for key in ("m", "v"))
        return [
            None if name not in models else {"m": float(m[k]), "v": float(v[k])} if name in adam else {} for k, name in enumerate(names)
        ]

    def _state(self, key: str, having: set[str]) -> Any:
        """What changes with the spikes, of the kernel's connections of the models that have it; None for the others."""
        here = self._of_kernel()
        with translating():
            find = modulated if key in MODULATED else lambda name, c: own_values(c, "state", name)
            values = find(key, self._here()) if here.any() else np.empty(0)
        if key in WHOLE - {*MODULATED} or key == "init_flag":
            values = np.nan_to_num(values).astype(bool if key == "init_flag" else np.int64)
        if here.all() and having == {model.name for model in self._distinct()}:
            return values
        found = np.full(len(self), None, object)
        found[here] = values
        found[~np.isin(self.models().astype(str), list(having))] = None
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
            if layers[1].periodic:
                difference -= layers[1].extent * np.floor(difference / layers[1].extent + 0.5)
            found[some] = np.sqrt((difference**2).sum(axis=1))
        return float(found[0]) if len(found) == 1 else tuple(found.tolist())

    # --- setting

    def set(self, given: dict[str, Any]) -> None:
        """Sets weights, delays and parameters: a value for all or a list with one per connection each."""
        if len(given) == 1:
            ((key, value),) = given.items()
            if key == "weight":
                done = quick_edits.set_weights(self.kernel, self.origin, value)
            else:
                done = quick_edits.set_one(self.kernel, self.origin, key, value)
            if done:
                return
        if session().n_ranks > 1 and any(np.ndim(value) for value in given.values() if isinstance(value, list | tuple | np.ndarray)):
            raise NotImplementedError("lists of values for connections on several ranks")
        known = all_names(frozenset(self.keys() if len(self) else ()) - set(FIXED))
        if optimizers.KEY in given and optimizers.KEY in known:
            together(lambda: optimizers.check_states(given[optimizers.KEY], self._optimizers() or [None] * len(self)))
            given = {key: value for key, value in given.items() if key != optimizers.KEY}
        fresh, changed = together(lambda: self._checked(given, known) if len(self) else _drawn_with_others(given))
        fresh = {key: fresh.get(key, 0.0) for key in sorted(all_names(changed))}
        if fresh:
            self.assign(fresh)

    def set_each(self, given: list[dict[str, Any]]) -> None:
        """Sets the values of one dict per connection; all are checked before the first is set."""
        for connection, each in enumerate(given):
            part = self.part(np.array([connection]))
            known_only(each, set(part.keys()) - set(FIXED), "params", "connection.set()")
        keys = dict.fromkeys(key for each in given for key in each)
        columns = {key: self.values(key) if any(key not in each for each in given) else [None] * len(given) for key in keys}
        self.set({key: [each.get(key, now) for each, now in zip(given, column, strict=True)] for key, column in columns.items()})

    def _checked(self, given: dict[str, Any], known: frozenset[str]) -> tuple[dict[str, Any], frozenset[str]]:
        """New values, and which keys have others so far. Raises what cannot be set."""
        given = known_only(given, known, "params", "connection.set()")
        fresh = {key: self._fresh(key, value) for key, value in given.items()}
        changed = frozenset(key for key, value in fresh.items() if not self._is_already(key, value))
        for key in sorted(changed - {"weight", "delay"}):
            self._check_key(key)
        if "weight" in changed and _some_without_weight():
            lacking = np.array([weight is None for weight in self.values("weight")])
            fresh["weight"] = np.where(lacking, self.weight(), fresh["weight"])
        return fresh, changed

    def _check_key(self, key: str) -> None:
        """Raises NotSupported for keys that connections have, but whose values cannot change."""
        labels = key == "synapse_label"
        models = [model for model in self._distinct() if (model.labelled if labels else key in {*model.of_connection, *model.extras})]
        if session().simulated and (key in STATE or (key == "n" and any(model.base == DOPAMINE_SYNAPSE for model in models))):
            raise NotSupported(f"setting {key} of connections after Simulate")
        if not labels and any(key not in model.entry.parameters for model in models):
            raise NotSupported(f"setting {key} of connections")
        if not self._of_kernel().all():
            of_devices = {wire.model for wire, _ in self.wired}
            if any(model.name in of_devices for model in models):
                raise NotSupported(f"setting {key} of connections of devices")

    def _is_already(self, key: str, value: Any) -> bool:
        """Whether the connections that have a key have this value; never for weights, which are read more slowly than set."""
        if key == "weight":
            return False
        present = np.asarray(self.values(key), object)
        if not len(present):  # only connections of other ranks have it
            return True
        having = np.array([v is not None for v in present.tolist()], bool)
        return np.array_equal(present[having], np.broadcast_to(value, len(self))[having])

    def assign(self, fresh: dict[str, Any]) -> None:
        """Gives connections new values, a number or an array with one each: all of them, or none where an error is raised. Collective.

        Connections of recorders only show what they are given.
        """
        here = np.flatnonzero(self._of_kernel())
        for_devices = {key: np.broadcast_to(value, len(self)) for key, value in fresh.items() if key in ("weight", "delay")}
        edits = self._device_edits(for_devices) if for_devices and any_rank(len(here) < len(self)) else []
        of_kernel = {key: value[here] if np.ndim(value) else value for key, value in fresh.items()}
        mine = self if self.whole else self.part(here)
        if any_rank(len(here) > 0):
            editing.replace(mine, of_kernel)
        for edit in edits:
            edit.apply()

    def _own_keys(self) -> Ints:
        """Numbers of connections for random values, int64 (n,): the pair, and which of its connections; the same on any ranks."""
        pair = self.source * (session().registry.size + 1) + self.target
        return pair * 64 + np.minimum(numbered(pair), 63)

    def _fresh(self, key: str, value: Any) -> Any:
        if is_parameter(value):
            nothing = collection(Ranges.span(0, 0))
            value = Edges(self.source, self.target, self._own_keys()).values(nothing, nothing, value)
        if is_list(value):
            if len(value) != len(self):
                kind = IndexError if len(value) < len(self) else TypeError
                raise kind(f"{key} has {len(value)} values for {len(self)} connections")
            if np.asarray(value).dtype.kind not in "biuf":
                raise NESTErrors.TypeMismatch(f"Expected datatype: {key} takes numbers")
            return np.asarray(value, np.float64)
        if key == "synapse_label" and not isinstance(value, int | np.integer):
            raise NESTErrors.TypeMismatch("Expected datatype: synapse_label takes whole numbers")
        if isinstance(value, str) or not np.isscalar(value):
            raise NESTErrors.TypeMismatch(f"Expected datatype: {key} takes numbers")
        return float(value)  # type: ignore[arg-type]

    def _device_edits(self, columns: Mapping[str, NDArray[Any]]) -> list[DeviceEdit]:
        """Weights and delays for connections of devices, checked and to be applied. Collective."""
        others = np.flatnonzero(~self._of_kernel())
        numbers = session().wires.numbers(wire for wire, _ in self.wired)
        index = [np.stack([np.full(len(at), k), at]) for k, (_, at) in zip(numbers, self.wired, strict=True)]
        rows: Ints = np.concatenate(index, axis=1)[:, -1 - self.origin[others]] if len(others) else np.empty((2, 0), np.int64)
        return device_edits(rows, {key: column[others] for key, column in columns.items()})

    # --- comparing

    def same(self, other: Columns) -> bool:
        """Whether the connections of both are the same, in the same order."""
        names = ("source", "target", "port")
        return (
            len(self) == len(other)
            and all(np.array_equal(self.values(n), other.values(n)) for n in names)
            and bool((self.models() == other.models()).all())
        )


_SIMPLE: dict[str, Callable[[Columns], Any]] = {  # what all connections have
    "source": lambda c: c.source,
    "target": lambda c: c.target,
    "weight": Columns.weight,
    "delay": Columns.delay,
    "receptor": Columns.receptor,
    "port": ports,
    "synapse_model": Columns.models,
    "target_thread": Columns.thread,
}


def _weights_of_now(c: Connections) -> NDArray[np.float64]:
    """Present weights; those that change without spikes, too."""
    weights = own_values(c, "weights")
    if any(kind.base == DOPAMINE_SYNAPSE for kind in session().wires.kinds):
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


def _some_without_weight() -> bool:
    """Whether there may be connections whose weight belongs to the model."""
    s = session()
    return any(
        "weight" in s.synapse_models[made].homogeneous
        for made in [*(kind.model for kind in s.wires.kinds), *(w.model for w in s.wires.devices)]
    )


def empty() -> Columns:
    """No connections."""
    nothing = np.empty(0, np.int64)
    return Columns(nothing, nothing, nothing, None, [])


def _default(model: str, key: str) -> Any:
    found = session().synapse_models[model]
    return found.entry.parameters[key].default if key in found.entry.parameters else None


def _port(model: NodeModel) -> int:
    """Number that NEST gives to the first receptor of nodes; -1 where receptors are chosen by the sign of weights.

    It is 1, but 0 for receptors that have names, although Connect counts them from 1, and of parrots.
    """
    if takes_ports(model.entry):
        return int((model.base not in RECEPTOR_TYPES or model.base.startswith("iaf_bw_2001")) and model.root != CM)
    return 0 if model.root in PARROTS else -1


def _drawn_with_others(given: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """No values; counts the draws of other ranks, which have connections: later draws have the same numbers on all."""
    for value in given.values():
        if is_parameter(value):
            session().next_draw()
    return {}, frozenset()
