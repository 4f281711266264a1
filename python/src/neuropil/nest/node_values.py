# SPDX-License-Identifier: Apache-2.0
"""Values that users give for keys of nodes: one for all, one each, or a Parameter, turned into what the kernel takes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classes import Distribution
from ..engine import Floats, Ints, draw
from ..space.engine import Context
from . import elements, grid
from .errors import NESTErrors, NotSupported, expect, is_a
from .kernel import session
from .models import arrays
from .models.faces import ENDLESS, FOREVER, GROWTH
from .models.node_models import NodeModel
from .node_collection import NodeCollection
from .registry import PerNode, Row

Values = Mapping[str, Any]  # by key; where a key takes one number per node, a list or array has one each

_OF_SHAPE = ("add_compartments", "add_receptors", "asc_init", "compartments", "noise", "n_events", "receptors", "synaptic_elements")
_OF_EVENTS = ("record_from", "senders", "spike_multiplicities", "spike_weights", "targets")
_WHOLE_LISTS = frozenset(_OF_SHAPE + _OF_EVENTS)  # NEST-only keys whose value is a list

TRAINS = "individual_spike_trains"  # of models, not of their nodes


def is_parameter(value: Any) -> bool:
    """Whether a value is a Parameter (random, of position, ...)."""
    return hasattr(type(value), "evaluate") and hasattr(type(value), "native")


def is_list(value: Any) -> bool:
    """Whether a value holds several: a list, tuple, range or array."""
    return isinstance(value, list | tuple | range) or (isinstance(value, np.ndarray) and value.ndim > 0)


def too_large(key: str, value: Any) -> None:
    """Raises OverflowError for integers that NEST cannot take."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError(f"Integer {value} out of range for C++ long, {key} takes -2^63 to 2^63 - 1")


def refuse_of_model(model: NodeModel, values: Mapping[str, Any]) -> None:
    """Raises BadProperty for keys that belong to models, not to nodes; NotSupported for what this model alone has."""
    if TRAINS in values and model.kind == "stimulator":
        raise NESTErrors.BadProperty(f"{TRAINS} can only be set as model property: use SetDefaults or CopyModel.")
    if model.root == "pp_psc_delta" and session().simulated and np.any(values.get("t_ref_remaining", 0.0)):
        raise NotSupported(
            "t_ref_remaining of pp_psc_delta other than 0.0 after Simulate", "set it before: NEST, too, does not look at it later"
        )


def by_node(dicts: Sequence[Values], missing: Callable[[str], Any] = str) -> dict[str, Any]:
    """Values of one dict per node; `missing` gives the value of a key that some of them lack, if some do."""
    names = dict.fromkeys(key for some in dicts for key in some)
    defaults = {key: missing(key) for key in names if any(key not in given for given in dicts)}
    return {key: PerNode([given.get(key, defaults.get(key)) for given in dicts]) for key in names}


def of_some(given: Values, model: NodeModel, some: slice, n: int) -> dict[str, Any]:
    """What is meant for some of n nodes. Raises IndexError for lists that are shorter than there are nodes."""
    return {key: _cut(model, key, value, some, n) for key, value in given.items()}


def _cut(model: NodeModel, key: str, value: Any, some: slice, n: int) -> Any:
    if isinstance(value, PerNode):
        return PerNode(value[some])
    if not is_list(value) or key in _WHOLE_LISTS or model.is_vector(key):
        return value
    if len(value) < n and key in model.settable:
        raise IndexError(f"list index out of range: {key} has {len(value)} values for {n} nodes")
    if len(value) > n and key in model.settable:
        warnings.warn(f"{key} has {len(value)} values for {n} nodes: the first {n} are taken, as in NEST", stacklevel=2)
    return value[some] if isinstance(value, np.ndarray) else PerNode(value[some])


def of_one(given: Values, k: int) -> dict[str, Any]:
    """What is meant for the k-th node."""
    return {
        key: value[k] if isinstance(value, PerNode) or (isinstance(value, np.ndarray) and key not in _WHOLE_LISTS) else value
        for key, value in given.items()
    }


def uneven(given: Values, model: NodeModel) -> list[str]:
    """Keys with an array for each node, if some differ: they can only be set node by node, and together, as times and values."""
    arrays_of_nodes = [key for key, v in given.items() if isinstance(v, PerNode) and model.is_vector(key)]
    differ = (not np.array_equal(given[key][0], value) for key in arrays_of_nodes for value in given[key][1:])
    return arrays_of_nodes if any(differ) else []


