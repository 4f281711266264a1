# SPDX-License-Identifier: Apache-2.0
"""Statistics and plots of what was recorded. `spikes` is a SpikeRecord or any `Spikes`; use `spikes.select(nodes, start, stop)` for a part.

Not collective, but reading a SpikeRecord of several ranks is: call them on all ranks, or on `spikes.view(gather=False)`, or on data (`spikes.copy()`).
"""

from . import lfp
from .binning import bin_counts
from .event_pairs import lagged_pairs, pair_sums, stays, time_together
from .statistics import correlation, cv_isi, isi, population_rate, rates
from .variability import cross_correlogram, fano_factor, power_spectrum, psth, spike_count_correlation

__all__ = [
    "bin_counts",
    "correlation",
    "cross_correlogram",
    "cv_isi",
    "fano_factor",
    "isi",
    "lagged_pairs",
    "lfp",
    "pair_sums",
    "population_rate",
    "power_spectrum",
    "psth",
    "rates",
    "spike_count_correlation",
    "stays",
    "time_together",
]
