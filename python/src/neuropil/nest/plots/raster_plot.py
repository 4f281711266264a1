# SPDX-License-Identifier: Apache-2.0
"""nest.raster_plot: spikes of recorders or files as points, and a histogram of rates below."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import plot
from ...engine import read_events
from ..kernel import session

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
        raise ValueError("No data to plot.")
    shown = rows if sel is None else extract_events(rows, sel=sel)
    return _make_plot(rows[:, 1], shown[:, 1], shown[:, 0], np.unique(rows[:, 0]), **kwargs)


def from_file(fname: Any, **kwargs: Any) -> list[Any]:
    """Raster of files that the ascii back end wrote: a name, or several names whose data are put together."""
    return from_data(read_events(fname)[:, :2], **kwargs)


from_file_pandas = from_file_numpy = from_file  # numpy reads the files in any case


def from_device(detec: Any, **kwargs: Any) -> list[Any]:
    """Raster of a spike_recorder that records to memory or to files. Raises TypeError for other nodes, ValueError without data."""
    if len(detec) != 1 or session().registry.row(detec.tolist()[0]).model.root != "spike_recorder":
        raise TypeError("Please provide one spike_recorder.")
    status = detec.get()
    if status["record_to"] == "ascii":
        return from_file(status["filenames"], **kwargs)
    if status["record_to"] != "memory":
        raise ValueError("No events recorded.: the recorder records neither to memory nor to files")
    if not status["n_events"]:
        raise ValueError("No events were recorded by the spike_recorder.")
    kwargs.setdefault("title", f"Raster plot from device '{detec.global_id}'")
    kwargs.setdefault("xlabel", "Steps" if status["time_in_steps"] else "Time (ms)")
    return from_data(np.stack(_from_memory(detec)[::-1], axis=1), **kwargs)


def _from_memory(detec: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times and senders that one recorder has in memory; scripts for NEST call it. Raises KeyError for nodes that record no events."""
    events = detec.get("events")
    return events["times"], events["senders"]


def _histogram(
    a: ArrayLike, bins: Any = 10, bin_range: tuple[float, float] | None = None, normed: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers of values by bin and the lower edges of the bins; scripts for NEST call it.

    bins : how many from the smallest value (or bin_range[0]) to the largest, or their lower edges; the last bin has no upper end
    normed : densities instead of numbers, by the width of the first bin. Raises ValueError for bins that do not ascend.
    """
    values = np.sort(np.asarray(a).ravel())
    if np.ndim(bins) == 0:
        low, high = (values.min(), values.max()) if bin_range is None else bin_range
        if low > high:
            raise ValueError("max must be larger than min in range parameter")
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        bins = np.linspace(low, high, bins, endpoint=False)
    edges = np.asarray(bins)
    if (np.diff(edges) < 0).any():
        raise ValueError("bins must increase monotonically")
    counts = np.diff(np.append(values.searchsorted(edges), len(values)))
    return (counts / (len(values) * (edges[1] - edges[0])) if normed else counts), edges


def _make_plot(
    ts: ArrayLike,
    ts1: ArrayLike,
    node_ids: ArrayLike,
    neurons: Any,
    hist: bool = True,
    hist_binwidth: float = 5.0,
    grayscale: bool = False,
    title: str | None = None,
    xlabel: str | None = None,
) -> list[Any]:
    """Points at the times ts1 of node_ids, and the mean rate per neuron of the spikes at ts in bins of hist_binwidth ms; returns the lines of the points."""
    look: dict[str, Any] = {"grey": grayscale, "title": title or "Raster plot", "label": xlabel or "Time (ms)"}
    return plot.spikes_over_rates((ts1, node_ids), ts, len(np.unique(neurons)), bin_width=hist_binwidth if hist else None, **look)
