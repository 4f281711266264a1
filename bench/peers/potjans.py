# SPDX-License-Identifier: Apache-2.0
"""Numbers of the cortical microcircuit (Potjans & Diesmann 2014) and its scaling (van Albada, Helias & Diesmann 2015).

Kept apart from neuropil's own job on purpose: two implementations that have to agree. Units: ms, mV, pA, pF, spikes/s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NAMES = ("L23E", "L23I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I")
SIZES = np.array([20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948])
EXTERNAL_INDEGREE = np.array([1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100])
EXTERNAL_RATE = 8.0
MEAN_RATES = np.array([0.903, 2.965, 4.414, 5.876, 7.569, 8.633, 1.105, 7.829])
V0_MEAN = np.array([-68.28, -63.16, -63.33, -63.45, -63.11, -61.66, -66.72, -61.43])
V0_STD = np.array([5.36, 4.57, 4.74, 4.94, 4.94, 4.55, 5.46, 4.48])
# Connection probability, target (row) by source (column).
PROBABILITY = np.array(
    [
        [0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0],
        [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0],
        [0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0],
        [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0],
        [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0],
        [0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0],
        [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
        [0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443],
    ]
)
NEURON = {"C_m": 250.0, "tau_m": 10.0, "E_L": -65.0, "V_reset": -65.0, "V_th": -50.0, "t_ref": 2.0, "tau_syn_ex": 0.5, "tau_syn_in": 0.5}
PSP = 0.15
INHIBITION = -4.0
WEIGHT_REL_STD = 0.1
DELAY_EX, DELAY_IN, DELAY_REL_STD = 1.5, 0.75, 0.5
RESOLUTION = 0.1


def psc_of_psp(psp: float) -> float:
    """Amplitude [pA] of an exponential current whose potential peaks at psp [mV]."""
    c, tm, ts = NEURON["C_m"], NEURON["tau_m"], NEURON["tau_syn_ex"]
    ratio = tm / ts
    return psp * c * (ts - tm) / (ts * tm * (ratio ** (-tm / (tm - ts)) - ratio ** (-ts / (tm - ts))))


@dataclass
class Circuit:
    """What a simulator has to build, after scaling; arrays are (target, source) or per population."""

    sizes: np.ndarray
    synapses: np.ndarray
    weights: np.ndarray
    delays: np.ndarray
    external_indegree: np.ndarray
    external_weight: float
    dc: np.ndarray


def circuit(scale: float = 1.0, k_scale: float = 1.0, drive: str = "poisson") -> Circuit:
    """scale: number of neurons (in-degrees kept); k_scale: in-degrees (weights / sqrt(k), DC keeps the mean input)."""
    pairs = np.outer(SIZES, SIZES).astype(float)
    full = np.rint(np.log(1.0 - PROBABILITY) / np.log(1.0 - 1.0 / pairs))  # plain logs: the published 298 880 968 (log1p gives 2 more)
    inhibitory = np.array([name.endswith("I") for name in NAMES])
    w = psc_of_psp(PSP)
    weights = np.where(inhibitory[None, :], INHIBITION * w, w) * np.ones_like(pairs)
    weights[NAMES.index("L23E"), NAMES.index("L4E")] *= 2.0
    delays = np.where(inhibitory[None, :], DELAY_IN, DELAY_EX) * np.ones_like(pairs)

    tau = NEURON["tau_syn_ex"] * 1e-3
    external_mean = EXTERNAL_RATE * EXTERNAL_INDEGREE * w
    recurrent_mean = (weights * full / SIZES[:, None]) @ MEAN_RATES
    root = np.sqrt(k_scale)
    dc = tau * (1.0 - root) * (recurrent_mean + (external_mean if drive == "poisson" else 0.0))
    if drive == "dc":
        dc = dc + tau * external_mean
    sizes = np.maximum(np.rint(SIZES * scale), 1).astype(int)
    return Circuit(
        sizes=sizes,
        synapses=np.rint(full * (k_scale * sizes / SIZES)[:, None]).astype(int),
        weights=weights / root,
        delays=delays,
        external_indegree=EXTERNAL_INDEGREE * k_scale,
        external_weight=w / root,
        dc=dc,
    )
