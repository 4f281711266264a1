# SPDX-License-Identifier: Apache-2.0
"""State that changes in NEST when a parameter is set while the network runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..engine import Floats, Ints
from . import grid
from .kernel import session
from .models.node_models import CLOCK, NodeModel

State = Callable[[], dict[str, Floats]]
"""Gives the state to be set, after values were set."""


def _get(gids: Ints, key: str) -> Floats:
    return np.asarray(session().engine.kernel.get(gids, key))


def _clock(key: str) -> Callable[[Ints], State]:
    """A clock starts anew."""
    return lambda gids: lambda: {key: np.zeros(len(gids))}


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


_PRECISE = ("iaf_psc_delta_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps", "iaf_psc_exp_ps_lossless")
_RESTARTS: dict[str, tuple[frozenset[str], Callable[[Ints], State]]] = {  # by model: parameters, and what becomes of the state
    "ignore_and_fire": (frozenset({"rate", "phase"}), _clock("_steps_left")),
    CLOCK: (frozenset({"ignore_and_spike_offset"}), _clock("_left")),
    "iaf_chs_2007": (frozenset({"tau_epsp", "V_epsp"}), _drive),
    **dict.fromkeys(_PRECISE, (frozenset({"t_ref"}), _refractory)),
}


def concerns(model: NodeModel, values: Mapping[str, Any]) -> bool:
    """Whether setting values may change the state of nodes."""
    return model.base in _RESTARTS and not _RESTARTS[model.base][0].isdisjoint(values)


def before_set(model: NodeModel, gids: Ints) -> State:
    """Of a model that setting concerns, with what must be known of the nodes before."""
    return _RESTARTS[model.base][1](gids)
