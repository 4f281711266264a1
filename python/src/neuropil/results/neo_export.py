# SPDX-License-Identifier: Apache-2.0
"""Results as Neo objects, made of plain arrays; Neo is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .libraries import library

if TYPE_CHECKING:
    import neo

__all__ = ["segment_of_events", "segment_of_signals", "segment_of_trains"]

_UNITS = {"spikes/s": "Hz", "": "dimensionless", "steps": "dimensionless"}


class Trains(Protocol):
    """What `Spikes` has."""

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the spikes (ms)."""

    @property
    def gids(self) -> NDArray[np.int64]:
        """Who spiked."""

    @property
    def watched(self) -> NDArray[np.int64]:
        """Gids, in the order of the trains."""

    @property
    def start(self) -> float:
        """Beginning of the watched time (ms)."""

    @property
    def stop(self) -> float:
        """End of the watched time (ms)."""

    def trains(self) -> list[NDArray[np.float64]]:
        """Spike times (ms) of each watched node."""


def segment_of_trains(spikes: Trains, objects: bool) -> neo.Segment:
    """neo.Segment whose SpikeTrainList (ms) has a train per watched node: two arrays, or with `objects` a neo.SpikeTrain for each.

    Neo makes trains of the arrays where one is asked for, and searches all spikes for each of them.
    """
    trains, ms = library("neo.core").spiketrainlist.SpikeTrainList, library("quantities").ms
    segment = library("neo").Segment(name="spikes", start_ms=spikes.start, stop_ms=spikes.stop)
    window = {"t_start": spikes.start * ms, "t_stop": spikes.stop * ms}
    if objects:
        make, named = library("neo").SpikeTrain, zip(spikes.trains(), spikes.watched, strict=True)
        segment.spiketrains = trains([make(times, units=ms, channel_id=gid, **window) for times, gid in named], parent=segment)
        return segment
    arrays = np.array(spikes.times), np.array(spikes.gids)  # which are the user's to change
    segment.spiketrains = trains.from_spike_time_array(*arrays, all_channel_ids=spikes.watched, units="ms", **window)
    return segment


def segment_of_events(name: str, times: NDArray[np.float64], columns: Mapping[str, NDArray[Any]]) -> neo.Segment:
    """neo.Segment with one Event of shape (n_events,), at times in ms; annotated with columns of the same shape."""
    core, ms = library("neo"), library("quantities").ms
    segment = core.Segment(name=name)
    segment.events.append(
        core.Event(np.array(times), labels=np.empty(len(times), "U1"), units=ms, name=name, array_annotations=dict(columns))
    )
    return segment


def segment_of_signals(
    name: str,
    signals: Mapping[str, tuple[NDArray[np.float64], str]],
    columns: Mapping[str, NDArray[np.int64]],
    times: NDArray[np.float64],
    period: float,
) -> neo.Segment:
    """neo.Segment with an AnalogSignal for each of `signals`: (values of shape (n_samples, n), unit).

    columns : annotations, the nodes or connections that the columns of a signal are of
    times : ms, of which the first counts; period : ms between samples
    """
    core, ms = library("neo"), library("quantities").ms
    segment = core.Segment(name=name)
    timing = {"t_start": (float(times[0]) if len(times) else 0.0) * ms, "sampling_period": period * ms}
    for quantity, (values, unit) in signals.items():
        segment.analogsignals.append(core.AnalogSignal(values, units=_UNITS.get(unit, unit), name=quantity, **columns, **timing))
    return segment
