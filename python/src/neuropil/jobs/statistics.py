# SPDX-License-Identifier: Apache-2.0
"""Rates and irregularity of recorded spikes, per population."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Activity(NamedTuple):
    """Statistics of one population."""

    neurons: int
    rate: float  # [spikes/s], mean over neurons
    cv_isi: float  # coefficient of variation of the interspike intervals, mean over the neurons that have at least two; nan when none has


def cv_of_neurons(times: np.ndarray, gids: np.ndarray) -> np.ndarray:
    """CV of the interspike intervals of each neuron with at least two intervals; shape (neurons that have them,), order of gid."""
    order = np.lexsort((times, gids))
    times, gids = np.asarray(times, float)[order], np.asarray(gids)[order]
    same = gids[1:] == gids[:-1]
    intervals = (times[1:] - times[:-1])[same]
    _, owner, count = np.unique(gids[1:][same], return_inverse=True, return_counts=True)
    mean = np.bincount(owner, intervals, len(count)) / np.maximum(count, 1)
    variance = np.bincount(owner, (intervals - mean[owner]) ** 2, len(count)) / np.maximum(count, 1)
    enough = (count >= 2) & (mean > 0)
    return np.sqrt(variance[enough]) / mean[enough]


def activity(times: np.ndarray, gids: np.ndarray, neurons: int, duration: float) -> Activity:
    """Statistics of the spikes (times [ms], gids) of `neurons` neurons recorded for `duration` ms."""
    cv = cv_of_neurons(times, gids)
    rate = 1000.0 * len(times) / (neurons * duration) if neurons and duration else 0.0
    return Activity(neurons, rate, float(cv.mean()) if len(cv) else float("nan"))


def by_population(times: np.ndarray, gids: np.ndarray, first_gids: Mapping[str, tuple[int, int]], duration: float) -> dict[str, Activity]:
    """Statistics per population; `first_gids` maps a name to (first gid, number of neurons)."""
    found = {}
    for name, (first, count) in first_gids.items():
        mine = (gids >= first) & (gids < first + count)
        found[name] = activity(times[mine], gids[mine], count, duration)
    return found
