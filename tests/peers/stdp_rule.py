# SPDX-License-Identifier: Apache-2.0
"""STDP by the equations, over all spike pairs, without traces: the oracle for both simulators.

Pair rule, all to all (Morrison et al. 2008): a presynaptic spike of stamp t meets the synapse at the soma of the target at t - d + d, i.e.
it is compared with postsynaptic spikes shifted by the dendritic delay d. At each presynaptic spike: first potentiation for every
postsynaptic spike p with previous presynaptic stamp < p + d <= t, in order, by all earlier presynaptic spikes; then depression by all
postsynaptic spikes with p + d < t. Before the first presynaptic spike nothing potentiates.
"""

from __future__ import annotations

import math

import numpy as np

TINY = 1e-6  # [ms]: stamps are on a grid of 0.1 ms


def facilitate(synapse: str, p: dict[str, float], w: float, k: float) -> float:
    if synapse == "stdp_pl_synapse_hom":
        return w + p["lambda"] * w ** p["mu"] * k
    x = w / p["Wmax"]
    return min(x + p["lambda"] * (1.0 - x) ** p["mu_plus"] * k, 1.0) * p["Wmax"]


def depress(synapse: str, p: dict[str, float], w: float, k: float) -> float:
    if synapse == "stdp_pl_synapse_hom":
        return max(w - p["lambda"] * p["alpha"] * w * k, 0.0)
    x = w / p["Wmax"]
    return max(x - p["alpha"] * p["lambda"] * x ** p["mu_minus"] * k, 0.0) * p["Wmax"]


def weights_after(synapse: str, p: dict[str, float], w: float, delay: float, pre: np.ndarray, post: np.ndarray) -> np.ndarray:
    """Weight after each presynaptic spike (stamps in ms)."""
    shifted, found, previous = np.asarray(post) + delay, [], 0.0
    for k, t in enumerate(pre):
        for arrival in shifted[(shifted > previous + TINY) & (shifted <= t + TINY)]:
            w = facilitate(synapse, p, w, math.fsum(math.exp(-(arrival - s) / p["tau_plus"]) for s in pre[:k]))
        w = depress(synapse, p, w, math.fsum(math.exp(-(t - a) / p["tau_minus"]) for a in shifted[shifted < t - TINY]))
        found.append(w)
        previous = t
    return np.array(found)
