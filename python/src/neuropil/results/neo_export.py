# SPDX-License-Identifier: Apache-2.0
"""Results as Neo objects; Neo is imported here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .libraries import library

if TYPE_CHECKING:
    import neo

    from .bins import BinnedData
    from .spikes import Spikes
    from .trace_data import TraceData

__all__ = ["bins_to_neo", "spikes_to_neo", "trace_to_neo"]

_UNITS = {"spikes/s": "Hz", "": "dimensionless", "steps": "dimensionless"}


def spikes_to_neo(spikes: Spikes) -> neo.Segment:
    """neo.Segment whose SpikeTrainList (ms) has a train per watched node. It is two arrays; Neo makes trains of them where one is asked for."""
    core = library("neo.core")
    ms = library("quantities").ms
    segment = library("neo").Segment(name="spikes", start_ms=spikes.start, stop_ms=spikes.stop)
    trains = core.spiketrainlist.SpikeTrainList.from_spike_time_array(
        np.array(spikes.times),
        np.array(spikes.gids),
        all_channel_ids=spikes.watched,
        units="ms",
        t_start=spikes.start * ms,
        t_stop=spikes.stop * ms,
    )
    segment.spiketrains = trains
    return segment


def trace_to_neo(trace: TraceData) -> neo.Segment:
    """neo.Segment with one AnalogSignal of shape (n_samples, n_nodes) per quantity, named like it, annotated with the gids."""
    core, ms = library("neo"), library("quantities").ms
    segment = core.Segment(name="trace")
    first = float(trace.times[0]) if len(trace) else 0.0
    for name in trace.names:
        unit = trace.units[name]
        signal = core.AnalogSignal(
            trace[name],
            units=_UNITS.get(unit, unit),
            t_start=first * ms,
            sampling_period=trace.interval * ms,
            name=name,
            gids=trace.watched,
        )
        segment.analogsignals.append(signal)
    return segment


def bins_to_neo(bins: BinnedData) -> neo.Segment:
    """neo.Segment with the rate of a node (Hz) as one AnalogSignal of shape (n_bins, 1), annotated with the gids."""
    core, ms = library("neo"), library("quantities").ms
    segment = core.Segment(name="bins")
    first = float(bins.times[0]) if len(bins) else 0.0
    timing = {"t_start": first * ms, "sampling_period": bins.bin * ms}
    segment.analogsignals.append(core.AnalogSignal(bins.rate[:, None], units="Hz", name=bins.kind, gids=bins.watched, **timing))
    return segment
