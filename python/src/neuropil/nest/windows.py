# SPDX-License-Identifier: Apache-2.0
"""Windows of spike_dilutors. Outside of its window a dilutor, a parrot_neuron of the kernel, is frozen: what arrives is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import Ints
from . import grid
from .kernel import Session, session
from .models.extras import FOREVER
from .registry import Row
from .senders import DILUTOR

_NEVER = 2**62  # steps

__all__ = ["run"]


def run(s: Session, t: float, simulate: Callable[[float], None]) -> None:
    """Simulates t ms in pieces that begin where windows begin or end."""
    windows = [_Window(row) for row in s.registry.rows if row.model.root == DILUTOR] if s.registry.dilutes else []
    windows = [window for window in windows if not window.open]
    if not windows:
        return simulate(t)
    kernel = s.engine.kernel
    now, end = int(kernel.step), int(kernel.step) + round(t / s.resolution)
    bounds = np.unique(np.concatenate([np.ravel(window.bounds) for window in windows]))
    for until in [*bounds[(bounds > now) & (bounds < end)].tolist(), end]:
        for window in windows:
            window.freeze(kernel, now)
        simulate(float(s.engine.ms(np.array([until - now]))[0]))
        now = until
    return None


class _Window:
    """The dilutors of a row. bounds : steps of their last spikes before the window and in it, int64 of shape (2, n)."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._gids: Ints = np.arange(row.first, row.first + row.count, dtype=np.int64)
        start, stop, origin = (np.array(row.extra(key, self._gids), np.float64) for key in ("start", "stop", "origin"))
        self.open = bool((start + origin == 0.0).all() and (stop >= FOREVER).all())
        ends = np.where(stop >= FOREVER, FOREVER, stop + origin)
        self.bounds = np.stack([_steps(start + origin), _steps(ends)])

    def freeze(self, kernel: Any, step: int) -> None:
        """Freezes the dilutors that are outside of their window after a step, and thaws the others."""
        begin, end = self.bounds
        shut = (step < begin) | (step >= end) | np.array(self._row.extra("frozen", self._gids), bool)
        for frozen in (True, False):
            if (shut == frozen).any():
                kernel.freeze(self._gids[shut == frozen], frozen)


def _steps(ms: Any) -> Ints:
    """When NEST's dilutors reach these times: they look min_delay back."""
    steps = np.round(grid.steps(np.where(ms < FOREVER, ms, 0.0) + session().min_delay))
    return np.where(ms < FOREVER, steps, _NEVER).astype(np.int64)
