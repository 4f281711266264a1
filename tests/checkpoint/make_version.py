# SPDX-License-Identifier: Apache-2.0
"""Writes the small checkpoint of this version of the format that stays in the repository: `python -m checkpoint.make_version FILE`."""

import hashlib
import sys
from pathlib import Path

import numpy as np

import neuropil as npl


def build():
    """All that there is in front ends and kernel, in little."""
    net = npl.Network(seed=11, threads=1)
    e = net.create("iaf_psc_exp", 12, name="E", V_m=npl.normal(-60.0, 4.0), I_e=npl.uniform(350.0, 450.0), positions=npl.grid((4, 3)))
    i = net.create("izhikevich", 3, name="I", I_e=10.0)
    plastic = net.connect(
        e, e, npl.fixed_indegree(3), weight=npl.uniform(20.0, 60.0), delay=npl.uniform(0.5, 3.0), synapse=npl.stdp(), name="plastic"
    )
    weights = net.record_weights()
    net.connect(e, i, npl.pairwise_bernoulli(0.5), weight=5.0, delay=1.5, synapse=npl.synapse("tsodyks2_synapse"), weight_recorder=weights)
    net.connect(
        e, e, npl.pairwise_bernoulli(0.3 * npl.space.gaussian(npl.distance, std=0.3)), weight=npl.normal(5.0, 0.5).coded(bits=4), delay=1.0
    )
    net.stimulate(e, npl.poisson(rate=3000.0), weight=20.0)
    net.stimulate(e, npl.noise(mean=10.0, std=50.0))
    net.extra = {
        "spikes": net.record(e + i),
        "trace": net.record(e[:3], "V_m", interval=0.5),
        "synapses": net.record(plastic, interval=2.0),
        "weights": weights,
        "note": {"text": "saved", "array": np.arange(4)},
    }
    return net


def finish(net) -> str:
    """What the network ends with."""
    net.run(until=60.0)
    x = net.extra
    spikes, trace, weights, synapses = x["spikes"], x["trace"], x["weights"], x["synapses"]
    columns = [
        spikes.steps,
        spikes.gids,
        trace.values,
        weights.weights,
        weights.times,
        synapses["weight"],
        net.projections["plastic"].weight,
    ]
    return hashlib.sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).hexdigest()


if __name__ == "__main__":
    network = build()
    network.run(25.3)
    network.save(Path(sys.argv[1]))
    print(Path(sys.argv[1]).stat().st_size, "bytes;", finish(network), len(network.extra["spikes"]), "spikes")
