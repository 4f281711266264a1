# SPDX-License-Identifier: Apache-2.0
"""Plasticity onto neurons that spike between grid points: weights against the rules over all pairs of spikes at their exact times."""

import numpy as np
import pytest

from lowlevel import array, connect, digest, drawn, floats, kernel, rows
from neuropil.errors import IllegalConnection
from property.test_axonal import RULES
from snapshots import continued
from thread_ranks import on_ranks, the_same

H = 0.1
N = 12


def generators(net, trains, exact=True, h=H):
    """Sources that spike at these times (steps, not whole ones)."""
    first = net.create("spike_generator", len(trains), floats(precise_times=float(exact)))
    for k, train in enumerate(trains):
        net.set(np.array([first + k]), {}, {"spike_times": train * h})
    return first


def forced(train, exact=True, h=H, **settings):
    """A parrot that spikes at these times, one step later than its teacher."""
    net = kernel(h, **settings)
    target = net.create("parrot_neuron_ps" if exact else "parrot_neuron", 1, {})
    connect(net, rows(generators(net, [train - 1], exact, h)), rows(target), delay=h)
    return net, target


def steps(found, exact=True):
    """Recorded times in steps."""
    stamps, _, offsets = found
    return np.sort(np.asarray(stamps) - (np.asarray(offsets) / H if exact else 0.0))


def trains(rng, whole=False):
    times = [rng.uniform(2, 900, 40 >> k % 4) for k in range(N)]
    return [np.unique(np.round(t)) if whole else np.sort(t) for t in times]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("kept", ["one delay", "per projection", "per synapse"])
