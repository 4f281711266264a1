# SPDX-License-Identifier: Apache-2.0
"""Synapses that are processed one by one, against sums over all their spikes; random ones against binomials. And recorders of weights."""

import numpy as np
import pytest

from lowlevel import array, connect, floats, kernel, rows

H = 0.1
GUETIG = {"tau_plus": 15.0, "tau_minus": 30.0, "lambda": 0.1, "alpha": 0.9, "mu_plus": 0.4, "mu_minus": 0.6, "Wmax": 10.0}
TRIPLET = {"tau_plus": 15.0, "tau_plus_triplet": 60.0, "tau_minus": 25.0, "tau_minus_triplet": 80.0, "Aplus": 0.1, "Aplus_triplet": 0.2, "Aminus": 0.15, "Aminus_triplet": 0.1, "Wmax": 10.0}  # fmt: skip
JONKE = {"tau_plus": 15.0, "tau_minus": 25.0, "lambda": 0.1, "alpha": 0.8, "beta": 0.2, "mu_plus": -0.1, "mu_minus": 0.05, "Wmax": 10.0}


def traced(spikes, t, tau):
    """Sum of exponentials of the spikes before t."""
    return np.exp((spikes[spikes < t] - t) * H / tau).sum()


def potentiate(p, w, k):
    x = w / p["Wmax"]
    return p["Wmax"] * min(x + p["lambda"] * (1 - x) ** p["mu_plus"] * k, 1.0)


def depress(p, w, k):
    x = w / p["Wmax"]
    return p["Wmax"] * max(x - p["lambda"] * p["alpha"] * x ** p["mu_minus"] * k, 0.0)


def pre_centered(p, w, before, now, post):
    """Weight after the presynaptic spike `now`; post: as they reach the synapse."""
    last = before[-1] if len(before) else np.inf
    post = np.unique(post)  # the second of two at one time meets none
    for s in post[(post > last) & (post <= now)]:
        earlier = post[post < s]
        alone = before[before >= earlier[-1]] if len(earlier) else before
        w = potentiate(p, w, np.exp((alone - s) * H / p["tau_plus"]).sum())
    earlier = post[post < now]
    return depress(p, w, np.exp((earlier[-1] - now) * H / p["tau_minus"]) if len(earlier) else 0.0)


def triplet(p, w, before, now, post):
    last = before[-1] if len(before) else np.inf
    for s in post[(post > last) & (post <= now)]:
        k = np.exp((before - s) * H / p["tau_plus"]).sum()
        w = min(w + k * (p["Aplus"] + p["Aplus_triplet"] * traced(post, s, p["tau_minus_triplet"])), p["Wmax"])
    return max(
        w - traced(post, now, p["tau_minus"]) * (p["Aminus"] + p["Aminus_triplet"] * traced(before, now, p["tau_plus_triplet"])), 0.0
    )


def jonke(p, w, before, now, post):
    last = before[-1] if len(before) else 0
    for s in post[(post > last) & (post <= now)]:
        k = np.exp((before - s) * H / p["tau_plus"]).sum()
        w = min(w + p["lambda"] * (np.exp(p["mu_plus"] * w) * k - p["beta"]), p["Wmax"])
    return max(w - p["lambda"] * (p["alpha"] * np.exp(p["mu_minus"] * w) * traced(post, now, p["tau_minus"]) + p["beta"]), 0.0)


def forced(train, n=1, **settings):
    """A network with n parrots that spike at the stamps of the train."""
    net = kernel(H, **settings)
    teacher = net.create("spike_generator", 1, {})
    net.set(np.array([teacher]), {}, {"spike_times": (np.sort(train) - 1) * H})
    target = net.create("parrot_neuron", n, {})
    connect(net, rows(teacher), rows(target, n), delay=H)
    return net, target


def sources_of(net, trains):
    first = net.create("spike_generator", len(trains), {})
    for k, train in enumerate(trains):
        net.set(np.array([first + k]), {}, {"spike_times": np.sort(train) * H})
    return first


