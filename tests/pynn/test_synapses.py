# SPDX-License-Identifier: Apache-2.0
"""Synapse types beside sums over spikes."""

import numpy as np
import pytest
from pyNN.errors import NoModelAvailableError

from pynn.brute import all_pairs, depressing_peaks

DEPENDENCES = {
    "AdditiveWeightDependence": (0.0, 0.0),
    "MultiplicativeWeightDependence": (1.0, 1.0),
    "AdditivePotentiationMultiplicativeDepression": (0.0, 1.0),
    "GutigWeightDependence": (0.4, 0.7),
}
PRE, DRIVE = np.array([12.0, 30.0, 55.0, 71.0, 90.0]), np.array([5.0, 33.0, 52.0, 80.0])


def pair(sim, rule, dependence, **mechanism):
    """A plastic synapse between cells whose spikes are given: weak, beside a strong one that makes the target spike."""
    post = sim.Population(1, sim.IF_curr_exp(tau_refrac=2.0))
    post.record("spikes")
    drive, source = (sim.Population(1, sim.SpikeSourceArray(spike_times=times)) for times in (DRIVE, PRE))
    sim.Projection(drive, post, sim.OneToOneConnector(), sim.StaticSynapse(weight=40.0, delay=0.1))
    synapse = sim.STDPMechanism(timing_dependence=rule, weight_dependence=dependence, weight=4e-4, delay=1.0, **mechanism)
    projection = sim.Projection(source, post, sim.OneToOneConnector(), synapse)
    sim.run(100.0)
    spikes = post.get_data().segments[0].spiketrains[0].magnitude
    return spikes[spikes < PRE[-1]], projection  # later ones count at the next presynaptic spike


@pytest.mark.parametrize("name", DEPENDENCES)
@pytest.mark.parametrize("a_plus", [0.05, 0.0])
def test_pairs(sim, name, a_plus):
    """Delays are dendritic: spikes of the target reach the synapse after the delay."""
    mu_plus, mu_minus = DEPENDENCES[name]
    rule = {"tau_plus": 18.0, "tau_minus": 25.0, "A_plus": a_plus, "A_minus": 0.04}
    given = {"w_min": 0.0, "w_max": 1e-3} | ({"mu_plus": mu_plus, "mu_minus": mu_minus} if name == "GutigWeightDependence" else {})
    spikes, projection = pair(sim, sim.SpikePairRule(**rule), getattr(sim, name)(**given))
    expected = all_pairs(PRE, spikes + 1.0, 4e-4, rule, {"w_max": 1e-3, "mu_plus": mu_plus, "mu_minus": mu_minus})
    assert projection.get("weight", "list")[0][2] == pytest.approx(expected, rel=1e-5)
    shown = projection.get(["A_plus", "A_minus", "w_max", "w_min"], "list", with_address=False)[0]
    assert shown == pytest.approx((a_plus, 0.04, 1e-3, 0.0))


def test_axonal_delay(sim):
    rule = {"tau_plus": 18.0, "tau_minus": 25.0, "A_plus": 0.05, "A_minus": 0.04}
    dependence = sim.AdditiveWeightDependence(w_min=0.0, w_max=1e-3)
    spikes, projection = pair(sim, sim.SpikePairRule(**rule), dependence, dendritic_delay_fraction=0.4)
    expected = all_pairs(PRE + 0.6, spikes + 0.4, 4e-4, rule, {"w_max": 1e-3, "mu_plus": 0.0, "mu_minus": 0.0})
    assert projection.get("weight", "list")[0][2] == pytest.approx(expected, rel=1e-5)


def test_vogels_sprekeler(sim):
    """Each pair adds eta times a trace, each presynaptic spike takes 2 eta rho tau."""
    tau, eta, rho = 20.0, 1e-5, 3.0
    spikes, projection = pair(sim, sim.Vogels2011Rule(tau=tau, eta=eta, rho=rho), sim.AdditiveWeightDependence(w_min=0.0, w_max=1e-2))
    late = spikes + 1.0
    traces = sum(np.exp(-abs(t - s) / tau) for t in PRE for s in late)
    expected = 4e-4 + eta * (traces - len(PRE) * 2e-3 * rho * tau)
    assert projection.get("weight", "list")[0][2] == pytest.approx(expected, rel=1e-4)
    assert projection.get(["eta", "rho"], "list", with_address=False)[0] == pytest.approx((eta, rho))


def test_depression(sim):
    """The time constant of the current is that of the target."""
    post = sim.Population(2, sim.IF_curr_exp(tau_syn_E=[3.0, 6.0], v_thresh=1e3))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=PRE))
    synapse = sim.TsodyksMarkramSynapse(U=0.4, tau_rec=80.0, tau_facil=0.0, weight=1.0, delay=1.0)
    projection = sim.Projection(source, post, sim.AllToAllConnector(), synapse)
    post.record("isyn_exc")
    sim.run(100.0)
    current = post.get_data().segments[0].analogsignals[0].magnitude
    arrivals = np.rint((PRE + 1.0) / 0.1).astype(int)
    for column, tau in ((0, 3.0), (1, 6.0)):
        np.testing.assert_allclose(current[arrivals, column], depressing_peaks(PRE, 0.4, 80.0, tau), rtol=2e-3)
    projection.set(U=0.1)
    assert projection.get("U", "list", with_address=False) == [0.1, 0.1]


def test_stochastic_transmission(sim):
    post = sim.Population(200, sim.IF_curr_exp(tau_syn_E=1.0, v_thresh=1e3))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[5.0]))
    sim.Projection(source, post, sim.AllToAllConnector(), sim.SimpleStochasticSynapse(weight=1.0, delay=1.0, p=0.3))
    post.record("isyn_exc")
    sim.run(6.0)
    reached = (post.get_data().segments[0].analogsignals[0].magnitude[-1] > 0.5).sum()
    assert abs(reached - 60) < 5 * np.sqrt(200 * 0.3 * 0.7)


def test_native_synapses(sim):
    """Parameters have the units of the kernel, weights those of PyNN."""
    pre, post = sim.Population(2, sim.IF_curr_exp()), sim.Population(2, sim.IF_curr_exp())
    kind = sim.native_synapse_type("stdp_triplet_synapse")
    projection = sim.Projection(pre, post, sim.AllToAllConnector(), kind(weight=0.02, delay=1.5, Wmax=50.0, tau_plus=11.0))
    assert projection.get(["weight", "Wmax", "tau_plus"], "list", with_address=False)[0] == pytest.approx((0.02, 50.0, 11.0))


def test_weights_are_set(sim):
    """By one number, a matrix and one connection at a time; inhibitory conductances have positive weights."""
    pre, post = sim.Population(3, sim.IF_cond_exp()), sim.Population(2, sim.IF_cond_exp())
    synapse = sim.StaticSynapse(weight=0.01, delay=1.0)
    projection = sim.Projection(pre, post, sim.AllToAllConnector(), synapse, receptor_type="inhibitory")
    matrix = np.arange(6.0).reshape(3, 2) / 100.0
    projection.set(weight=matrix, delay=2.0)
    np.testing.assert_allclose(projection.get("weight", "array"), matrix, atol=1e-9)
    projection[0].weight = 0.5
    assert projection[0].weight == projection.get("weight", "array")[0, 0] == 0.5
    assert set(projection.get("delay", "list", with_address=False)) == {2.0}


def test_rules_that_do_not_go_together(sim):
    with pytest.raises(NoModelAvailableError):
        pair(sim, sim.Vogels2011Rule(), sim.MultiplicativeWeightDependence())
