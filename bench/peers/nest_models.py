# SPDX-License-Identifier: Apache-2.0
"""Neuron models, timed one by one: python -m bench.peers.nest_models (NEST), python -m neuropil.nest bench/peers/nest_models.py (neuropil).

Every model gets a constant current with which it fires at about 10 Hz, and per neuron two trains of 200 excitatory and one of 100 inhibitory spikes per
second; neurons share 40 + 20 trains at most. No connections between the neurons. Prints one JSON object: ns per neuron and step, spikes/s.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

from bench.peers import common

STEP, WARM_UP, DELAY = 0.1, 200.0, 1.0  # ms
EXCITATORY, INHIBITORY = 200.0, 100.0  # spikes/s of one train


@dataclass(frozen=True)
class Drive:
    """current: parameter I_e [pA]; excite, inhibit: weights in the model's unit; ports: receptor types of the two."""

    current: float | None = None
    excite: float = 0.0
    inhibit: float = 0.0
    ports: tuple[int, int] = (0, 0)
    params: dict = field(default_factory=dict)


TWO = {"tau_syn": [2.0, 2.0]}
MODELS = {
    "iaf_psc_delta": Drive(306.0, 0.5, -0.5),
    "iaf_psc_exp": Drive(328.0, 50.0, -50.0),
    "iaf_psc_alpha": Drive(249.0, 50.0, -50.0),
    "iaf_psc_exp_multisynapse": Drive(328.0, 50.0, -50.0, (1, 2), TWO),
    "iaf_psc_alpha_multisynapse": Drive(249.0, 50.0, -50.0, (1, 2), TWO),
    "iaf_psc_exp_htum": Drive(328.0, 50.0, -50.0),
    "iaf_tum_2000": Drive(328.0, 50.0, -50.0),
    "iaf_chs_2007": Drive(None, 0.113, 0.02),
    "iaf_psc_delta_ps": Drive(306.0, 0.5, -0.5),
    "iaf_psc_exp_ps": Drive(328.0, 50.0, -50.0),
    "iaf_psc_exp_ps_lossless": Drive(328.0, 50.0, -50.0),
    "iaf_psc_alpha_ps": Drive(249.0, 50.0, -50.0),
    "mat2_psc_exp": Drive(423.0, 50.0, -50.0),
    "amat2_psc_exp": Drive(81.0, 50.0, -50.0),
    "gif_psc_exp": Drive(142.0, 10.0, -10.0),
    "gif_psc_exp_multisynapse": Drive(142.0, 10.0, -10.0, (1, 2), TWO),
    "pp_psc_delta": Drive(184.0, 0.5, -0.5),
    "glif_psc": Drive(None, 79.0, -10.0, (1, 2), TWO),
    "glif_psc_double_alpha": Drive(None, 46.0, -10.0, (1, 1)),
    "izhikevich": Drive(4.46, 1.0, -1.0),
    "iaf_cond_exp": Drive(248.0, 2.0, -2.0),
    "iaf_cond_alpha": Drive(239.0, 2.0, -2.0),
    "iaf_cond_beta": Drive(239.0, 2.0, -2.0),
    "iaf_cond_exp_sfa_rr": Drive(457.0, 2.0, -2.0),
    "iaf_chxk_2008": Drive(545.0, 10.0, -10.0),
    "iaf_cond_alpha_mc": Drive(None, 1.0, 1.0, (1, 2), {"soma": {"I_e": 148.0}}),
    "iaf_bw_2001": Drive(None, 6.8, 2.0, (1, 2)),
    "gif_cond_exp": Drive(127.0, 1.0, -1.0),
    "gif_cond_exp_multisynapse": Drive(127.0, 1.0, 1.0, (1, 2), TWO | {"E_rev": [0.0, -85.0]}),
    "glif_cond": Drive(None, 10.8, 1.0, (1, 2)),
    "aeif_cond_exp": Drive(742.0, 2.0, -2.0),
    "aeif_cond_alpha": Drive(742.0, 2.0, -2.0),
    "aeif_cond_alpha_multisynapse": Drive(503.0, 2.0, 2.0, (1, 2), TWO | {"E_rev": [0.0, -85.0]}),
    "aeif_cond_beta_multisynapse": Drive(
        650.0, 2.0, 2.0, (1, 2), {"E_rev": [0.0, -85.0], "tau_rise": [0.5, 1.0], "tau_decay": [2.0, 8.0]}
    ),
    "aeif_psc_exp": Drive(742.0, 50.0, -50.0),
    "aeif_psc_alpha": Drive(749.0, 50.0, -50.0),
    "aeif_psc_delta": Drive(685.0, 0.5, -0.5),
    "hh_psc_alpha": Drive(757.0, 50.0, -50.0),
    "hh_cond_exp_traub": Drive(0.0, 0.2, -0.2),
    "ht_neuron": Drive(None, 2.25, 1.0, (1, 3)),
    "mcculloch_pitts_neuron": Drive(),
    "ginzburg_neuron": Drive(),
    "erfc_neuron": Drive(),
    "parrot_neuron": Drive(None, 1.0, 1.0),
    "parrot_neuron_ps": Drive(None, 1.0, 1.0),
    "ignore_and_fire": Drive(),
}  # fmt: skip


