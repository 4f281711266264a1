# SPDX-License-Identifier: Apache-2.0
"""correlomatrix_detector: histograms of the time differences between spikes of any two of several channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NESTErrors
from ..kernel import known_only, session
from ..models.node_models import NodeModel
from .correlation_detector import CorrelationDetector, pairs


class CorrelationMatrix(CorrelationDetector):
    """Spikes that come by receptors 0 .. N_channels - 1. Entry (i, j, k): pairs with t_i - t_j in the k-th bin of delta_tau, the first of which is around 0.

    A pair counts when its later spike is in [Tstart, Tstop]; `covariance` sums the products of weights, `count_covariance` counts.
    """

    odd_bins = True  # bins have a middle

    def __init__(self, model: NodeModel, gid: int) -> None:
        super().__init__(model, gid)
        self.trains = [[] for _ in range(self.status["N_channels"])]

    def key_names(self) -> list[str]:
        """Keys of the status."""
        return [*self.status, "n_events", "covariance", "count_covariance"]

    def get(self, key: str) -> Any:
        """Value of a key. Raises the built-in KeyError."""
        if key in ("covariance", "count_covariance"):
            n = self.status["N_channels"]
            if not session().simulated:
                return np.empty((n, n, 0))
            return self.matrices()[key == "count_covariance"]
        return super().get(key)

    def plan(self, given: dict[str, Any]) -> list[Callable[[], None]]:
        """Checks new values; returns what remains to be done."""
        given = known_only(given, tuple(self.status), "params", "NodeManager::set_status:")
        fresh = {key: self.checked(key, value) for key, value in given.items()}
        after = {**self.status, **fresh}
        if after["N_channels"] < 1:
            self.refuse("/N_channels can only be larger than zero.")
        self.check_bins(after)
        if self.odd_bins and round(after["delta_tau"] / session().resolution) % 2 == 0:
            self.refuse("/delta_tau must be odd multiple of resolution.")
        return [lambda: self.apply(fresh)] if fresh else []

    def apply(self, fresh: dict[str, Any]) -> None:
        """Takes over checked values; another window, other bins or channels begin anew."""
        super().apply(fresh)
        if fresh.keys() & {"N_channels", "delta_tau", "tau_max", "Tstart", "Tstop"}:
            self.trains = [[] for _ in range(self.status["N_channels"])]

    def check_receptor(self, receptor: int) -> None:
        """Raises UnknownReceptorType for what is no channel."""
        if not 0 <= receptor < self.status["N_channels"]:
            raise NESTErrors.UnknownReceptorType(f"Receptor type {receptor} is not available in {self.model.root}.")

    def matrices(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Sums of products of weights, and numbers of pairs; float64 and int64 of shape (N_channels, N_channels, tau_max / delta_tau + 1)."""
        trains, h = self.gathered(), session().resolution
        width, most = round(self.status["delta_tau"] / h), round(self.status["tau_max"] / h)
        n = most // width + 1
        weighted, counts = np.zeros((len(trains), len(trains), n)), np.zeros((len(trains), len(trains), n), np.int64)
        low, high = self.counting()
        for i, first in enumerate(trains):
            for j, second in enumerate(trains):
                for lag, later, product in pairs(second, first, width, most + width):
                    bins = (lag + width // 2) // width
                    some = (bins >= 0) & (bins < n) & (later >= low) & (later <= high)
                    np.add.at(weighted[i, j], bins[some], product[some])
                    counts[i, j] += np.bincount(bins[some], minlength=n)
        return weighted, counts