@pytest.mark.parametrize("on_grid", [False, True])
def test_weights_are_those_of_the_rule_at_exact_times(name, kept, on_grid):
    """The target repeats what the synapses send, so times of both sides lie anywhere; several spikes in one step among them."""
    rule, p = RULES[name]
    rng = np.random.default_rng(4)
    times = trains(rng)
    if on_grid:  # the rules are for distinct presynaptic times
        times = [train[np.unique(np.ceil(train), return_index=True)[1]] for train in times]
    dendritic = np.full(N, 3) if kept == "one delay" else rng.integers(1, 30, N)
    axonal = rng.integers(0, 40, N) if kept == "per synapse" else np.zeros(N, int)
    net, target = forced(np.sort(rng.uniform(2, 900, 60)), sources_on_grid=on_grid)
    sources, recorder = generators(net, times), net.record_weights(None, None)
    own = {
        "axonal_delay": array(axonal * H),
        "lambda" if "lambda" in p else next(iter(p)): array(np.full(N, p.get("lambda", next(iter(p.values()))))),
    }
    params = p | (own if kept == "per synapse" else {})
    delay = array((dendritic + axonal) * H)
    connect(
        net, rows(sources, N), rows(target), weight=5.0, delay=delay, synapse=name, synapse_params=params, doubles=True, recorder=recorder
    )
    record = net.record_spikes(rows(target), 0, 10**9)
    net.run(1100, None)
    emitted, sent = steps(net.spikes(record)), net.sent_weights(recorder)
    for k, train in enumerate(times):
        pre, w, expected = (np.ceil(train) if on_grid else train) + axonal[k], 5.0, []
        for i, now in enumerate(pre):
            expected.append(w := rule(p, w, pre[:i], now, emitted + dendritic[k]))
        np.testing.assert_allclose(sent["weight"][sent["source"] == sources + k], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", [*RULES, "tsodyks_synapse", "tsodyks2_synapse", "ht_synapse"])
def test_on_the_grid_it_is_the_usual_rule(name):
    """Neurons of either kind, with the same whole times; steps whose multiples are exact numbers."""
    h = 0.125

    def weights(exact):
        rng = np.random.default_rng(7)
        net, target = forced(np.unique(rng.integers(2, 900, 60)).astype(float), exact, h)
        sources, recorder = generators(net, trains(rng, whole=True), exact, h), net.record_weights(None, None)
        call = {
            "weight": 5.0,
            "synapse": name,
            "synapse_params": dict(RULES.get(name, (None, {}))[1]),
            "doubles": True,
            "recorder": recorder,
        }
        connect(net, rows(sources, N), rows(target), delay=array(rng.integers(1, 30, N) * h), **call)
        net.run(1000, None)
        sent, found = net.sent_weights(recorder), net.connections(None, None, name)
        return [sent[key] for key in ("weight", "source", "steps")] + [found["weight"]]

    for one, other in zip(weights(True), weights(False), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_short_term_plasticity_takes_exact_intervals():
    p, train = {"U": 0.4, "u": 0.3, "x": 0.9, "tau_rec": 40.0, "tau_fac": 25.0}, np.sort(np.random.default_rng(1).uniform(3, 800, 30))
    net = kernel(H)
    source, target, recorder = generators(net, [train]), net.create("parrot_neuron_ps", 1, {}), net.record_weights(None, None)
    connect(net, rows(source), rows(target), weight=2.0, synapse="tsodyks2_synapse", synapse_params=p, recorder=recorder)
    record = net.record_spikes(rows(target), 0, 10**9)
    net.run(900, None)
    x, u, sent = p["x"], p["u"], []
    for gap in np.diff(train, prepend=train[0]) * H:
        if sent:
            x = 1.0 + (x - x * u - 1.0) * np.exp(-gap / p["tau_rec"])
            u = p["U"] + u * (1.0 - p["U"]) * np.exp(-gap / p["tau_fac"])
        sent.append(2.0 * x * u)
    np.testing.assert_allclose(net.sent_weights(recorder)["weight"], sent, rtol=1e-11)
    np.testing.assert_allclose(steps(net.spikes(record)), train + 10, atol=1e-9)


def network(go_on=lambda net: net, **settings):
    """Neurons that find their own spike times, with several rules between them; delays, parameters and connections change during the run."""
    net = kernel(H, seed=6, **settings)
    cells = net.create("iaf_psc_exp_ps", 50, floats(I_e=np.linspace(380.0, 460.0, 50)))

    def attach(synapse, low, high, **params):
        call = {"indegree": 6, "weight": 50.0, "delay": drawn("uniform", low, high), "synapse": synapse}
        connect(net, rows(cells, 50), rows(cells, 50), "fixed_indegree", synapse_params=params, **call)

    attach("stdp_synapse", 0.3, 4.0, Wmax=100.0)
    attach("stdp_synapse", 2.2, 5.0, Wmax=100.0, axonal_delay=drawn("uniform", 0.0, 2.0), tau_plus=drawn("uniform", 10.0, 20.0))
    attach("stdp_triplet_synapse", 1.2, 3.0, Wmax=100.0)
    attach("stdp_nn_restr_synapse", 1.0, 1.5, Wmax=100.0)
    attach("quantal_stp_synapse", 0.5, 2.5, n=4.0, a=3.0)
    attach("jonke_synapse", 0.5, 2.5, Wmax=100.0)
    record = net.record_spikes(rows(cells, 50), 0, 10**9)
    net.run(300, None)
    net = go_on(net)
    attach("stdp_synapse", 6.2, 9.0, Wmax=100.0)
    net.run(100, None)
    c = net.connections(None, rows(cells, 20), "stdp_synapse")
    some = c["source"] % 3 == 0
    net.edit(
        *(c[key][some] for key in ("slice", "table", "position")), 0, delay_steps=np.full(some.sum(), 75), parameters=floats(alpha=1.5)
    )
    net.run(400, None)
    found = [
        net.connections(None, None, name) for name in ("stdp_synapse", "stdp_triplet_synapse", "stdp_nn_restr_synapse", "jonke_synapse")
    ]
    return digest(*(c[key] for c in found for key in ("source", "target", "weight", "delay_steps")), *net.spikes(record))


@pytest.fixture(scope="module")
def expected():
    return network()


@pytest.mark.parametrize(("threads", "block_size", "layout"), [(2, 0, "auto"), (3, 8, "words"), (1, 5, "runs")])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert network(threads=threads, block_size=block_size, layout=layout) == expected


def test_a_checkpoint_goes_on(expected):
    assert network(lambda net: continued(net, lambda: kernel(H, seed=6, threads=2, block_size=7), True), threads=3) == expected
    assert network(lambda net: continued(net, lambda: kernel(H, seed=6), True)) == expected


@pytest.mark.parametrize(("ranks", "threads"), [(2, 1), (3, 2)])
def test_ranks(expected, ranks, threads):
    assert the_same(on_ranks(ranks, lambda comm: network(comm=comm, threads=threads))) == expected


@pytest.mark.parametrize("name", ["clopath_synapse", "urbanczik_synapse", "eprop_synapse"])
def test_other_rules_are_refused(name):
    net = kernel(H)
    cells = net.create("iaf_psc_exp_ps", 2, {})
    with pytest.raises(IllegalConnection, match="iaf_psc_exp_ps"):
        connect(net, rows(cells, 2), rows(cells, 2), synapse=name)
