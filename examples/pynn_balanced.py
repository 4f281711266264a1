# SPDX-License-Identifier: Apache-2.0
"""A balanced random network (Brunel 2000) as a script of PyNN, for neuropil or another simulator of PyNN.

Run: .venv/bin/python examples/pynn_balanced.py [SIMULATOR], after pip install pynn
"""

import importlib
import sys

import numpy as np


def main(simulator: str = "neuropil", n: int = 1250, duration: float = 500.0) -> float:
    if simulator == "neuropil":
        import neuropil.pynn  # noqa: F401  (PyNN finds it also where the two are installed in different folders)
    sim = importlib.import_module(f"pyNN.{simulator}")
    sim.setup(timestep=0.1, min_delay=0.1, max_delay=2.0)

    cell = sim.IF_curr_exp(tau_m=20.0, cm=0.25, tau_syn_E=0.5, tau_syn_I=0.5, tau_refrac=2.0, v_rest=-70.0, v_reset=-60.0, v_thresh=-50.0)
    excitatory, inhibitory = sim.Population(n * 4 // 5, cell, label="excitatory"), sim.Population(n // 5, cell, label="inhibitory")
    everyone = excitatory + inhibitory
    everyone.initialize(v=sim.RandomDistribution("uniform", low=-70.0, high=-50.0, rng=sim.NumpyRNG(seed=1)))

    weight, g = 0.1, 5.0  # nA; inhibition relative to excitation
    random = sim.FixedProbabilityConnector(0.1, rng=sim.NumpyRNG(seed=2))
    sim.Projection(excitatory, everyone, random, sim.StaticSynapse(weight=weight, delay=1.5), receptor_type="excitatory")
    sim.Projection(inhibitory, everyone, random, sim.StaticSynapse(weight=-g * weight, delay=1.5), receptor_type="inhibitory")
    for cells in (excitatory, inhibitory):
        noise = sim.Population(cells.size, sim.SpikeSourcePoisson(rate=8000.0))
        sim.Projection(noise, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=weight, delay=0.1), receptor_type="excitatory")

    excitatory.record("spikes")
    excitatory[:3].record("v")
    sim.run(duration)
    segment = excitatory.get_data().segments[0]
    rate = excitatory.mean_spike_count() / (duration * 1e-3)
    intervals = [np.diff(train.magnitude) for train in segment.spiketrains if len(train) > 5]
    print(f"rate {rate:.1f} spikes/s, CV of intervals {np.mean([each.std() / each.mean() for each in intervals]):.2f}")
    sim.end()
    return rate


if __name__ == "__main__":
    main(*sys.argv[1:2])
