# SPDX-License-Identifier: Apache-2.0
"""Connections that the kernel makes: whole rules where it can draw everything itself, else explicit edges with their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import Nodes
from ..classes import Distribution, Rule, Synapse
from ..engine import Ints, Ranges, distinct, gathered
from ..space.engine import Formula, SpatialRule
from . import edges as drawn
from . import gates, grid, senders, shapes
from .edges import Edges
from .errors import NESTErrors, NotSupported, illegal, translating
from .kernel import session
from .models.arrays import receptor_count
from .models.node_models import CM, takes_ports
from .models.synapse_models import CONT_DELAY_SYNAPSE, SUB_STEP_DELAY, TRANSMITTER, check_signs
from .node_collection import NodeCollection
from .node_status import counts
from .node_values import is_parameter
from .registry import Row
from .specs import ConnRule, SynSpec
from .wires import SynapseKind


@dataclass(slots=True)
class Made:
    """A call of the kernel for spike sources and neurons.

    in_space : the kernel has drawn its edges by positions
    """

    pre: Ranges
    post: Ranges
    arguments: dict[str, Any]
    kind: SynapseKind
    in_space: bool


_RULES = ("all_to_all", "one_to_one", "fixed_indegree", "fixed_outdegree", "fixed_total_number", "pairwise_bernoulli")
_BY_TARGET = ("all_to_all", "fixed_indegree", "pairwise_bernoulli")  # rules that may be done for some targets at a time


def connect(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects spike sources to neurons. Several specifications get the same pairs."""
    specs = [gates.marked(post, spec) for spec in specs]
    split = any(senders.alike(pre._ranges, post._ranges, spec) for spec in specs)
    by_kernel = rule.name in _RULES and not rule.drawn and not split and (len(specs) == 1 or rule.name in ("all_to_all", "one_to_one"))
    rest = (value for spec in specs for value in (spec.receptor, *spec.parameters.values()))
    alone = by_kernel and len(specs) == 1 and not any(map(varies, rest))
    ready = [drawn.by_formula(spec, pre, post) if alone else spec for spec in specs]
    groups = [_groups(post, spec) if is_native(spec) else [] for spec in ready]
    if len(specs) > 1 and not split:  # all are checked before the first is connected
        for spec, targets in zip(specs, groups, strict=True):
            for ranges, parameters in targets if not has_arrays(spec) else ():
                _project(pre._ranges, ranges, Rule("all_to_all"), spec, parameters, check_only=True)
    if rule.name == "symmetric_pairwise_bernoulli":
        there, back = drawn.symmetric(pre, post, rule)
        for spec in specs:
            connect_edges(pre, post, there, spec)
            connect_edges(post, pre, back, spec)
        return
    whole = rule.name not in _BY_TARGET or ready[0] is not specs[0]  # numbers of formulas are keyed by positions of all targets
    by_kernel &= all(len(targets) <= 1 or not (whole or has_arrays(spec)) for targets, spec in zip(groups, specs, strict=True))
    found: Edges | None = None
    for spec, made, targets in zip(specs, ready, groups, strict=True):
        if by_kernel and is_native(made) and not (rule.name == "fixed_total_number" and has_arrays(spec)):
            for ranges, parameters in targets:
                _project(pre._ranges, ranges, rule.native(), made, parameters)
        else:
            found = found or drawn.by_rule(pre, post, rule)
            connect_edges(pre, post, found, spec)


def has_arrays(spec: SynSpec) -> bool:
    """Whether a weight, a delay or a parameter is given by connection."""
    return any(isinstance(v, np.ndarray) for v in (spec.weight, spec.delay, *own_values(spec).values()))


def own_values(spec: SynSpec) -> dict[str, Any]:
    """Parameters that differ between connections and that the kernel keeps for each synapse."""
    return {key: v for key, v in spec.parameters.items() if key in spec.model.entry.varied and varies(v)}


