# SPDX-License-Identifier: Apache-2.0
"""Results as Neo objects, made of plain arrays; Neo is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .libraries import library

if TYPE_CHECKING:
    import neo

__all__ = ["segment_of_signals", "segment_of_trains"]

_UNITS = {"spikes/s": "Hz", "": "dimensionless", "steps": "dimensionless"}


def segment_of_trains(
    times: NDArray[np.float64], gids: NDArray[np.int64], watched: NDArray[np.int64], start: float, stop: float
) -> neo.Segment:
    """neo.Segment whose SpikeTrainList (ms) has a train per watched node. It is two arrays; Neo makes trains of them where one is asked for."""
    core, ms = library("neo.core"), library("quantities").ms
    segment = library("neo").Segment(name="spikes", start_ms=start, stop_ms=stop)
    segment.spiketrains = core.spiketrainlist.SpikeTrainList.from_spike_time_array(
        np.array(times), np.array(gids), all_channel_ids=watched, units="ms", t_start=start * ms, t_stop=stop * ms
    )
    return segment


def segment_of_signals(
    name: str,
    signals: Mapping[str, tuple[NDArray[np.float64], str]],
    watched: NDArray[np.int64],
    times: NDArray[np.float64],
    period: float,
) -> neo.Segment:
    """neo.Segment with an AnalogSignal for each of `signals`: (values of shape (n_samples, n), unit); annotated with the watched gids.

    times : ms, of which the first counts; period : ms between samples
    """
    core, ms = library("neo"), library("quantities").ms
    segment = core.Segment(name=name)
    timing = {"t_start": (float(times[0]) if len(times) else 0.0) * ms, "sampling_period": period * ms}
    for quantity, (values, unit) in signals.items():
        segment.analogsignals.append(core.AnalogSignal(values, units=_UNITS.get(unit, unit), name=quantity, gids=watched, **timing))
    return segment