def any_weights(given: Values) -> bool:
    """Whether spikes are given weights."""
    weights = given.get("spike_weights")
    return weights is not None and any(len(each) for each in (weights if isinstance(weights, PerNode) else [weights]) if is_list(each))


_MECHANISMS = {"threshold_spike": "spike_dependent_threshold", "threshold_voltage": "adapting_threshold"}
_SHARES = frozenset("uxy")


def checked_together(model: NodeModel) -> frozenset[str]:
    """Keys whose values are allowed or not by those of others, or by the time."""
    if model.base.startswith("glif_"):
        return frozenset(_MECHANISMS)
    return {"iaf_tum_2000": _SHARES, "pp_psc_delta": frozenset({"t_ref_remaining"})}.get(model.base, frozenset())


def check_mechanisms(model: NodeModel, given: Mapping[str, Any], present: Callable[[str], Any]) -> None:
    """Raises BadProperty for parts of the threshold of glif models that they do not use, and for shares of resources above 1.

    present: what a value is that is not given
    """
    checked = checked_together(model) & given.keys()
    for key in _MECHANISMS.keys() & checked:
        flag = _MECHANISMS[key]
        if not np.all(given[flag] if flag in given else present(flag)):
            raise NESTErrors.BadProperty(f"{key} of a {model.name} cannot be set without {_MECHANISMS[key]}.")
    if _SHARES & checked:
        u, x, y = (np.asarray(v) for v in (given.get(key, present(key)) for key in "uxy"))
        if all(v.dtype.kind in "iuf" for v in (u, x, y)) and (np.any(u > 1.0) or np.any(x + y > 1.0)):
            raise NESTErrors.BadProperty("'u' and x + y must be in [0,1].")


def evaluate(nodes: NodeCollection, gids: Ints, value: Any) -> Any:
    """What a Parameter gives for nodes: a number, a distribution for the kernel to draw from, or float64 of shape (n,)."""
    found = value.native()
    if found is not None:
        return found
    s = session()
    positions = None if nodes._layer is None else nodes._layer.positions_of(gids)
    return value.evaluate(Context(s.seed, s.next_draw(), gids, node_pos=positions))


def kernel_values(nodes: NodeCollection, model: NodeModel, values: Values, gids: Ints, row: Row | None = None) -> dict[str, Any]:
    """Values as `neuropil.Nodes.set` takes them: numbers, distributions, arrays with one number per node, or array parameters.

    values : with the same array parameters for all nodes, see `uneven`
    """
    whole = {key: v[0] if isinstance(v, PerNode) and model.is_vector(key) else v for key, v in values.items()}
    given = model.renamed(with_spike_times(model, row, whole, gids) if model.entry.vectors else whole)
    given = arrays.taken_apart(model.groups, model.base, arrays.listed(model.entry, given))
    if any(key in model.numbered for key in given):
        counts = {key: int(session().engine.kernel.get(gids[:1], key)[0]) for key in model.default_counts}
        given = arrays.expanded(model.entry, given, session().is_connected(gids), counts)
    found: dict[str, Any] = {}
    for key, value in given.items():
        if model.is_vector(key) and not is_list(value):
            raise NESTErrors.TypeMismatch(f"{key} takes an array, not {'a Parameter' if is_parameter(value) else repr(value)}")
        if is_parameter(value):
            found[key] = evaluate(nodes, gids, value)
        else:
            found[key] = np.asarray(value, np.float64) if model.is_vector(key) else number(model, key, value)
    return found


def number(model: NodeModel, key: str, value: Any) -> Any:
    """A value of a number of the kernel, one or several. Raises TypeMismatch, BadProperty, KeyError."""
    if isinstance(value, Mapping):
        raise KeyError(f"{key} takes numbers, not a dict")
    too_large(key, value)
    array = np.asarray(value)
    field = model.field(key)
    if field is not None and field.choices and key in model.scalars:
        return chosen(key, field.choices.split(), array)
    expect(array.dtype.kind in "biuf", f"{key} takes numbers", value)
    expect(array.dtype.kind == "b" or not model.is_flag(key), f"{key} is True or False")
    if key in ("start", "stop", "origin") and array.dtype.kind != "b":
        array = grid.put(array.astype(np.float64), upwards=False, shifted=False)  # what is between steps stays as it is, to be refused
    if field is not None and (key == "stop" or field.default == -FOREVER):  # no limit: what is infinite for NEST is a number for the kernel
        array = np.clip(array.astype(np.float64), -FOREVER, ENDLESS)
    return float(array) if array.ndim == 0 else array.astype(np.float64)


