# SPDX-License-Identifier: Apache-2.0
"""Defaults of models: GetDefaults, SetDefaults, CopyModel, and lists of models."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from .. import Network, Nodes
from ..classes import Rule, Synapse
from ..engine import Engine, Ranges, alone, catalog
from . import editing, grid
from .connection_query import count_of_model, query
from .devices import recorders
from .errors import NESTErrors, NotSupported, expect, nearest, translating
from .kernel import known_only, session
from .models import hardware, optimizers
from .models.arrays import expanded, listed, readable, receptor_count, taken_apart
from .models.node_models import NodeModel, takes_ports, to_nest, with_room
from .models.synapse_models import (
    DIFFUSION,
    GAP,
    TRANSMITTER,
    SynapseModel,
    check_signs,
    check_values,
    is_flag,
    synapse_models,
)
from .models.synapse_models import to_nest as synapse_to_nest
from .models.table import ModelTable, until_loaded
from .node_collection import NodeCollection, collection, to_json
from .node_status import shown_recordables
from .node_values import check_mechanisms, check_window, checked_extra, is_list, is_parameter, number, too_large
from .specs import CONNECTION_RULES


def GetDefaults(model: str, keys: Any = None, output: str = "") -> Any:  # noqa: N802
    """Defaults of a node or synapse model: a dict; of one name its value, of several a list. Raises UnknownComponent, NotSupported, KeyError."""
    named = _table(model)[model]
    found = _of_node(named) if isinstance(named, NodeModel) else _of_synapse(named)
    if keys is None:
        result: Any = found
    elif isinstance(keys, str):
        result = found[keys]
    elif hasattr(keys, "__iter__"):
        result = [found[key] for key in keys]
    else:
        raise KeyError(keys)
    return to_json(result) if output == "json" else result


def _table(name: str, error: Any = NESTErrors.UnknownComponent, what: str = "component") -> ModelTable[Any]:
    """The models among which one of this name is. Raises an error of NEST where there is none."""
    s = session()
    for table in (s.node_models, s.synapse_models):
        if name in table:
            return table
    raise error(f"{name} is not a known {what}.{nearest(name, [*s.node_models, *s.synapse_models])}")


def _of_node(model: NodeModel) -> dict[str, Any]:
    if model.kind == "recorder":  # which shows where its files go, too
        return _all(model)
    if not model.shown:
        model.shown.update(_all(model))
    own = {key: value.copy() for key, value in model.shown.items() if type(value) in (np.ndarray, list, dict)}
    return model.shown | own | {"model": model.name, "model_id": model.model_id}


def _all(model: NodeModel) -> dict[str, Any]:
    """Defaults, each made anew."""
    found = {key: _shown(model, key, model.default(key)) for key in model.keys}
    found |= {key: np.zeros(1, np.int64) for key in ("available", "capacity", "instantiations")}
    found |= {"global_id": 0, "local": True, "thread": -1, "thread_local_id": -1, "vp": -1}
    found |= {"model": model.name, "model_id": model.model_id, "type_id": model.root}
    found |= {"element_type": model.element_type, "node_uses_wfr": model.face.uses_wfr}
    if model.kind == "recorder":
        empty = recorders.make(model, 0, {})
        found |= {key: empty.get(key) for key in empty.key_names()}
    elif model.recordable or model.face.sampled:
        found["recordables"] = shown_recordables(model, model.default_counts.get(receptor_count(model.entry) or "", 0))
    if model.face.receptors:
        found["receptor_types"] = model.face.receptor_types
    return {key: found[key] for key in sorted(found) if key not in model.face.not_default}


def _shown(model: NodeModel, key: str, value: Any) -> Any:
    if model.is_vector(key) or model.is_array(key) or key in readable(model.entry):
        return np.asarray(value, np.float64)
    return list(value) if isinstance(value, list) else value


def _of_synapse(model: SynapseModel) -> dict[str, Any]:
    """Defaults that come with the kernel, with those that were changed in their place."""
    found = _synapse_as_made(model.root) | {"synapse_model": model.name, "synapse_modelid": model.model_id}
    found |= {"delay": model.delay, "weight": model.weight, "receptor_type": model.receptor_type, "num_connections": count_of_model(model)}
    if model.parameters or model.base == hardware.FACETS:
        found |= _parameters(model)
    if model.labelled:
        found["synapse_label"] = model.label
    if model.optimizes:
        found[optimizers.KEY] = optimizers.shown(model)
    for key, nodes in (("weight_recorder", model.weight_recorder), (TRANSMITTER, model.transmitter)):
        if key in found:
            found[key] = collection(Ranges.span(0, 0)) if nodes is None else nodes
    return found


@until_loaded
def _synapse_as_made(name: str) -> dict[str, Any]:
    """What a synapse model shows, in alphabetical order; what any of them may have of its own is None."""
    model = synapse_models()[name]
    own = ["delay", "weight", "receptor_type", "synapse_model", "synapse_modelid", "num_connections", "weight_recorder"]
    own += [*(["synapse_label"] if model.labelled else []), *([optimizers.KEY] if model.optimizes else [])]
    own += [TRANSMITTER] if model.is_modulated else []
    found = dict.fromkeys(own) | _parameters(model) | dict(model.extras) | {"element_type": "synapse", "sizeof": model.sizeof}
    found |= {"has_delay": model.entry.delayed, "requires_symmetric": model.base == GAP}
    return dict(sorted(found.items()))


def _parameters(model: SynapseModel) -> dict[str, Any]:
    if model.base == hardware.FACETS:
        return hardware.shown({key: model.default(key) for key in model.entry.parameters})
    return {key: synapse_to_nest(model, key, value) for key in model.own_parameters if (value := model.default(key)) is not None}


def SetDefaults(model: str, params: Any, val: Any = None) -> None:  # noqa: N802
    """Sets defaults of a model for what is made from now on: a dict, or one name with `val`. Raises UnaccessedDictionaryEntry."""
    if val is not None:
        params = {params: val}
    if not isinstance(params, Mapping):
        raise TypeError("params must be a dict")
    if any(is_parameter(value) for value in params.values()):
        raise ValueError("Parameters cannot be used as defaults of a model")
    for key, value in params.items():
        too_large(key, value)
    session().plans.clear()
    named = _table(model)[model]
    if isinstance(named, NodeModel):
        _set_node(named, params)
    else:
        _set_synapse(named, params)
    session().defaults_changed = True


def _set_node(model: NodeModel, params: Mapping[str, Any]) -> None:
    if model.kind == "recorder":
        trial = recorders.make(model, 0, dict(params))
        model.extras.update({key: trial.status[key] for key in params if key in trial.status})
        model.kernel = dict(getattr(trial, "options", {}))  # of the back end
        return
    params = known_only(listed(model.entry, params), model.settable, "params", "ModelManager::set_node_defaults_:")
    params = taken_apart(model.groups, model.base, params)
    fresh = {key: checked_extra(model, key, value) if key in model.extras else _default(model, key, value) for key, value in params.items()}
    check_mechanisms(model, fresh, model.default)
    check_window({key: value for key, value in fresh.items() if key in model.extras}, model.extras.__getitem__)
    _try(model, fresh)
    for key in fresh.keys() & model.extras.keys():
        for row in session().registry.rows:  # nodes that are there keep what they have
            if row.model.extras is model.extras:
                row.extras.setdefault(key, model.extras[key])
    for key, value in fresh.items():
        (model.extras if key in model.extras else model.kernel)[key] = value
    model.shown = {}


def _default(model: NodeModel, key: str, value: Any) -> Any:
    """A default as NEST shows it. Raises TypeMismatch, ValueError, BadProperty."""
    if model.is_vector(key):
        expect(is_list(value), f"{key} of {model.name} takes an array")
        return [float(entry) for entry in value] if key in model.numbered else np.asarray(value, np.float64)
    if is_list(value):
        raise ValueError(f"{key} of {model.name} takes a number, not several")
    return to_nest(model, key, number(model, key, value))


@lru_cache(maxsize=1)
def _trial(resolution: float) -> tuple[Network, Engine, dict[str, Nodes]]:
    """A network in which defaults are tried, and nodes that stay in it, by model."""
    network = Network(resolution, 1, 1, ranks=alone(), keep_calls=False)
    return network, Engine(network), {}


def _tried_node(model: str) -> Nodes:
    network, _, nodes = _trial(session().resolution)
    if model not in nodes:
        nodes[model] = network.create(model, 1)
    return nodes[model]


def _try(model: NodeModel, fresh: Mapping[str, Any]) -> None:
    """Whether the kernel would take these defaults. Raises BadProperty."""
    model = with_room(model, fresh)
    fresh = {key: value for key, value in fresh.items() if key not in model.extras}
    if not fresh:
        return
    given = model.renamed({**model.kernel, **fresh})
    given = {key: value if model.is_vector(key) else number(model, key, value) for key, value in given.items()}
    vectors = {key: value for key, value in given.items() if key in model.entry.vectors}
    numbers = {key: value for key, value in expanded(model.entry, given, False, model.default_counts).items() if key not in vectors}
    engine = _trial(session().resolution)[1]
    with translating(model.face.bad_value):
        made = engine.create(model.base, 1, numbers)
        try:
            if vectors:
                engine.nodes(Ranges.one(made)).set(vectors)
        finally:
            engine.undo_create(made)


def _try_synapse(model: SynapseModel, fresh: Mapping[str, float]) -> None:
    """Whether the kernel would take these defaults of a synapse: checks a connection. Raises BadProperty."""
    if not fresh:
        return
    h = session().resolution
    target = "siegert_neuron" if model.base == DIFFUSION else "parrot_neuron"
    if history := model.entry.history:
        target = next(name for name, entry in catalog.models().items() if entry.history == history)
    engine, nodes, parameters = _trial(h)[1], _tried_node(target), {**model.parameters, **fresh}
    if model.is_modulated:
        parameters[TRANSMITTER] = float(_tried_node(TRANSMITTER).gids[0])
    weight = parameters.get("Wmin", parameters.get("Wmax", 1.0))  # one that these bounds allow
    given = (
        Rule("all_to_all"),
        weight,
        1.0 if model.entry.delayed else h,
        Synapse(model.base, parameters),
        int(takes_ports(catalog.models()[target])),
        True,
    )
    with translating():
        engine.connect(nodes, nodes, engine.arguments(nodes, nodes, *given), check_only=True)


def _set_synapse(model: SynapseModel, params: Mapping[str, Any]) -> None:
    nodes = ("weight_recorder", TRANSMITTER) if model.is_modulated else ("weight_recorder",)
    own = (*model.own_parameters, *((optimizers.KEY,) if model.optimizes else ()), *(("synapse_label",) if model.labelled else ()))
    known = ("weight", "delay", "receptor_type", *nodes, *own, *model.extras)
    params = known_only(params, known, "params", "ModelManager::set_synapse_defaults_:")
    params, each_step = optimizers.taken_apart(model, params)
    label = params.pop("synapse_label", model.label)
    if not isinstance(label, int | np.integer):
        raise RuntimeError("The dictionary value with key synapse_label does not hold a numeric integer type.")
    if label < min(0, model.label):
        raise NESTErrors.BadProperty("Connection label must not be negative.")
    check_values(model, params)
    named = {"weight_recorder": model.weight_recorder, TRANSMITTER: model.transmitter}
    named |= {key: _checked_node(model, key, named[key], params[key]) for key in nodes if key in params}
    params = {key: value for key, value in params.items() if key not in nodes}
    if model.base == hardware.FACETS:
        params = hardware.taken_apart(params)
    for key, value in params.items():
        if is_list(value) or isinstance(value, NodeCollection):
            raise ValueError(f"{key} of {model.name} takes a number, not several")
        if model.optimizes and is_flag(model, key) != isinstance(value, bool | np.bool_):
            raise NESTErrors.TypeMismatch(
                f"Expected datatype: {key} of {model.name} takes {'True or False' if is_flag(model, key) else 'a number'}"
            )
        expect(np.isscalar(value) and not isinstance(value, str), f"{key} of {model.name} takes a number")
    params = {key: value for key, value in params.items() if model.extras.get(key) != value}
    if any(key in model.extras for key in params):
        raise NotSupported(f"other {', '.join(model.extras)} of {model.name} than by default")
    if "delay" in params:
        grid.check_new_delays(np.array([params["delay"]], np.float64))
    if (model.zero_is_positive or model.base == "vogels_sprekeler_synapse") and {"weight", "Wmax"} & params.keys():
        weight, limit = (params.get(key, _present(model, key)) for key in ("weight", "Wmax"))
        check_signs(weight, limit, model.zero_is_positive)  # where neither is given, NEST does not look
    _try_synapse(model, {key: float(value) for key, value in params.items() if key in model.entry.parameters})
    was: Any = model.default(optimizers.RATE) if model.optimizes else None
    connected = model.name in {kind.model for kind in session().wires.kinds}
    rate: Any = params.get(optimizers.RATE, was)
    until_now = (
        optimizers.rate_until_now(model, was) if was is not None and rate != was and connected else None
    )  # checked before all is set
    _apply(model, {key: float(value) for key, value in params.items() if key in model.homogeneous and value != _present(model, key)})
    if until_now is not None:
        _apply(model, {optimizers.RATE: float(rate), "eta_before": until_now[0], "eta_since": until_now[1]})
        model.rate_before = until_now
    model.weight_recorder, model.transmitter = named.values()
    model.each_step, model.label = each_step, int(label)
    for key, value in params.items():
        if key in ("weight", "delay", "receptor_type"):
            setattr(model, key, int(value) if key == "receptor_type" else float(value))
        else:
            model.parameters[key] = float(value)


def _present(model: SynapseModel, key: str) -> Any:
    return model.weight if key == "weight" else model.default(key)


def _apply(model: SynapseModel, common: dict[str, float]) -> None:
    """Gives the connections of a model other values of what is common to them all. Raises BadProperty; then nothing has changed. Collective."""
    wires = session().wires
    if not common or model.name not in [*(kind.model for kind in wires.kinds), *(wire.model for wire in wires.devices)]:
        return
    found = query(model=model.name)
    if "weight" not in common:
        editing.replace(found.part(np.flatnonzero(found.origin >= 0)), common)
    else:
        editing.assign(found, common)


def _checked_node(model: SynapseModel, kind: str, present: Any, given: NodeCollection) -> NodeCollection:
    """The weight_recorder or volume_transmitter (`kind`) of a model. Raises BadProperty, TypeMismatch, NotSupported."""
    s = session()
    expect(isinstance(given, NodeCollection), f"{kind} takes a NodeCollection")
    if len(given) != 1:
        raise NESTErrors.BadProperty(f"Property {kind} must be a single element NodeCollection")
    if s.registry.row(int(given._gids[0])).model.root != kind:
        raise NESTErrors.BadProperty(f"Property {kind} must be set to a node of type {kind}")
    if not (present is not None and given == present) and any(made.model == model.name for made in s.wires.kinds):
        raise NotSupported(f"another {kind} for {model.name}, which has connections", "set it before Connect")
    return given


def CopyModel(existing: str, new: str, params: Any = None) -> None:  # noqa: N802
    """Makes a model under a new name, with other defaults. Raises NewModelNameExists, UnknownModelName."""
    s = session()
    if new in s.node_models or new in s.synapse_models:
        raise NESTErrors.NewModelNameExists(f"Model {new} is the name of an existing model and cannot be re-used.")
    table = _table(existing, NESTErrors.UnknownModelName, "model name")
    table.copy(existing, new)
    if params is None:
        return
    try:
        SetDefaults(new, params)
    except BaseException:
        table.drop(new)
        raise


def Models(mtype: str = "all", sel: str | None = None) -> tuple[str, ...]:  # noqa: N802
    """Names of models, sorted: "all", "nodes" or "synapses"; those that contain `sel`. Deprecated in NEST."""
    warnings.warn("Models() is deprecated: use nest.node_models and nest.synapse_models", stacklevel=2)
    s = session()
    found = {"all": [*s.node_models, *s.synapse_models], "nodes": [*s.node_models], "synapses": [*s.synapse_models]}
    if mtype not in found:
        raise ValueError("type has to be one of 'all', 'nodes' or 'synapses'")
    return tuple(sorted(name for name in found[mtype] if sel is None or sel in name))


def ConnectionRules() -> tuple[str, ...]:  # noqa: N802
    """Names of the connection rules. Deprecated in NEST."""
    warnings.warn("ConnectionRules() is deprecated: use nest.connection_rules", stacklevel=2)
    return CONNECTION_RULES
