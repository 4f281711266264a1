# SPDX-License-Identifier: Apache-2.0
"""What ranks have to know of each other's connections."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine import gather_bytes
from .kernel import session

Floats = NDArray[np.float64]


def gathered(rows: Floats) -> tuple[Floats, int]:
    """The rows of all ranks, float64 of shape (n, k), and where those of this rank begin. Collective."""
    s = session()
    if s.n_ranks == 1:
        return rows, 0
    parts = [np.frombuffer(part, np.float64).reshape(-1, rows.shape[1]) for part in gather_bytes(rows.tobytes())]
    return np.concatenate(parts), sum(len(part) for part in parts[: s.rank])


def any_rank(here: bool) -> bool:
    """Whether `here` is true on one of the ranks. Collective."""
    if session().n_ranks == 1:
        return here
    return bool(gathered(np.array([[float(here)]]))[0].any())


def all_names(here: frozenset[str]) -> frozenset[str]:
    """The names that any rank has. Collective."""
    if session().n_ranks == 1:
        return here
    parts = gather_bytes("\n".join(here).encode())
    return frozenset(name for part in parts for name in part.decode().split("\n") if name)


__all__ = ["all_names", "any_rank", "gathered"]
