# SPDX-License-Identifier: Apache-2.0
"""Parameters of synapse models that differ from synapse to synapse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from neuropil.model.synapses import Synapse
from thread_ranks import on_ranks, the_same

COMMON = {
    "tsodyks2_synapse": {"U": 0.3, "u": 0.4, "tau_rec": 300.0, "tau_fac": 50.0},
    "tsodyks_synapse": {"U": 0.3, "tau_psc": 4.0, "tau_fac": 50.0, "tau_rec": 300.0},
    "ht_synapse": {"P": 0.9, "tau_P": 300.0, "delta_P": 0.2},
    "nmda_synapse": {"tau_decay_NMDA": 80.0, "alpha": 0.7},
    "quantal_stp_synapse": {"U": 0.3, "tau_rec": 200.0, "tau_fac": 30.0, "n": 5.0, "a": 4.0},
    "bernoulli_synapse": {"p_transmit": 0.4},
    "jonke_synapse": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.5, "mu_plus": 0.01, "Wmax": 90.0},
    "stdp_triplet_synapse": {"tau_plus": 15.0, "tau_plus_triplet": 90.0, "Aplus": 0.01, "Aminus": 0.02, "Wmax": 90.0},
    "stdp_synapse": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.9, "mu_plus": 0.5, "mu_minus": 0.0, "Wmax": 90.0},
    "stdp_nn_symm_synapse": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.9, "mu_minus": 0.4, "Wmax": 90.0},
    "stdp_nn_restr_synapse": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.9, "mu_plus": 0.0},
    "stdp_pl_synapse_hom": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.9, "mu": 0.3},
    "vogels_sprekeler_synapse": {"tau": 15.0, "eta": 0.02, "alpha": 0.1, "Wmax": 90.0},
    "stdp_nn_pre_centered_synapse": {"tau_plus": 15.0, "lambda": 0.02, "alpha": 0.9, "mu_plus": 0.5, "Wmax": 90.0},
}
DRAWN = {"U": npl.uniform(0.1, 0.9), "tau_rec": npl.normal(300.0, 100.0).redraw(min=10.0), "tau_fac": npl.lognormal(3.0, 0.5)}


def active(synapse, n=120, indegree=12, **settings):
    """A network that fires, its projection and its record."""
    net = npl.Network(seed=3, **settings)
    cells = net.create("iaf_psc_exp", n)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=40.0)
    made = net.connect(
        cells, cells, npl.fixed_indegree(indegree), weight=npl.uniform(20.0, 60.0), delay=npl.uniform(0.5, 3.0), synapse=synapse
    )
    return net, made, net.record(cells)


def results(net, made, record):
    return record.times.tobytes(), record.gids.tobytes(), np.array(made.weight).tobytes()


@pytest.mark.parametrize("model", COMMON)
def test_equal_values_are_the_common_value(model):
    """The same bits, whether all synapses share the parameters or each has them for itself."""
    common, own = COMMON[model], {k: npl.uniform(v, v) for k, v in COMMON[model].items()}
    found = []
    for parameters in (common, own):
        net, made, record = active(npl.synapse(model, **parameters))
        net.run(150.0)
        found.append(results(net, made, record))
        assert len(record.times) > 500
    assert found[0] == found[1]


RANGES = {
    "stdp_synapse": {"tau_plus": (5, 40), "lambda": (0, 0.1), "alpha": (0, 2), "mu_plus": (0, 1), "mu_minus": (0, 1), "Wmax": (70, 90)},
    "stdp_nn_symm_synapse": {"tau_plus": (5, 40), "lambda": (0, 0.1), "mu_plus": (0, 1), "Wmax": (70, 90)},
    "stdp_nn_restr_synapse": {"tau_plus": (5, 40), "alpha": (0, 2), "mu_minus": (0, 1)},
    "stdp_nn_pre_centered_synapse": {"tau_plus": (5, 40), "lambda": (0, 0.1), "alpha": (0, 2), "Wmax": (70, 90)},
    "stdp_pl_synapse_hom": {"tau_plus": (5, 40), "lambda": (0, 0.1), "alpha": (0, 2), "mu": (0, 1)},
    "vogels_sprekeler_synapse": {"tau": (5, 40), "eta": (0, 0.1), "alpha": (0, 0.5), "Wmax": (70, 90)},
    "stdp_triplet_synapse": {"tau_plus": (5, 40), "Aplus": (0, 0.1), "Aminus": (0, 0.1), "Wmax": (70, 90)},
    "jonke_synapse": {"tau_plus": (5, 40), "lambda": (0, 0.1), "Wmax": (70, 90)},
    "tsodyks_synapse": {"U": (0.1, 0.9), "tau_rec": (50, 500), "tau_fac": (0, 40)},
    "tsodyks2_synapse": {"U": (0.1, 0.9), "tau_rec": (50, 500), "tau_fac": (0, 40)},
}


@pytest.mark.parametrize("model", RANGES)
@settings(max_examples=8, deadline=None)
@given(
    chosen=st.sets(st.integers(0, 5), min_size=1),
    seed=st.integers(1, 10**6),
    delay=st.sampled_from([1.0, npl.uniform(0.5, 4.0)]),
    whole=st.booleans(),
    double=st.booleans(),
    threads=st.integers(1, 2),
)
def test_each_synapse_is_a_network_of_its_own(model, chosen, seed, delay, whole, double, threads):
    """N synapses with parameters of their own change as in N networks whose synapses all have them, bit for bit."""
    names = [name for k, name in enumerate(RANGES[model]) if k in {c % len(RANGES[model]) for c in chosen}]
    random = np.random.default_rng(seed)
    n_pre, n_post = 3, 4
    own = {name: random.uniform(*RANGES[model][name], (n_post, n_pre)) for name in names}
    if whole:  # exponents and shares at the ends of their ranges, which have loops of their own
        own = {name: np.where(random.random(v.shape) < 0.7, np.round(v), v) if name.startswith("mu") else v for name, v in own.items()}
    others = {name: high for name, (_, high) in RANGES[model].items() if name == "Wmax" and name not in own}
    weights = random.uniform(20, 60, (n_post, n_pre))
    trains = [np.unique(np.round(random.uniform(1, 150, 20), 1)) for _ in range(n_pre + n_post)]

    def weights_with(parameters):
        net = npl.Network(seed=seed, threads=threads)
        pre, post = net.create("parrot_neuron", n_pre), net.create("parrot_neuron", n_post)
        for cells, some in ((pre, trains[:n_pre]), (post, trains[n_pre:])):
            for cell, train in zip(cells.gids.tolist(), some, strict=True):
                net.connect(net.create("spike_generator", 1, spike_times=train), cells[cell - cells.gids[0] : cell - cells.gids[0] + 1])
        record = net.record_weights()
        net.connect(
            pre, post, weight=weights, delay=delay, synapse=npl.synapse(model, **others, **parameters), receptor=1,
            double_weights=double, weight_recorder=record,
        )  # fmt: skip
        net.run(170.0)
        c, sent = net.connections(pre, post), {}
        for source, target, w in zip(record.source.tolist(), record.target.tolist(), record.weight.tolist(), strict=True):
            sent.setdefault((source - pre.gids[0], target - post.gids[0]), []).append(w)
        ends = zip((c.source - pre.gids[0]).tolist(), (c.target - post.gids[0]).tolist(), strict=True)
        return dict(zip(ends, c.weight.tolist(), strict=True)), sent

    both = weights_with(own)
    for target, source in np.ndindex(n_post, n_pre):
        alone = weights_with({name: v[target, source] for name, v in own.items()})
        for varied, common in zip(both, alone, strict=True):
            assert varied[source, target] == common[source, target]


def test_drawn_values():
    _net, made, _ = active(npl.synapse("tsodyks2_synapse", **DRAWN), n=1000, indegree=50)
    U, tau = np.array(made["U"]), np.array(made["tau_rec"])
    assert 0.1 <= U.min() < 0.101 and 0.899 < U.max() <= 0.9
    assert abs(U.mean() - 0.5) < 5 * 0.8 / np.sqrt(12 * len(U))
    assert tau.min() >= 10.0 and abs(np.median(tau) - 300.0) < 3.0
    assert abs(np.corrcoef(U, tau)[0, 1]) < 5 / np.sqrt(len(U))
    assert abs(np.corrcoef(U, made.weight)[0, 1]) < 5 / np.sqrt(len(U))
    assert np.array_equal(made["x"], np.ones(len(U)))  # the common default


@pytest.mark.parametrize("shape", ["all_to_all", "one_to_one"])
def test_arrays_are_in_the_order_of_the_rule(shape):
    net = npl.Network()
    a, b = net.create("iaf_psc_exp", 5), net.create("iaf_psc_exp", 5)
    n = (5, 5) if shape == "all_to_all" else (5,)
    values = np.linspace(0.1, 0.9, int(np.prod(n))).reshape(n)
    weights = 10 * values
    made = net.connect(a, b, shape, weight=weights, synapse=npl.synapse("tsodyks2_synapse", U=values, tau_rec=npl.uniform(100.0, 200.0)))
    assert np.allclose(made["U"], np.array(made.weight) / 10, rtol=1e-6)
    with pytest.raises(npl.errors.BadLength):
        net.connect(a, b, shape, synapse=npl.synapse("tsodyks2_synapse", U=values.ravel()[:-1]))


def released(times, U, u, x, tau_rec, tau_fac):
    """What each spike releases, equations 2 and 4 of Fuhrmann et al. (2002)."""
    shares, last = [], None
    for t in times:
        if last is not None:
            x = 1 + (x - x * u - 1) * np.exp(-(t - last) / tau_rec)
            u = U + u * (1 - U) * np.exp(-(t - last) / tau_fac)
        shares.append(x * u)
        last = t
    return np.array(shares)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(1, 10**6),
    n_pre=st.integers(1, 6),
    n_post=st.integers(1, 6),
    rule=st.sampled_from(
        [npl.all_to_all(), npl.fixed_indegree(3), npl.fixed_outdegree(2), npl.fixed_total_number(7), npl.pairwise_bernoulli(0.6)]
    ),
    delay=st.sampled_from([1.0, npl.uniform(0.5, 4.0)]),
    threads=st.integers(1, 3),
)
def test_transmitted_weights_follow_the_equations(seed, n_pre, n_post, rule, delay, threads):
    """Every synapse by its own parameters, for any rule, delays and threads."""
    random = np.random.default_rng(seed)
    net = npl.Network(seed=seed, threads=threads)
    trains = [np.unique(np.round(random.uniform(1, 150, 12), 1)) for _ in range(n_pre)]
    pre = net.create("parrot_neuron", n_pre)
    for k, train in enumerate(trains):
        generator = net.create("spike_generator", 1, spike_times=train)
        net.connect(generator, pre[k : k + 1])
    post = net.create("iaf_psc_exp", n_post)
    record = net.record_weights()
    synapse = npl.synapse("tsodyks2_synapse", u=npl.uniform(0.2, 0.9), **DRAWN)
    made = net.connect(pre, post, rule, weight=npl.uniform(1.0, 9.0), delay=delay, synapse=synapse, weight_recorder=record)
    if not len(made):
        return
    c = made.connections()
    u, x = np.array(made["u"]), np.array(made["x"])  # initial values
    net.run(200.0)
    for k in range(len(c)):
        times = trains[int(c.source[k] - pre.gids[0])] + 1.0
        expected = c.weight[k] * released(times, c["U"][k], u[k], x[k], c["tau_rec"][k], c["tau_fac"][k])
        alike = (record.source == c.source[k]) & (record.target == c.target[k])
        noted = record.weight[alike]
        assert all(np.isclose(noted, w, rtol=1e-9).any() for w in expected)


@pytest.mark.parametrize("model", ["quantal_stp_synapse", *RANGES])
def test_any_ranks_and_threads(model):
    drawn = {name: npl.uniform(*ends) for name, ends in RANGES[model].items()} if model in RANGES else DRAWN

    def bits(**given):
        net, made, record = active(npl.synapse(model, **drawn), **given)
        net.run(60.0)
        return results(net, made, record), [np.array(made[name]).tobytes() for name in drawn]

    expected = bits(threads=1)
    assert bits(threads=3, block_size=7) == expected
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: bits(ranks=comm, threads=2))) == expected


def by_pair(net):
    c = net.connections()
    return {
        pair: (u, t)
        for *pair, u, t in zip(
            c.source.tolist(), c.target.tolist(), np.array(c["U"]).tolist(), np.array(c["tau_rec"]).tolist(), strict=True
        )
        for pair in [tuple(pair)]
    }


def test_values_stay_when_tables_change():
    """Tables are merged, connections removed, delays changed: each synapse keeps its parameters."""
    net = npl.Network(seed=5)
    a = net.create("iaf_psc_exp", 20)
    synapse = npl.synapse("tsodyks2_synapse", U=npl.uniform(0.1, 0.9), tau_rec=npl.uniform(100.0, 800.0))
    net.connect(a[:10], a, weight=1.0, delay=npl.uniform(1.0, 3.0), synapse=synapse)
    before = by_pair(net)
    net.connect(a[10:], a, weight=1.0, delay=npl.uniform(1.0, 3.0), synapse=synapse)
    both = by_pair(net)
    assert len(both) == 400 and both.items() >= before.items()
    assert len({order for _, order, _, _ in net._kernel.table_hashes()}) == 1
    c = net.connections()
    net.disconnect(c[::3])
    left = by_pair(net)
    assert len(left) == len(c) - len(c[::3]) and both.items() >= left.items()
    c = net.connections()
    c[::2].set(delay=2.5)
    assert by_pair(net) == left


def test_one_value_is_set_in_place():
    net, made, _ = active(npl.synapse("tsodyks2_synapse", **DRAWN), n=50)
    U = np.array(made["U"])
    tables = len(net._kernel.table_hashes())
    made.connections()[7:8].set(U=0.25)
    made["tau_rec"] = np.arange(len(U)) + 50.0
    U[7] = 0.25
    assert np.array_equal(made["U"], U) and np.array_equal(made["tau_rec"], np.arange(len(U)) + 50.0)
    assert len(net._kernel.table_hashes()) == tables
    with pytest.raises(npl.errors.BadParameter, match="from 0 to 1"):
        made["U"] = 1.5
    assert np.array_equal(made["U"], U)
    made["x"] = 0.5  # common to all: another table, which has the columns as well
    assert np.array_equal(made["U"], U) and len(net._kernel.table_hashes()) == tables


def test_setting_is_as_connecting():
    """Values that are set give the spikes of values that were given to connect."""
    found = []
    for late in (False, True):
        net = npl.Network(seed=2)
        cells = net.create("iaf_psc_exp", 40)
        net.stimulate(cells, npl.poisson(rate=8000.0), weight=40.0)
        U = np.linspace(0.1, 0.9, 1600).reshape(40, 40)
        made = net.connect(
            cells, cells, weight=30.0, synapse=npl.synapse("tsodyks2_synapse", U=np.full((40, 40), 0.5) if late else U, u=0.5)
        )
        if late:
            made["U"] = U.T.ravel()  # the rule is target by target, connections are sorted by source
        record = net.record(cells)
        net.run(100.0)
        found.append((np.array(made["U"]).tobytes(), record.times.tobytes()))
    assert found[0] == found[1]


def test_eight_bytes_each():
    sizes = []
    for drawn in ({}, {"p_transmit": npl.uniform(0.1, 0.9)}):
        net, _made, _ = active(npl.synapse("bernoulli_synapse", **drawn), n=1000, indegree=100)
        planned = net.plan().bytes["synapses"]
        net.build()
        assert net.memory["synapses"] == planned
        sizes.append(net.memory["synapses"])
    assert sizes[1] - sizes[0] == 8 * 100_000


@pytest.mark.parametrize("delay", [1.5, npl.uniform(0.5, 5.0)])
@pytest.mark.parametrize("model", RANGES)
def test_the_plan_knows_the_columns(model, delay):
    """Within 5 % of what the tables take: parameters, state that is kept per synapse for them, rows."""
    net = npl.Network(seed=1)
    cells = net.create("iaf_psc_exp", 1000)
    drawn = npl.synapse(model, **{name: npl.uniform(*ends) for name, ends in RANGES[model].items()})
    net.connect(cells, cells, npl.fixed_indegree(100), weight=npl.uniform(20.0, 60.0), delay=delay, synapse=drawn)
    planned = net.plan().bytes["synapses"]
    net.build()
    assert abs(net.memory["synapses"] - planned) < 0.05 * planned
    assert planned > 8 * len(RANGES[model]) * 100_000


@pytest.mark.parametrize(
    ("model", "parameters", "what"),
    [
        ("tsodyks2_synapse", {"U": npl.normal(0.5, 0.1)}, "U = "),
        ("tsodyks2_synapse", {"U": npl.uniform(0.5, 1.5)}, "from 0 to 1"),
        ("tsodyks2_synapse", {"tau_rec": npl.uniform(-1.0, 10.0)}, "> 0"),
        ("tsodyks_synapse", {"x": npl.uniform(0.0, 0.8), "y": npl.uniform(0.0, 0.8)}, "at most 1 - y"),
        ("quantal_stp_synapse", {"n": npl.uniform(1.0, 5.0)}, "whole number"),
        ("quantal_stp_synapse", {"n": npl.normal(3.0, 1.0).clip(1.0, 5.0)}, "whole number"),
        ("jonke_synapse", {"Wmax": npl.uniform(1.0, 5.0)}, "weight"),
        ("stdp_synapse", {"Wmax": npl.uniform(-5.0, -1.0)}, "weight"),
        ("stdp_synapse", {"Wmax": np.zeros((4, 4))}, "from 0 to 0"),
        ("stdp_synapse", {"mu_plus": npl.uniform(-1.0, 1.0)}, "mu_plus"),
        ("stdp_nn_symm_synapse", {"tau_plus": npl.uniform(-1.0, 1.0)}, ">= 0"),
        ("stdp_pl_synapse_hom", {"lambda": np.full((4, 4), np.nan)}, "lambda"),
        ("vogels_sprekeler_synapse", {"tau": npl.normal(20.0, 5.0), "Wmax": 10.0}, "tau"),
    ],
)
def test_refused_before_anything_changes(model, parameters, what):
    net = npl.Network()
    a = net.create("iaf_psc_exp", 4)
    with pytest.raises(npl.errors.BadParameter, match=what):
        net.connect(a, a, weight=4.0, synapse=npl.synapse(model, **parameters))
    assert net.n_connections == 0 and not net.projections


@pytest.mark.parametrize(
    ("model", "name"), [("stdp_triplet_synapse", "tau_minus"), ("stdp_synapse", "tau_minus"), ("cont_delay_synapse", "sub_step_delay")]
)
def test_what_cannot_differ_is_refused(model, name):
    with pytest.raises(npl.errors.BadType, match=f"{name}.*differ from synapse to synapse"):
        npl.synapse(model, **{name: npl.uniform(0.01, 0.02)})
    net = npl.Network()
    a = net.create("iaf_psc_exp", 2)
    with pytest.raises(npl.errors.BadParameter, match=f"{name} = a value per synapse"):
        net.connect(a, a, weight=1.0, synapse=Synapse(model, {name: npl.uniform(0.01, 0.02)}))


def test_whole_numbers_can_be_drawn():
    _net, made, _ = active(npl.synapse("quantal_stp_synapse", n=1 + npl.uniform_int(5), a=0.0), n=50)
    assert set(np.array(made["n"]).tolist()) == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_repr():
    synapse = npl.synapse("tsodyks2_synapse", U=npl.uniform(0.1, 0.9), tau_rec=[1.0, 2.0], tau_fac=3.0)
    assert repr(synapse) == "tsodyks2_synapse(U=uniform(min=0.1, max=0.9), tau_rec=array of 2, tau_fac=3)"
