# SPDX-License-Identifier: Apache-2.0
"""Potentials of spikes: of a recorded time, and while a network runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import to_floats, to_time, to_times
from ...base.named import named_arguments
from ...errors import bad_length, bad_parameter, unknown_name
from ..binning import binned
from ..inputs import SpikeTrains
from .cells import positive

__all__ = ["Online", "predict"]

Floats = NDArray[np.float64]


@named_arguments
def predict(kernels: Mapping[str, ArrayLike], spikes: Mapping[str, SpikeTrains], dt: float = 0.1) -> tuple[Floats, Floats]:
    """Times (ms) of shape (n_bins,), and the potentials then (µV), float64 of shape (n_bins, n_electrodes).

    kernels : of each presynaptic population, from `kernel` with the same `dt`, added up over postsynaptic ones
    spikes : of the same populations, a record or data; all of the same time

    A spike counts at the end of its bin of `dt`, and potentials are those at the ends of bins: with `dt` the resolution this is exact. Spikes
    before the recorded time are not known, so the beginning lacks their potentials. Raises BadParameter, BadLength, UnknownName.
    """
    shapes, dt = _checked(kernels), to_time("dt", dt)
    _known("spikes", spikes, shapes)
    windows = {(float(each.start), float(each.stop)) for each in spikes.values()}
    if len(windows) > 1:
        raise bad_parameter("spikes", sorted(windows), "of the same time for all populations")
    ((start, _),) = windows
    n = 0
    total: Any = 0.0
    for name, each in spikes.items():
        n, bins, inside = binned(each, dt)
        long = n + len(shapes[name])
        counts = np.bincount(bins[inside], minlength=n).astype(np.float64)
        total = total + np.fft.irfft(np.fft.rfft(counts, long)[:, None] * np.fft.rfft(shapes[name], long, axis=0), long, axis=0)[:n]
    return np.asarray(start + dt * np.arange(1, n + 1), np.float64), np.asarray(total, np.float64)


class Online:
    """Potentials while a network runs: `update` takes the spikes since the last update and returns the potentials since then.

    kernels, dt : as of `predict`, with which it agrees; time : ms, when it begins

        potentials = lfp.Online(kernels, dt=0.5)
        net.every(5.0, lambda net: control(potentials.update({"E": e_spikes, "I": i_spikes}, net.time)))

    An update costs (spikes in bins) x (lags) x (electrodes), so few electrodes and a `dt` of 0.5 or 1 ms make it fast. Raises BadLength, BadParameter.
    """

    def __init__(self, kernels: Mapping[str, ArrayLike], dt: float, time: float = 0.0) -> None:
        self._kernels, self._dt = _checked(kernels), positive("dt", to_time("dt", dt))
        self._begin, self._bins = to_time("time", time), 0
        first = next(iter(self._kernels.values()))
        self._future = np.zeros((max(map(len, self._kernels.values())), first.shape[1]))  # row 0: the next bin

    @property
    def time(self) -> float:
        """Until when spikes were taken (ms)."""
        return self._begin + self._bins * self._dt

    def update(self, spikes: Mapping[str, Any], time: float) -> Floats:
        """Potentials at the ends of the bins since the last update (µV), float64 of shape (n_bins, n_electrodes).

        spikes : of each population its times (ms, ascending) or a record or data; those before the last update are passed over
        time : ms, until when spikes are known: a whole number of bins after the last update

        A population that is missing has no spikes. Raises BadParameter, UnknownName.
        """
        time = to_time("time", time)
        n = round((time - self.time) / self._dt)
        if n < 0 or abs(self.time + n * self._dt - time) > 1e-6 * self._dt:
            raise bad_parameter(
                "time", time, f"at least {self.time:g} ms, the time of the last update, and later by a multiple of {self._dt:g} ms"
            )
        for name in spikes:
            if name not in self._kernels:
                raise unknown_name("population of the kernels", name, self._kernels)
        bins = {name: self._bins_of(name, each, n) for name, each in spikes.items()}
        rest = np.zeros((n, self._future.shape[1]))
        future = np.concatenate([self._future, rest])
        for name, each in bins.items():
            shape, counts = self._kernels[name], np.bincount(each, minlength=n)
            for k in np.flatnonzero(counts).tolist():
                future[k : k + len(shape)] += counts[k] * shape
        self._future, self._bins = future[n:], self._bins + n
        return future[:n]

    def _bins_of(self, name: str, spikes: Any, n: int) -> NDArray[np.int64]:
        """Bin of each new spike, from 0."""
        since = self.time + 1e-6 * self._dt
        if hasattr(spikes, "select"):
            new = spikes.select(start=since).times  # a record reads no older ones
        else:
            times = to_times(name, spikes)
            new = times[np.searchsorted(times, since, side="right") :]
        bins: NDArray[np.int64] = np.ceil((new - self.time) / self._dt - 1e-6).astype(np.int64) - 1
        if len(bins) and bins[-1] >= n:
            raise bad_parameter(f"spikes of {name}", float(new[-1]), f"at most {self.time + n * self._dt:g} ms, the time of this update")
        return bins.clip(0)


def _checked(kernels: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Kernels of shape (n_lags, n_electrodes), all of as many electrodes."""
    found = {name: to_floats(name, each) for name, each in kernels.items()}
    for name, each in found.items():
        if each.ndim != 2 or each.shape[1] != next(iter(found.values())).shape[1]:
            raise bad_length(f"kernel of {name}", "x".join(map(str, each.shape)), "(n_lags, n_electrodes), with as many electrodes for all")
    if not found:
        raise bad_length("kernels", 0, "at least one population")
    return found


def _known(name: str, given: Mapping[str, Any], kernels: Mapping[str, Floats]) -> None:
    """Spikes are given of exactly the populations that have kernels."""
    for each in given:
        if each not in kernels:
            raise unknown_name("population of the kernels", each, kernels)
    for each in kernels:
        if each not in given:
            raise bad_parameter(name, [*given], f"of all populations that have a kernel, also of {each}")
