# SPDX-License-Identifier: Apache-2.0
"""Generators are asked only when their next spike is due: that shows in nothing, however times, windows and runs change."""

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest


@pytest.mark.parametrize("seed", range(8))
def test_every_spike_is_emitted_once_and_in_its_step(seed):
    rng = np.random.default_rng(seed)
    nest.ResetKernel()
    nest.local_num_threads = 1 + seed % 2
    generators, recorder = nest.Create("spike_generator", 5), nest.Create("spike_recorder")
    parrots, lag = nest.Create("parrot_neuron", 5), int(rng.choice([1, 5, 20]))
    nest.Connect(generators, parrots, "one_to_one", {"delay": lag / 10.0})
    nest.Connect(parrots, recorder)
    expected, now = [], 0  # (parrot, step)
    for _ in range(12):
        run = int(rng.integers(1, 60))
        for k in np.flatnonzero(rng.random(5) < 0.4):
            times = np.sort(rng.integers(1, 400, rng.integers(0, 8)))
            start, stop = np.sort(rng.integers(0, 500, 2))
            generators[int(k)].set(spike_times=times / 10.0, start=start / 10.0, stop=stop / 10.0)
        for g, parrot in zip(generators, parrots, strict=True):
            begin, end = round(g.start * 10), min(g.stop, 1e4) * 10 + 0.5
            for step in np.rint(np.asarray(g.spike_times) * 10).astype(int).tolist():
                if now < step <= now + run and begin < step <= end:
                    expected.append((parrot.global_id, step + lag))
        nest.Simulate(run / 10.0)
        now += run
    found = recorder.events
    expected = [(parrot, step) for parrot, step in expected if step <= now]
    assert sorted(zip(found["senders"].tolist(), np.rint(found["times"] * 10).astype(int).tolist(), strict=True)) == sorted(expected)
    assert expected


@pytest.mark.parametrize("recorded", ["spikes", "bins"])
def test_a_recorded_generator_of_weighted_spikes_is_kept(recorded):
    net = npl.Network(seed=1)
    source = net.create("weighted_spike_generator", spike_times=[1.0, 4.0], spike_weights=[2.0, 3.0])
    record = net.record(source) if recorded == "spikes" else net.record(source, "rate", bin=1.0)
    net.run(2.0)
    net.store()
    net.run(4.0)

    def total():
        return len(record) if recorded == "spikes" else int(record.counts.sum())

    before = total()
    net.restore()
    net.run(4.0)
    assert before == total() == 2
