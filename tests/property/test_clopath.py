# SPDX-License-Identifier: Apache-2.0
"""clopath_synapse against sums over all steps of what its target did (Clopath, Buesing, Vasilaki & Gerstner 2010), and what it refuses."""

import numpy as np
import pytest

from lowlevel import array, connect, drawn, floats, gids, kernel, rows
from neuropil.errors import BadParameter, IllegalConnection

H = 0.1
MODELS = {"aeif_psc_delta_clopath": {"I_e": 900.0}, "hh_psc_alpha_clopath": {"I_e": 400.0}}
PLASTIC = {
    "A_LTD": 2e-3,
    "A_LTP": 2e-3,
    "A_LTD_const": 1.0,
    "u_ref_squared": 3000.0,
    "theta_plus": -45.3,
    "theta_minus": -70.6,
    "delay_u_bars": 5.0,
}
SYNAPSE = {"tau_x": 15.0, "Wmin": 1.0, "Wmax": 40.0}


def in_steps(trace, p):
    """Potentiation and depression of each step k; trace[name][k]: state at its end."""
    n = len(trace["V_m"])
    up, down = np.zeros(n), np.zeros(n)
    for k in range(1, n):
        seen = k - round(p["delay_u_bars"] / H)
        plus, minus = (trace[name][seen] if seen >= 1 else 0.0 for name in ("u_bar_plus", "u_bar_minus"))
        if trace["V_m"][k] > p["theta_plus"] and plus > p["theta_minus"]:
            up[k] = p["A_LTP"] * (trace["V_m"][k] - p["theta_plus"]) * (plus - p["theta_minus"]) * H
        if minus > p["theta_minus"]:
            size = p["A_LTD"] if p["A_LTD_const"] else p["A_LTD"] * trace["u_bar_bar"][k] ** 2 / p["u_ref_squared"]
            down[k] = size * (minus - p["theta_minus"])
    return up, down


def brute_force(up, down, stamps, delay, w, p):
    """Weights sent by presynaptic spikes; every step is looked at."""
    sent = []
    for k, now in enumerate(stamps):
        for step in range(stamps[k - 1] - delay + 1 if k else 0, now - delay + 1):
            x = sum(np.exp((s - step - delay) * H / p["tau_x"]) / p["tau_x"] for s in stamps[:k])
            if k and step > 0 and up[step]:
                w = min(w + up[step] * x, p["Wmax"])
        w = max(w - (down[now - delay] if now > delay else 0.0), p["Wmin"])
        sent.append(w)
    return sent


