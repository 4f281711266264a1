# SPDX-License-Identifier: Apache-2.0
"""The optimizer of synapses that learn by e-prop: a dict in NEST, parameters in the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import NESTErrors, NotSupported, expect, unaccessed
from ..kernel import session
from .synapse_models import SynapseModel, to_nest

KEY = "optimizer"
_NAMES = ("gradient_descent", "adam")
_EACH = "optimize_each_step"  # of synapses with intervals it has no effect
RATE = "eta"  # of synapses with intervals may change when there are connections: those that begin then go on with it
_NAMED = ("type", "optimizer")  # to choose one; the one that there is


def shown(model: SynapseModel) -> dict[str, Any]:
    """The optimizer of a model as NEST shows it."""
    adam = bool(model.default("adam"))
    keys = [key for key in model.marked("of_optimizer") if key != "adam" and (adam or key not in _OF_ADAM)]
    found = {key: int(model.default(key)) if key == "batch_size" else to_nest(model, key, model.default(key)) for key in keys}
    return dict(sorted(({_EACH: model.each_step} | found | {"optimizer": _NAMES[adam]}).items()))


_OF_ADAM = ("beta_1", "beta_2", "epsilon")


def check_states(given: Any, present: Sequence[Mapping[str, float] | None]) -> None:
    """Takes what connections' optimizers keep (a dict, or one each) where it is what they have: NEST's scripts set the zeros of new connections.

    Raises IndexError, TypeMismatch, UnaccessedDictionaryEntry; NotSupported for other values.
    """
    each = given if isinstance(given, list | tuple) else [given] * len(present)  # none where all connections are of other ranks
    if len(each) != len(present):
        raise IndexError(f"{KEY} has {len(each)} values for {len(present)} connections")
    for values, now in zip(each, present, strict=True):
        expect(isinstance(values, Mapping), f"{KEY} takes a dict")
        if unknown := [key for key in values if key not in (now or {})]:
            raise unaccessed("params", "connection.set()", unknown)
        for key, value in values.items():
            expect(np.isscalar(value) and not isinstance(value, str), f"{key} takes a number")
            if now is not None and value != now[key]:
                raise NotSupported(f"setting {key} of the {KEY} of connections", "checkpoints keep it")


def rate_until_now(model: SynapseModel, rate: float) -> tuple[float, float]:
    """The learning rate of intervals that have begun, when it changes from `rate`; and the time [ms].

    Raises NotSupported for a second change within an interval, which would be the third rate of it.
    """
    s = session()
    now = float(s.engine.kernel.step * s.resolution)
    before, since = model.rate_before or (rate, -np.inf)
    if since < now < since + s.setting("eprop_update_interval"):
        raise NotSupported(f"changing {RATE} of {model.name} twice within an interval", "change it once")
    return (before if since == now else rate), now


def taken_apart(model: SynapseModel, params: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Values with the optimizer taken apart into the kernel's parameters, and optimize_each_step where the kernel has no such.

    Raises TypeMismatch, UnaccessedDictionaryEntry, BadProperty; NotSupported for other values of models that have connections.
    """
    found, each_step = dict(params), model.each_step
    if not model.optimizes:
        return found, each_step
    given = found.pop(KEY, {})
    expect(isinstance(given, Mapping), f"{KEY} of {model.name} takes a dict")
    parameters = model.marked("of_optimizer")
    known = {*_NAMED, _EACH, *parameters} - {"adam"}
    if unknown := [key for key in given if key not in known]:
        raise unaccessed("params", "ModelManager::set_synapse_defaults_:", unknown)
    if given.get("type", _NAMES[0]) not in _NAMES:
        raise NESTErrors.BadProperty(f"type of the {KEY} of {model.name} is {given['type']!r}: must be one of {', '.join(_NAMES)}")
    if "type" in given:
        found["adam"] = float(_NAMES.index(given["type"]))
    name = _NAMES[int(found.get("adam", model.default("adam")))]
    if given.get("optimizer", name) != name:
        raise NESTErrors.BadProperty(f"The {KEY} of {model.name} is {name}, not {given['optimizer']!r}: it is chosen by its type")
    expect(isinstance(given.get(_EACH, True), bool | np.bool_), f"{_EACH} is True or False")
    expect(not isinstance(given.get("batch_size", 1), float | bool), "batch_size takes a whole number")
    found |= {key: value for key, value in given.items() if key in parameters}
    if _EACH in given and _EACH not in parameters:
        each_step = bool(given[_EACH])
    expect(isinstance(found.get("average_gradient", True), bool), "average_gradient is True or False")
    fixed = [key for key in (*parameters, "average_gradient") if key != RATE or "eta_before" not in model.entry.parameters]
    if any(key in found and float(found[key]) != model.default(key) for key in fixed) and any(
        kind.model == model.name for kind in session().wires.kinds
    ):
        raise NotSupported(f"another {KEY} for {model.name}, which has connections", "set it before Connect")
    found |= {"adam": bool(found["adam"])} if "adam" in found else {}
    return found, each_step