@pytest.mark.parametrize(
    ("name", "rule", "p"),
    [("stdp_nn_pre_centered_synapse", pre_centered, GUETIG), ("stdp_triplet_synapse", triplet, TRIPLET), ("jonke_synapse", jonke, JONKE)],
)
@pytest.mark.parametrize("layout", ["runs", "words"])
def test_weights_are_those_of_the_rule(name, rule, p, layout):
    """Distinct presynaptic stamps; postsynaptic spikes also come from the synapses themselves. Sources silent for long among them."""
    rng = np.random.default_rng(4)
    trains = [rng.permutation(np.arange(2, 900))[: 40 >> k % 4] for k in range(12)]
    delays = rng.integers(1, 40, 12)
    net, target = forced(rng.integers(2, 900, 60), layout=layout)
    sources = sources_of(net, trains)
    recorder = net.record_weights(None, None)
    connect(
        net,
        rows(sources, 12),
        rows(target),
        weight=5.0,
        delay=array(delays * H),
        synapse=name,
        synapse_params=p,
        doubles=True,
        recorder=recorder,
    )
    record = net.record_spikes(rows(target), 0, 10**9)
    net.run(1000, None)
    emitted, sent = np.asarray(net.spikes(record)[0]), net.sent_weights(recorder)
    for k, (train, delay) in enumerate(zip(trains, delays.tolist(), strict=True)):
        pre, w, expected = np.sort(train), 5.0, []
        for n, now in enumerate(pre):
            expected.append(w := rule(p, w, pre[:n], now, np.sort(emitted) + delay))
        np.testing.assert_allclose(sent["weight"][sent["source"] == sources + k], expected, rtol=1e-11, atol=1e-11)


def test_a_weight_whose_exponential_overflows_stays_as_long_as_there_is_nothing_to_pair_with():
    net, target = forced(np.array([30, 60]))
    p = JONKE | {"mu_plus": 0.703, "beta": 0.0, "alpha": 0.0, "Wmax": 5000.0}
    connect(
        net, rows(sources_of(net, [np.array([80, 90])])), rows(target), weight=2000.0, synapse="jonke_synapse", synapse_params=p, receptor=1
    )
    net.run(110, None)
    assert net.connections(None, None, "jonke_synapse")["weight"] == [2000.0]


def test_bernoulli_passes_each_spike_on_by_itself():
    """Two equal synapses, connected at different times, decide independently; the same on any threads and slices."""

    def passed(**settings):
        net = kernel(H, seed=3, **settings)
        sources = sources_of(net, [np.arange(1, 401)])
        targets = net.create("parrot_neuron", 50, {})
        recorder = net.record_weights(None, None)
        for _ in range(2):
            connect(
                net, rows(sources), rows(targets, 50), synapse="bernoulli_synapse", synapse_params={"p_transmit": 0.3}, recorder=recorder
            )
            net.build(None)
        record = net.record_spikes(rows(targets, 50), 0, 10**9)
        net.run(450, None)
        sent = net.sent_weights(recorder)
        assert (sent["weight"] == 1.0).all()
        return net.spikes(record)[:2], sent

    (stamps, senders), sent = passed()
    number = np.zeros((50, 500), int)  # of relayed spikes by target and time: each is one of two chances
    np.add.at(number, (senders - senders.min(), stamps), 1)
    assert len(sent["steps"]) == len(stamps) == number.sum()
    expected = 20_000 * np.array([0.49, 0.42, 0.09])
    found = np.array([20_000 - np.count_nonzero(number), (number == 1).sum(), (number == 2).sum()])
    assert ((found - expected) ** 2 / expected).sum() < 16.0  # chi-square of 2 degrees: 3e-4
    again, sent_again = passed(threads=2, block_size=7, layout="words")
    np.testing.assert_array_equal(again, (stamps, senders))
    for key in ("steps", "source", "target"):
        np.testing.assert_array_equal(sent_again[key], sent[key])