def simulated(model, trains, delays, steps=1500, later=(), varied=False, **params):
    """Trace of a neuron, and weights sent to it by source."""
    net = kernel(H)
    target = net.create(model, 1, floats(**MODELS[model], **params))
    sources = net.create("spike_generator", len(trains), {})
    for k, train in enumerate(trains):
        net.set(np.array([sources + k]), {}, {"spike_times": train * H})
    recorder = net.record_weights(None, None)
    names = ["V_m", "u_bar_plus", "u_bar_minus", "u_bar_bar"]
    record = net.record_state(gids(target), names, 1, 0)

    def attach(some):
        for k in some:
            synapse = {"synapse": "clopath_synapse", "synapse_params": SYNAPSE, "doubles": True, "recorder": recorder}
            connect(net, rows(sources + k), rows(target), weight=10.0, delay=delays[k] * H, **synapse)

    attach(k for k in range(len(trains)) if k not in later)
    net.run(steps // 3, None)
    attach(later)
    net.run(steps - steps // 3, None)
    samples = net.samples(record)
    sent = net.sent_weights(recorder)
    return samples, names, [sent["weight"][sent["source"] == sources + k] for k in range(len(trains))]


def traces(samples, names):
    """State at the end of each step, by name; that of step 0 is not used."""
    values = np.asarray(samples[-1]).reshape(len(names), -1) if np.asarray(samples[-1]).ndim == 1 else np.asarray(samples[-1])
    values = values.T if values.shape[0] != len(names) else values
    return {name: np.concatenate([[np.nan], values[i].ravel()]) for i, name in enumerate(names)}


CASES = [
    {},
    {"A_LTD_const": 0.0},
    {"delay_u_bars": 0.0},
    {"delay_u_bars": 0.1, "theta_plus": -100.0},
    {"delay_u_bars": 20.0, "theta_minus": -60.0},
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_weights_are_those_of_the_sums(model, case):
    rng = np.random.default_rng(8)
    trains = [np.sort(rng.permutation(np.arange(2, 1300))[: 24 >> k % 4]) for k in range(6)]
    trains[5] = trains[5][trains[5] > 600]
    delays = [1, 2, 10, 37, 60, 200]
    p = PLASTIC | case
    samples, names, sent = simulated(model, trains, delays, later=(5,), **p)
    up, down = in_steps(traces(samples, names), p)
    for train, delay, found in zip(trains, delays, sent, strict=True):
        expected = brute_force(up, down, train.tolist(), delay, 10.0, SYNAPSE)
        np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-10, atol=1e-12)
        assert len(found) >= np.sum(train + delay < 1499)


def test_contributions_are_dropped_but_for_the_slowest_reader():
    """Every step contributes here: 65536 contributions are kept before any is dropped."""
    net = kernel(H)
    n, steps = 20, 8000
    cells = net.create("aeif_psc_delta_clopath", n, floats(theta_plus=-200.0, A_LTP=1e-7, A_LTD=0.0))
    sources = net.create("spike_generator", 2, {})
    trains = [np.arange(5, steps, 40), np.array([10, 4000, 7900])]
    recorder = net.record_weights(None, None)
    record = net.record_state(gids(cells), ["V_m", "u_bar_plus", "u_bar_minus", "u_bar_bar"], 1, 0)
    for k, train in enumerate(trains):
        net.set(np.array([sources + k]), {}, {"spike_times": train * H})
    on = [slice(0, n), slice(0, 1)]  # the slow source has one target
    for k, some in enumerate(on):
        connect(
            net,
            rows(sources + k),
            rows(cells, some.stop),
            weight=2.0,
            delay=1.0,
            synapse="clopath_synapse",
            doubles=True,
            recorder=recorder,
        )
    net.set(gids(cells, n), floats(I_e=np.linspace(0.0, 300.0, n)))
    net.run(steps, None)
    names = ["V_m", "u_bar_plus", "u_bar_minus", "u_bar_bar"]
    p = PLASTIC | {"theta_plus": -200.0, "A_LTP": 1e-7, "A_LTD": 0.0}
    up, down = in_steps(traces(net.samples(record), names), p)
    sent = net.sent_weights(recorder)
    for k, train in enumerate(trains):
        found = sent["weight"][(sent["source"] == sources + k) & (sent["target"] == cells)]
        expected = brute_force(up, down, train.tolist(), 10, 2.0, {"tau_x": 15.0, "Wmin": 0.0, "Wmax": 100.0})
        np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-10)


def test_parameters_may_differ_from_synapse_to_synapse():
    """Equal values in columns give the bits of the common value."""

    def weights(parameters):
        net = kernel(H, seed=4)
        cells = net.create("aeif_psc_delta_clopath", 5, floats(I_e=1200.0, A_LTP=1e-3, A_LTD=1e-3))
        noise = net.create("poisson_generator", 1, floats(rate=300.0))
        relays = net.create("parrot_neuron", 10, {})
        connect(net, rows(noise), rows(relays, 10), weight=1.0, delay=1.0)
        delay = drawn("uniform", 0.5, 4.0)
        synapse = {"synapse": "clopath_synapse", "synapse_params": parameters, "doubles": True}
        connect(net, rows(relays, 10), rows(cells, 5), weight=5.0, delay=delay, **synapse)
        net.run(1000, None)
        return net.connections(None, rows(cells, 5), "clopath_synapse")["weight"]

    common = weights(SYNAPSE)
    assert len(np.unique(common)) > 10
    assert np.array_equal(common, weights({name: array(np.full(50, value)) for name, value in SYNAPSE.items()}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("A_LTD_const", 0.5), ("u_ref_squared", 0.0), ("tau_u_bar_plus", 0.0), ("tau_u_bar_minus", -1.0), ("tau_u_bar_bar", 0.0), ("delay_u_bars", -0.1),
        ("delay_u_bars", 1e4), ("tau_z", 0.0), ("tau_V_th", 0.0), ("t_clamp", -1.0), ("t_ref", -1.0), ("V_reset", 40.0), ("V_th_max", -60.0), ("Delta_T", 0.01),
    ],
)  # fmt: skip
def test_bad_parameters_of_neurons(name, value):
    net = kernel(H)
    with pytest.raises(BadParameter, match=name):
        net.create("aeif_psc_delta_clopath", 1, floats(**{name: value}))
    if name in PLASTIC:
        with pytest.raises(BadParameter, match=name):
            net.create("hh_psc_alpha_clopath", 1, floats(**{name: value}))
    assert net.n_nodes == 0


@pytest.mark.parametrize(("name", "value"), [("tau_x", 0.0), ("Wmin", 101.0), ("Wmax", -1.0)])
def test_bad_parameters_of_synapses(name, value):
    net = kernel(H)
    cells = net.create("hh_psc_alpha_clopath", 2, {})
    with pytest.raises(BadParameter, match=name if name != "Wmax" else "Wmin"):
        connect(net, rows(cells), rows(cells + 1), synapse="clopath_synapse", synapse_params={name: value})


@pytest.mark.parametrize("model", ["aeif_psc_delta", "iaf_psc_exp", "parrot_neuron", "iaf_psc_exp_ps"])
def test_targets_without_a_history_are_refused(model):
    net = kernel(H)
    cells = net.create(model, 2, {})
    with pytest.raises(IllegalConnection, match=model):
        connect(net, rows(cells), rows(cells + 1), synapse="clopath_synapse")
