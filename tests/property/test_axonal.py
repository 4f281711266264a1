# SPDX-License-Identifier: Apache-2.0
"""Any split of a delay into an axonal and a dendritic part: weights against the rules over all pairs of spikes, at the times at which they reach the synapse."""

import numpy as np
import pytest

from lowlevel import array, connect, digest, drawn, floats, kernel, rows
from neuropil.errors import BadParameter, UnknownName
from property.test_single_synapses import GUETIG, JONKE, TRIPLET, depress, forced, jonke, potentiate, pre_centered, sources_of, triplet
from snapshots import continued
from thread_ranks import on_ranks, the_same

H = 0.1
VOGELS = {"tau": 15.0, "tau_minus": 25.0, "eta": 0.2, "alpha": 0.3, "Wmax": 10.0}
POWER = {"lambda": 0.1, "alpha": 0.2, "tau_plus": 15.0, "tau_minus": 30.0, "mu": 0.4}


def of_pairs(p, w, before, now, post, up=potentiate, down=depress, taus=("tau_plus", "tau_minus")):
    """All-to-all pairs."""
    last = before[-1] if len(before) else np.inf
    for s in post[(post > last) & (post <= now)]:
        w = up(p, w, np.exp((before - s) * H / p[taus[0]]).sum())
    return down(p, w, np.exp((post[post < now] - now) * H / p[taus[1]]).sum())


def power_law(p, w, before, now, post):
    return of_pairs(
        p,
        w,
        before,
        now,
        post,
        lambda p, w, k: w + p["lambda"] * w ** p["mu"] * k,
        lambda p, w, k: max(w - p["lambda"] * p["alpha"] * w * k, 0.0),
    )


def symmetric(p, w, before, now, post):
    def up(p, w, k):
        return min(w + p["eta"] * k, p["Wmax"])

    return of_pairs(p, w, before, now, post, up, lambda p, w, k: max(up(p, w, k) - p["alpha"] * p["eta"], 0.0), ("tau", "tau_minus"))


def nearest(p, w, before, now, post, immediate=False):
    last = before[-1] if len(before) else np.inf
    some = post[(post > last) & (post <= now)]
    for s in some[:1] if immediate else some:
        w = potentiate(p, w, np.exp((last - s) * H / p["tau_plus"]))
    earlier = post[post < now]
    meets = len(earlier) and not (immediate and len(before) and not len(some))  # after any spike since, as in NEST
    return depress(p, w, np.exp((earlier[-1] - now) * H / p["tau_minus"]) if meets else 0.0)


