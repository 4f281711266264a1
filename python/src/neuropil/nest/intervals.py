# SPDX-License-Identifier: Apache-2.0
"""E-prop in intervals: what is common to all neurons in NEST, and a parameter of each in the kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import Nodes
from ..engine import Ranges
from .errors import NESTErrors, NotSupported, translating
from .models.extras import IN_INTERVALS, WITH_INTERVALS

if TYPE_CHECKING:
    from .kernel import Session

_DEFAULTS: dict[str, Any] = {"eprop_update_interval": 1000.0, "eprop_learning_window": 1000.0, "eprop_reset_neurons_on_update": True}
NAMES = tuple(_DEFAULTS)
_DOCS = {
    "eprop_update_interval": "e-prop: time between updates of the weights (ms)",
    "eprop_learning_window": "e-prop: time at the end of an interval in which is learned (ms)",
    "eprop_reset_neurons_on_update": "e-prop: whether neurons begin anew with each interval",
}


def _get(name: str, s: Session) -> Any:
    return s.settings.get(name, _DEFAULTS[name])


def attributes(made: Callable[..., Any]) -> dict[str, Any]:
    """The entries of the kernel status, by name."""
    return {name: made(_DOCS[name], partial(_get, name), partial(_put, name), type(_DEFAULTS[name])) for name in _DEFAULTS}


def _put(name: str, s: Session, value: Any) -> None:
    put(s, {name: value})


def put(s: Session, given: dict[str, Any]) -> None:
    """Sets some of them for all neurons, those that are there and those to come. Raises KernelException, NotSupported."""
    before = {name: _get(name, s) for name in _DEFAULTS}
    values = before | given
    if values == before:
        return
    interval, window = values["eprop_update_interval"], values["eprop_learning_window"]
    if not interval > 0.0:
        raise NESTErrors.KernelException("eprop_update_interval > 0 required.")
    if "eprop_learning_window" in given and not 0.0 < window <= interval:
        raise NESTErrors.KernelException("eprop_learning_window > 0 and <= eprop_update_interval required.")
    values["eprop_learning_window"] = min(window, interval)  # a longer one of before: learning all the time
    of_kernel = {IN_INTERVALS[name]: value for name, value in values.items()}
    rows = [row for row in s.registry.rows if row.model.root in WITH_INTERVALS]
    if rows and s.simulated:
        raise NotSupported(f"changing {', '.join(given)} after Simulate", "set it before")
    with translating():
        for row in rows:
            Nodes(s.network, Ranges.span(row.first, row.count)).set({key: float(value) for key, value in of_kernel.items()})
    for model in {id(m): m for m in [*(s.node_models[name] for name in WITH_INTERVALS), *s.node_models.made()]}.values():
        if model.root in WITH_INTERVALS:
            model.kernel.update(of_kernel)
    s.settings.update(given)
