# SPDX-License-Identifier: Apache-2.0
"""Connections in which a spike says more than that it came.

What it says depends on the spikes of its source before, so a synapse of the kernel finds it once per source: the source's model has the
parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..classes import Distribution
from ..engine import Ints, Ranges, catalog
from .errors import NESTErrors, NotSupported, illegal
from .kernel import session
from .models.node_models import NodeModel, takes_ports
from .node_values import is_parameter
from .registry import Row
from .specs import SynSpec

RELAYS = ("parrot_neuron", "spike_generator")  # pass on what they get or are told: between neurons of any kind

Adapted = tuple[SynSpec, dict[str, float]]
DILUTOR = "spike_dilutor"  # a parrot_neuron of the kernel, whose connections pass on some of the spikes


def check_lent(model: NodeModel, gids: Ints, keys: frozenset[str]) -> None:
    """Raises NotSupported for lent parameters of connected nodes that cannot change any more."""
    fixed = keys & {"u", "x", "y"} if session().simulated else frozenset()
    if fixed and np.any(session().engine.kernel.get(gids, "_last")):
        raise NotSupported(
            f"changing {', '.join(sorted(fixed))} of {model.name} that is connected after its first spike", "set it before its first spike"
        )


def check_signals(sources: list[NodeModel], targets: list[NodeModel]) -> None:
    """Raises IllegalConnection between neurons with two states and those that spike."""
    for a in sources:
        for b in targets:
            mixed = a.face.binary != b.face.binary and a.entry.effect != "current"
            if mixed and a.base not in RELAYS and b.base not in RELAYS:
                raise illegal("Source and target neuron are not compatible (e.g., spiking vs binary neuron).")


def port_of_values(pre: Ranges, post: Ranges, spec: SynSpec) -> SynSpec:
    """With the kernel's number of the receptor of a connection that carries values. Raises IllegalConnection, UnknownReceptorType."""
    targets = {model.base: model for model in session().registry.models(post)}
    models = {base: model.name for base, model in targets.items()}
    readouts = [model.name for model in targets.values() if model.is_readout]
    if not readouts or spec.model.entry.carries != "rate":
        if spec.receptor != 0 and any(model.entry.history.startswith("eligibility") for model in targets.values()):
            raise illegal("The target node does not support such input.")
        if spec.receptor != 0:
            raise NESTErrors.UnknownReceptorType(f"Receptor type {spec.receptor} is not available in {', '.join(models.values())}.")
        return spec
    if len(models) > len(readouts):
        raise NotSupported(f"connections to {', '.join(models.values())} in one Connect", "connect them one by one")
    if spec.receptor not in (1, 2):
        raise illegal(f"Receptor type {spec.receptor} of {readouts[0]} does not take rates: 1 and 2 do.")
    sources = [model.base for model in session().registry.models(pre)]
    if spec.receptor == 1 and "eprop_readout_bsshslm_2020" in models and "step_rate_generator" in sources:
        raise illegal(f"Receptor type 1 of {readouts[0]} takes what other readouts send.")
    return replace(spec, receptor=spec.receptor - 1)


OF_DEVICES = ("static_synapse", "cont_delay_synapse")


def _check_history(targets: list[NodeModel], spec: SynSpec) -> None:
    """Raises NotImplemented, as NEST does, for targets that do not keep what a synapse reads of them; IllegalConnection for delays of e-prop."""
    given = spec.delay.native() if is_parameter(spec.delay) else spec.delay
    delays = given.ends() if isinstance(given, Distribution) else np.inf if given is None else given
    if spec.model.optimizes and (np.round(np.asarray(delays, np.float64) / session().resolution) > 1).any():
        raise illegal(f"{spec.model.name} requires a delay of one simulation step.")
    history = spec.model.entry.history
    if history and any(model.entry.history != history for model in targets):
        raise NESTErrors.NotImplemented("This synapse model is not supported by the neuron model of at least one connection.")


