# SPDX-License-Identifier: Apache-2.0
"""Spikes in bins of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_time
from ..base.grid import Grid
from ..base.named import named_arguments
from ..errors import bad_parameter
from .inputs import SpikeTrains

__all__ = ["bin_counts", "binned", "check_times", "check_width", "or_near"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def check_width(spikes: SpikeTrains, width: float, name: str = "width") -> int | None:
    """The steps of a bin; None when the resolution is not known or spikes come between the steps. Raises BadParameter.

    A bin that is not a whole number of steps would hold now more and now fewer of them, and so would its counts.
    """
    if not width > 0.0 or not np.isfinite(width):
        raise bad_parameter(name, width, "a positive number of ms")
    return None if spikes.resolution is None or spikes.off_grid else Grid(spikes.resolution).steps(name, width, at_least=1)


def check_times(spikes: SpikeTrains, name: str, times: Floats) -> None:
    """Raises BadParameter for times at which a bin cannot begin."""
    if spikes.resolution is None or spikes.off_grid:
        return
    off = np.abs(np.rint(times / spikes.resolution) * spikes.resolution - times) > 1e-9 * np.maximum(1.0, np.abs(times))
    if off.any():
        raise bad_parameter(name, float(times[off][0]), f"a multiple of the resolution ({spikes.resolution:g} ms)")


def or_near(spikes: SpikeTrains, width: float | None, usual: float, name: str = "width") -> float:
    """The width in ms, or else what is near the usual one and allowed. Raises BadType, BadParameter."""
    if width is not None:
        return to_time(name, width)
    step = spikes.resolution
    return usual if step is None or spikes.off_grid else Grid(step).time(max(1, round(usual / step)))


def binned(spikes: SpikeTrains, width: float) -> tuple[int, Ints, NDArray[np.bool_]]:
    """Number of whole bins of `width` ms, a plain number, bin of each spike, and whether it is in one of them."""
    size = check_width(spikes, width)
    # Windows are (start, stop]: a spike on an edge belongs to the bin before it.
    if size is None or spikes.resolution is None:
        n_bins = int(np.floor(spikes.duration / width + 1e-9))
        bins = np.ceil((spikes.times - spikes.start) / width - 1e-9).astype(np.int64) - 1
    else:
        first, last = (int(np.floor(edge / spikes.resolution + 1e-6)) for edge in (spikes.start, spikes.stop))
        n_bins, bins = max(last - first, 0) // size, (spikes.steps - first - 1) // size
    return n_bins, bins, (bins >= 0) & (bins < n_bins)


@named_arguments
def bin_counts(spikes: SpikeTrains, width: float) -> tuple[Floats, Ints]:
    """Left edges of bins (edge, edge + width] of `width` ms, shape (n_bins,), and spike counts, int64 of shape (n_bins, n_nodes).

    A rest at the end that is shorter than a bin is left out. Where the resolution is known, `width` is a multiple of it, else BadParameter is
    raised: bins would not all have the same number of steps. Spikes of precise neurons, between the steps, may be binned by any width.
    """
    width = to_time("width", width)
    n_bins, bins, inside = binned(spikes, width)
    n_nodes = len(spikes.watched)
    flat = np.bincount(bins[inside] * n_nodes + spikes.positions()[inside], minlength=n_bins * n_nodes)
    counts: Ints = flat.reshape(n_bins, n_nodes).astype(np.int64, copy=False)
    return np.asarray(spikes.start + width * np.arange(n_bins), np.float64), counts