RULES = {
    "stdp_synapse": (of_pairs, GUETIG),
    "stdp_nn_symm_synapse": (nearest, GUETIG),
    "stdp_nn_restr_synapse": (lambda *args: nearest(*args, immediate=True), GUETIG),
    "stdp_nn_pre_centered_synapse": (pre_centered, GUETIG),
    "stdp_pl_synapse_hom": (power_law, POWER),
    "stdp_triplet_synapse": (triplet, TRIPLET),
    "jonke_synapse": (jonke, JONKE),
    "vogels_sprekeler_synapse": (symmetric, VOGELS),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("kept", ["one delay", "per projection", "per synapse"])
def test_weights_are_those_of_the_rule_at_the_synapse(name, kept):
    """Postsynaptic spikes also come from the synapses themselves, and between the sending of a spike and its arrival at the synapse."""
    rule, p = RULES[name]
    rng = np.random.default_rng(4)
    n = 12
    trains = [np.sort(rng.permutation(np.arange(2, 900))[: 40 >> k % 4]) for k in range(n)]
    if kept == "one delay":
        dendritic, axonal = np.full(n, 3), np.full(n, 21)
    elif kept == "per projection":
        dendritic, axonal = rng.integers(1, 40, n), np.full(n, 17)
    else:
        dendritic, axonal = rng.integers(1, 20, n), rng.integers(0, 60, n)
    net, target = forced(rng.integers(2, 900, 60))
    sources, recorder = sources_of(net, trains), net.record_weights(None, None)
    own = array(axonal * H) if kept == "per synapse" else axonal[0] * H
    delay = array((dendritic + axonal) * H) if kept != "one delay" else 24 * H
    call = {"synapse_params": p | {"axonal_delay": own}, "doubles": True, "recorder": recorder}
    connect(net, rows(sources, n), rows(target), weight=5.0, delay=delay, synapse=name, **call)
    record = net.record_spikes(rows(target), 0, 10**9)
    net.run(1100, None)
    emitted, sent = np.sort(np.asarray(net.spikes(record)[0])), net.sent_weights(recorder)
    for k, train in enumerate(trains):
        pre, w, expected = train + axonal[k], 5.0, []
        for i, now in enumerate(pre):
            expected.append(w := rule(p, w, pre[:i], now, emitted + dendritic[k]))
        mine = sent["source"] == sources + k
        np.testing.assert_allclose(sent["weight"][mine], expected, rtol=1e-11, atol=1e-11)


def network(go_on=lambda net: net, **settings):
    """Plastic synapses of three rules with axonal delays, drawn or common; delays and their splits change during the run."""
    net = kernel(H, seed=6, **settings)
    cells = net.create("iaf_psc_exp", 60, floats(I_e=np.linspace(370.0, 420.0, 60)))

    def attach(synapse, axonal, low, high):
        call = {"indegree": 8, "weight": 50.0, "delay": drawn("uniform", low, high), "synapse": synapse}
        params = {"axonal_delay": axonal, "Wmax": 100.0}
        connect(net, rows(cells, 60), rows(cells, 60), "fixed_indegree", synapse_params=params, **call)

    attach("stdp_synapse", drawn("uniform", 0.0, 2.0), 2.2, 5.0)
    attach("stdp_synapse", 1.5, 1.7, 4.0)
    attach("stdp_triplet_synapse", drawn("uniform", 0.0, 1.0), 1.2, 3.0)
    record = net.record_spikes(rows(cells, 60), 0, 10**9)
    net.run(300, None)
    net = go_on(net)
    attach("stdp_synapse", drawn("uniform", 3.0, 6.0), 6.2, 9.0)
    net.run(100, None)
    c = net.connections(None, rows(cells, 20), "stdp_synapse")
    some = c["source"] % 3 == 0
    net.edit(
        *(c[key][some] for key in ("slice", "table", "position")),
        0,
        delay_steps=np.full(some.sum(), 95),
        parameters=floats(axonal_delay=4.0),
    )
    net.run(400, None)
    found = [net.connections(None, None, name) for name in ("stdp_synapse", "stdp_triplet_synapse")]
    return digest(*(c[key] for c in found for key in ("source", "target", "weight", "delay_steps")), *net.spikes(record))


@pytest.fixture(scope="module")
def expected():
    return network()


@pytest.mark.parametrize(("threads", "block_size", "layout"), [(2, 0, "auto"), (3, 8, "words"), (1, 5, "runs")])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert network(threads=threads, block_size=block_size, layout=layout) == expected


def test_a_checkpoint_goes_on(expected):
    assert network(lambda net: continued(net, lambda: kernel(H, seed=6, threads=2, block_size=7), True), threads=3) == expected


@pytest.mark.parametrize(("ranks", "threads"), [(2, 1), (3, 2)])
def test_ranks(expected, ranks, threads):
    assert the_same(on_ranks(ranks, lambda comm: network(comm=comm, threads=threads))) == expected


def test_without_an_axonal_delay_nothing_changes():
    """Zeros per synapse give the bits of none."""

    def weights(params):
        net = kernel(H, seed=2)
        cells = net.create("iaf_psc_exp", 40, floats(I_e=400.0))
        call = {"indegree": 10, "weight": 40.0, "delay": drawn("uniform", 0.5, 3.0), "synapse": "stdp_synapse", "synapse_params": params}
        connect(net, rows(cells, 40), rows(cells, 40), "fixed_indegree", **call)
        net.run(1500, None)
        return net.connections(None, None, "stdp_synapse")["weight"]

    assert np.array_equal(weights({}), weights({"axonal_delay": array(np.zeros(400))}))
    assert not np.array_equal(weights({}), weights({"axonal_delay": 0.3}))


@pytest.mark.parametrize(
    ("delay", "axonal"),
    [(2.0, 2.0), (2.0, 5.0), (2.0, -0.5), (2.0, float("nan")), (drawn("uniform", 1.0, 3.0), 1.0), (2.0, drawn("uniform", 0.5, 2.0)), (2.0, drawn("normal", 0.5, 0.1)),
     (array([2.0, 1.0]), array([1.0, 1.0]))],
)  # fmt: skip
def test_no_dendritic_delay_is_refused(delay, axonal):
    net = kernel(H)
    cells = net.create("parrot_neuron", 3, {})
    with pytest.raises(BadParameter, match="axonal_delay"):
        connect(net, rows(cells, 2), rows(cells + 2), delay=delay, synapse="stdp_synapse", synapse_params={"axonal_delay": axonal})
    net.build(None)
    assert len(net.connections(None, None, "stdp_synapse")["source"]) == 0


def test_edits_that_leave_no_dendritic_delay_are_refused():
    net = kernel(H)
    cells = net.create("parrot_neuron", 3, {})
    connect(
        net,
        rows(cells, 2),
        rows(cells + 2),
        delay=array([2.0, 3.0]),
        synapse="stdp_synapse",
        synapse_params={"axonal_delay": array([1.0, 2.5])},
    )
    net.build(None)
    c = net.connections(None, None, "stdp_synapse")
    where = {key: c[key][1:] for key in ("slice", "table", "position")}
    for change in (
        {"delay_steps": np.array([25])},
        {"parameters": floats(axonal_delay=3.0)},
        {"delay_steps": np.array([40]), "parameters": floats(axonal_delay=4.0)},
    ):
        with pytest.raises(BadParameter, match="axonal_delay"):
            net.edit(**where, sent_before=0, **change)
    net.edit(**where, sent_before=0, delay_steps=np.array([26]))


@pytest.mark.parametrize("name", ["static_synapse", "tsodyks2_synapse", "stdp_dopamine_synapse"])
def test_only_synapses_that_know_it_have_one(name):
    net = kernel(H)
    cells = net.create("parrot_neuron", 2, {})
    with pytest.raises(UnknownName, match="axonal_delay"):
        connect(net, rows(cells), rows(cells + 1), delay=2.0, synapse=name, synapse_params={"axonal_delay": 0.5})
