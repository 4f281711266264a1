# SPDX-License-Identifier: Apache-2.0
"""E-prop against numpy (eprop_reference.py), and what it refuses."""

import numpy as np
import pytest

from eprop_network import built, data, names, task, weights
from eprop_reference import Eprop, Events
from lowlevel import connect, floats, gids, kernel, rows
from neuropil.errors import BadDelay, BadParameter, IllegalConnection

INTERVALS = [
    {},
    {"regular": False, "scale": 8.0, "interval": 30, "window": 20},
    {"reset": False, "t_ref": 2, "surrogate": "exponential", "width": 0.6},
    {"adapt_beta": 0.5, "t_ref": 3, "surrogate": "fast_sigmoid_derivative", "c_reg": 100.0, "average": True, "tau_filter": 13.0},
    {"adapt_beta": 0.6, "regular": False, "scale": 8.0, "c_reg": 100.0, "f_target": 50.0, "adam": True, "surrogate": "arctan_derivative"},
    {"adam": True, "batch": 3, "eta": 0.05, "limits": (-1.45, 2.1)},
    {"batch": 2, "height": 0.7, "interval": 7, "window": 5, "reset": False},
    {"entropy": True, "eta": 0.02, "tau_out": 15.0},
    {"interval": 700, "window": 650, "adapt_beta": 0.2},
]


@pytest.mark.parametrize("case", INTERVALS)
@pytest.mark.parametrize("rate", [0.15, 0.012])
def test_intervals(case, rate):
    p = task(Eprop, 3, **case)
    steps = max(330, 3 * p.interval)
    inputs, target = data(p, steps, rate)
    p.run(steps, inputs, target)
    net, parts = built(p, inputs, target)
    net.run(steps, None)
    compare(net, p, parts)
    assert p.spikes.sum() > (40 if rate > 0.1 else 0)


@pytest.mark.parametrize("delay", [1, 44, 45, 130])
@pytest.mark.parametrize("case", [{"interval": 900}, {"interval": 430, "adapt_beta": 0.4, "adam": True, "tau_filter": 13.0}])
def test_bursts_and_long_silences(case, delay):
    """Sources whose spikes are learned from one by one, many at once, and without another spike; several in a step."""
    p = task(Eprop, 5, n_in=8, **case)
    steps = 2800
    inputs, target = data(p, steps, 0.01)
    rng = np.random.default_rng(delay)
    for k in range(8):
        for begin in rng.integers(140, steps, 6):
            end = begin + rng.integers(1, 90)
            inputs[begin:end, k] = rng.choice([0.0, 1.0, 1.0, 2.0 if k % 2 else 1.0, 3.0 if k == 5 else 0.0], len(inputs[begin:end]))
    inputs[: delay + 9] = 0.0
    p.run(steps, inputs, target)
    net, parts = built(p, inputs, target, delay=delay)
    net.run(steps, None)
    compare(net, p, parts)
    assert p.spikes.sum() > 100


EVENTS = [
    {},
    {"t_ref": 3, "c_reg": 3.0, "batch": 3},
    {"holds": True, "t_ref": 3, "adapt_beta": 0.4, "limits": (-1.45, 2.1)},
    {"holds": True, "t_ref": 0, "adam": True, "each_step": False},
    {"adapt_beta": 0.5, "c_reg": 2.0, "cutoff": 9, "each_step": False, "batch": 2},
    {"adam": True, "batch": 2},
    {"adam": True, "batch": 3, "each_step": False, "kappa": 0.97},
]


@pytest.mark.parametrize("case", EVENTS)
@pytest.mark.parametrize("rate", [0.15, 0.004])
def test_events(case, rate):
    p = task(Events, 3, **case)
    steps = 300 if rate > 0.1 else 1200
    inputs, target = data(p, steps, rate)
    window = (np.arange(steps + 9) % 50 >= 20).astype(float)
    p.run(steps, inputs, target, window)
    net, parts = built(p, inputs, target, window)
    net.run(steps, None)
    compare(net, p, parts)
    assert p.spikes.sum() > (40 if rate > 0.1 else 0)