def is_native(spec: SynSpec) -> bool:
    """Whether the kernel can draw all values itself."""
    own = own_values(spec)
    drawn_here = any(varies(v) for v in (spec.receptor, *(v for key, v in spec.parameters.items() if key not in own)))
    return not drawn_here and all(not is_parameter(v) or v.native() is not None for v in (spec.weight, spec.delay, *own.values()))


def _groups(post: NodeCollection, spec: SynSpec) -> list[tuple[Ranges, dict[str, Any]]]:
    """Targets that can go in one call of the kernel: of one model, alike in parameters that the synapse has from them."""
    parts = session().registry.joined(post._alive())
    needed = spec.model.of_neuron
    if len({row.model.base for row, _ in parts}) == 1 and not needed:
        return [(post._ranges, synapse_parameters(spec))]
    found: dict[tuple[Any, ...], list[Ints]] = {}
    for row, gids in parts:
        for values, some in _alike(row, gids, needed):
            found.setdefault((row.model.base, values), []).append(some)
    common = synapse_parameters(spec)
    groups = [(gids, common | dict(zip(needed, values, strict=True))) for (_, values), gids in found.items()]
    if len(groups) == 1:
        return [(post._ranges, groups[0][1])]
    return [(Ranges.of(np.sort(np.concatenate(gids))), parameters) for gids, parameters in groups]


def _alike(row: Row, gids: Ints, keys: list[str]) -> Iterator[tuple[tuple[float, ...], Ints]]:
    """Nodes of a row that have the same values. Raises IllegalConnection for nodes that have no such parameter: they archive no spikes."""
    if any(key not in row.model.extras for key in keys):
        raise illegal("The target node does not support STDP synapses.")
    if not any(isinstance(row.extras.get(key), list) for key in keys):
        yield tuple(float(row.extras.get(key, row.model.extras[key])) for key in keys), gids
        return
    table = np.array([row.extra(key, gids) for key in keys], np.float64).T
    for values in np.unique(table, axis=0):
        yield tuple(values.tolist()), gids[(table == values).all(axis=1)]


def synapse_parameters(spec: SynSpec) -> dict[str, Any]:
    """Parameters of the kernel's synapse that differ from its defaults. Raises BadProperty where signs of weight and Wmax differ."""
    found: dict[str, Any] = dict(spec.model.parameters)
    if spec.model.is_modulated:
        if spec.model.transmitter is None:
            raise NESTErrors.BadProperty("No volume transmitter has been assigned to the dopamine synapse.")
        found[TRANSMITTER] = float(spec.model.transmitter._gids[0])
    own = own_values(spec)
    if "Wmax" in spec.parameters.keys() - own.keys() and isinstance(spec.weight, int | float):
        check_signs(spec.weight, spec.parameters["Wmax"], spec.model.zero_is_positive)
    for key, value in spec.parameters.items():
        value = value.native() if is_parameter(value) else value
        alike = isinstance(value, np.ndarray) and len(value) and (value == value[0]).all()
        found[key] = value if key in own else float(value[0] if alike else value)
    return found


def check_receptor(receptor: int, post: Ranges, of_spikes: bool = True) -> None:
    """Raises IncompatibleReceptorType or UnknownReceptorType where the targets have no such receptor, NotSupported where currents cannot go there."""
    for row, gids in session().registry.joined(post.table):
        entry, face, model = row.model.entry, row.model.face, row.model.base
        if row.model.root == CM:
            shapes.check_port(receptor, row, of_spikes)
        elif not of_spikes and (ports := face.current_ports):
            if receptor in ports[entry.current_ports :]:
                raise NotSupported(f"currents into other compartments than the soma of {model}", "set I_e of the compartment")
            if receptor not in ports:
                kind = NESTErrors.IncompatibleReceptorType if 1 <= receptor < ports[0] else NESTErrors.UnknownReceptorType
                raise kind(f"Receptor type {receptor} is not available in {model}.")
        elif of_spikes and takes_ports(entry):
            named = face.receptors or entry.receptors
            own = len(entry.state) and sum(name.startswith("w_NMDA_") for name in entry.state)
            most = min(counts(row, gids)) or (own and own + gates.NMDA - 1) or sum(not name.endswith("_curr") for name in named)
            if not 1 <= receptor <= most:
                known = receptor_count(entry) or (face.current_ports and receptor <= len(named))
                kind = NESTErrors.IncompatibleReceptorType if known else NESTErrors.UnknownReceptorType
                raise kind(f"Receptor type {receptor} in {row.model.name} does not accept SpikeEvent.")
        elif receptor not in (0, int(face.second_receptor)):
            raise NESTErrors.UnknownReceptorType(f"Receptor type {receptor} is not available in {row.model.name}.")


