# SPDX-License-Identifier: Apache-2.0
"""Recorded events as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel import session

Columns = dict[str, NDArray[Any]]  # steps and senders int64, then recorded values; all of shape (n_events,)
OFFSETS = "offsets"  # of spikes between grid points (ms), where there are any


def offsets(found: Columns) -> NDArray[np.float64]:
    """What spikes came before the ends of their steps (ms)."""
    return found[OFFSETS] if OFFSETS in found else np.zeros(len(found["steps"]))


def times(found: Columns) -> NDArray[np.float64]:
    """Times of events (ms)."""
    ms: NDArray[np.float64] = session().engine.ms(found["steps"].astype(np.int64)) if len(found["steps"]) else np.empty(0, np.float64)
    return ms - found[OFFSETS] if OFFSETS in found else ms


def joined(parts: Sequence[Columns]) -> Columns:
    """Events of all parts, at least one; those without offsets have none."""
    names = max((part.keys() for part in parts), key=len)
    return {key: np.concatenate([part[key] if key in part else offsets(part) for part in parts]) for key in names}


def in_order(found: Columns) -> Columns:
    """Spikes in the order of time, then of senders."""
    order = np.lexsort((found["senders"], -offsets(found), found["steps"]))
    return {name: column[order] for name, column in found.items()}