CHANGED_AT, CHANGES_END = 400, 900  # ms


def with_two_delays(case, before, after):
    """The task, and its network whose inputs come by one delay, fall silent, and come by the other. Runs to the change of the delay."""
    p = case()
    inputs, target = data(p, CHANGES_END, 0.1)
    window = (np.arange(CHANGES_END + 9) % 50 >= 20).astype(float) if isinstance(p, Events) else None
    quiet = CHANGED_AT - 13 - max(0, after - before)
    inputs[: before + 9] = inputs[quiet : CHANGED_AT + after + 3] = 0.0
    p.run(CHANGES_END, inputs, target, *([] if window is None else [window]))
    net, parts = built(p, inputs, target, window, delay=before)
    for k in range(p.W_in.shape[1]):
        arrivals = np.flatnonzero(inputs[:, k])
        net.set(
            np.array([parts["in"] - p.W_in.shape[1] + k]),
            {},
            {"spike_times": arrivals - 1.0 - np.where(arrivals < CHANGED_AT, before, after)},
        )
    net.run(CHANGED_AT, None)
    return p, net, parts


def of_inputs(net, p, parts):
    c = net.connections(rows(parts["in"], p.W_in.shape[1]), None, names(p)[2])
    return c["slice"], c["table"], c["position"]


CHANGING = [
    lambda: task(Eprop, 3, interval=35, window=30),
    lambda: task(Eprop, 3, interval=140, window=120, adapt_beta=0.2),
    lambda: task(Events, 3, t_ref=3, c_reg=3.0),
]


@pytest.mark.parametrize(("before", "after"), [(1, 9), (9, 1), (3, 60), (60, 3)])
@pytest.mark.parametrize("case", CHANGING)
@pytest.mark.parametrize("single", [False, True])
def test_delays_that_change(case, before, after, single):
    """Each spike is learned from once, at the step in which it has arrived."""
    p, net, parts = with_two_delays(case, before, after)
    n = len(of_inputs(net, p, parts)[0])
    for some in [[k] for k in range(n)] if single else [range(n)]:
        of = of_inputs(net, p, parts)
        changed = [
            np.flatnonzero(net.connections(rows(parts["in"], p.W_in.shape[1]), None, names(p)[2])["delay_steps"] == before)[: len(some)]
        ][0]
        net.edit(*(column[changed] for column in of), 0, delay_steps=np.full(len(some), after))
    net.run(CHANGES_END - CHANGED_AT, None)
    compare(net, p, parts)


@pytest.mark.parametrize("case", CHANGING)
def test_delays_of_spikes_on_their_way_do_not_change(case):
    p = case()
    inputs, target = data(p, 300, 0.1)
    inputs[:69] = 0.0
    window = (np.arange(309) % 50 >= 20).astype(float) if isinstance(p, Events) else None
    p.run(300, inputs, target, *([] if window is None else [window]))
    net, parts = built(p, inputs, target, window, delay=60)
    net.run(150, None)
    of = of_inputs(net, p, parts)
    for delay in (1, 61, 90):
        with pytest.raises(BadDelay, match="12 steps after the last spike"):
            net.edit(*of, 0, delay_steps=np.full(len(of[0]), delay))
    net.edit(*of, 0, delay_steps=np.full(len(of[0]), 60))
    net.run(150, None)
    compare(net, p, parts)


@pytest.mark.parametrize("case", CHANGING)
def test_parameters_change_while_spikes_are_on_their_way(case):
    """To another value and back, which changes nothing; the spikes stay where they are."""
    p = case()
    inputs, target = data(p, 300, 0.03)
    inputs[:69] = 0.0
    window = (np.arange(309) % 50 >= 20).astype(float) if isinstance(p, Events) else None
    p.run(300, inputs, target, *([] if window is None else [window]))
    net, parts = built(p, inputs, target, window, delay=60)
    for now in (100, 130, 250):
        net.run(now - net.step, None)
        for eta in (7.0 * p.eta, p.eta):
            net.edit(*of_inputs(net, p, parts), now, parameters=floats(eta=eta))
    net.run(300 - net.step, None)
    compare(net, p, parts)


