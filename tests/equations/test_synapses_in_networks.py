# SPDX-License-Identifier: Apache-2.0
"""Synapse models from equations in networks: beside plain Python event by event, built-in twins, other threads, checkpoints."""

import numpy as np
import pytest

import neuropil as npl
from equations.compiled import COMPILER
from equations.synapse_reference import transmitted
from equations.synapse_rules import RULES, arguments, random_rule
from thread_ranks import on_ranks, the_same

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")
DELAY = 1.5


@pytest.fixture(scope="module")
def models():
    return {name: npl.synapse_model(name, *arguments(rule)[0], **arguments(rule)[1]) for name, rule in RULES.items()}


def network(synapse, seed=1, precise=False, weight=50.0, **settings):
    """Sources with trains of their own and driven targets: the network, and records of weights sent and of spikes."""
    net = npl.Network(seed=seed, **settings)
    if precise:
        sources = net.create("iaf_psc_exp_ps", 6, I_e=npl.uniform(420.0, 700.0))
    else:
        sources, random = net.create("parrot_neuron", 6), np.random.default_rng(seed)
        for k in range(6):
            train = np.sort(random.choice(np.arange(1, 4900), 40, replace=False)) / 10.0
            net.stimulate(sources[k : k + 1], npl.spike_train(np.round(train, 1)), weight=1.0, delay=0.1)
    targets = net.create("iaf_psc_exp_ps" if precise else "iaf_psc_exp", 5, I_e=npl.uniform(400.0, 700.0))
    record = net.record_weights()
    net.connect(sources, targets, weight=weight, delay=DELAY, synapse=synapse, double_weights=True, weight_recorder=record)
    return net, record, net.record(sources), net.record(targets)


def sent(record):
    """What was transmitted, by source and target, in order of time."""
    order = np.lexsort((record.times, record.target, record.source))
    pairs = np.stack([record.source, record.target])[:, order]
    return {tuple(pair): record.weight[order][(pair == pairs.T).all(1)] for pair in np.unique(pairs.T, axis=0)}


def trains(spikes, times):
    return {gid: times[np.asarray(spikes.gids) == gid].tolist() for gid in np.unique(spikes.gids)}


def compare(model, found, pre, post, delay, resolution, tolerance):
    n = 0
    for (source, target), weights in found.items():
        wanted = transmitted(model, 50.0, delay, pre[source], post.get(target, []), resolution)
        assert len(pre[source]) - 1 <= len(weights) <= len(wanted)
        np.testing.assert_allclose(weights, wanted[: len(weights)], rtol=tolerance, atol=1e-9)
        n += len(weights)
    assert n > 300


@pytest.mark.parametrize("mu", [0.0, 1.0, 2.0])
def test_kinds_of_exponents(models, mu):
    built_in = npl.synapse("stdp_synapse", tau_minus=25.0, mu_plus=mu, mu_minus=mu)
    found, wanted = results(models["eq_powers"](mu=mu), False)[0], results(built_in, False)[0]
    for pair, weights in wanted.items():
        np.testing.assert_allclose(found[pair], weights, rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_networks_do_what_the_equations_say(models, name):
    for seed in range(3):
        net, record, pre, post = network(models[name], seed, threads=1)
        net.run(500.0, progress=False)
        steps = [trains(spikes.data(), np.asarray(spikes.data().steps)) for spikes in (pre, post)]
        assert sum(map(len, steps[1].values())) > 20
        compare(models[name], sent(record), *steps, 15, 0.1, 1e-11)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 23))])
def test_random_rules_do_what_the_equations_say(seed):
    equations, options = arguments(random_rule(seed))
    model = npl.synapse_model(f"random_{seed}", *equations, **options)
    net, record, pre, post = network(model, seed, threads=1)
    net.run(500.0, progress=False)
    steps = [trains(spikes.data(), np.asarray(spikes.data().steps)) for spikes in (pre, post)]
    compare(model, sent(record), *steps, 15, 0.1, 1e-9)


