# SPDX-License-Identifier: Apache-2.0
"""Balanced networks with delays of a millisecond and more (Brunel 2000): python -m bench.peers.balanced_delays --delays random --threads 2

The same script for NEST and, by python -m neuropil.nest, for neuropil. 10 000 excitatory and 2 500 inhibitory iaf_psc_delta neurons, a tenth of
each connected to each neuron (15.6 million synapses of 0.1 mV and -0.5 mV), external Poisson input of twice the threshold rate. Delays: 1.5 ms for
all (`equal`), or drawn from 1 to 3 ms (`random`). All spikes are recorded. Prints one JSON object: seconds to build, of the first 10 ms and of the
run, synapses, spikes, the mean rate and peak memory. Simulators draw different numbers: spikes agree on the mean only.
"""

from __future__ import annotations

import argparse
import time

from bench.peers import common

EXCITATORY, INHIBITORY, SHARE = 10_000, 2_500, 0.1
J, G, ETA = 0.1, 5.0, 2.0  # weight [mV], relative inhibition, external rate over that which brings V_m to the threshold
NEURON = {"C_m": 1.0, "tau_m": 20.0, "t_ref": 2.0, "E_L": 0.0, "V_reset": 0.0, "V_m": 0.0, "V_th": 20.0}
FIRST = 10.0  # time before the measured run, in which tables are made [ms]


def delays(nest, kind: str):
    return 1.5 if kind == "equal" else nest.random.uniform(1.0, 3.0)


def build(nest, kind: str, scale: float):
    """The network; returns its recorder."""
    cells = nest.Create("iaf_psc_delta", int((EXCITATORY + INHIBITORY) * scale), NEURON)
    excitatory, inhibitory = cells[: int(EXCITATORY * scale)], cells[int(EXCITATORY * scale) :]
    per_cell = int(SHARE * EXCITATORY * scale)
    weight = J / scale  # as much input from fewer neurons
    for sources, sign in ((excitatory, 1.0), (inhibitory, -G)):
        rule = {"rule": "fixed_indegree", "indegree": int(SHARE * len(sources))}
        nest.Connect(sources, cells, rule, {"weight": sign * weight, "delay": delays(nest, kind)})
    threshold = NEURON["V_th"] / (weight * per_cell * NEURON["tau_m"])  # rate of each of the external sources [1/ms]
    noise = nest.Create("poisson_generator", params={"rate": 1e3 * ETA * threshold * per_cell})
    nest.Connect(noise, cells, syn_spec={"weight": weight, "delay": 1.5})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return recorder


def measured(nest, args) -> dict:
    start = time.perf_counter()
    recorder = build(nest, args.delays, args.scale)
    built = time.perf_counter()
    nest.Simulate(FIRST)
    ready = time.perf_counter()
    nest.Simulate(args.duration)
    done = time.perf_counter()
    spikes = int(recorder.n_events)
    neurons = int((EXCITATORY + INHIBITORY) * args.scale)
    return {
        "build_s": built - start, "first_s": ready - built, "run_s": done - ready, "spikes": spikes,
        "rate": 1e3 * spikes / (neurons * (args.duration + FIRST)),
        "synapses": int(nest.num_connections), "peak_rss_bytes": common.peak_rss(),
    }  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--delays", choices=("equal", "random"), default="equal")
    p.add_argument("--scale", type=float, default=1.0, help="share of the neurons; as many inputs per neuron in proportion")
    p.add_argument("--duration", type=float, default=500.0, help="biological time of the measured run, after 10 ms [ms]")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 7, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