@pytest.mark.parametrize("delay", [1, 40])
@pytest.mark.parametrize("adam", [False, True])
@pytest.mark.parametrize("rate", [0.1, 0.008])
def test_learning_rates_of_intervals(delay, adam, rate):
    """Of those that begin after a change; also where weights change long after, with the first spike."""
    etas = ((150, 0.0), (263, 2e-3), (420, 5e-4))
    p = task(Eprop, 3, n_in=8, interval=35, window=30, adam=adam, etas=etas)
    inputs, target = data(p, 700, rate)
    inputs[: delay + 9] = 0.0
    p.run(700, inputs, target)
    net, parts = built(p, inputs, target, delay=delay)
    before = p.eta
    for now, eta in etas:
        net.run(now - net.step, None)
        c = net.connections(None, None, names(p)[2])
        new = floats(eta=eta, eta_before=before, eta_since=float(now))
        net.edit(c["slice"], c["table"], c["position"], now, parameters=new)
        before = eta
    net.run(700 - net.step, None)
    compare(net, p, parts)


@pytest.mark.parametrize("kind", [Eprop, Events])
@pytest.mark.parametrize("adam", [False, True])
def test_what_synapses_keep_cannot_change_once_they_learn(kind, adam):
    p = task(kind, 3, adam=adam)
    inputs, target = data(p, 100, 0.1)
    net, parts = built(p, inputs, target, np.ones(109) if kind is Events else None)
    for name, value in ("adam", float(not adam)), ("batch_size", 3.0):
        change = lambda v, name=name: net.edit(*of_inputs(net, p, parts), net.step, parameters=floats(**{name: v}))  # noqa: E731
        change(value)  # nothing has been learned
        change(float(adam) if name == "adam" else 1.0)
    net.run(60, None)
    refused = [("adam", float(not adam))] + [("batch_size", 3.0)] * (not adam)
    for name, value in refused:
        with pytest.raises(BadParameter, match=f"{name} = .*must be unchanged"):
            net.edit(*of_inputs(net, p, parts), 60, parameters=floats(**{name: value}))
    p.run(100, inputs, target, *([np.ones(109)] if kind is Events else []))
    net.run(40, None)
    compare(net, p, parts)


@pytest.mark.parametrize("case", CHANGING)
def test_a_synapse_that_goes_leaves_its_spikes_on_their_way(case):
    """With the weight of a spike that arrives when it goes: of the steps to come it cannot know anything."""
    p, goes, delay, arrives = case(), 900, 30, 925
    inputs, target = data(p, goes + 25, 0.1)
    inputs[: delay + 9] = inputs[goes - 10 :] = 0.0
    window = (np.arange(goes + 34) % 50 >= 20).astype(float) if isinstance(p, Events) else None
    V = []
    for spikes in (False, True):
        net, parts = built(p, inputs, target, window, delay=delay)
        sent = np.append(np.flatnonzero(inputs[:, 0]), [arrives] if spikes else []) - 1.0 - delay
        net.set(np.array([parts["in"] - p.W_in.shape[1]]), {}, {"spike_times": sent})
        net.run(goes, None)
        net.remove(*of_inputs(net, p, parts), goes)
        net.run(arrives - goes, None)
        V.append(net.get(gids(parts["rec"], p.W_rec.shape[0]), "V_m"))
    inputs[goes, 0] = 1.0
    p.run(goes, inputs, target, *([] if window is None else [window]))
    w = p.W["in"][:, 0]
    reset = p.V_th * (V[0] + w >= p.V_th) if isinstance(p, Events) else 0.0
    np.testing.assert_allclose(V[1] - V[0] + reset, w, rtol=0, atol=1e-8)
    assert np.abs(w - p.W_in[:, 0]).max() > 1e-5


