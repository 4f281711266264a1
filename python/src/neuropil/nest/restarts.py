# SPDX-License-Identifier: Apache-2.0
"""State that changes in NEST when a parameter is set while the network runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import Floats, Ints
from . import grid
from .kernel import session
from .models.node_models import CLOCK, NodeModel

_PRECISE = ("iaf_psc_delta_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps", "iaf_psc_exp_ps_lossless")
_KEYS = (
    {"ignore_and_fire": {"rate", "phase"}, "iaf_chs_2007": {"tau_epsp", "V_epsp"}}
    | {name: {"t_ref"} for name in _PRECISE}
    | {CLOCK: {"ignore_and_spike_offset"}}
)

State = dict[str, Floats]


def concerns(model: NodeModel, values: Mapping[str, Any]) -> bool:
    """Whether setting values may change the state of nodes."""
    return model.base in _KEYS and not _KEYS[model.base].isdisjoint(values)


def before_set(model: NodeModel, gids: Ints, values: Mapping[str, Any]) -> State:
    """What must be known of the nodes before values are set, to be given to `after_set`."""
    if model.base in _PRECISE and "t_ref" in values:
        return {"t_ref": _get(gids, "t_ref")}
    if model.base == "iaf_chs_2007" and values.keys() & {"tau_epsp", "V_epsp"}:
        return {"unit": _epsp(gids)}
    return {}


def after_set(model: NodeModel, gids: Ints, values: Mapping[str, Any], before: State) -> State:
    """State to be set after values were set.

    The clock of ignore_and_fire starts anew; a refractory period that runs gets its new length; the drive of EPSPs its new size.
    """
    if model.base == "ignore_and_fire" and values.keys() & {"rate", "phase"}:
        return {"_steps_left": np.zeros(len(gids))}
    if model.base == CLOCK:
        return {"_left": np.zeros(len(gids))}
    if "t_ref" in before:
        longer = _steps(_get(gids, "t_ref")) - _steps(before["t_ref"])
        return {"_free_step": _get(gids, "_free_step") + np.where(_get(gids, "is_refractory") != 0.0, longer, 0.0)}
    if "unit" in before:
        unit = np.where(before["unit"] > 0.0, before["unit"], np.inf)  # EPSPs without size have left no drive
        return {"_rise": _get(gids, "_rise") * _epsp(gids) / unit}
    return {}


def _get(gids: Ints, key: str) -> Floats:
    return np.asarray(session().engine.kernel.get(gids, key))


def _steps(ms: Floats) -> Floats:
    return np.ceil(grid.steps(ms))


def _epsp(gids: Ints) -> Floats:
    return _get(gids, "V_epsp") / _get(gids, "tau_epsp")
