# SPDX-License-Identifier: Apache-2.0
"""Connections by kind of node: between neurons in the kernel, from stimulators, to spike recorders, from multimeters."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..classes import Distribution
from ..engine import Ints, Ranges, without_repeats
from ..space.engine import SpatialRule, drawn_values
from . import edges as drawn
from . import grid, projections, senders
from .devices.correlation_detector import CorrelationDetector
from .devices.meter import Meter
from .errors import NESTErrors, NotSupported, expect, illegal, unaccessed
from .kernel import session
from .models.node_models import NodeModel
from .models.synapse_models import TRANSMITTER
from .node_collection import NodeCollection, collection
from .node_values import is_parameter
from .registry import Row
from .spatial.masks import to_mask
from .specs import NEEDS, SPATIAL_KEYS, ConnRule, SynSpec, to_flag
from .wires import DeviceWire

_FREE = ("spike_train_injector", "step_rate_generator")  # their connections may be of several models
_TO_DEVICES = ("all_to_all", "one_to_one")


def kind_of(row: Row) -> str:
    """neuron (also stimulators whose spikes travel), stimulator, spike_recorder, meter, ..."""
    if row.recorders:
        return "meter" if isinstance(row.recorders[0], Meter) else "recorder"
    if row.model.kind == "neuron":
        return "neuron"
    return "emitter" if row.model.entry.effect in ("emits", "values") else "stimulator"


def stimulators(pre: NodeCollection, models: list[str]) -> dict[int, str]:
    """Synapse model by id of the stimulators among nodes that these models are to connect. Raises IllegalConnection if there are several."""
    rows = session().registry.joined(pre._alive())
    some = [gids for row, gids in rows if _is_device(row.model)]
    found, known = {gid: models[0] for gids in some for gid in gids.tolist()}, session().wires.of_stimulators
    if found and (len(set(models)) > 1 or any(known.get(gid, models[0]) != models[0] for gid in found)):
        raise illegal("All outgoing connections from a device must use the same synapse type.")
    return found


def _is_device(model: NodeModel) -> bool:
    return model.root == senders.DILUTOR or (model.kind == "stimulator" and model.root not in _FREE)


def connect(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects by a rule that does not look at positions."""
    sources, targets = _by_kind(pre), _by_kind(post)
    _check_kinds(sources, targets, rule)
    whole = rule.name == "all_to_all" and not any(spec.has_arrays for spec in specs)
    if whole or len(sources) == len(targets) == 1:
        for a, from_ in sources:
            for b, to in targets:
                _connect_kinds(a, b, from_, to, rule, specs)
    elif rule.name == "one_to_one":
        for spec in specs:
            connect_pairs(pre._gids, post._gids, spec)
    else:
        _connect_edges(pre, post, drawn.by_rule(pre, post, rule), specs)


def _connect_edges(pre: NodeCollection, post: NodeCollection, found: drawn.Edges, specs: list[SynSpec]) -> None:
    """Connects edges between nodes of any kinds."""
    for spec in specs:
        connect_pairs(*drawn.pairs_of(pre, post, found, spec))


def _by_kind(nodes: NodeCollection) -> list[tuple[str, NodeCollection]]:
    """The nodes of each kind."""
    parts = session().registry.joined(nodes._alive())
    kinds = [kind_of(row) for row, _ in parts]
    kinds = ["neuron" if kind == "emitter" and "neuron" in kinds else kind for kind in kinds]
    if len(set(kinds)) == 1:
        return [(kinds[0], nodes)]
    found: dict[str, list[Ints]] = {}
    for kind, (_, gids) in zip(kinds, parts, strict=True):
        found.setdefault(kind, []).append(gids)
    return [(kind, collection(Ranges.of(np.concatenate(gids)), nodes._layer)) for kind, gids in found.items()]