def test_sites_of_quantal_synapses_release_as_expected():
    """Means follow the recursion of the expected number of ready sites, exactly that of Tsodyks & Markram."""
    p, stamps, n = {"U": 0.3, "u": 0.4, "tau_rec": 20.0, "tau_fac": 15.0, "n": 6.0, "a": 4.0}, np.array([50, 100, 250, 300]), 3000
    net = kernel(H)
    source = sources_of(net, [stamps])
    targets = net.create("parrot_neuron", n, {})
    recorder = net.record_weights(None, None)
    connect(net, rows(source), rows(targets, n), weight=2.0, synapse="quantal_stp_synapse", synapse_params=p, recorder=recorder)
    net.run(400, None)
    sent, u, ready = net.sent_weights(recorder), p["u"], p["a"]
    for k, t in enumerate(stamps):
        if k:
            gap = (t - stamps[k - 1]) * H
            u = p["U"] + u * (1 - p["U"]) * np.exp(-gap / p["tau_fac"])
            ready = p["n"] - (p["n"] - ready) * np.exp(-gap / p["tau_rec"])
        some = sent["weight"][sent["steps"] == t]
        assert set(np.unique(some)) <= {2.0, 4.0, 6.0, 8.0, 10.0, 12.0}
        assert abs(some.sum() / 2.0 / n - u * ready) < 5 * np.sqrt(p["n"] / 4 / n)
        ready *= 1 - u
    c = net.connections(None, None, "quantal_stp_synapse")
    left = net.get_state("a", c["slice"], c["table"], c["position"])
    assert abs(left.mean() - ready) < 5 * np.sqrt(p["n"] / 4 / n)
    np.testing.assert_allclose(net.get_state("u", c["slice"], c["table"], c["position"]), u, rtol=1e-14)


@pytest.mark.parametrize("synapse", ["static_synapse", "stdp_synapse", "tsodyks2_synapse"])
@pytest.mark.parametrize("doubles", [False, True])
def test_a_recorder_changes_nothing(synapse, doubles):
    """Spikes and weights are the same bits with it; it tells what was sent, in order, of the nodes that it was asked for."""

    def run(recorded):
        net, target = forced(np.arange(10, 200, 9), 3)
        cells = net.create("iaf_psc_exp", 20, floats(I_e=400.0))
        recorder = net.record_weights(rows(cells, 8), rows(target, 2)) if recorded else -1
        weight = array(np.random.default_rng(1).uniform(10.0, 50.0, 60))
        connect(
            net,
            rows(cells, 20),
            rows(target, 3),
            weight=weight,
            delay=array(np.arange(1, 61) * H),
            synapse=synapse,
            doubles=doubles,
            recorder=recorder,
        )
        connect(net, rows(target, 3), rows(cells, 20), weight=12.3, delay=0.5, synapse=synapse, doubles=doubles, recorder=recorder)
        record = net.record_spikes(rows(target, 23), 0, 10**9)
        net.run(1000, None)
        return net.spikes(record)[:2], net.connections(None, None, synapse)["weight"], net.sent_weights(recorder) if recorded else cells

    spikes, weights, cells = run(False)
    same_spikes, same_weights, sent = run(True)
    np.testing.assert_array_equal(spikes, same_spikes)
    np.testing.assert_array_equal(weights, same_weights)
    assert (
        len(sent["steps"]) > 20
        and sent["source"].min() == cells
        and sent["source"].max() == cells + 7
        and sent["target"].max() == sent["target"].min() + 1
    )
    order = np.lexsort((sent["delay_steps"], sent["target"], sent["source"], sent["steps"]))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    stamps, senders = (np.asarray(x) for x in spikes)
    assert ((sent["steps"] + sent["delay_steps"]) <= 1000).all()
    arrived = [(t, g) for t, g in zip(stamps.tolist(), senders.tolist(), strict=True) if cells <= g < cells + 8 and t < 900]
    assert sorted(
        set(zip(sent["steps"][sent["steps"] < 900].tolist(), sent["source"][sent["steps"] < 900].tolist(), strict=True))
    ) == sorted(set(arrived))


@pytest.mark.parametrize(
    ("synapse", "name", "value"),
    [("bernoulli_synapse", "p_transmit", 1.5), ("quantal_stp_synapse", "u", 1.1), ("quantal_stp_synapse", "n", 2.5)],
)
def test_values_that_make_no_sense(synapse, name, value):
    net, target = forced(np.array([5]))
    with pytest.raises(ValueError, match=name):
        connect(net, rows(target), rows(target), synapse=synapse, synapse_params={name: value})
