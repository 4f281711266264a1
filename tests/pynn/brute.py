# SPDX-License-Identifier: Apache-2.0
"""Rules of plasticity by sums over spikes."""

import numpy as np


def all_pairs(pre, post, w, rule, dependence):
    """The weight after all spikes, in order of time. pre : arrivals at the synapse, post : spikes of the target, ms."""
    w_max, up, down = dependence["w_max"], dependence["mu_plus"], dependence["mu_minus"]
    events = sorted([(t, 0) for t in pre] + [(t, 1) for t in post])
    for t, kind in events:
        if kind:
            trace = sum(np.exp(-(t - s) / rule["tau_plus"]) for s in pre if s < t)
            w = min(w_max, w + w_max * rule["A_plus"] * (1.0 - w / w_max) ** up * trace)
        else:
            trace = sum(np.exp(-(t - s) / rule["tau_minus"]) for s in post if s < t)
            w = max(0.0, w - w_max * rule["A_minus"] * (w / w_max) ** down * trace)
    return w


def depressing_peaks(spikes, u_jump, tau_rec, tau_psc):
    """Peaks of the synaptic current without facilitation (Tsodyks, Uziel & Markram 2000), integrated by small steps; weight 1."""
    x, y, dt, found = 1.0, 0.0, 1e-3, []
    steps = {round(t / dt) for t in spikes}
    for k in range(max(steps) + 1):
        if k in steps:
            released = u_jump * x
            x, y = x - released, y + released
            found.append(y)
        x, y = x + dt * (1.0 - x - y) / tau_rec, y - dt * y / tau_psc
    return np.array(found)
