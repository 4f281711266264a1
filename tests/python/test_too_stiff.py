# SPDX-License-Identifier: Apache-2.0
"""Neurons so stiff that their time step needs more substeps than are tried end the run: no time is left out."""

import pytest

import neuropil as npl


@pytest.mark.parametrize("n", [1, 3])
def test_a_neuron_that_cannot_follow_its_gates_ends_the_run(n):
    net = npl.Network()
    net.create("hh_psc_alpha", n, I_e=-1e5)
    with pytest.raises(npl.errors.NumericalInstability, match="hh_psc_alpha"):
        net.run(20.0)


@pytest.mark.parametrize("model", ["hh_psc_alpha", "hh_psc_alpha_clopath"])
def test_a_neuron_that_needs_a_hundred_thousand_substeps_per_step_ends_the_run(model):
    """At -300 mV the gates follow within nanoseconds: 5 ms took 9 s."""
    errors = set()
    for n, threads in ((1, 1), (5, 3)):
        net = npl.Network(threads=threads)
        net.create(model, n, I_e=[-8000.0, *[0.0] * (n - 1)])
        with pytest.raises(npl.errors.NumericalInstability, match=rf"neuron 1 \({model}\).*V_m = nan") as caught:
            net.run(10.0)
        errors.add(str(caught.value))
    assert len(errors) == 1


def test_a_neuron_far_below_rest_follows_its_currents():
    """I_syn_ex of one spike is linear: e / tau t exp(-t / tau), whatever the potential does."""
    traces = []
    for weight in (0.0, -2000.0):
        net = npl.Network(resolution=0.1)
        cell = net.create("hh_psc_alpha", 1)
        for times, strength in (([9.0], 1.0), ([2.0, 3.0, 4.0, 5.0, 6.0], weight)):
            net.connect(net.create("spike_generator", 1, spike_times=times), cell, weight=strength, delay=1.0)
        trace = net.record(cell, ["I_syn_ex", "V_m"])
        net.run(14.0)
        traces.append((trace["I_syn_ex"].ravel(), trace["V_m"].ravel()))
    assert traces[1][1].min() < -200.0
    assert traces[1][0] == pytest.approx(traces[0][0], abs=1e-3)