def trains(nest, number: int, rate: float, duration: float, seed: int):
    """Generators with spike times that are drawn here: reading a list costs either simulator next to nothing."""
    random = np.random.default_rng(seed)
    times = [np.unique(np.sort(random.uniform(STEP, duration, random.poisson(rate * duration * 1e-3))).round(1)) for _ in range(number)]
    return nest.Create("spike_generator", number, params=[{"spike_times": one} for one in times])


def network(nest, model: str, n: int, duration: float, seed: int):
    """n neurons with their input for so long [ms]; returns a recorder of their spikes."""
    nest.ResetKernel()
    nest.set(resolution=STEP, local_num_threads=1, rng_seed=seed)
    drive = MODELS[model]
    neurons = nest.Create(model, n, params=drive.params | ({} if drive.current is None else {"I_e": drive.current}))
    inputs = ((drive.excite, drive.ports[0], EXCITATORY, 2, 40), (drive.inhibit, drive.ports[1], INHIBITORY, 1, 20))
    for k, (weight, port, rate, indegree, most) in enumerate(inputs):
        if weight:
            sources = trains(nest, max(indegree, min(most, n)), rate, duration, 10 * seed + k)
            syn = {"weight": weight, "delay": DELAY, "receptor_type": port}
            nest.Connect(sources, neurons, {"rule": "fixed_indegree", "indegree": indegree}, syn)
    recorder = nest.Create("spike_recorder")
    nest.Connect(neurons, recorder)
    return recorder


def cell(nest, model: str, n: int, seconds: float, seed: int) -> dict:
    """Simulates so long that it takes at least `seconds`."""
    limit = 200_000.0 if n < 100 else 20_000.0
    duration = WARM_UP
    recorder = network(nest, model, n, limit, seed)
    nest.Simulate(WARM_UP)
    spent, simulated = 0.0, WARM_UP
    while True:
        before, begin = recorder.n_events, time.perf_counter()
        nest.Simulate(duration)
        spent, simulated = time.perf_counter() - begin, simulated + duration
        spikes = recorder.n_events - before
        longer = round(min(limit - simulated, duration * max(2.0, min(50.0, 1.2 * seconds / spent))))
        if spent >= seconds or longer < duration:
            break
        duration = float(longer)
    return {"ns": 1e9 * spent / (n * duration / STEP), "rate": 1e3 * spikes / (n * duration), "seconds": spent, "duration_ms": duration}


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--models", default="all", help="names, separated by commas")
    p.add_argument("--sizes", default="1,8,1000", help="numbers of neurons")
    p.add_argument("--seconds", type=float, default=0.2, help="least wall time of one number")
    p.add_argument("--seed", type=int, default=1)
    return p


def main(argv=None) -> None:
    args = parser().parse_args(argv)
    names = list(MODELS) if args.models == "all" else args.models.split(",")
    with common.stdout_for_json() as out:
        nest = common.load_nest(1, args.seed, STEP)
        known = set(nest.node_models)
        cells = {
            f"{name} {n}": cell(nest, name, int(n), args.seconds, args.seed)
            for name in names
            if name in known
            for n in args.sizes.split(",")
        }
        common.write_json(out, {"command": "models", "version": nest.__version__, "cells": cells})


if __name__ == "__main__":
    main()