def _is_tree(nodes: Ranges) -> bool:
    return any(model.root == CM for model in session().registry.models(nodes))


def _to_port(spec: SynSpec, post: Ranges) -> SynSpec:
    """With the kernel's number of the receptor: cm_default counts from 0."""
    return replace(spec, receptor=spec.receptor + 1) if _is_tree(post) else spec


def _current_port(spec: SynSpec, post: Ranges) -> int:
    if _is_tree(post):
        return int(spec.receptor)
    ports = [model.face.current_ports for model in session().registry.models(post)]
    return max((some.index(spec.receptor) for some in ports if spec.receptor in some), default=0)


def native(value: Any) -> Any:
    """A weight or delay as the kernel takes it: a number, an array or a distribution."""
    found = value.native() if is_parameter(value) else value
    return found if isinstance(found, np.ndarray | Distribution | Formula) else float(found)


def _project(
    pre: Ranges,
    post: Ranges,
    rule: Rule,
    spec: SynSpec,
    parameters: dict[str, float],
    weight: Any = None,
    delay: Any = None,
    check_only: bool = False,
    in_space: bool = False,
) -> None:
    """One call of the kernel, and the note of it. in_space : the kernel has drawn its edges by positions."""
    s = session()
    weight = native(spec.weight) if weight is None else weight
    delay = native(spec.delay) if delay is None else delay
    if spec.model.entry.delayed:
        grid.check_delays(delay)
    if spec.model.entry.carries:
        spec = senders.port_of_values(pre, post, spec)
    else:
        check_receptor(spec.receptor, post)
        spec, parameters = senders.adapted(pre, post, spec, parameters)
        spec = _to_port(spec, post)
    recorder = weight_recorder(pre, spec)
    if spec.model.is_modulated and any(model.entry.precise for model in s.registry.models(post)):
        raise NotSupported(f"{spec.model.name} onto neurons with precise spike times")
    made = SynapseKind(spec.model.base, spec.model.name, spec.label)
    with translating():
        synapse = Synapse(spec.model.base, parameters)
        from_, to = Nodes(s.network, pre), Nodes(s.network, post)
        # Plastic and computed weights are float64, except those of _hpc models. The kernel keeps constant weights exactly.
        doubles = (spec.model.base != "static_synapse" or isinstance(weight, Formula)) and not spec.model.root.endswith("_hpc")
        arguments = s.engine.arguments(from_, to, rule, weight, delay, synapse, spec.receptor, doubles, s.wires.label_of(made), recorder)
        arguments["projection"] = (-1, None, None, True)
        s.engine.connect(from_, to, arguments, check_only)
        if check_only:
            return
    s.wires.note_call(made)
    if s.made is not None:
        s.made.append(Made(pre, post, arguments, made, in_space))


def weight_recorder(pre: Ranges, spec: SynSpec) -> int | None:
    """The recorder of the kernel that the model names; as in NEST none notes what devices send."""
    chosen, registry = spec.model.weight_recorder, session().registry
    if chosen is None or any(model.kind != "neuron" for model in registry.models(pre)):
        return None
    row = registry.row(gid := int(chosen._gids[0]))
    return int(row.recorders[gid - row.first].number)


