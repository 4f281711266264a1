# SPDX-License-Identifier: Apache-2.0
"""Synapses that change: the spikes, weights and traces of Brian2, between runs and within them."""

import numpy as np
import pytest

NAMES = (
    "pairs, 0*ms", "pairs, 0.1*ms", "pairs, 1*ms", "pairs, (0.3 + i*0.4 + j*0.1)*ms", "pairs, 4*ms*rand()",
    "recurrent", "triplets", "short-term", "inhibitory", "inhibitory, from 1e-11", "undriven", "song",
)  # fmt: skip


def test_all_scripts_are_here():
    changing = pytest.importorskip("brian2_scripts.changing")
    assert set(NAMES) == changing.SCRIPTS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_same_as_brian2(on, name):
    from brian2_scripts.changing import SCRIPTS

    theirs, ours, two = on("runtime", SCRIPTS[name]), on("neuropil", SCRIPTS[name]), on("neuropil", SCRIPTS[name], threads=2)
    assert ours.keys() == theirs.keys()
    assert len(theirs["t"]) > 15
    for key, values in theirs.items():
        np.testing.assert_allclose(ours[key], values, rtol=1e-9, atol=1e-9 if key[0] == "v" else 1e-13, err_msg=key)
        np.testing.assert_array_equal(two[key], ours[key], err_msg=key)


def test_runs_and_pieces_change_nothing(on):
    """Values are handed over between runs: the results of one run and of several agree to rounding."""
    import brian2 as b2
    from brian2 import Network, SpikeMonitor, ms
    from brian2_scripts.changing import CONSTANTS, PAIRS, leaky, trains

    def script(durations):
        source, cells = trains(5), leaky()
        synapses = b2.Synapses(source, cells, delay=0.7 * ms, **PAIRS)
        synapses.connect()
        synapses.w = 0.3
        spikes = SpikeMonitor(cells)
        net = Network(source, cells, synapses, spikes)
        for duration in durations:
            net.run(duration * ms, namespace=CONSTANTS)
        return spikes.t / ms, np.array(synapses.w[:]), np.array(synapses.Apost[:])

    for one, many in zip(on("neuropil", lambda: script([90])), on("neuropil", lambda: script([0.1] * 300 + [20, 0.1, 39.9])), strict=True):
        np.testing.assert_allclose(many, one, rtol=1e-12)


@pytest.mark.slow
def test_song_miller_abbott(on):
    """Weights move to both ends, as in Brian2 with other Poisson spikes."""
    from brian2 import second
    from brian2_scripts.changing import song_poisson

    theirs, ours = (on(device, lambda: song_poisson(20 * second)) for device in ("runtime", "neuropil"))
    assert ours["seen"].shape == (2, 200_000)
    assert abs(len(ours["t"]) / len(theirs["t"]) - 1) < 0.1
    assert abs(ours["w"].mean() - theirs["w"].mean()) < 0.03
    np.testing.assert_allclose(np.histogram(ours["w"], 4, (0, 1))[0], np.histogram(theirs["w"], 4, (0, 1))[0], atol=80)