def chosen(key: str, known: list[str], names: NDArray[Any]) -> Any:
    """The kernel's numbers of names. Raises TypeMismatch, BadProperty."""
    expect(names.dtype.kind == "U", f"{key} takes a name")
    if unknown := set(names.ravel().tolist()) - set(known):
        raise NESTErrors.BadProperty(f"{key} = {unknown.pop()}: must be one of {', '.join(known)}")
    found = np.array([known.index(name) for name in names.ravel().tolist()], np.float64)
    return float(found[0]) if names.ndim == 0 else found


def checked_extra(model: NodeModel, key: str, value: Any, nodes: NodeCollection | None = None, gids: Ints | None = None) -> Any:
    """A value of a NEST-only key, refused where the kernel could not honour it; one per node of what is drawn for nodes.

    Raises NotSupported, TypeMismatch, BadProperty.
    """
    if is_parameter(value):
        if nodes is None or gids is None:
            raise NotSupported(f"Parameter for {key}")
        value = drawn_values(nodes, gids, value)
    if key in _WHOLE_LISTS and isinstance(value, np.ndarray):
        value = value.tolist()
    if key in ("origin", "start", "stop"):  # of a spike_dilutor; of others they are the kernel's
        several = isinstance(value, PerNode | np.ndarray)
        return PerNode([grid.window_time(key, each) for each in value]) if several else grid.window_time(key, value)
    for entry in value if isinstance(value, PerNode | np.ndarray) else [value]:
        _check_extra(model, key, entry)
    return PerNode(value.tolist()) if isinstance(value, np.ndarray) else value


def check_window(given: Mapping[str, Any], present: Callable[[str], Any]) -> None:
    """Raises BadProperty where windows end before they start. given: checked values of one spike_dilutor or of several; present: those of keys not given."""
    if given.keys() & {"start", "stop"}:
        start, stop = (np.asarray(given[key] if key in given else present(key), np.float64) for key in ("start", "stop"))
        if (stop < start).any():
            raise NESTErrors.BadProperty("stop >= start required.")


def drawn_values(nodes: NodeCollection, gids: Ints, value: Any) -> NDArray[np.float64]:
    """What a Parameter gives for nodes, float64 of shape (n,)."""
    found = evaluate(nodes, gids, value)
    if isinstance(found, Distribution):
        found = draw(found, session().seed, session().next_draw(), gids)
    return np.broadcast_to(np.asarray(found, np.float64), len(gids))


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {  # of NEST-only keys: which values are of their type, and what it is called
    **dict.fromkeys(("frozen", "ignore_and_spike"), (partial(is_a, bool), "is True or False")),
    **dict.fromkeys(("tau_minus", "tau_minus_triplet"), (partial(is_a, float), "takes a number")),
    "len_kernel": (partial(is_a, int), "takes a whole number"),
    "deliver_interval": (lambda v: isinstance(v, int | np.integer) and bool(v >= 1), "takes a whole number of min_delays, at least 1"),
}
_POSITIVE = {key: f"{key} > 0 required." for key in ("ignore_and_spike_interval", "ignore_and_spike_offset", "flush_event_send_interval")}
_POSITIVE |= {key: f"All time constants must be strictly positive: {key}" for key in ("tau_minus", "tau_minus_triplet")}


def _check_extra(model: NodeModel, key: str, value: Any) -> None:
    if key in GROWTH:
        return elements.check(key, value)
    fits, what = (is_list, "takes an array of numbers") if model.is_array(key) else _KINDS.get(key, (None, ""))
    expect(fits is None or fits(value), f"{key} {what}", value)
    if key in _POSITIVE and not value > 0.0:
        raise NESTErrors.BadProperty(_POSITIVE[key])
    fixed = model.face.fixed
    if key in fixed and (tuple(value) if is_list(value) else value) != fixed[key]:
        raise NotSupported(f"{key} other than {fixed[key]!r}")
    if key == "p_copy" and not (isinstance(value, int | float | np.number) and 0.0 <= value <= 1.0):
        raise NESTErrors.BadProperty("Copy probability must be in [0, 1].")
    if key == "spike_weights" and len(value):
        raise NotSupported("spike_weights that are set after Create", "give them to Create")
    if key == "gsl_error_tol" and value < 1e-6:
        raise NotSupported("gsl_error_tol below 1e-6")
    return None


