# SPDX-License-Identifier: Apache-2.0
"""Synapse equations with a third factor, the time between events, and random numbers."""

import math

import numpy as np
import pytest

import neuropil as npl
from equations.compiled import COMPILER
from equations.test_synapses_in_networks import network, sent, trains
from neuropil.equations.errors import EquationError
from neuropil.errors import BadParameter, BadType

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")
VALUES = {"A_plus": 0.05, "A_minus": 0.06, "tau_plus": 15.0, "tau_minus": 25.0, "tau_c": 300.0, "tau_n": 120.0, "b": 0.002, "Wmax": 200.0}
OF_DOPAMINE = {
    "on_pre": "x += 1; c -= A_minus*y",
    "on_post": "y += 1; c += A_plus*x",
    "on_third": "n += 1/tau_n",
    "between": """
        w += c*n*(1 - exp(-elapsed*(1/tau_c + 1/tau_n)))/(1/tau_c + 1/tau_n)
        w -= c*b*tau_c*(1 - exp(-elapsed/tau_c))
    """,
    "bounds": ("0", "Wmax"),
}
LINES = ("dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)", "dc/dt = -c/tau_c (synapse)", "dn/dt = -n/tau_n (third)")


def dopamine(name="eq_dopamine", lines=LINES, **changed):
    return npl.synapse_model(name, *lines, **OF_DOPAMINE | {"parameters": VALUES | {"b": "0.002 1/ms"}} | changed)


def modulated(make, threads=1, cut=None):
    """Sources, targets and a pool: what is sent, and the network after 400 ms. cut : a file that it goes through after half of them."""
    net = npl.Network(seed=3, threads=threads)
    pool, transmitter = net.create("parrot_neuron", 4), net.create("volume_transmitter", 1)
    net.connect(pool, transmitter, weight=1.0, delay=1.0)
    sources, rng = net.create("parrot_neuron", 6), np.random.default_rng(5)
    for nodes, n in ((sources, 25), (pool, 7)):
        for k in range(len(nodes)):
            train = np.sort(rng.choice(np.arange(10, 3900), n, replace=False)) / 10.0
            net.stimulate(nodes[k : k + 1], npl.spike_train(train), weight=1.0, delay=0.1)
    targets = net.create("iaf_psc_exp", 5, I_e=npl.uniform(400.0, 700.0))
    synapse = make(transmitter)
    net.connect(sources, targets, weight=50.0, delay=1.5, synapse=synapse, double_weights=True)
    net.run(200.0, progress=False)
    if cut is not None:
        net.save(cut)
        net = npl.load(cut, threads=threads)
    net.run(200.0, progress=False)
    return net, net.connections(synapse=synapse.name)


@needs_compiler
def test_a_third_factor_beside_the_built_in_rule(tmp_path):
    model = dopamine()
    _, found = modulated(lambda node: model(volume_transmitter=node))
    _, expected = modulated(lambda node: npl.synapse("stdp_dopamine_synapse", volume_transmitter=node, **VALUES))
    for name in ("weight", "c"):  # as they are now, between spikes
        np.testing.assert_allclose(found.state(name), expected.state(name), rtol=1e-10, atol=1e-13)
    assert np.ptp(found.state("weight")) > 1.0
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-11)
    for threads, cut in ((2, None), (1, tmp_path / "a.ckpt")):
        _, other = modulated(lambda node: model(volume_transmitter=node), threads, cut)
        np.testing.assert_array_equal(other.state("weight"), found.state("weight"))
        np.testing.assert_array_equal(other.state("x"), found.state("x"))


@needs_compiler
def test_what_a_rule_with_a_third_factor_needs():
    model, net = dopamine(), npl.Network(seed=1)
    cells, transmitter = net.create("iaf_psc_exp", 2), net.create("volume_transmitter", 1)
    assert model.kept["n"] == "transmitter"
    assert "the kernel's concentration of the transmitter" in model.summary()
    with pytest.raises(BadParameter, match="volume_transmitter"):
        net.connect(cells, cells, synapse=model, weight=1.0)
    with pytest.raises(BadParameter, match="volume_transmitter"):
        net.connect(cells, cells, synapse=model(volume_transmitter=cells[:1]), weight=1.0)
    with pytest.raises(BadType, match="no parameter can differ"):
        model(volume_transmitter=transmitter, tau_c=npl.uniform(1.0, 2.0))
    precise = net.create("iaf_psc_exp_ps", 2)
    with pytest.raises(npl.errors.IllegalConnection, match="between grid points"):
        net.connect(cells, precise, synapse=model(volume_transmitter=transmitter), weight=1.0)


