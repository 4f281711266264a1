# SPDX-License-Identifier: Apache-2.0
"""Resolutions that are no multiple of 0.001 ms, delays on half steps, spikes that grow without bound."""

import math

import numpy as np
import pytest

import neuropil as npl

TIC = 1.0 / 1024.0


@pytest.mark.parametrize("h", [TIC, 4 * TIC, 1 / 3, 0.0005, 0.7])
def test_a_neuron_fires_at_the_step_of_its_closed_form(h):
    """V(t) = R I (1 - exp(-t / tau)) from rest; after each spike t_ref, in whole steps, and again."""
    net = npl.Network(resolution=h, threads=1)
    cell = net.create("iaf_psc_exp", I_e=600.0, tau_m=10.0, C_m=250.0, E_L=-70.0, V_m=-70.0, V_reset=-70.0, V_th=-55.0, t_ref=3 * h)
    spikes = net.record(cell)
    net.run(round(40.0 / h) * h)
    rise = -10.0 * math.log(1.0 - 15.0 / (10.0 / 250.0 * 600.0))
    steps = math.ceil(rise / h - 1e-9)
    wanted = np.arange(steps, round(40.0 / h) + 1, steps + 3) * h
    assert len(wanted) >= 3
    assert np.allclose(spikes.times, wanted, rtol=1e-12, atol=0)


def test_delays_are_whole_steps_of_a_fine_grid():
    net = npl.Network(resolution=TIC)
    source, relays = net.create("spike_generator", spike_times=[TIC, 1.0]), net.create("parrot_neuron", 3)
    for k, relay in enumerate(relays):
        net.connect(source, relay, delay=(k + 1) * TIC, weight=1.0)
    spikes = net.record(relays)
    net.run(2.0)
    found = [(np.asarray(spikes.times)[spikes.gids == gid] / TIC).round().astype(int).tolist() for gid in relays.gids]
    assert found == [[2 + k, 1025 + k] for k in range(3)]


@pytest.mark.parametrize("h", [0.5e-5, 2000.0, float("nan")])
def test_resolutions_out_of_range_are_named(h):
    with pytest.raises(npl.errors.BadParameter, match="resolution"):
        npl.Network(resolution=h)


def test_delays_on_half_steps_round_up():
    net = npl.Network(resolution=0.1)
    cells = net.create("parrot_neuron", 9)
    delays = np.array([0.05, 0.15, 0.25, 0.35, 0.95, 1.45, 12.45, 600.05])
    net.connect(cells[:8], cells[1:], npl.one_to_one(), delay=delays, weight=1.0)
    assert np.allclose(net.connections().delay, [0.1, 0.2, 0.3, 0.4, 1.0, 1.5, 12.5, 600.1])


@pytest.mark.parametrize("model", ["parrot_neuron", "parrot_neuron_ps"])
@pytest.mark.parametrize("threads", [1, 2])
def test_spikes_that_grow_without_bound_name_their_neuron(model, threads):
    """Each round of 4 parrots makes 4 spikes of one; 4^10 > 10^6 are too many."""
    net = npl.Network(threads=threads)
    cells = net.create(model, 4)
    net.connect(cells, cells, delay=1.0, weight=1.0)
    net.connect(net.create("spike_generator", spike_times=[1.0]), cells, delay=1.0, weight=1.0)
    with pytest.raises(npl.errors.NumericalInstability, match=f"{model}.*_spikes"):
        net.run(100.0)