def connect_edges(pre: NodeCollection, post: NodeCollection, found: Edges, spec: SynSpec) -> None:
    """Connects edges that are known one by one, with values that belong to each."""
    for sources in (groups := senders.alike(pre._ranges, post._ranges, spec)):
        connect_edges(NodeCollection(sources), post, found.of_sources(pre._gids, sources), spec)
    if groups:
        return
    weight, delay = (found.values(value) for value in (spec.weight, spec.delay))
    own = {key: found.values(value) for key, value in own_values(spec).items()}
    spec = replace(spec, parameters={key: v for key, v in spec.parameters.items() if key not in own})
    receptors = gates.ports(post, found, gates.marked(post, spec) if isinstance(spec.receptor, int) else spec)
    parts = _by_parameters(found, spec, receptors)
    for part, _ in parts:
        if not part.model.entry.carries:
            check_receptor(part.receptor, post._ranges)
    for part, kept in parts:
        for ranges, parameters in _groups(post, part):
            some: Any = kept
            if ranges is not post._ranges:  # the kernel takes targets of one kind
                some = np.arange(len(found.key))[kept][ranges.contains(post._gids[found.target[kept]])]
            source, target = found.source[some], found.target[some]
            if ranges is not post._ranges:
                target = np.searchsorted(ranges.ids(), post._gids[target])
            w, d = (v[some] if isinstance(v, np.ndarray) else v for v in (weight, delay))
            for key, values in own.items():
                parameters[key] = np.broadcast_to(values, len(found.source))[some]
            _project(pre._ranges, ranges, explicit({"sources": source, "targets": target}), part, parameters, w, d)
    if receptors is not None:
        gates.note_weights(post, found, receptors, weight)


def explicit(edges: dict[str, Any]) -> Rule:
    """The rule that makes these edges, of this rank where there are several; arrays are not copied, there may be very many edges."""
    return Rule("explicit", edges | ({"own_targets": True} if session().n_ranks > 1 else {}))


def connect_in_space(pre: NodeCollection, post: NodeCollection, rule: SpatialRule, specs: list[SynSpec]) -> None:
    """Connects by a rule, mask or values that look at positions: by a list of edges where the kernel makes all values itself."""
    s, draw = session(), session().next_draw()
    ready = [drawn.by_formula(spec, pre, post, rule) for spec in specs]
    groups = [_groups(post, spec) if is_native(spec) and not has_arrays(spec) else [] for spec in ready]
    with translating():
        lister = drawn.lister_in_space(pre, post, rule) if all(len(group) == 1 for group in groups) else None
        listed = lister and lister(s.seed, draw)
    found = drawn.in_space(pre, post, rule, draw) if listed is None else None
    for spec, made, group in zip(specs, ready, groups, strict=True):
        if found is not None:
            connect_edges(pre, post, found, spec)
        else:
            _project(pre._ranges, post._ranges, explicit({"list": listed}), made, group[0][1], in_space=True)


def _by_parameters(found: Edges, spec: SynSpec, receptors: Ints | None) -> list[tuple[SynSpec, Any]]:
    """Which edges have the same receptor and parameters of the synapse, which the kernel keeps per group, as an index. The same on all ranks."""
    varied = {key: v for key, v in spec.parameters.items() if varies(v)}
    if receptors is not None or varies(spec.receptor):
        varied["receptor_type"] = spec.receptor if receptors is None else receptors
    if not varied:
        return [(spec, slice(None))]
    columns = [np.broadcast_to(receptors if value is receptors else found.values(value), len(found.source)) for value in varied.values()]
    table, first = gathered(np.stack(columns, axis=1).astype(np.float64))
    rows, index = distinct(table)
    mine = index[first : first + len(found.source)]
    order = np.argsort(mine, kind="stable")
    cuts, parts = np.searchsorted(mine[order], np.arange(len(rows) + 1)), []
    for k, row in enumerate(rows.tolist()):
        values = dict(zip(varied, row, strict=True))
        receptor = int(values.pop("receptor_type")) if "receptor_type" in values else spec.receptor
        parts.append((replace(spec, receptor=receptor, parameters=spec.parameters | values), order[cuts[k] : cuts[k + 1]]))
    return parts