@pytest.mark.parametrize("name", ["eq_additive", "eq_always", "eq_vogels", "eq_everything", "eq_many", "eq_short_term", "eq_resources"])
def test_spikes_between_grid_points(models, name):
    net, record, pre, post = network(models[name], precise=True, threads=1)
    net.run(1000.0, progress=False)
    times = [trains(spikes.data(), np.asarray(spikes.data().times)) for spikes in (pre, post)]
    assert np.any(np.asarray(pre.data().times) * 10 % 1 > 0.01)
    compare(models[name], sent(record), *times, DELAY, 1.0, 1e-8)


TWINS = {
    "eq_additive": ("stdp_synapse", {"mu_plus": 0.0, "mu_minus": 0.0}),
    "eq_powers": ("stdp_synapse", {"tau_minus": 25.0, "mu_plus": 0.4, "mu_minus": 0.4}),
    "eq_triplet": ("stdp_triplet_synapse", {"Aplus": 0.1, "Aplus_triplet": 0.2, "Aminus": 0.3, "Aminus_triplet": 0.05}),
    "eq_vogels": ("vogels_sprekeler_synapse", {"eta": 0.4, "Wmax": 100.0}),
    "eq_short_term": ("tsodyks2_synapse", {"U": 0.3, "u": 0.3, "tau_fac": 500.0, "tau_rec": 200.0}),
}


def network_run(synapse, duration):
    """The record of weights."""
    net, record, _, _ = network(synapse, threads=1)
    net.run(duration, progress=False)
    return record


def results(synapse, precise):
    net, record, _, post = network(synapse, precise=precise, threads=1)
    net.run(500.0, progress=False)
    return sent(record), np.asarray(post.data().times)


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("precise", [False, True])
def test_twins_of_built_in_models(models, name, precise):
    """To rounding; off-grid spikes of targets pass rounding of weights on, so there the tolerance is larger."""
    twin, parameters = TWINS[name]
    (found, times), (wanted, same_times) = results(models[name], precise), results(npl.synapse(twin, **parameters), precise)
    np.testing.assert_allclose(times, same_times, rtol=1e-12)
    for pair, weights in wanted.items():
        np.testing.assert_allclose(found[pair], weights, rtol=1e-10 if precise else 1e-12)
    assert np.ptp(np.concatenate(list(wanted.values()))) > 1.0


def test_triplets_have_the_bits_of_the_built_in_model(models):
    twin, parameters = TWINS["eq_triplet"]
    found, wanted = results(models["eq_triplet"], False)[0], results(npl.synapse(twin, **parameters), False)[0]
    for pair, weights in wanted.items():
        np.testing.assert_array_equal(found[pair], weights)


@pytest.mark.parametrize("name", ["eq_additive", "eq_always", "eq_everything", "eq_many", "eq_resources"])
@pytest.mark.parametrize("precise", [False, True])
def test_threads_blocks_and_ranks_do_not_count(models, name, precise):
    def weights(**settings):
        net, record, _, post = network(models[name], precise=precise, **settings)
        net.run(300.0, progress=False)
        return {pair: found.tolist() for pair, found in sent(record).items()}, post.times.tolist()

    one = weights(threads=1)
    assert len(one[0]) == 30
    for settings in ({"threads": 3}, {"threads": 3, "block_size": 2}, {"threads": 1, "block_size": 1}):
        assert weights(**settings) == one
    for ranks in (2, 5):
        assert the_same(on_ranks(ranks, lambda comm: weights(threads=1, ranks=comm))) == one


def test_parameters_of_each_synapse(models):
    """With equal values the results are those of common parameters."""
    model = models["eq_everything"]
    found = []
    for lr in (0.1, npl.uniform(0.1, 0.1)):
        net, record, _, _ = network(model(lr=lr), threads=2)
        net.run(300.0, progress=False)
        found.append(sent(record))
    for pair, weights in found[0].items():
        np.testing.assert_array_equal(found[1][pair], weights)
    for name, parameter in (("eq_resources", "U"), ("eq_always", "tau_plus"), ("eq_additive", "rate"), ("eq_powers", "mu")):
        found = [sent(network_run(models[name](**{parameter: value}), 300.0)) for value in (0.2, npl.uniform(0.2, 0.2))]
        for pair, weights in found[0].items():
            np.testing.assert_allclose(found[1][pair], weights, rtol=1e-13)
    net, record, _, _ = network(models["eq_two_weights"](second=npl.uniform(0.0, 100.0)), threads=1)
    net.run(100.0, progress=False)
    assert len(np.unique(record.weight)) == 30


