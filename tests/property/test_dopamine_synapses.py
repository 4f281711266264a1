# SPDX-License-Identifier: Apache-2.0
"""stdp_dopamine_synapse against the equations of Potjans, Morrison & Diesmann (2010), integrated numerically between events."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import array, connect, kernel, rows

H = 0.1
PLAIN = {
    "A_plus": 0.8,
    "A_minus": 1.1,
    "tau_plus": 15.0,
    "tau_minus": 25.0,
    "tau_c": 120.0,
    "tau_n": 40.0,
    "b": 0.02,
    "Wmin": 0.0,
    "Wmax": 100.0,
}
NODES, SHARES = np.polynomial.legendre.leggauss(6)


def at_time(p, pre, post, pool, until, weight):
    """(weight, c, n) at a time after the spikes before it. pre, post, pool: stamps as the synapse sees them (ms), until: also of spikes.

    The weight between events: pieces of at most 0.1 ms, each integrated by quadrature and kept between the bounds.
    """
    events = sorted([(t, k) for k, train in enumerate((pool, post, pre)) for t in train if t <= until])
    c, n, now = p.get("c", 0.0), p.get("n", 0.0), 0.0
    for t, kind in [*events, (until, -1)]:
        pieces = max(1, int(np.ceil((t - now) / H)))
        edges = np.linspace(now, t, pieces + 1)
        middle, half = (edges[1:] + edges[:-1]) / 2, (t - now) / pieces / 2
        s = middle[:, None] + half * NODES - now
        slope = c * np.exp(-s / p["tau_c"]) * (n * np.exp(-s / p["tau_n"]) - p["b"])
        for change in half * (slope @ SHARES):
            weight = min(max(weight + change, p["Wmin"]), p["Wmax"])
        c, n, now = c * np.exp((now - t) / p["tau_c"]), n * np.exp((now - t) / p["tau_n"]), t
        if kind == 0:
            n += 1 / p["tau_n"]
        elif kind == 1:  # presynaptic spikes strictly before, as those at the same time come after
            c += p["A_plus"] * sum(np.exp((s - t) / p["tau_plus"]) for s in pre if s < t)
        elif kind == 2:
            c -= p["A_minus"] * sum(np.exp((s - t) / p["tau_minus"]) for s in post if s < t)
    return weight, c, n


def network(trains, delays, post, pool, p, lag, **settings):
    """Parrots that spike at given stamps; a transmitter that hears the pool `lag` steps later; synapses from each train onto a parrot."""
    net = kernel(H, **settings)

    def parrots(*stamps):
        n = len(stamps)
        devices, nodes = net.create("spike_generator", n, {}), net.create("parrot_neuron", n, {})
        for k, some in enumerate(stamps):
            net.set(np.array([devices + k]), {}, {"spike_times": (np.sort(some) - 1) * H})
        connect(net, rows(devices, n), rows(nodes, n), "one_to_one", delay=H)
        return nodes

    sources, target, spikes = parrots(*trains), parrots(post), parrots(*pool)
    transmitter = net.create("volume_transmitter", 1, {})
    connect(net, rows(spikes, len(pool)), rows(transmitter), weight=-7.0, delay=lag * H)
    connect(
        net,
        rows(sources, len(trains)),
        rows(target),
        weight=5.0,
        delay=array(delays * H),
        receptor=1,  # not repeated
        synapse="stdp_dopamine_synapse",
        synapse_params={**p, "volume_transmitter": transmitter},
        doubles=True,
    )
    return net, sources


@pytest.mark.parametrize(
    ("p", "atol"),
    [
        (PLAIN, 1e-10),
        (PLAIN | {"b": 0.0, "tau_n": 300.0}, 1e-10),
        (PLAIN | {"Wmin": 4.8, "Wmax": 5.3, "A_plus": 3.0}, 2e-4),
        (PLAIN | {"c": 2.0, "n": 0.05}, 1e-10),
        (PLAIN | {"c": -1.0, "n": -0.07, "b": -0.03, "Wmin": -100.0}, 1e-10),
    ],
)
@pytest.mark.parametrize("layout", ["runs", "words"])
def test_weights_follow_the_equations(p, atol, layout):
    """Several delays, several spikes of the pool at a time; the weights are read again and again, which changes nothing."""
    rng = np.random.default_rng(5)
    trains = [rng.permutation(np.arange(2, 900))[: 30 >> k % 4] for k in range(8)]
    delays, post = rng.integers(1, 40, 8), rng.permutation(np.arange(2, 900))[:40]
    pool, lag = [rng.permutation(np.arange(2, 900))[:60] for _ in range(3)], 7
    net, sources = network(trains, delays, post, pool, p, lag, layout=layout)
    heard = (np.concatenate(pool) + lag) * H
    for now in (130, 400, 407, 950):
        net.run(now - net.step, None)
        c = net.connections(None, None, "stdp_dopamine_synapse")
        at = c["slice"], c["table"], c["position"]
        found = np.array([net.get_state(name, *at) for name in ("weight", "c", "n")])
        for k, (train, delay) in enumerate(zip(trains, delays, strict=True)):
            seen = (train * H, (post + delay) * H, heard)
            at_k = c["source"] == sources + k
            if not (train <= now).any() and "c" not in p:  # nothing pairs before the first spike
                assert (found[0, at_k], found[1, at_k]) == (5.0, 0.0)
                continue
            np.testing.assert_allclose(found[:, at_k][:, 0], at_time(p, *seen, now * H, 5.0), rtol=1e-10, atol=atol)


def test_a_forgotten_history_changes_nothing():
    """More spikes of the pool than are kept, with a source that is silent for long."""
    trains, post = [np.array([3, 60_000, 69_999]), np.arange(5, 70_000, 9)], np.arange(11, 70_000, 50)
    pool = [np.arange(2, 69_990)]
    p = PLAIN | {"Wmax": 1e9, "b": 0.9, "Wmin": -1e9}
    net, sources = network(trains, np.array([5, 5]), post, pool, p, 3)
    net.run(70_000, None)
    c = net.connections(None, None, "stdp_dopamine_synapse")
    n = net.get_state("n", c["slice"], c["table"], c["position"])
    np.testing.assert_allclose(n, np.exp(-0.8 / p["tau_n"]) / p["tau_n"] / (1 - np.exp(-H / p["tau_n"])), rtol=1e-9)
    seen = trains[0] * H, (post + 5) * H, (pool[0] + 3) * H
    weight = net.get_state("weight", c["slice"], c["table"], c["position"])[c["source"] == sources]
    np.testing.assert_allclose(weight, at_time(p, *seen, 7000.0, 5.0)[0], rtol=1e-9)


def pair(**parameters):
    net = npl.Network(seed=1)
    a, b, t = net.create("iaf_psc_exp", 2), net.create("iaf_psc_exp", 2), net.create("volume_transmitter", 2)
    given = {"volume_transmitter": t[:1]} | parameters
    return net, net.connect(a, b, npl.all_to_all(), weight=1.0, delay=1.0, synapse=npl.synapse("stdp_dopamine_synapse", **given))


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"volume_transmitter": 0}, "volume_transmitter"),
        ({"volume_transmitter": 1}, "volume_transmitter"),
        ({"volume_transmitter": 99}, "volume_transmitter"),
        ({"volume_transmitter": 5.5}, "volume_transmitter"),
        ({"volume_transmitter": -1}, "volume_transmitter"),
        ({"tau_c": 0.0}, "tau_c"),
        ({"tau_n": -1.0}, "tau_n"),
        ({"Wmin": 2.0, "Wmax": 1.0}, "Wmin"),
        ({"Wmin": 2.0}, "weight"),
    ],
)
def test_bad_parameters(parameters, named):
    with pytest.raises(npl.errors.BadParameter, match=named):
        pair(**parameters)


def test_weights_of_both_signs_need_one_receptor():
    net = npl.Network(seed=1)
    cells, transmitter = net.create("iaf_cond_exp", 2), net.create("volume_transmitter", 1)
    with pytest.raises(npl.errors.BadParameter, match="Wmin"):
        rule = npl.synapse("stdp_dopamine_synapse", Wmin=-1.0, volume_transmitter=transmitter)
        net.connect(cells, cells, npl.all_to_all(), weight=1.0, delay=1.0, synapse=rule)


@pytest.mark.parametrize("others", [{}, {"label": np.array([9], np.int32)}], ids=["in place", "moves"])
def test_a_weight_that_is_set_is_that_of_now(others):
    """Also while spikes are on their way and c is not zero; other synapses keep theirs."""
    rng = np.random.default_rng(8)
    trains, delays, post = [rng.permutation(np.arange(2, 500))[:20] for _ in range(6)], np.full(6, 30), np.arange(5, 900, 23)
    pool = [np.arange(7, 900, 5)]

    def run(change):
        net, _ = network(trains, delays, post, pool, PLAIN | {"Wmin": -1e6, "Wmax": 1e6}, 4)
        net.run(450, None)
        c = net.connections(None, None, "stdp_dopamine_synapse")
        at = c["slice"], c["table"], c["position"]
        before = net.get_state("weight", *at)
        if change:
            some = tuple(x[:3] for x in at)
            done = net.edit(*some, 0, weight=before[:3] + 1.5, **others)
            assert done.moved == bool(others)
            at = done.of(*at)
            np.testing.assert_allclose(net.get_state("weight", *(x[:3] for x in at)), before[:3] + 1.5, rtol=1e-14)
        net.run(450, None)
        return net.get_state("weight", *at), net.get_state("c", *at)

    (weights, c), (later, same) = run(False), run(True)
    np.testing.assert_allclose(later, weights + 1.5 * (np.arange(6) < 3), rtol=1e-12)
    np.testing.assert_array_equal(c, same)


def test_states_have_names():
    net, projection = pair()
    net.run(5.0)
    c = net.connections(synapse="stdp_dopamine_synapse")
    assert c.state("c").tolist() == c.state("n").tolist() == [0.0] * 4
    assert c.state("weight").tolist() == [1.0] * 4
    assert projection["c"].tolist() == [0.0] * 4
