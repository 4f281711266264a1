# SPDX-License-Identifier: Apache-2.0
"""Detectors of correlations between groups of nodes: correlation_detector, correlomatrix_detector and correlospinmatrix_detector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine import Floats, Ints, Ranges, without_repeats
from .. import grid
from ..errors import NESTErrors, translating
from ..kernel import known_only, session
from ..models.node_models import NodeModel
from .recorder import Windowed

Train = tuple[Ints, Floats]  # steps, ascending, and weights of spikes


class CorrelationDetector(Windowed):
    """Spikes that come by receptor 0 and by receptor 1: pairs (t0, t1) by t1 - t0, in bins of delta_tau from -tau_max to tau_max.

    A pair counts when the later spike is in [Tstart, Tstop]; `histogram` sums the products of weights, `count_histogram` counts.
    """

    cleared_by: frozenset[str] = frozenset({"n_events"})  # keys that can be set to 0
    shown: tuple[str, ...] = ("n_events", "histogram", "count_histogram", "histogram_correction")

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.waiting: list[tuple[Ints, Floats, int]] = []
        self.parts: list[tuple[int, Ints, Floats, int]] = []  # recorder of the kernel, its gids and their weights, receptor
        self.trains: list[list[Train]] = self.no_trains()  # by receptor

    def no_trains(self) -> list[list[Train]]:
        """Receptors without spikes."""
        return [[] for _ in range(self.status.get("N_channels", 2))]

    def key_names(self) -> list[str]:
        """Keys of the status."""
        return [*self.status, *self.shown]

    def get(self, key: str) -> Any:
        """Value of a key. Raises the built-in KeyError."""
        if key not in self.shown:
            return self.status[key]
        if key == "n_events":
            low, high = self.counting()
            return np.array([np.count_nonzero((steps >= low) & (steps <= high)) for steps, _ in self.gathered()])
        pairs = [self.status["N_channels"]] * 2 if "N_channels" in self.status else []
        return self.results()[key] if session().simulated else np.empty((*pairs, 0))

    def checks(self, given: dict[str, Any]) -> dict[str, Any]:
        """New values as they are stored."""
        given = known_only(given, (*self.status, *self.cleared_by), "params", "NodeManager::set_status:")
        for key in self.cleared_by & given.keys():
            if list(np.ravel(given[key])) != [0, 0]:
                self.refuse(f"/{key} can only be set to [0 0].")
        fresh = {key: 0 if key in self.cleared_by else self.checked(key, value) for key, value in given.items()}
        self.check_bins({**self.status, **fresh})
        return fresh

    def check_bins(self, after: dict[str, Any]) -> None:
        """Raises TimeMultipleRequired unless tau_max has a whole number of bins."""
        steps = {key: round(after[key] / session().resolution) for key in ("delta_tau", "tau_max")}
        if steps["delta_tau"] < 1 or steps["tau_max"] < 0 or steps["tau_max"] % steps["delta_tau"]:
            raise NESTErrors.TimeMultipleRequired(
                f"In model {self.model.root}, tau_max = {after['tau_max']} ms must be multiple of delta_tau = {after['delta_tau']} ms."
            )

    def checked(self, key: str, value: Any) -> Any:
        """A value that is allowed."""
        return grid.checked(key, value) if key in ("delta_tau", "tau_max") else super().checked(key, value)

    def apply(self, fresh: dict[str, Any]) -> None:
        """Takes over checked values; another window, other bins or channels begin anew."""
        self.gathered()
        self.status.update({key: value for key, value in fresh.items() if key in self.status})
        if fresh.keys() & {"N_channels", "delta_tau", "tau_max", "Tstart", "Tstop", *self.cleared_by}:
            self.trains = self.no_trains()

    def connect_one(self, sources: Ints, weights: Floats, receptor: int) -> None:
        """Connects nodes with a weight each."""
        self.waiting.append((np.asarray(sources, np.int64), weights, receptor))

    def check_receptor(self, receptor: int) -> None:
        """Raises UnknownReceptorType for what is no channel."""
        if not 0 <= receptor < len(self.trains):
            raise NESTErrors.UnknownReceptorType(f"Receptor type {receptor} is not available in {self.model.root}.")

    def prepare(self) -> None:
        """Begins to record in the kernel what was connected since."""
        for sources, weights, receptor in self.waiting:
            for layer in without_repeats(sources):
                gids = sources[layer]
                with translating():
                    part = session().engine.kernel.record_spikes(Ranges.of(gids).ascending(), 0, 2**62)
                self.parts.append((part, gids, weights[layer], receptor))
        self.waiting = []

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

    def counting(self) -> tuple[float, float]:
        """Tstart and Tstop in steps."""
        h = session().resolution
        return round(self.status["Tstart"] / h), min(self.status["Tstop"] / h, 2.0**62)

    def results(self) -> dict[str, NDArray[Any]]:
        """Sums of products of weights, and numbers of pairs, by bin; float64 and int64 of shape (2 tau_max / delta_tau + 1,)."""
        width, most = self.bins()
        first, second = self.gathered()
        weighted, counts = _pair_sums(first, second, width, -most, 2 * most // width + 1, self.counting())
        return {"histogram": weighted, "count_histogram": counts, "histogram_correction": np.zeros(len(counts))}

    def bins(self) -> tuple[int, int]:
        """delta_tau and tau_max in steps."""
        h = session().resolution
        return round(self.status["delta_tau"] / h), round(self.status["tau_max"] / h)


def _pair_sums(first: Train, second: Train, width: int, lowest: int, bins: int, later: tuple[float, float]) -> tuple[Floats, Ints]:
    from ...analysis import pair_sums  # loaded when used

    return pair_sums(first[0], second[0], width, lowest, bins, weights=(first[1], second[1]), later=later)


def _joined(trains: list[Train]) -> Train:
    """Spikes of several trains in order of time."""
    if not trains:
        return np.empty(0, np.int64), np.empty(0)
    steps, weights = (np.concatenate([train[k] for train in trains]) for k in (0, 1))
    order = np.argsort(steps, kind="stable")
    return steps[order], weights[order]


class CorrelationMatrix(CorrelationDetector):
    """Spikes that come by receptors 0 .. N_channels - 1. Entry (i, j, k): pairs with t_i - t_j in the k-th bin of delta_tau, the first of which is around 0.

    A pair counts when its later spike is in [Tstart, Tstop]; `covariance` sums the products of weights, `count_covariance` counts.
    """

    odd_bins = True  # bins have a middle
    cleared_by = frozenset()
    shown: tuple[str, ...] = ("n_events", "covariance", "count_covariance")

    def check_bins(self, after: dict[str, Any]) -> None:
        """Raises BadProperty, TimeMultipleRequired for channels and bins that are not allowed."""
        if after["N_channels"] < 1:
            self.refuse("/N_channels can only be larger than zero.")
        super().check_bins(after)
        if self.odd_bins and round(after["delta_tau"] / session().resolution) % 2 == 0:
            self.refuse("/delta_tau must be odd multiple of resolution.")

    def results(self) -> dict[str, NDArray[Any]]:
        """Sums of products of weights, and numbers of pairs; float64 and int64 of shape (N_channels, N_channels, tau_max / delta_tau + 1)."""
        trains, (width, most) = self.gathered(), self.bins()
        n = most // width + 1
        weighted, counts = np.zeros((len(trains), len(trains), n)), np.zeros((len(trains), len(trains), n), np.int64)
        for i, first in enumerate(trains):
            for j, second in enumerate(trains):
                weighted[i, j], counts[i, j] = _pair_sums(second, first, width, 0, n, self.counting())
        return {"covariance": weighted, "count_covariance": counts}


class SpinCorrelations(CorrelationMatrix):
    """Entry (i, j, k): steps t in which i is in state 1 at t and j at t - tau, tau = k delta_tau - tau_max.

    Times in state 1 count once they have ended, and something came after that (as in NEST, where Tstart and Tstop have no effect).
    """

    odd_bins = False
    shown = ("count_covariance",)

    def results(self) -> dict[str, NDArray[Any]]:
        """Steps together, int64 of shape (N_channels, N_channels, 2 tau_max / delta_tau + 1)."""
        from ...analysis import stays, time_together

        (width, most), trains = self.bins(), self.gathered()
        last = max((int(train[0][-1]) for train in trains if len(train[0])), default=0)
        times = [stays(train[0], last) for train in trains]
        found = np.zeros((len(times), len(times), 2 * most // width + 1), np.int64)
        for i, first in enumerate(times):
            for j, second in enumerate(times[: i + 1]):
                found[i, j] = time_together(first, second, most)[::width]
                found[j, i] = found[i, j, ::-1]
        return {"count_covariance": found}