@pytest.mark.parametrize("name", ["eq_everything", "eq_resources", "eq_always"])
def test_checkpoints_go_on(models, name, tmp_path):
    net, record, _, _ = network(models[name], threads=2)
    net.run(150.0, progress=False)
    net.save(tmp_path / "net.npc", extra={"record": record})
    again = npl.load(tmp_path / "net.npc", trust=True, threads=1, progress=False)
    for each in (net, again):
        each.run(150.0, progress=False)
    after = again.extra["record"]
    assert len(after) > 100
    for name in ("times", "source", "target", "weight"):
        np.testing.assert_array_equal(getattr(after, name), getattr(record, name))


def test_users_read_variables_and_parameters(models):
    net, _, pre, _ = network(models["eq_everything"](tau_plus=25.0), threads=1)
    net.run(500.0, progress=False)
    connections = net.connections(synapse=models["eq_everything"])
    assert len(connections) == 30
    assert np.unique(connections["tau_plus"]) == [25.0]
    sources, counts = np.unique(pre.data().gids, return_counts=True)
    numbers = np.asarray(connections["count"])
    for gid, count in zip(sources, counts, strict=True):
        assert set(numbers[connections.source == gid]) <= {count - 1.0, float(count)}
    assert np.ptp(np.asarray(connections["calcium"])) > 0.0
    assert np.unique(np.asarray(connections["x"])) == [1.0]  # nearest spikes
    with pytest.raises(npl.errors.UnknownName, match="calcum"):
        connections["calcum"]


def test_users_read_the_trace_of_a_pair_rule(models):
    net, _, pre, _ = network(models["eq_pairs"], threads=1)
    net.run(500.0, progress=False)
    connections = net.connections(synapse=models["eq_pairs"])
    for gid, steps in trains(pre.data(), np.asarray(pre.data().steps)).items():
        arrived = np.array(steps) * 0.1
        wanted = np.exp(-(arrived[-1] - arrived) / 20.0).sum()  # just after the last spike
        np.testing.assert_allclose(np.asarray(connections["x"])[connections.source == gid], wanted, rtol=1e-9)
    assert "Kplus" not in models["eq_pairs"].entry.parameters


def test_bounds_are_those_of_weights(models):
    with pytest.raises(npl.errors.BadParameter, match="weight"):
        network(models["eq_additive"], weight=120.0)
    with pytest.raises(npl.errors.BadParameter, match="Wmax"):
        network(models["eq_additive"](Wmax=-1.0))
    with pytest.raises(npl.errors.BadParameter, match="tau_plus"):
        models["eq_additive"](tau_plus=0.0)
    with pytest.raises(npl.errors.UnknownName, match="tau_pluss"):
        models["eq_additive"](tau_pluss=1.0)


@pytest.mark.parametrize(
    ("weight", "bounds", "fails"), [(0.0, None, True), (1e-6, None, True), (0.1, None, False), (0.0, ("0", "10.0"), False)]
)
def test_what_is_sent_beyond_the_weights_counts_or_ends_the_run(weight, bounds, fails):
    """Sums of inputs are scaled for weights that are known; what went beyond them was lost."""
    given = {} if bounds is None else {"bounds": bounds}
    model = npl.synapse_model(
        f"beyond_{bounds is None}", "dx/dt = -x/tau (pre)", on_pre="x += 1", transmit="w + 0.3", parameters={"tau": 20.0}, **given
    )
    net = npl.Network(threads=1, seed=1)
    parrot, target = net.create("parrot_neuron", 1), net.create("iaf_psc_delta", 1)
    net.stimulate(parrot, npl.device("spike_generator", spike_times=[1.0]), weight=1.0, delay=1.0)
    net.connect(parrot, target, synapse=model, weight=weight, delay=1.0)
    if fails:
        with pytest.raises(npl.errors.WeightOutgrown, match="has transmitted more at 3 ms"):
            net.run(3.1)
    else:
        net.run(3.0)
        assert target.V_m[0] + 70.0 == pytest.approx(weight + 0.3, rel=1e-6)


