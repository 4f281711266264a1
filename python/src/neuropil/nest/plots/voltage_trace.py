# SPDX-License-Identifier: Apache-2.0
"""nest.voltage_trace: membrane potentials of multimeters or files over time."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import plot
from ...engine import read_events

__all__ = ["from_device", "from_file"]

_UNITS = {"ms": 1.0, "s": 1e-3, "h": 1.0 / 3.6e6}


def from_device(detec: Any, neurons: Any = None, title: str | None = None, grayscale: bool = False, timeunit: str = "ms") -> list[Any]:
    """Potentials that a voltmeter or multimeter records in memory or to files, in the current axes; returns the lines.

    neurons : ids of the neurons that are shown, default all; timeunit : "ms", "s" or "h", where times are not in steps

    Raises ValueError, TypeError for other nodes and without data.
    """
    if len(detec) != 1:
        raise ValueError("Please provide a single 'voltmeter' or 'multimeter'.")
    status = detec.get()
    if "record_from" not in status:
        raise TypeError("Please provide a voltmeter or a multimeter.")
    if "V_m" not in status["record_from"]:
        raise ValueError("Please provide a 'multimeter' measuring 'V_m'.")
    if status["record_to"] == "ascii":
        return _of_files(status["filenames"], neurons, title, grayscale, None if status["time_in_steps"] else timeunit)
    if status["record_to"] != "memory" or not status["n_events"]:
        raise ValueError("No events recorded.")
    events = status["events"]
    in_steps = status["time_in_steps"]
    times, label = (events["times"], "Steps") if in_steps else (events["times"] * _UNITS[timeunit], f"Time ({timeunit})")
    return _draw(events["senders"], times, events["V_m"], neurons, title, grayscale, label)


def from_file(fname: Any, title: str | None = None, grayscale: bool = False) -> list[Any]:
    """Potentials of files with columns sender, time, V_m that the ascii back end wrote; returns the lines."""
    return _of_files(fname, None, title, grayscale, "ms")


def _from_memory(detec: Any) -> tuple[dict[int, array[float]], dict[int, array[float]]]:
    """Times and potentials by neuron, as arrays of float32, of one multimeter that records to memory; scripts for NEST call it.

    Raises KeyError where it does not record V_m.
    """
    events = detec.get("events")
    traces: list[dict[int, array[float]]] = [{}, {}]
    for gid in np.unique(events["senders"]):
        for trace, name in zip(traces, ("times", "V_m"), strict=True):
            trace[gid] = array("f", events[name][events["senders"] == gid].tolist())
    return traces[0], traces[1]


def _of_files(fname: Any, neurons: Any, title: str | None, grayscale: bool, timeunit: str | None) -> list[Any]:
    table = read_events(fname, "V_m", 2)
    if not len(table):
        raise ValueError("No events recorded.")
    scale, label = (1.0, "Steps") if timeunit is None else (_UNITS[timeunit], f"Time ({timeunit})")
    return _draw(table[:, 0].astype(int), table[:, 1] * scale, table[:, 2], neurons, title, grayscale, label)


def _draw(
    senders: NDArray[Any], times: NDArray[Any], values: NDArray[Any], neurons: Any, title: str | None, grayscale: bool, label: str
) -> list[Any]:
    labels = {"xlabel": label, "ylabel": "Membrane potential (mV)", "title": title or "Membrane potential"}
    return plot.traces(senders, (times, values), neurons, grey=grayscale, **labels)