def adapted(pre: Ranges, post: Ranges, spec: SynSpec, parameters: dict[str, float]) -> Adapted:
    """The synapse and the receptor of the kernel for what connects these nodes. Raises IllegalConnection, NotImplemented, NotSupported."""
    sources, targets = session().registry.models(pre), session().registry.models(post)
    if any(model.root == DILUTOR for model in sources):
        shares = {share for row, gids in session().registry.joined(pre.table) for share in _lent_values(row, gids, "p_copy")}
        if len(shares) > 1:
            raise NotSupported("spike_dilutors with other sources, or of different p_copy, in one Connect", "connect them one by one")
        return _on_static("bernoulli_synapse", spec), {"p_transmit": float(shares.pop())}
    if spec.model.base not in OF_DEVICES and any(model.root == "spike_generator" for model in sources):
        raise illegal(f"Stimulators connect by static_synapse, not by {spec.model.name}.")
    _check_history(targets, spec)
    if any(model.is_readout for model in sources):
        raise illegal("Source node does not send output.")
    lending = [model.base for model in sources if model.face.lent and not takes_ports(model.entry)]
    if lending and any(model.entry.precise or model.face.off_grid for model in targets):
        raise illegal(f"{lending[0]} neurons cannot be connected to precise spiking neurons.")
    if not any(model.face.lent for model in targets):
        if not any(model.face.binary for model in (*sources, *targets)):
            return spec, parameters
        check_signals(sources, targets)
        to_binary = all(model.face.binary for model in targets)
        return (_on_static("state_change_synapse", spec), {}) if to_binary else (spec, parameters)  # else to parrots
    bases = {model.base for model in targets}
    if len(bases) > 1:
        raise NotSupported(f"connections to {', '.join(sorted(bases))} in one Connect", "connect them one by one")
    return _by_source(pre, targets[0], spec, parameters)


def alike(pre: Ranges, post: Ranges, spec: SynSpec) -> list[Ints]:
    """Sources by what connections take over from them; empty where all can go in one call of the kernel."""
    rows = session().registry.joined(pre.table)
    keys: tuple[str, ...] = ("p_copy",) if any(row.model.root == DILUTOR for row, _ in rows) else ()
    model = rows[0][0].model
    if not keys and model.face.lent and isinstance(spec.receptor, int) and len({row.model.base for row, _ in rows}) == 1:
        to_same = any(other.base == model.base for other in session().registry.models(post))
        synapse = model.face.own_synapses.get(spec.receptor)
        keys = tuple(catalog.synapses()[synapse].parameters) if to_same and synapse else ()
    if not keys:
        return []
    table = np.concatenate([np.array([_lent_values(row, gids, key) for key in keys]).T for row, gids in rows])
    distinct, which = np.unique(table, axis=0, return_inverse=True)
    gids = np.concatenate([gids for _, gids in rows])
    return [np.sort(gids[which.ravel() == k]) for k in range(len(distinct))] if len(distinct) > 1 else []


def _lent_values(row: Row, gids: Ints, key: str) -> Any:
    if key == "p_copy":
        return row.extra(key, gids) if row.model.root == DILUTOR else [-1.0] * len(gids)
    return session().engine.kernel.get(gids, key)


def _on_static(base: str, spec: SynSpec) -> SynSpec:
    """The specification with another synapse of the kernel. Raises NotSupported for plastic ones."""
    if spec.model.base != "static_synapse":
        raise NotSupported(f"{spec.model.name} between such neurons", "only static_synapse")
    return replace(spec, model=replace(spec.model, base=base, entry=catalog.synapses()[base]))


def _by_source(pre: Ranges, target: NodeModel, spec: SynSpec, parameters: dict[str, float]) -> Adapted:
    rows = session().registry.joined(pre.table)
    same = [row.model.base == target.base for row, _ in rows]
    synapse, by_sign = target.face.own_synapses.get(spec.receptor), not takes_ports(target.entry)  # the receptor type tells synapses apart
    if by_sign and spec.receptor == 0 and any(same):
        raise illegal(f"{target.base} neurons must be connected via receptor_type 1.")
    if synapse is None or (by_sign and not any(same)):
        return replace(spec, receptor=0) if by_sign else spec, parameters
    if not all(same):
        raise illegal(f"At receptor type {spec.receptor} of {target.base} the source must be a {target.base}, too.")
    found = _on_static(synapse, spec)
    return replace(found, receptor=0) if by_sign else found, _of_sources(pre, target, [*found.model.entry.parameters])


def _of_sources(pre: Ranges, model: NodeModel, keys: list[str]) -> dict[str, float]:
    kernel, gids = session().engine.kernel, pre.ids()
    if session().simulated and np.any(kernel.get(gids, "_last" if "_last" in model.entry.state else "_free_at")):  # 0 until the first spike
        raise NotSupported(f"connecting {model.base} after spikes", "connect before: synapses begin with the source's state at time 0")
    columns: dict[str, Any] = {key: np.asarray(kernel.get(gids, key)) for key in keys}
    if any((column != column[0]).any() for column in columns.values()):
        raise NotSupported(f"{model.base} with different {', '.join(keys)} in one Connect", "connect them one by one")
    return {key: float(column[0]) for key, column in columns.items()}
