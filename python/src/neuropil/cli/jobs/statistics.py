# SPDX-License-Identifier: Apache-2.0
"""Rates and irregularity of recorded spikes, per population."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from neuropil.analysis.statistics import cv_isi

if TYPE_CHECKING:
    from neuropil import Nodes
    from neuropil.results import Spikes


class Activity(NamedTuple):
    """Statistics of one population."""

    neurons: int
    rate: float  # spikes/s, mean over neurons
    cv_isi: float  # coefficient of variation of the interspike intervals, mean over neurons with at least three spikes; nan when none has


def by_population(spikes: "Spikes", populations: Mapping[str, "Nodes | ArrayLike"]) -> dict[str, Activity]:
    """Statistics per population of what was recorded."""
    found = {}
    for name, nodes in populations.items():
        mine = spikes.select(nodes)
        cv = cv_isi(mine)
        known = cv[np.isfinite(cv)]
        found[name] = Activity(len(mine.watched), float(mine.rates().mean()), float(known.mean()) if len(known) else float("nan"))
    return found
