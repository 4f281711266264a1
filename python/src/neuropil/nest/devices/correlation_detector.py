# SPDX-License-Identifier: Apache-2.0
"""correlation_detector: histogram of the time differences between spikes of two groups of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine import Ranges
from ..errors import NESTErrors, translating
from ..kernel import known_only, session
from ..models.node_models import NodeModel
from .recorder import Windowed, without_repeats

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Train = tuple[Ints, Floats]  # steps, ascending, and weights of spikes
_CHUNK = 1 << 20  # spikes whose partners are looked for together


class CorrelationDetector(Windowed):
    """Spikes that come by receptor 0 and by receptor 1: pairs (t0, t1) by t1 - t0, in bins of delta_tau from -tau_max to tau_max.

    A pair counts when the later spike is in [Tstart, Tstop]; `histogram` sums the products of weights, `count_histogram` counts.
    """

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.waiting: list[tuple[Ints, Floats, int]] = []
        self.parts: list[tuple[int, Ints, Floats, int]] = []  # recorder of the kernel, its gids and their weights, receptor
        self.trains: list[list[Train]] = [[], []]  # by receptor

    def key_names(self) -> list[str]:
        """Keys of the status."""
        return [*self.status, "n_events", "histogram", "count_histogram", "histogram_correction"]

    def get(self, key: str) -> Any:
        """Value of a key. Raises the built-in KeyError."""
        if key == "n_events":
            return np.array([len(self.counted(train)) for train in self.gathered()])
        if key in ("histogram", "count_histogram", "histogram_correction"):
            if not session().simulated:
                return np.empty(0)
            weighted, counts = self.histograms()
            return {"histogram": weighted, "count_histogram": counts, "histogram_correction": np.zeros(len(counts))}[key]
        return self.status[key]

    def plan(self, given: dict[str, Any]) -> list[Callable[[], None]]:
        """Checks new values; returns what remains to be done."""
        given = known_only(given, (*self.status, "n_events"), "params", "NodeManager::set_status:")
        fresh = {key: self.checked(key, value) for key, value in given.items() if key != "n_events"}
        after = {**self.status, **fresh}
        self.check_bins(after)
        jobs: list[Callable[[], None]] = [lambda: self.apply(fresh)] if fresh else []
        if "n_events" in given:
            if list(np.ravel(given["n_events"])) != [0, 0]:
                self.refuse("/n_events can only be set to [0 0].")
            jobs.append(self.clear)
        return jobs

    def check_bins(self, after: dict[str, Any]) -> None:
        """Raises TimeMultipleRequired unless tau_max has a whole number of bins."""
        steps = {key: round(after[key] / session().resolution) for key in ("delta_tau", "tau_max")}
        if steps["delta_tau"] < 1 or steps["tau_max"] < 0 or steps["tau_max"] % steps["delta_tau"]:
            raise NESTErrors.TimeMultipleRequired(
                f"In model {self.model.root}, tau_max = {after['tau_max']} ms must be multiple of delta_tau = {after['delta_tau']} ms."
            )

    def checked(self, key: str, value: Any) -> Any:
        """A value that is allowed."""
        if key in ("delta_tau", "tau_max"):
            h = session().resolution
            if not isinstance(value, int | float) or abs(round(value / h) * h - value) > 1e-9:
                raise NESTErrors.StepMultipleRequired(
                    f"The time property {key} = {value} of model correlation_detector must be a multiple of the resolution {h} ms."
                )
            return float(value)
        return super().checked(key, value)

    def apply(self, fresh: dict[str, Any]) -> None:
        """Takes over checked values; another window or other bins begin anew."""
        self.gathered()
        if fresh.keys() & {"delta_tau", "tau_max", "Tstart", "Tstop"}:
            self.trains = [[] for _ in self.trains]
        self.status.update(fresh)

    def clear(self) -> None:
        """Forgets all spikes."""
        self.gathered()
        self.trains = [[] for _ in self.trains]

    def connect(self, sources: Ints, weights: Floats, receptor: int) -> None:
        """Connects nodes with a weight each. Raises UnknownReceptorType."""
        self.waiting.append((np.asarray(sources, np.int64), weights, receptor))

    def check_receptor(self, receptor: int) -> None:
        """Raises UnknownReceptorType for others than 0 and 1."""
        if receptor not in (0, 1):
            raise NESTErrors.UnknownReceptorType(f"Receptor type {receptor} is not available in correlation_detector.")

    def prepare(self) -> None:
        """Begins to record in the kernel what was connected since."""
        for sources, weights, receptor in self.waiting:
            for layer in without_repeats(sources):
                gids = sources[layer]
                with translating():
                    part = session().engine.kernel.record_spikes(Ranges.of(gids).ascending(), 0, 2**62)
                self.parts.append((part, gids, weights[layer], receptor))
        self.waiting = []

    def after_run(self) -> None:
        """Nothing: spikes stay in the kernel until they are asked for."""

    def cleanup(self) -> None:
        """Nothing."""

    # --- spikes

    def gathered(self) -> list[Train]:
        """All spikes so far of both receptors, in the window."""
        kernel = session().engine.kernel if self.parts else None
        begin, end = self.window()
        for part, gids, weights, receptor in self.parts:
            assert kernel is not None
            steps, senders = (np.asarray(column, np.int64) for column in kernel.spikes(part)[:2])
            kernel.clear_spikes(part)
            inside = (steps > begin) & (steps <= end)
            self.trains[receptor].append((steps[inside], weights[np.searchsorted(gids, senders[inside])]))
        self.trains = [[_joined(trains)] for trains in self.trains]
        return [trains[0] for trains in self.trains]

    def counted(self, train: Train) -> Ints:
        """Steps of the spikes in [Tstart, Tstop]."""
        low, high = self.counting()
        return train[0][(train[0] >= low) & (train[0] <= high)]

    def counting(self) -> tuple[float, float]:
        """Tstart and Tstop in steps."""
        h = session().resolution
        return round(self.status["Tstart"] / h), min(self.status["Tstop"] / h, 2.0**62)

    def histograms(self) -> tuple[Floats, Ints]:
        """Sums of products of weights, and numbers of pairs, by bin; float64 and int64 of shape (2 tau_max / delta_tau + 1,)."""
        first, second = self.gathered()
        h = session().resolution
        width, most = round(self.status["delta_tau"] / h), round(self.status["tau_max"] / h)
        n = 2 * most // width + 1
        weighted, counts = np.zeros(n), np.zeros(n, np.int64)
        low, high = self.counting()
        for lag, later, product in pairs(first, second, most + width, most + width):
            bins = (2 * (lag + most) + width) // (2 * width)
            some = (bins >= 0) & (bins < n) & (later >= low) & (later <= high)
            np.add.at(weighted, bins[some], product[some])
            counts += np.bincount(bins[some], minlength=n)
        return weighted, counts


def pairs(first: Train, second: Train, before: int, after: int) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Pairs of a spike of each train: t_second - t_first, from -before to after steps, the later of the two times, and the product of the weights."""
    for at in range(0, len(second[0]), _CHUNK):
        steps, weights = second[0][at : at + _CHUNK], second[1][at : at + _CHUNK]
        begin = np.searchsorted(first[0], steps - after, side="left")
        number = np.searchsorted(first[0], steps + before, side="right") - begin
        mine = np.repeat(np.arange(len(steps)), number)
        other = np.arange(len(mine)) - np.repeat(np.cumsum(number) - number, number) + begin[mine]
        yield steps[mine] - first[0][other], np.maximum(steps[mine], first[0][other]), weights[mine] * first[1][other]


def _joined(trains: list[Train]) -> Train:
    """Spikes of several trains in order of time."""
    if not trains:
        return np.empty(0, np.int64), np.empty(0)
    steps, weights = (np.concatenate([train[k] for train in trains]) for k in (0, 1))
    order = np.argsort(steps, kind="stable")
    return steps[order], weights[order]