GAINS = [0.5, 3.0, 1e12, "nan"]


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("synapses", [1, 40])
@pytest.mark.parametrize("varied", [False, True])
def test_shares_above_one_count_or_end_the_run(gain, synapses, varied):
    """Rules that keep all they know with the source: many synapses of it are updated at once, a few by themselves."""
    part, number = "0/(U - U)" if gain == "nan" else f"{gain!r}*U", GAINS.index(gain)
    model = npl.synapse_model(
        f"share{number}", "dx/dt = -x/tau (pre)", on_pre="x += 1", transmit=f"w*x*{part}", parameters={"tau": 20.0, "U": 1.0}
    )
    net = npl.Network(threads=1, seed=1)
    parrot, target = net.create("parrot_neuron", 1), net.create("iaf_psc_delta", synapses)
    net.stimulate(parrot, npl.device("spike_generator", spike_times=[1.0]), weight=1.0, delay=1.0)
    net.connect(parrot, target, synapse=model(U=npl.uniform(1.0, 1.0)) if varied else model, weight=0.2, delay=1.0)
    if gain in (0.5, 3.0):
        net.run(3.0)
        assert target.V_m[-1] + 70.0 == pytest.approx(0.2 * gain, rel=1e-6)
    else:
        with pytest.raises(npl.errors.WeightOutgrown, match="has transmitted more at 3 ms"):
            net.run(3.1)


def test_times_between_spikes_as_differences():
    """`t - last` with `last = t` is the time that variables decay in."""
    by_time = npl.synapse_model(
        "by_time", "dx/dt = 0 (pre); dlast/dt = 0 (pre)", on_pre="passed = t - last; last = t; x *= exp(-passed/tau); x += 1", transmit="w*x",
        parameters={"tau": "20 ms"},
    )  # fmt: skip
    decays = npl.synapse_model("decays", "dx/dt = -x/tau (pre)", on_pre="x += 1", transmit="w*x", parameters={"tau": "20 ms"})
    assert by_time.kept == {"x": "source", "last": "source"}
    found, wanted = sent(network_run(by_time, 300.0)), sent(network_run(decays, 300.0))
    assert sum(map(len, wanted.values())) > 300
    for pair, weights in wanted.items():
        np.testing.assert_allclose(found[pair], weights, rtol=1e-12)


def test_a_rule_beside_one_that_outgrows_is_not_blamed():
    """Which other synapses are in a slice must not change the error."""
    explodes = npl.synapse_model("explodes", "dx/dt = -x/tau (pre)", on_pre="w *= 1e12; x += 1", parameters={"tau": 20.0})
    shares = npl.synapse_model("shares", "dx/dt = -x/tau (pre)", on_pre="x += 1", transmit="0.5*w", parameters={"tau": 20.0})

    def error(block_size):
        net = npl.Network(threads=1, seed=1, block_size=block_size)
        parrot, targets = net.create("parrot_neuron", 1), net.create("iaf_psc_delta", 2)
        net.stimulate(parrot, npl.device("spike_generator", spike_times=[1.0]), weight=1.0, delay=1.0)
        net.connect(parrot, targets[:1], synapse=explodes, weight=1.0, delay=1.0)
        net.connect(parrot, targets[1:], synapse=shares, weight=1.0, delay=1.0)
        with pytest.raises(npl.errors.WeightOutgrown) as found:
            net.run(10.0)
        return str(found.value)

    assert error(1) == error(64)
    assert "explodes" in error(64)
