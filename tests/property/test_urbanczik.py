# SPDX-License-Identifier: Apache-2.0
"""urbanczik_synapse against sums over all steps and presynaptic spikes (Urbanczik & Senn 2014), and what it refuses."""

import numpy as np
import pytest

from lowlevel import array, connect, drawn, floats, gids, kernel, rows
from neuropil.errors import BadParameter, IllegalConnection

H, UNIT = 0.1, 15.0  # ms; mV per unit of potential of the paper
MODEL = "pp_cond_exp_mc_urbanczik"
TARGET = {"phi_max": 0.5, "rate_slope": 0.4, "beta": 0.3, "theta": -62.0, "t_ref": 1.0, "soma_g_L": 25.0, "g_sp": 500.0, "dendritic_C_m": 240.0, "dendritic_g_L": 30.0,
          "dendritic_tau_syn_ex": 3.0, "dendritic_tau_syn_in": 5.0}  # fmt: skip
SYNAPSE = {"eta": 0.01, "tau_Delta": 60.0, "Wmin": -1e9, "Wmax": 1e9}


def induction(V_p, counts, p):
    """(S - phi) h of each step; there is no step 0."""
    predicted = (p["soma_g_L"] * -70.0 + p["g_sp"] * V_p) / (p["soma_g_L"] + p["g_sp"])
    e = p["rate_slope"] * np.exp(p["beta"] * (p["theta"] - predicted))
    log_slope = p["beta"] * e / (1 + e)
    return np.where(np.arange(len(V_p)) > 0, (counts - p["phi_max"] / (1 + e) * H) * UNIT * log_slope, 0.0)


def brute_force(F, stamps, delay, w, p, s, inhibits=False):
    """Weights sent by presynaptic spikes; without bounds, and kept within them at the end."""
    tau_L, tau_s = p["dendritic_C_m"] / p["dendritic_g_L"], p[f"dendritic_tau_syn_{'in' if inhibits else 'ex'}"]
    t = np.arange(len(F)) * H
    psp = np.zeros(len(F))
    sent = []
    for now in stamps:
        until = max(now - delay, 0)
        lag = t[until] - t[: until + 1]
        induced = F[: until + 1] * psp[: until + 1]
        sent.append(w + s["eta"] * UNIT * np.sum(induced * (1 - np.exp(-lag / s["tau_Delta"]))))
        since = (np.arange(len(F)) - (now - delay)) * H
        if tau_L == tau_s:
            response = since * np.exp(-np.maximum(since, 0) / tau_s)
        else:
            response = tau_L * tau_s / (tau_L - tau_s) * (np.exp(-np.maximum(since, 0) / tau_L) - np.exp(-np.maximum(since, 0) / tau_s))
        psp += np.where(since > 0, response, 0.0)
    return np.clip(sent, s["Wmin"], s["Wmax"])


