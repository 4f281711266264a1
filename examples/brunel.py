# SPDX-License-Identifier: Apache-2.0
"""Balanced random network after Brunel (2000), J. Comput. Neurosci. 8:183: asynchronous irregular firing from sparse random connections.

Run: .venv/bin/python examples/brunel.py [--output brunel.png]
"""

import argparse

import neuropil as npl

NEURONS_EXC, NEURONS_INH = 4000, 1000
INDEGREE_EXC, INDEGREE_INH = 400, 100
WEIGHT, G = 0.1, 6.0  # mV jump of the potential; inhibition relative to excitation
THRESHOLD, TAU = 20.0, 20.0  # mV, ms
DRIVE = 2.0  # external rate relative to the one that reaches the threshold


def main(output: str | None, duration: float) -> None:
    net = npl.Network(resolution=0.1, seed=1)
    neuron = {"C_m": 1.0, "tau_m": TAU, "E_L": 0.0, "V_reset": 10.0, "V_th": THRESHOLD, "t_ref": 2.0}
    exc = net.create("iaf_psc_delta", NEURONS_EXC, V_m=npl.uniform(0.0, THRESHOLD), **neuron)
    inh = net.create("iaf_psc_delta", NEURONS_INH, V_m=npl.uniform(0.0, THRESHOLD), **neuron)

    net.connect(exc, exc + inh, npl.fixed_indegree(INDEGREE_EXC), weight=WEIGHT, delay=1.5)
    net.connect(inh, exc + inh, npl.fixed_indegree(INDEGREE_INH), weight=-G * WEIGHT, delay=1.5)
    rate = DRIVE * THRESHOLD / (WEIGHT * TAU) * 1000.0  # spikes/s
    net.stimulate(exc + inh, npl.poisson(rate=rate), weight=WEIGHT, delay=1.5)

    spikes = net.record(exc[:200] + inh[:50])
    net.run(duration)
    print(f"{len(spikes.times) / 250 / duration * 1000:.1f} spikes/s per neuron")
    if output:
        spikes.plot().figure.savefig(output, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", help="PNG to write")
    parser.add_argument("--duration", type=float, default=500.0, help="ms")
    arguments = parser.parse_args()
    main(arguments.output, arguments.duration)