REFUSED = [
    ({"on_third": "n += x/tau_n"}, "on_third must be 'n"),
    ({"on_third": "n = 1/tau_n"}, "on_third must be 'n"),
    ({"on_third": ""}, "on_third must be 'n"),
    ({"on_third": "c += 1"}, "on_third changes variables"),
    ({"on_post": "n += 1"}, "so on_post cannot change it"),
    ({"between": "x += elapsed/tau_c"}, "so between cannot change it"),
    ({"on_pre": "x += elapsed/tau_c"}, "unknown name 'elapsed'"),
    ({"between": "w += random_normal(0, 1)"}, "unknown function 'random_normal'"),
    ({"on_pre": "x += random_uniform(0, 1); c -= A_minus*y"}, "random numbers in a rule with a third factor"),
    ({"initial": {"n": 1.0}}, "begins with 0"),
    ({"lines": (*LINES[:3], "dn/dt = (b - n)/tau_n (third)")}, "decays to 0"),
    ({"lines": (*LINES, "dm/dt = -m/tau_c (third)")}, "one variable that a volume transmitter changes"),
    ({"lines": LINES[:3]}, "'n' is neither the weight w nor a variable"),
    ({"parameters": VALUES | {"elapsed": 3.0}}, "the time between two events"),
]


@pytest.mark.parametrize(("changed", "problem"), REFUSED)
def test_refusals(changed, problem):
    with pytest.raises((EquationError, BadParameter), match=problem):
        dopamine("refused", **changed)


@pytest.mark.slow
@needs_compiler
def test_a_weight_that_fades_between_events():
    """Without a third factor: the source's spikes alone cut the time, so any cut gives the same."""
    model = npl.synapse_model(
        "eq_fading",
        on_pre="w += step",
        between="w -= (w - rest)*(1 - exp(-elapsed/tau))",
        parameters={"step": "1 1", "rest": "20 1", "tau": 80.0},
    )
    net, record, pre, _ = network(model, threads=1)
    net.run(300.0, progress=False)
    times = trains(pre.data(), np.asarray(pre.data().times))
    for (source, _), weights in sent(record).items():
        w, now, expected = 50.0, 0.0, []
        for time in times[source]:
            w = 20.0 + (w - 20.0) * math.exp(-(time - now) / 80.0) + 1.0
            now = time
            expected.append(w)
        np.testing.assert_allclose(weights, expected[: len(weights)], rtol=1e-12)


@needs_compiler
def test_random_numbers():
    model = npl.synapse_model(
        "eq_random",
        "dmoved/dt = 0 (synapse)",
        on_pre="u = random_uniform(-1, 3); z = random_normal(0, 1)",
        on_post="moved += random_normal(0.5, 2)",
        transmit="where(z > 0, w + u, 0)",
    )

    def run(seed, **settings):
        net, record, _, post = network(model, seed, **settings)
        net.run(500.0, progress=False)
        return sent(record), net.connections(synapse="eq_random"), post.data()

    found, connections, post = run(1, threads=1)
    again, others, _ = run(1, threads=2)
    for pair, weights in found.items():
        np.testing.assert_array_equal(again[pair], weights)
    np.testing.assert_array_equal(connections.state("moved"), others.state("moved"))
    every = np.concatenate(list(found.values()))
    passed = every[every != 0.0] - 50.0
    assert abs(len(passed) / len(every) - 0.5) < 0.06
    assert -1.0 < passed.min() < -0.95
    assert 2.95 < passed.max() < 3.0
    assert abs(passed.mean() - 1.0) < 0.15
    n = np.bincount(np.asarray(post.gids))[connections.target]
    moved = (connections.state("moved") - 0.5 * n) / np.sqrt(n) / 2.0
    assert n.min() > 10
    assert abs(moved.mean()) < 0.8
    assert 0.6 < moved.std() < 1.4
    assert len(np.unique(moved)) == len(moved)


def test_random_numbers_are_for_statements():
    for arguments in (("dx/dt = -x/tau + random_normal(0, 1)/tau (pre)",), ("gain = random_uniform(0, 1)",)):
        with pytest.raises(EquationError, match="unknown function 'random_"):
            npl.synapse_model("refused", *arguments, on_pre="w += 1", parameters={"tau": 1.0})
    with pytest.raises(EquationError, match=r"random_uniform\(low, high\)"):
        npl.synapse_model("refused", on_pre="w += rand")