def simulated(trains, delays, steps=3000, weight=2.0, synapse=None, later=(), receptor=3, **params):
    """Inductions of a neuron by step, and weights sent to it by source."""
    net = kernel(H, seed=5)
    p = TARGET | params
    target = net.create(MODEL, 1, floats(**p))
    noise = net.create("poisson_generator", 1, floats(rate=300.0))
    connect(net, rows(noise), rows(target), weight=40.0, delay=H, receptor=3)
    sources = net.create("spike_generator", len(trains), {})
    for k, train in enumerate(trains):
        net.set(np.array([sources + k]), {}, {"spike_times": train * H})
    recorder = net.record_weights(None, None)
    record = net.record_state(gids(target), ["V_m.p"], 1, 0)
    spikes = net.record_spikes(rows(target), 0, 10**9)

    def attach(some):
        for k in some:
            own = {"synapse": "urbanczik_synapse", "synapse_params": synapse or SYNAPSE, "doubles": True, "recorder": recorder}
            connect(net, rows(sources + k), rows(target), weight=weight, delay=delays[k] * H, receptor=receptor, **own)

    attach(k for k in range(len(trains)) if k not in later)
    net.run(steps // 3, None)
    attach(later)
    net.run(steps - steps // 3, None)
    V_p = np.concatenate([[-70.0], np.asarray(net.samples(record)[-1]).ravel()])
    counts = np.bincount(net.spikes(spikes)[0], minlength=len(V_p))[: len(V_p)]
    sent = net.sent_weights(recorder)
    return induction(V_p, counts, p), p, [sent["weight"][sent["source"] == sources + k] for k in range(len(trains))], counts


CASES = [
    {},
    {"t_ref": 0.0},
    {"theta": -40.0},
    {"dendritic_tau_syn_ex": 8.0},
    {"g_ps": 100.0, "soma_I_e": 900.0},
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weight", [2.0, -2.0])
def test_weights_are_those_of_the_sums(case, weight):
    rng = np.random.default_rng(8)
    trains = [np.sort(rng.permutation(np.arange(2, 2700))[: 24 >> k % 4]) for k in range(6)]
    trains[5] = trains[5][trains[5] > 1200]
    delays = [1, 2, 10, 37, 60, 200]
    bounds = {"Wmin": 0.0, "Wmax": 1e6} if weight > 0 else {"Wmin": -1e6, "Wmax": 0.0}
    F, p, sent, counts = simulated(trains, delays, weight=weight, synapse=SYNAPSE | bounds, later=(5,), **case)
    assert counts.sum() > 5 or case == {"theta": -40.0}
    for train, delay, found in zip(trains, delays, sent, strict=True):
        expected = brute_force(F, train.tolist(), delay, weight, p, SYNAPSE | bounds, weight < 0)
        np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-9, atol=1e-11)
        assert len(found) >= np.sum(train + delay < 2999)


def test_what_goes_beyond_a_bound_has_to_come_back():
    trains = [np.sort(np.random.default_rng(k).permutation(np.arange(2, 5900))[:150]) for k in range(4)]
    bounded = SYNAPSE | {"Wmin": 1.5, "Wmax": 2.6}
    F, p, sent, _ = simulated(trains, [3, 10, 20, 30], steps=6000, synapse=bounded)
    assert min(map(np.min, sent)) == 1.5
    assert max(map(np.max, sent)) == 2.6
    for train, delay, found in zip(trains, [3, 10, 20, 30], sent, strict=True):
        expected = brute_force(F, train.tolist(), delay, 2.0, p, bounded)
        np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-9)


def test_contributions_are_dropped_but_for_the_slowest_reader():
    """Every step contributes here: 65536 contributions are kept before any is dropped."""
    net = kernel(H)
    n, steps = 20, 8000
    p = TARGET | {"dendritic_tau_syn_in": 3.0}  # weights change their sign
    cells = net.create(MODEL, n, floats(**p))
    sources = net.create("spike_generator", 2, {})
    trains = [np.arange(5, steps, 40), np.array([10, 4000, 7900])]
    recorder = net.record_weights(None, None)
    record, spikes = net.record_state(gids(cells), ["V_m.p"], 1, 0), net.record_spikes(rows(cells), 0, 10**9)
    for k, train in enumerate(trains):
        net.set(np.array([sources + k]), {}, {"spike_times": train * H})
        some = {"synapse": "urbanczik_synapse", "synapse_params": SYNAPSE, "doubles": True, "recorder": recorder, "receptor": 3}
        connect(net, rows(sources + k), rows(cells, 1 if k else n), weight=2.0, delay=1.0, **some)  # the slow source has one target
    net.run(steps, None)
    V_p = np.concatenate([[-70.0], np.asarray(net.samples(record)[-1]).ravel()])
    step, gid = net.spikes(spikes)[:2]
    counts = np.bincount(step[gid == cells], minlength=len(V_p))[: len(V_p)]
    F = induction(V_p, counts, p)
    sent = net.sent_weights(recorder)
    for k, train in enumerate(trains):
        found = sent["weight"][(sent["source"] == sources + k) & (sent["target"] == cells)]
        np.testing.assert_allclose(found, brute_force(F, train.tolist(), 10, 2.0, p, SYNAPSE)[: len(found)], rtol=1e-9)


def test_parameters_may_differ_from_synapse_to_synapse():
    """Equal values in columns give the bits of the common value."""

    def weights(parameters):
        net = kernel(H, seed=4)
        cells = net.create(MODEL, 5, floats(**TARGET))
        noise = net.create("poisson_generator", 1, floats(rate=100.0))
        relays = net.create("parrot_neuron", 10, {})
        connect(net, rows(noise), rows(relays, 10), weight=1.0, delay=1.0)
        synapse = {"synapse": "urbanczik_synapse", "synapse_params": parameters, "doubles": True, "receptor": 3}
        connect(net, rows(relays, 10), rows(cells, 5), weight=5.0, delay=drawn("uniform", 0.5, 4.0), **synapse)
        net.run(1000, None)
        return net.connections(None, rows(cells, 5), "urbanczik_synapse")["weight"]

    bounded = SYNAPSE | {"Wmin": 0.0, "Wmax": 40.0}
    common = weights(bounded)
    assert len(np.unique(common)) > 10
    assert np.array_equal(common, weights({name: array(np.full(50, value)) for name, value in bounded.items()}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("t_ref", -1.0), ("phi_max", -1.0), ("rate_slope", -1.0), ("soma_C_m", 0.0), ("dendritic_C_m", -1.0), ("soma_tau_syn_ex", 0.0), ("dendritic_tau_syn_in", 0.0),
     ("dendritic_g_L", 0.0), ("soma_g_L", -1.0), ("g_sp", -1.0)],
)  # fmt: skip
def test_bad_parameters_of_neurons(name, value):
    net = kernel(H)
    with pytest.raises(BadParameter, match=name):
        net.create(MODEL, 1, floats(**{name: value}))
    assert net.n_nodes == 0


@pytest.mark.parametrize(("name", "value", "named"), [("tau_Delta", 0.0, "tau_Delta"), ("Wmin", 101.0, "Wmin"), ("Wmax", -1.0, "Wmin")])
def test_bad_parameters_of_synapses(name, value, named):
    net = kernel(H)
    cells = net.create(MODEL, 2, {})
    with pytest.raises(BadParameter, match=named):
        connect(net, rows(cells), rows(cells + 1), synapse="urbanczik_synapse", synapse_params={name: value}, receptor=3)


@pytest.mark.parametrize("model", ["iaf_psc_exp", "parrot_neuron", "hh_psc_alpha_clopath", "iaf_psc_exp_ps"])
def test_targets_without_this_history_are_refused(model):
    net = kernel(H)
    cells = net.create(model, 2, {})
    with pytest.raises(IllegalConnection, match=model):
        connect(net, rows(cells), rows(cells + 1), synapse="urbanczik_synapse")