def varies(value: Any) -> bool:
    """Whether a parameter of a synapse differs between connections."""
    if is_parameter(value):
        return not isinstance(value.native(), float | int)
    return isinstance(value, np.ndarray) and bool((value != value[:1]).any())


def connect_listed(sources: Ints, targets: Ints, spec: SynSpec) -> None:
    """Connects the i-th source to the i-th target."""
    pre, post = NodeCollection(np.unique(sources)), NodeCollection(np.unique(targets))
    own = session().own(targets)
    source, target = (np.searchsorted(nodes._gids, gids[own]) for nodes, gids in ((pre, sources), (post, targets)))
    connect_edges(pre, post, Edges(source, target, np.arange(len(sources), dtype=np.int64)[own]), spec.part(own))


def stimulate(pre: Ranges, post: Ranges, pairs: bool, spec: SynSpec) -> list[tuple[int, Ints | None]]:
    """Connects stimulators whose output is made at each target; returns the numbers of the kernel's calls, and which connections each made."""
    s = session()
    on_grid = spec.model.base == CONT_DELAY_SYNAPSE and not np.any({**spec.model.parameters, **spec.parameters}.get(SUB_STEP_DELAY, 0.0))
    if spec.model.base != "static_synapse" and not on_grid:
        raise illegal(f"Stimulators connect by static_synapse, not by {spec.model.name}.")
    without = [model.root for model in s.registry.models(post) if model.face.no_currents]
    if without and not _sends_spikes(pre):
        raise illegal(f"{without[0]} does not support current input.")
    if _sends_spikes(pre) and spec.receptor == gates.NMDA and gates.rows_of(post):
        raise NotSupported(f"stimulators onto NMDA of {gates.EXACT}", "put a parrot_neuron between")
    weight, delay = native(spec.weight), native(spec.delay)
    grid.check_delays(delay)
    check_receptor(spec.receptor, post, of_spikes=_sends_spikes(pre))
    senders.check_signals(s.registry.models(pre), s.registry.models(post))
    made: list[tuple[int, Ints | None]] = []
    rule = Rule("one_to_one" if pairs else "all_to_all")
    with translating():
        net = s.network
        for first, second, some in _device_blocks(pre, post, pairs):
            w, d = (v[some] if some is not None and isinstance(v, np.ndarray) else v for v in (weight, delay))
            a, b = Nodes(net, first), Nodes(net, second)
            receptor = _to_port(spec, second).receptor if _sends_spikes(pre) else _current_port(spec, second)
            made.append((s.engine.connect(a, b, s.engine.arguments(a, b, rule, w, d, None, receptor, False)), some))
    return made


def _sends_spikes(pre: Ranges) -> bool:
    """Whether stimulators send spikes, not currents."""
    return all(model.entry.effect != "current" for model in session().registry.models(pre))


def _device_blocks(pre: Ranges, post: Ranges, pairs: bool) -> Iterator[tuple[Ranges, Ranges, Ints | None]]:
    """Parts of one model at each end, and which of the connections join them; None: all."""
    a, b = (_bases(ranges) for ranges in (pre, post))
    if len(a) == 1 and len(b) == 1:
        yield pre, post, None
        return
    sources, targets = pre.ids(), post.ids()
    if not pairs:
        sources, targets = np.tile(sources, len(targets)), np.repeat(targets, len(sources))
    for first in a.values():
        for second in b.values():
            some = np.flatnonzero(first.contains(sources) & second.contains(targets))
            if pairs and len(some):
                yield Ranges.of(sources[some]), Ranges.of(targets[some]), some
            elif not pairs:
                yield first, second, some


def _bases(ranges: Ranges) -> dict[str, Ranges]:
    found: dict[str, list[Ints]] = {}
    for row, gids in session().registry.joined(ranges.table):
        found.setdefault(row.model.base, []).append(gids)
    return {base: ranges if len(found) == 1 else Ranges.of(np.concatenate(gids)) for base, gids in found.items()}
