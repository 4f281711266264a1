# SPDX-License-Identifier: Apache-2.0
"""gif_pop_psc_exp: how long the history of its spikes is, which settles the shape of the kernel's model before the first Simulate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import Ints, history_steps
from .errors import NESTErrors, NotSupported, expect
from .kernel import Session, reshape, session
from .models.node_models import NodeModel, with_shape
from .registry import PerNode, Row

POPULATION = "gif_pop_psc_exp"
KEY = "len_kernel"
_UNSHAPED = f"{POPULATION}[1]"  # shapes only grow


def begun(model: NodeModel) -> NodeModel:
    """The model of nodes that are made."""
    return with_shape(model, _UNSHAPED) if model.root == POPULATION else model


def check_length(row: Row, values: Any) -> None:
    """Raises TypeMismatch; NotSupported once the history has begun."""
    for value in values if isinstance(values, PerNode) else [values]:
        expect(isinstance(value, int | np.integer) and not isinstance(value, bool), f"{KEY} takes a whole number", value)
    if row.model.base != _UNSHAPED:
        raise NotSupported(f"{KEY} of a {POPULATION} that was simulated", "set it before Simulate")


def prepare(s: Session) -> None:
    """Gives new populations their history."""
    for row in s.registry.rows:
        if row.model.base == _UNSHAPED:
            _shape(row)


def _shape(row: Row) -> None:
    steps = [_steps(row, gid) for gid in row.gids.tolist()]
    reshape(row, with_shape(row.model, f"{POPULATION}[{max(steps)}]"))
    row.set_extra(KEY, row.gids, PerNode(steps))


def _steps(row: Row, gid: int) -> int:
    one: Ints = np.array([gid])
    t_ref, tau_m, Delta_V, n = (float(session().engine.kernel.get(one, key)[0]) for key in ("t_ref", "tau_m", "Delta_V", "n_sfa"))
    q, tau = ([float(session().engine.kernel.get(one, f"{key}_{k + 1}")[0]) for k in range(int(n))] for key in ("q_sfa", "tau_sfa"))
    h = session().resolution
    given = int(row.extra(KEY, one)[0])
    if given < 1:
        return history_steps(h, t_ref, tau_m, Delta_V, q, tau)
    if given * h <= t_ref:
        raise NESTErrors.BadProperty(f"{KEY} of node {gid} must be more than t_ref, {math.ceil(round(t_ref / h, 6))} steps, not {given}.")
    return given
