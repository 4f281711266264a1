# SPDX-License-Identifier: Apache-2.0
"""Neurons with compartments: a tree each, channels in soma and dendrites, receptors of three kinds, driven at random and coupled."""

from __future__ import annotations

from bench.peers.case import Case, Probe

INDEGREE = 50
SOMA = {"C_m": 0.1, "g_L": 0.01, "e_L": -75.0, "gbar_Na": 4.6, "gbar_K": 0.96}
DENDRITE = {"C_m": 0.005, "g_C": 0.02, "g_L": 0.0005, "e_L": -75.0}
ACTIVE = {**DENDRITE, "gbar_Na": 0.02, "gbar_K": 0.01, "e_L": -72.0}
PARENTS = (-1, 0, 0, 1, 1, 2, 2, 3, 5)


def compartments(nest, n: int) -> Probe:
    parts = [SOMA] + [ACTIVE if k % 2 else DENDRITE for k in range(1, len(PARENTS))]
    cells = nest.Create("cm_default", n, params={"V_th": -20.0})
    for cell in [cells]:
        cell.compartments = [{"parent_idx": p, "params": values} for p, values in zip(PARENTS, parts, strict=True)]
        cell.receptors = [{"comp_idx": k, "receptor_type": "AMPA_NMDA"} for k in (3, 4, 6, 7, 8)] + [
            {"comp_idx": 0, "receptor_type": "GABA"}
        ]
    for port, rate, weight in ((0, 400.0, 0.0012), (2, 400.0, 0.0012), (4, 400.0, 0.0012), (5, 300.0, 0.003)):
        noise = nest.Create("poisson_generator", params={"rate": rate})
        nest.Connect(noise, cells, syn_spec={"receptor_type": port, "weight": weight, "delay": 1.0})
    for port in (1, 3):
        synapse = {"receptor_type": port, "weight": 0.0004, "delay": 1.5}
        nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)

    def probe() -> dict[str, float]:
        return {"spikes_per_neuron": int(recorder.n_events) / n}

    return probe


CASES = {"compartments": Case("500 cm_default, 9 compartments, 6 receptors", compartments, 500, 200.0, 5.0)}
