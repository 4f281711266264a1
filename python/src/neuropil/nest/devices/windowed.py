# SPDX-License-Identifier: Apache-2.0
"""What all devices that listen share: a window of time, and values that are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NESTErrors
from ..kernel import session
from ..models.extras import FOREVER
from ..models.node_models import NodeModel

TIMES = ("start", "stop", "origin", "Tstart", "Tstop")


class Windowed:
    """A node with a window (start + origin, stop + origin]."""

    def __init__(self, model: NodeModel, gid: int) -> None:
        self.model, self.gid = model, gid
        self.status: dict[str, Any] = dict(model.extras)

    def refuse(self, why: str) -> None:
        """Raises BadProperty about this node."""
        raise NESTErrors.BadProperty(f"Setting status of a '{self.model.name}' with node ID {self.gid}: {why}")

    def checked(self, key: str, value: Any) -> Any:
        """A value that is allowed, of the type that is shown."""
        if key in TIMES:
            return self.checked_time(key, value)
        return self.typed(key, self.status[key], value)

    def typed(self, key: str, before: Any, value: Any) -> Any:
        """A value of the type of the one before. Raises TypeMismatch."""
        kind = type(before)
        fits = isinstance(value, np.bool_ | bool) if kind is bool else isinstance(value, kind) and not isinstance(value, bool)
        if not fits:
            raise NESTErrors.TypeMismatch(f"Expected datatype: {key} of a {self.model.name} is of type {kind.__name__}")
        return value

    def checked_time(self, key: str, value: Any) -> float:
        """A time [ms] on the grid. Raises an error of NEST where it is none."""
        if isinstance(value, str) or not np.isscalar(value):
            raise NESTErrors.TypeMismatch(f"Expected datatype: {key} takes a time in ms")
        ms, h = float(value), session().resolution  # type: ignore[arg-type]
        if key in ("stop", "Tstop") and ms >= FOREVER:
            return FOREVER
        if abs(round(ms / h) * h - ms) > 1e-9 * max(1.0, abs(ms)):
            self.refuse(f"{key} must be a multiple of the simulation resolution.")
        return ms

    def window(self) -> tuple[int, int]:
        """First (exclusive) and last (inclusive) step that is recorded."""
        h, st = session().resolution, self.status
        stop = st["stop"] + st["origin"]
        return round((st["start"] + st["origin"]) / h), 2**62 if stop >= FOREVER / 2 else round(stop / h)


def without_repeats(gids: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Positions in sets that hold each gid once, ascending in gid, and together all."""
    order = np.argsort(gids, kind="stable")
    first = np.flatnonzero(np.diff(gids[order], prepend=-1))
    rank = np.arange(len(gids)) - np.repeat(first, np.diff(first, append=len(gids)))
    return [order[rank == k] for k in range(int(rank.max()) + 1 if len(gids) else 0)]
