# SPDX-License-Identifier: Apache-2.0
"""Spikes as binned spike trains of Elephant, made of plain arrays; Elephant is imported here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.libraries import needed
from ..errors import bad_parameter

if TYPE_CHECKING:
    import elephant.conversion

    from ..analysis.inputs import SpikeTrains

__all__ = ["binned_trains"]


def binned_trains(spikes: SpikeTrains, width: float | None) -> elephant.conversion.BinnedSpikeTrain:
    """Counts as a sparse matrix. Elephant's constructor takes only trains and dense matrices; a view of a matrix of one's own is its public class."""
    from ..analysis.binning import binned, or_near

    conversion, sparse = _module("elephant.conversion"), _module("scipy.sparse")
    width = or_near(spikes, width, 5.0)
    n_bins, bins, inside = binned(spikes, width)
    if not n_bins:
        raise bad_parameter("width", width, f"at most the time that was watched ({spikes.duration:g} ms)")
    rows, columns = (spikes.positions(), bins) if inside.all() else (spikes.positions()[inside], bins[inside])
    shape = len(spikes.watched), n_bins
    counts = sparse.csr_matrix((np.ones(len(rows), np.int32), (rows.astype(np.int32), columns.astype(np.int32))), shape=shape)
    stop = spikes.start + width * n_bins
    found: elephant.conversion.BinnedSpikeTrain = conversion.BinnedSpikeTrainView(
        spikes.start, stop, width, _module("quantities").ms, counts
    )
    return found


def _module(name: str) -> Any:
    return needed(name, "analysis", "this needs")
