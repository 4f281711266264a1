# SPDX-License-Identifier: Apache-2.0
"""nest.raster_plot: spikes of recorders or files as points, and a histogram of rates below."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import read_files

__all__ = ["extract_events", "from_data", "from_device", "from_file", "from_file_numpy", "from_file_pandas"]


def extract_events(data: ArrayLike, time: Any = None, sel: Any = None) -> NDArray[Any]:
    """Rows (sender, time) within a time window and of selected senders.

    time : [t_max], or [t_min, t_max]: t_min <= t < t_max (ms); sel : ids of senders
    """
    rows = np.asarray(data, np.float64).reshape(-1, 2)
    keep = np.ones(len(rows), bool)
    if time:
        low, high = (0.0, time[0]) if len(time) == 1 else (time[0], time[1])
        keep &= (rows[:, 1] >= low) & (rows[:, 1] < high)
    if sel is not None:
        keep &= np.isin(rows[:, 0], np.asarray(sel))
    found: NDArray[Any] = rows[keep]
    return found


def from_data(data: ArrayLike, sel: Any = None, **kwargs: Any) -> list[Any]:
    """Raster of rows (sender, time in ms). `sel`: ids of the senders that are shown. Raises ValueError without data."""
    rows = np.asarray(data, np.float64).reshape(-1, 2)
    if not len(rows):
        raise ValueError("No events recorded.")
    shown = rows if sel is None else extract_events(rows, sel=sel)
    return _draw(rows[:, 1], shown[:, 1], shown[:, 0], **kwargs)


def from_file(fname: Any, **kwargs: Any) -> list[Any]:
    """Raster of files that the ascii back end wrote: a name, or several names whose data are put together."""
    return from_data(read_files(fname)[:, :2], **kwargs)


from_file_pandas = from_file_numpy = from_file  # numpy reads the files in any case


def from_device(detec: Any, **kwargs: Any) -> list[Any]:
    """Raster of a spike_recorder that records to memory or to files. Raises TypeError for other nodes, ValueError without data."""
    if _roots(detec) != ["spike_recorder"] or len(detec) != 1:
        raise TypeError("Please provide one spike_recorder.")
    status = detec.get()
    if status["record_to"] == "ascii":
        return from_file(status["filenames"], **kwargs)
    if status["record_to"] != "memory":
        raise ValueError("No events recorded.: the recorder records neither to memory nor to files")
    if not status["n_events"]:
        raise ValueError("No events were recorded by the spike_recorder.")
    times, senders = _from_memory(detec)
    kwargs.setdefault("title", f"Raster plot from device '{detec.global_id}'")
    kwargs.setdefault("xlabel", "Steps" if status["time_in_steps"] else "Time (ms)")
    return from_data(np.stack([senders, times], axis=1), **kwargs)


def _from_memory(detec: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times and senders of a spike_recorder that records to memory; scripts call this name of NEST's."""
    events = detec.get("events")
    return events["times"], events["senders"]


def _roots(detec: Any) -> list[str]:
    from ..kernel import session

    return [row.model.root for row, _ in session().registry.split(detec._alive())]


def _draw(
    times: NDArray[Any],
    shown: NDArray[Any],
    senders: NDArray[Any],
    hist: bool = True,
    hist_binwidth: float = 5.0,
    grayscale: bool = False,
    title: str | None = None,
    xlabel: str | None = None,
) -> list[Any]:
    """Points over time, and the mean rate of the shown senders in bins of `hist_binwidth` ms; returns what was drawn."""
    import matplotlib.pyplot as plt

    figure = plt.figure()
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1]) if hist else (figure.subplots(), None)
    drawn: list[Any] = upper.plot(shown, senders, ".k" if grayscale else ".", markersize=3)
    upper.set_ylabel("Neuron ID")
    upper.locator_params(axis="y", integer=True)
    upper.set_title(title or "Raster plot")
    if lower is not None:
        bins = times.min() + hist_binwidth * np.arange(max(1, np.ceil(np.ptp(times) / hist_binwidth)) + 1)
        limits = upper.get_xlim()
        counts, edges = np.histogram(shown, bins)
        heights = 1000.0 * counts / (hist_binwidth * max(1, len(np.unique(senders))))
        drawn.append(lower.bar(edges[:-1], heights, width=hist_binwidth, align="edge", color="0.3" if grayscale else "C1"))
        lower.set(ylabel="Rate (spks/s)", xlim=limits)
    (lower or upper).set_xlabel(xlabel or "Time (ms)")
    return drawn
