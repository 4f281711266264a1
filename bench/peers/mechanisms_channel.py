# SPDX-License-Identifier: Apache-2.0
"""Connections that carry values: gap junctions among inhibitory neurons, a network of rate neurons, mean rates, astrocytes.

`gap` is after NEST's example gap_junctions_inhibitory_network (Hahne et al. 2015): 60 junctions and 50 inhibitory synapses per neuron, and
Poisson input. `rates` has the size of the random networks of Hahne et al. 2017, with ten times as many connections per neuron.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.peers.case import Case, Probe

JUNCTIONS, SYNAPSES, RATE_INPUTS = 60, 50, 1000  # per neuron


def gap(nest: Any, n: int) -> Probe:
    """Steps of 0.05 ms, parts of 1 ms, relaxed to 1e-4 mV; as NEST's defaults."""
    cells = nest.Create("hh_psc_alpha_gap", n)
    rng = np.random.default_rng(1)
    cells.V_m = (-40.0 - 40.0 * rng.random(n)).tolist()
    noise = nest.Create("poisson_generator", params={"rate": 500.0})
    nest.Connect(noise, cells, syn_spec={"weight": 300.0, "delay": 1.0})
    inputs = {"rule": "fixed_indegree", "indegree": min(SYNAPSES, n), "allow_autapses": False}
    nest.Connect(cells, cells, inputs, {"weight": -50.0, "delay": 1.0})
    pairs = np.sort(np.array([rng.choice(n, 2, replace=False) for _ in range(n * min(JUNCTIONS, n) // 2)]) + 1, axis=1)
    junction = {"synapse_model": "gap_junction", "weight": np.full(len(pairs), 0.3)}
    nest.Connect(pairs[:, 0], pairs[:, 1], {"rule": "one_to_one", "make_symmetric": True}, junction)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return lambda: {"spikes_per_neuron": recorder.n_events / n, "mean_V_m": float(np.mean(cells.V_m))}


def rates(nest: Any, n: int) -> Probe:
    """Four of five sources excite."""
    cells = nest.Create("tanh_rate_ipn", n, {"sigma": 0.5, "tau": 5.0})
    excitatory, inhibitory = cells[: 4 * n // 5], cells[4 * n // 5 :]
    inputs = min(RATE_INPUTS, n // 2)
    for sources, share, weight in ((excitatory, 0.8, 0.5), (inhibitory, 0.2, -2.0)):
        rule = {"rule": "fixed_indegree", "indegree": round(share * inputs)}
        nest.Connect(sources, cells, rule, {"synapse_model": "rate_connection_delayed", "weight": weight / inputs**0.5, "delay": 1.0})
    return lambda: {"mean_rate": float(np.mean(cells.rate)), "sd_of_rates": float(np.std(cells.rate))}


def rates_at_once(nest: Any, n: int) -> Probe:
    """The same, smaller, without delays: iterated until rates change by less than 1e-4."""
    cells = nest.Create("tanh_rate_ipn", n, {"sigma": 0.5, "tau": 5.0})
    inputs = min(RATE_INPUTS // 10, n // 2)
    for sources, share, weight in ((cells[: 4 * n // 5], 0.8, 0.5), (cells[4 * n // 5 :], 0.2, -2.0)):
        rule = {"rule": "fixed_indegree", "indegree": round(share * inputs)}
        nest.Connect(sources, cells, rule, {"synapse_model": "rate_connection_instantaneous", "weight": weight / inputs**0.5})
    return lambda: {"mean_rate": float(np.mean(cells.rate)), "sd_of_rates": float(np.std(cells.rate))}


def astrocytes(nest: Any, n: int) -> Probe:
    """Four fifths of the neurons excite; every neuron has a pool of 10 astrocytes, of as many as there are neurons."""
    cells = nest.Create("aeif_cond_alpha_astro", n, {"tau_syn_ex": 2.0, "tau_syn_in": 4.0})
    glia = nest.Create("astrocyte_lr_1994", n, {"delta_IP3": 0.5, "tau_IP3": 2.0, "SIC_th": 0.1})
    noise = nest.Create("poisson_generator", params={"rate": 1500.0})
    nest.Connect(noise, cells, syn_spec={"weight": 2.0, "delay": 1.0})
    inhibitory = {"rule": "pairwise_bernoulli", "p": min(1.0, 20.0 / n)}
    nest.Connect(cells[4 * n // 5 :], cells, inhibitory, {"weight": -4.0, "delay": 1.0})
    nest.TripartiteConnect(
        cells[: 4 * n // 5],
        cells,
        glia,
        {"rule": "pairwise_bernoulli", "p": min(1.0, 100.0 / n)},
        {"rule": "third_factor_bernoulli_with_pool", "p": 0.5, "pool_size": min(10, n), "pool_type": "random"},
        {
            "primary": {"weight": 0.2, "delay": 1.0},
            "third_in": {"weight": 1.0, "delay": 1.0},
            "third_out": {"synapse_model": "sic_connection", "weight": 0.05, "delay": 1.0},
        },
    )
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return lambda: {"spikes_per_neuron": recorder.n_events / n, "mean_calcium": float(np.mean(glia.Ca_astro))}


CASES = {
    "gap": Case("gap junctions, 500 neurons, 15 000 junctions", gap, 500, 100.0, 3.0, warm=5.0, resolution=0.05),
    "rates": Case("rate neurons, 10 000 with 1000 connections each", rates, 10_000, 10.0, 5.0, warm=2.0),
    "rates_at_once": Case("rate neurons without delays, 2000 with 100 connections each", rates_at_once, 2_000, 50.0, 5.0, warm=2.0),
    "astrocytes": Case("astrocytes, 1000 beside 1000 neurons", astrocytes, 1_000, 200.0, 3.0, warm=5.0),
}