def compare(net, p, parts):
    """To 500 units of the fixed point in which input is summed; the largest weight that is allowed sets the unit."""
    found, largest = weights(net, p, parts), max(np.abs(p.limits).max(), *(np.abs(w).max() for w in p.W.values()))
    for kind, expected in p.W.items():
        np.testing.assert_allclose(found[kind], expected, rtol=0, atol=500 * 2.0**-43 * largest, err_msg=kind)
    assert np.abs(p.W["in"] - p.W_in).max() > 1e-5


BAD = {
    "eprop_iaf_bsshslm_2020": [
        ("update_interval", 0.0), ("learning_window", 2000.0), ("reset_on_update", 0.5), ("surrogate_gradient_function", 4.0), ("surrogate_gradient_width", 0.0),
        ("surrogate_gradient_height", 0.0), ("c_reg", -1.0), ("f_target", -1.0), ("regular_spike_arrival", 2.0), ("tau_m", 0.0), ("t_ref", -1.0),
    ],
    "eprop_iaf_adapt_bsshslm_2020": [("adapt_tau", 0.0), ("adapt_beta", -1.0), ("learning_window", 0.0)],
    "eprop_readout_bsshslm_2020": [("update_interval", -1.0), ("loss", 0.5), ("regular_spike_arrival", 0.5)],
    "eprop_iaf": [("kappa", 1.5), ("kappa_reg", -0.1), ("eprop_isi_trace_cutoff", -1.0)],
    "eprop_iaf_psc_delta": [("V_reset", -50.0), ("refractory_input", 0.5)],
    "eprop_iaf_psc_delta_adapt": [("adapt_tau", -1.0)],
    "eprop_readout": [("eprop_isi_trace_cutoff", -1.0), ("tau_m", 0.0)],
}  # fmt: skip


@pytest.mark.parametrize(("model", "name", "value"), [(model, *bad) for model, all_bad in BAD.items() for bad in all_bad])
def test_bad_parameters_of_neurons(model, name, value):
    net = kernel(1.0)
    with pytest.raises(BadParameter, match=name):
        net.create(model, 1, floats(**{name: value}))
    assert net.n_nodes == 0


SHARED = [
    ("adam", 0.5),
    ("batch_size", 0.0),
    ("batch_size", 1.5),
    ("eta", -1.0),
    ("Wmin", 101.0),
    ("beta_1", 1.0),
    ("beta_2", -0.1),
    ("epsilon", 0.0),
]


@pytest.mark.parametrize(("name", "value"), [*SHARED, ("tau_m_readout", 0.0), ("average_gradient", 0.5)])
def test_bad_parameters_of_synapses_with_intervals(name, value):
    refused(Eprop, name, value)


@pytest.mark.parametrize(("name", "value"), [*SHARED, ("optimize_each_step", 2.0)])
def test_bad_parameters_of_synapses_with_events(name, value):
    refused(Events, name, value)


def refused(kind, name, value):
    recurrent, _, synapse, _ = names(task(kind, 1))
    net = kernel(1.0)
    cells = net.create(recurrent, 2, {})
    with pytest.raises(BadParameter, match=name):
        connect(net, rows(cells), rows(cells + 1), synapse=synapse, synapse_params={name: value})


@pytest.mark.parametrize("kind", [Eprop, Events])
def test_targets_of_another_kind_are_refused(kind):
    other = task(Events if kind is Eprop else Eprop, 1)
    synapse, signal = names(task(kind, 1))[2:]
    net = kernel(1.0)
    wrong, readout, plain = net.create(names(other)[0], 1, {}), net.create(names(other)[1], 1, {}), net.create("iaf_psc_delta", 1, {})
    for post in (wrong, readout, plain):
        with pytest.raises(IllegalConnection, match="does not record"):
            connect(net, rows(plain), rows(post), synapse=synapse)
    for pre, post in ((readout, wrong), (plain, wrong), (readout, plain)):
        with pytest.raises(IllegalConnection, match="learning_signal"):
            connect(net, rows(pre), rows(post), synapse=signal)