def _check_kinds(sources: list[tuple[str, NodeCollection]], targets: list[tuple[str, NodeCollection]], rule: ConnRule) -> None:
    """Raises IllegalConnection for what cannot be connected at all."""
    for a, nodes in sources:
        models = session().registry.models(nodes._ranges)
        silent = a == "recorder" or any(model.root == TRANSMITTER for model in models)
        device = any(map(_is_device, models))
        for b, to in targets:
            if silent:
                raise illegal("Source node does not send output.\n  Note that recorders must be connected as Connect(neuron, recorder).")
            if b == "meter":
                raise illegal(
                    "The target node does not support spike input.\n  Note that volt/multimeters must be connected as Connect(meter, neuron)."
                )
            if device and any(model.root == TRANSMITTER for model in session().registry.models(to._ranges)):
                raise illegal("We do not allow connection of a device to a global receiver at the moment.")
            if b in ("stimulator", "emitter") and a != "meter":
                raise illegal("A stimulator receives nothing.")
            if a == "meter" and b == "recorder":
                raise illegal("The target node does not support data logging requests.")
            if b == "recorder" and rule.name not in _TO_DEVICES:
                raise illegal("Cannot use this rule to connect to nodes without proxies (usually devices).")


def _connect_kinds(a: str, b: str, pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects nodes of one kind to nodes of one kind."""
    if a in ("neuron", "emitter") and b == "neuron":
        projections.connect(pre, post, rule, specs)
        return
    if rule.name not in _TO_DEVICES or not all(isinstance(spec.receptor, int) for spec in specs):
        _connect_edges(pre, post, drawn.by_rule(pre, post, rule), specs)
        return
    pairs = rule.name == "one_to_one"
    for spec in specs:
        _wire_device(a, b, pre._ranges, post._ranges, pairs, _settled(spec, len(post) if pairs else len(pre) * len(post)))


def _settled(spec: SynSpec, n: int) -> SynSpec:
    """The specification with numbers or arrays: what is drawn for devices is drawn here, so that it can be shown."""
    s = session()

    def settle(value: Any) -> Any:
        if not is_parameter(value):
            return value
        found = value.native()
        if found is not None and not isinstance(found, Distribution):
            return found
        return drawn_values(value, s.seed, s.next_draw(), np.arange(n, dtype=np.int64))

    return spec.changed({key: settle(spec.values[key]) for key in ("weight", "delay", "receptor")})


def _wire_device(a: str, b: str, pre: Ranges, post: Ranges, pairs: bool, spec: SynSpec) -> None:
    """Connects with a device at one end: all pairs or the i-th to the i-th."""
    links: list[tuple[int, Ints | None]] = []
    if b == "recorder" or a == "meter":
        if a == "meter" and (spec.model.base not in senders.OF_DEVICES or spec.model.root.endswith("_hpc")):
            raise illegal(f"{spec.model.name} does not support data logging requests.")
        _check_static(spec, post)
        if a != "meter" and spec.model.base not in senders.OF_DEVICES and stimulators(collection(pre), [spec.model.name]):
            raise illegal(f"Stimulators connect by static_synapse, not by {spec.model.name}.")
        delay = _on_grid(spec.delay)
        _record(a, pre, post, pairs, spec)
    else:
        delay = _on_grid(spec.delay)
        links = projections.stimulate(pre, post, pairs, spec)
    session().wires.add_device(DeviceWire(pre, post, pairs, spec.weight, delay, spec.model.name, spec.receptor, spec.label, links))


def _on_grid(delay: Any) -> Any:
    """Delays (ms) rounded to steps. Raises BadDelay below one step."""
    grid.check_new_delays(np.atleast_1d(np.asarray(delay, np.float64)))
    found = session().engine.ms(grid.delay_steps(delay).astype(np.int64))
    return float(found) if np.ndim(delay) == 0 else found


def _check_static(spec: SynSpec, post: Ranges) -> None:
    others = any(model.root != "spike_recorder" for model in session().registry.models(post))
    face = spec.model.entry.face
    if face.get("draws") or (face.get("scales") and others):
        raise NotSupported(f"{spec.model.name} to such recorders", "record a parrot_neuron that it is connected to")
    if spec.model.base not in senders.OF_DEVICES and not face.get("scales"):
        raise illegal(f"A recorder does not support {spec.model.name}.")
    first = [row.recorders[0] for row, _ in session().registry.joined(post.table) if row.recorders]
    if correlating := [recorder for recorder in first if isinstance(recorder, CorrelationDetector)]:
        for recorder in correlating:
            recorder.check_receptor(spec.receptor)
    elif spec.receptor != 0:
        raise NESTErrors.UnknownReceptorType(f"Receptor type {spec.receptor} is not available in recorders.")


def _record(a: str, pre: Ranges, post: Ranges, pairs: bool, spec: SynSpec) -> None:
    device, others = (pre, post) if a == "meter" else (post, pre)
    gids = others.ids()
    weights = np.broadcast_to(np.asarray(spec.weight, np.float64), len(gids) if pairs else len(gids) * len(device))
    _check_recorded(a, others, device)
    at = 0
    for row, some in session().registry.joined(device.table):
        mine, recorders = slice(at, at + len(some)), row.recorders_of(some)
        own = weights[mine] if pairs else weights[at * len(gids) : mine.stop * len(gids)]
        type(recorders[0]).connect(recorders, gids[mine] if pairs else gids, pairs, own, spec.receptor, a == "stimulator")
        at = mine.stop


def _check_recorded(a: str, others: Ranges, device: Ranges) -> None:
    """Raises IllegalConnection, NotSupported for what such recorders do not record."""
    registry = session().registry
    rows, models = [row for row, _ in registry.joined(others.table)], {row.model.root for row, _ in registry.joined(device.table)}
    binary = [row.model.face.binary for row in rows]
    relayed = all(row.model.base in senders.RELAYS for row in rows)
    if (any(binary) and models & _OF_SPIKES) or (models & _OF_STATES and not (all(binary) or relayed)):
        raise illegal("Source and target neuron are not compatible (e.g., spiking vs binary neuron).")
    if a != "meter" and any(row.model.face.silent or row.model.entry.effect == "values" for row in rows):
        raise illegal("Source node does not send output.")
    if any(row.model.root == senders.DILUTOR for row in rows) and models - {"multimeter", "voltmeter"}:
        raise NotSupported("recording of a spike_dilutor directly", "record a parrot_neuron that it is connected to")
    if a != "stimulator":
        return
    if any(row.model.entry.effect == "current" for row in rows):
        raise illegal("The target node or synapse model does not support current input.")
    if models - {"spike_recorder"}:
        raise NotSupported(
            f"recording of a stimulator by {', '.join(sorted(models))}", "let it record a parrot_neuron that gets its spikes"
        )


_OF_SPIKES = frozenset({"correlation_detector", "correlomatrix_detector"})
_OF_STATES = frozenset({"spin_detector", "correlospinmatrix_detector"})


def connect_pairs(sources: Ints, targets: Ints, spec: SynSpec) -> None:
    """Connects the i-th source to the i-th target, in any order, with repeats; kinds of nodes may be mixed."""
    registry = session().registry
    kinds = [kind_of(row) for row in registry.rows]
    a, b = (registry.index_of(gids) for gids in (sources, targets))
    spec = _settled(spec, len(sources))
    pair_kinds = [(kinds[i], kinds[j]) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    for pair in dict.fromkeys(pair_kinds):
        _check_kinds([(pair[0], collection(Ranges.span(0, 0)))], [(pair[1], collection(Ranges.span(0, 0)))], ConnRule("one_to_one"))
    if not len(sources):
        return
    if isinstance(spec.receptor, np.ndarray):
        for receptor in np.unique(spec.receptor).astype(int).tolist():
            some = spec.receptor == receptor
            connect_pairs(sources[some], targets[some], replace(spec.part(some), receptor=receptor))
        return
    for pair in dict.fromkeys(pair_kinds):
        some = np.array([p == pair for p in pair_kinds])
        part = spec.part(some)
        if pair[0] in ("neuron", "emitter") and pair[1] == "neuron":
            projections.connect_listed(sources[some], targets[some], part)
        else:
            _wire_pairs(pair[0], pair[1], sources[some], targets[some], part)


def _wire_pairs(a: str, b: str, sources: Ints, targets: Ints, spec: SynSpec) -> None:
    """Pairs with a device at one end, one device after the other; the same pair may come several times."""
    device = sources if a in ("stimulator", "meter") else targets
    order = np.argsort(device, kind="stable")
    gids, begin = np.unique(device[order], return_index=True)
    records = b == "recorder" or a == "meter"
    if records and len(gids) == len(order) and all((np.diff(ids[order]) > 0).all() for ids in (sources, targets)):
        _wire_device(a, b, Ranges.of(sources[order]), Ranges.of(targets[order]), True, spec.part(order))
        return
    for some in np.split(order, begin[1:]):
        for layer in without_repeats((targets if device is sources else sources)[some]):
            index = some[layer]
            ends = [Ranges.of(np.unique(ids[index])) for ids in (sources, targets)]
            part = spec.part(index)
            _wire_device(a, b, ends[0], ends[1], False, part)


def connect_in_space(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects by a rule, mask or values that look at positions."""
    sources, targets = _by_kind(pre), _by_kind(post)
    records, from_sources = any(kind == "recorder" for kind, _ in targets), bool(rule.spatial.get("use_on_source"))
    if not any(kind == "meter" for kind, _ in targets):
        drawn.sides(pre, post)
        spatial(rule)
    if records and not from_sources:
        raise illegal(f"Spatial Connect with {rule.name} to devices is not possible.")
    _check_kinds(sources, targets, ConnRule("all_to_all") if records else rule)
    if not records and {kind for kind, _ in sources} <= {"neuron", "emitter"}:
        projections.connect_in_space(pre, post, spatial(rule), specs)
    else:
        _connect_edges(pre, post, drawn.in_space(pre, post, spatial(rule), session().next_draw()), specs)


# --- specifications in space

_SPATIAL_RULES = ("pairwise_bernoulli", "pairwise_poisson", "fixed_indegree", "fixed_outdegree")
_NUMBERS = [NEEDS[name] for name in _SPATIAL_RULES]
_SPATIAL = ("rule", *_NUMBERS, *SPATIAL_KEYS, "allow_autapses", "allow_multapses")


def spatial(rule: ConnRule) -> SpatialRule:
    """A rule of Connect in space. Raises ValueError for other rules and keys, BadProperty, TypeMismatch, IndexError."""
    name, spec = rule.name, {**rule.spatial, **({} if rule.number is None else {rule.key: rule.number})}
    if name not in _SPATIAL_RULES:
        raise ValueError(f"in space, with masks and Parameters of positions, the rules are {', '.join(_SPATIAL_RULES)}, not {name}")
    if unknown := [str(key) for key in spec if key not in _SPATIAL and not (key == "make_symmetric" and spec[key] is False)]:
        raise ValueError(f"{', '.join(unknown)} cannot be in conn_spec when connecting in space")
    if "use_on_source" in spec and name != "pairwise_bernoulli":
        raise ValueError(f"use_on_source is for pairwise_bernoulli, not for {name}")
    if unread := sorted(({*_NUMBERS} - {NEEDS[name], "p"}) & {*spec}):
        raise unaccessed("conn_spec", "Connect:", unread)
    degree = NEEDS[name] if name.startswith("fixed") else None
    if degree is not None and degree not in spec:
        raise KeyError(degree)
    return SpatialRule(
        name,
        to_mask(spec.get("mask")),
        _kernel(spec, name),
        _degree(degree, spec[degree]) if degree else None,
        name in ("fixed_indegree", "pairwise_poisson") or to_flag(spec, "use_on_source", False),
        rule.autapses,
        rule.multapses,
        to_flag(spec, "allow_oversized_mask", False),
    )


def _kernel(spec: Mapping[str, Any], name: str) -> Any:
    key = "pairwise_avg_num_conns" if name == "pairwise_poisson" and "pairwise_avg_num_conns" in spec else "p"
    value = spec.get(key, 1.0)
    if is_parameter(value):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or np.isnan(float(value)):
        raise NESTErrors.BadProperty(f"{key} must be a number or a Parameter, not {value!r}")
    return float(value)


def _degree(key: str, value: Any) -> Any:
    if is_parameter(value):
        return value
    expect(not isinstance(value, bool) and hasattr(value, "__index__"), f"{key} is a whole number or a Parameter", value)
    if int(value) < 0:
        raise NESTErrors.BadProperty(f"{key} cannot be less than zero.")
    return int(value)