OPTIONS = ("allow_offgrid_times", "shift_now_spikes")
ON_GRID = ("spike_times", "amplitude_times", "rate_times")


def with_spike_times(model: NodeModel, row: Row | None, values: Mapping[str, Any], gids: Ints) -> Mapping[str, Any]:
    """The values, with times rounded to tics, and put on the grid where the node allows that."""
    if values.get("precise_times") and any(_flag(model, row, name) for name in OPTIONS):
        raise NESTErrors.BadProperty(
            "Option precise_times cannot be set to true when either allow_offgrid_times or shift_now_spikes is set to true."
        )
    key = next((name for name in ON_GRID if name in values and name in model.entry.vectors), None)
    if key is None or not isinstance(values[key], list | tuple | np.ndarray):
        return values
    offgrid, shift = (_flag(model, row, name) for name in OPTIONS)
    times = np.asarray(values[key], dtype=np.float64)
    if times.ndim != 1:
        return values
    times = grid.precise(times) if _is_precise(model, values, gids) else grid.put(times, offgrid, shift)
    if key == "rate_times" and times.size and times.min() <= session().time:
        raise NESTErrors.BadProperty(f"rate_times has {times.min()} ms: Time points must lie strictly in the future.")
    return {**values, key: times}


def _is_precise(model: NodeModel, values: Mapping[str, Any], gids: Ints) -> bool:
    """Whether times of spikes may lie between steps."""
    if "precise_times" not in model.entry.names:
        return False
    if "precise_times" in values:
        return bool(values["precise_times"])
    return bool(session().engine.kernel.get(gids[:1], "precise_times")[0])


def _flag(model: NodeModel, row: Row | None, name: str) -> bool:
    if row is not None and name in row.extras:
        value = row.extras[name]
        return bool(value[0] if isinstance(value, list) else value)
    return bool(model.extras.get(name, False))


# --- state that changes in NEST when a parameter is set while the network runs

State = Callable[[], dict[str, Floats]]
"""Gives the state to be set, after values were set."""


def _get(gids: Ints, key: str) -> Floats:
    return np.asarray(session().engine.kernel.get(gids, key))


def _clock(*keys: str) -> Callable[[Ints], State]:
    """Clocks start anew."""
    return lambda gids: lambda: {key: np.zeros(len(gids)) for key in keys}


def _refractory(gids: Ints) -> State:
    """A refractory period that runs gets its new length."""

    def steps() -> Floats:
        return np.ceil(grid.steps(_get(gids, "t_ref")))

    before = steps()
    return lambda: {"_free_step": _get(gids, "_free_step") + np.where(_get(gids, "is_refractory") != 0.0, steps() - before, 0.0)}


def _drive(gids: Ints) -> State:
    """The drive of EPSPs gets its new size; EPSPs without size have left none."""

    def size() -> Floats:
        return _get(gids, "V_epsp") / _get(gids, "tau_epsp")

    before = size()
    return lambda: {"_rise": _get(gids, "_rise") * size() / np.where(before > 0.0, before, np.inf)}


_NOTHING: tuple[frozenset[str], Callable[[Ints], State]] = frozenset(), _clock("")
_OF_PRECISE = frozenset({"t_ref"}), _refractory
_OF_DRIVE = frozenset({"tau_epsp", "V_epsp"}), _drive


def _restarts_of(model: NodeModel) -> tuple[frozenset[str], Callable[[Ints], State]]:
    """Parameters of a model, and what becomes of the state when one of them is set."""
    if "is_refractory" in model.entry.state:
        return _OF_PRECISE
    clocks = {key: state for key, state in model.face.restarts.items() if state in model.entry.state}
    return (frozenset(clocks), _clock(*clocks.values())) if clocks else _OF_DRIVE if "V_epsp" in model.entry.parameters else _NOTHING


def restarts(model: NodeModel, values: Mapping[str, Any]) -> bool:
    """Whether setting values may change the state of nodes."""
    return not _restarts_of(model)[0].isdisjoint(values)


def restart_of(model: NodeModel, gids: Ints) -> State:
    """Of a model that setting concerns, with what must be known of the nodes before."""
    return _restarts_of(model)[1](gids)
