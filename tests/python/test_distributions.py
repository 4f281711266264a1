# SPDX-License-Identifier: Apache-2.0
"""Values are drawn as asked: checked against scipy by Kolmogorov-Smirnov at fixed seeds."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl

CASES = [
    (npl.normal(-65.0, 5.0), stats.norm(-65.0, 5.0)),
    (npl.lognormal(1.0, 0.5), stats.lognorm(0.5, scale=np.exp(1.0))),
    (npl.uniform(2.0, 3.0), stats.uniform(2.0, 1.0)),
    (npl.exponential(4.0), stats.expon(scale=4.0)),
    (1.0 + 2.0 * npl.lognormal(0.0, 0.5), stats.lognorm(0.5, loc=1.0, scale=2.0)),
    (npl.normal(0.0, 1.0).redraw(min=0.5, max=2.0), stats.truncnorm(0.5, 2.0)),
]


@pytest.mark.parametrize(("distribution", "expected"), CASES, ids=lambda x: str(x)[:30])
def test_distribution_of_samples(distribution, expected):
    values = distribution.sample(20_000, seed=5)
    assert values.shape == (20_000,)
    assert stats.kstest(values, expected.cdf).pvalue > 1e-3


def test_values_of_nodes_may_be_wide_and_weights_not(net):
    """Weights are float32."""
    wide = npl.lognormal(10.0, 20.0)
    nodes = net.create("iaf_psc_exp", 20_000, I_e=wide)
    for values in (wide.sample(20_000, seed=5), nodes.I_e):
        assert stats.kstest(np.log(values), stats.norm(10.0, 20.0).cdf).pvalue > 1e-3
    with pytest.raises(npl.errors.BadParameter, match="below 3e38"):
        net.connect(nodes[:2], nodes[:2], weight=wide)
    with pytest.raises(npl.errors.BadParameter, match="below 1e300"):
        npl.lognormal(10.0, 200.0)


@pytest.mark.parametrize(
    ("distribution", "values"),
    [
        (npl.uniform_int(7), range(7)),
        (1.0 + 0.5 * npl.uniform_int(4), [1.0, 1.5, 2.0, 2.5]),
        (-npl.uniform_int(3) / 2.0, [0.0, -0.5, -1.0]),
        ((10 - 2 * npl.uniform_int(9)).redraw(min=-1.0, max=5.0), [0, 2, 4]),
    ],
    ids=str,
)
def test_whole_numbers_are_equally_likely(distribution, values):
    found, counts = np.unique(distribution.sample(30_000, seed=2), return_counts=True)
    assert np.array_equal(found, sorted(values))
    assert stats.chisquare(counts).pvalue > 1e-3


def test_negative_factors_turn_round():
    values = (3.0 - npl.exponential(2.0)).sample(20_000, seed=3)
    assert stats.kstest(3.0 - values, stats.expon(scale=2.0).cdf).pvalue > 1e-3


def test_delays_of_whole_numbers(net):
    a = net.create("iaf_psc_exp", 100)
    net.connect(a, a, npl.fixed_indegree(90), delay=0.3 + 0.1 * npl.uniform_int(6), weight=npl.uniform_int(3) - 1)
    found = net.connections()
    steps, counts = np.unique(np.rint(found.delay / 0.1).astype(int), return_counts=True)
    assert steps.tolist() == [3, 4, 5, 6, 7, 8]
    assert stats.chisquare(counts).pvalue > 1e-3
    assert set(found.weight.tolist()) == {-1.0, 0.0, 1.0}


def test_clip_puts_the_rest_on_the_bounds():
    values = npl.normal(0.0, 1.0).clip(min=-1.0, max=1.0).sample(10_000)
    assert values.min() == -1.0
    assert values.max() == 1.0
    assert abs((values == 1.0).mean() - stats.norm.sf(1.0)) < 0.01


def test_values_do_not_change():
    a = npl.normal(1.0, 2.0)
    assert a == npl.normal(1.0, 2.0)
    assert a.redraw(min=0.0) != a
    assert repr(a.redraw(min=0.0)) == "normal(mean=1, std=2).redraw(min=0)"
    assert repr(npl.exponential(2.0).clip(max=5.0)) == "exponential(scale=2).clip(max=5)"
    assert repr((1.0 - 0.5 * npl.uniform_int(4)).clip(max=0.5)) == "(1 + -0.5 * uniform_int(n=4)).clip(max=0.5)"
    with pytest.raises(AttributeError):
        a.a = 3.0


@pytest.mark.parametrize("bad", [0, -1, 2.0, True, 1 << 32, "3"])
def test_bad_numbers_of_values_are_refused(bad):
    with pytest.raises(npl.errors.BadParameter, match="whole number"):
        npl.uniform_int(bad)


@pytest.mark.parametrize("move", [lambda d: d * 0.0, lambda d: d + np.inf, lambda d: d * np.nan])
def test_moves_that_leave_no_distribution_are_refused(move):
    with pytest.raises(npl.errors.BadParameter):
        move(npl.normal())


def test_ends_are_those_of_what_is_drawn():
    assert (1.0 - 0.1 * npl.uniform_int(3)).ends() == (0.8, 1.0)
    assert npl.exponential().clip(max=2.0).ends() == (0.0, 2.0)
    assert npl.normal().redraw(min=1.0).ends() == (1.0, np.inf)
    assert (2.0 - npl.uniform(0.0, 1.0)).ends() == (1.0, 2.0)


def test_weights_and_delays_from_distributions(net):
    a = net.create("iaf_psc_exp", 200)
    net.connect(a, a, npl.fixed_indegree(50), weight=npl.normal(10.0, 2.0), delay=npl.normal(1.5, 0.5).redraw(min=0.1))
    c = net.connections()
    assert stats.kstest(c.weight, stats.norm(10.0, 2.0).cdf).pvalue > 1e-3
    assert np.array_equal(c.weight, c.weight.astype(np.float32)), "drawn weights are float32"
    steps = np.rint(c.delay / 0.1)
    bounded = stats.truncnorm((0.1 - 1.5) / 0.5, np.inf, 1.5, 0.5)
    expected = [bounded.cdf(0.1 * (k + 0.5)) - bounded.cdf(0.1 * (k - 0.5)) for k in range(1, 40)]
    found = np.bincount(steps.astype(int), minlength=40)[1:40]
    keep = np.array(expected) * len(c) > 5
    assert stats.chisquare(found[keep], np.array(expected)[keep] / np.sum(np.array(expected)[keep]) * found[keep].sum()).pvalue > 1e-3


@pytest.mark.parametrize(("distribution", "expected"), CASES, ids=lambda x: str(x)[:30])
@pytest.mark.parametrize("bits", [1, 7, 12])
def test_coded_values_are_quantiles(distribution, expected, bits):
    book = expected.ppf((np.arange(2**bits) + 0.5) / 2**bits)
    values = distribution.coded(bits).sample(200 * 2**bits, seed=2)
    assert np.array_equal(values, values.astype(np.float32))
    found, counts = np.unique(values, return_counts=True)
    assert found == pytest.approx(book, rel=1e-6, abs=1e-6)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_coded_whole_numbers_are_quantiles_too():
    distribution = 0.5 + 0.25 * npl.uniform_int(10)
    found, counts = np.unique(distribution.coded(8).sample(100_000), return_counts=True)
    assert np.array_equal(found, 0.5 + 0.25 * np.arange(10))
    of_codes = np.bincount(((np.arange(256) + 0.5) / 256 * 10).astype(int))
    assert stats.chisquare(counts, 100_000 * of_codes / 256).pvalue > 1e-3


def test_coded_weights_take_two_bytes_where_codes_are_left(net):
    a = net.create("iaf_psc_exp", 300)
    net.connect(a, a, npl.fixed_indegree(100), weight=npl.normal(10.0, 2.0).coded(), delay=1.0)
    net.build()
    assert net.memory["synapses"] == 300 * 100 * (2 + 2)
    book = net.connections().weight
    net.connect(a, a, npl.fixed_indegree(100), weight=npl.normal(20.0, 2.0).coded(16), delay=1.0)  # 4096 + 65 536 values
    net.build()
    assert net.memory["synapses"] == 300 * 100 * (2 + 2 + 2 + 4)
    c = net.connections()
    assert np.isin(c.weight[:50], np.concatenate([book, npl.normal(20.0, 2.0).coded(16).sample(10**6)])).mean() > 0.9
    some = c[::1000]
    some.weight = 3.25  # of neither book
    assert net.memory["synapses"] == 300 * 100 * (2 + 4 + 2 + 4)
    assert (some.weight == 3.25).all()
    assert np.array_equal(np.delete(net.connections().weight, np.arange(0, len(c), 1000)), np.delete(c.weight, np.arange(0, len(c), 1000)))


def test_plastic_and_double_weights_are_not_stored_as_codes(net):
    a = net.create("iaf_psc_exp", 50)
    weight = npl.uniform(1.0, 5.0).coded(4)
    for options, wanted in (({"synapse": npl.stdp(Wmax=100.0)}, 4), ({"double_weights": True}, 8)):
        before = net.memory["synapses"]
        net.connect(a, a, npl.fixed_indegree(10), weight=weight, delay=1.0, **options)
        net.build()
        assert net.memory["synapses"] - before == 500 * (2 + wanted)
    assert np.isin(net.connections().weight, 1.0 + 4.0 * (np.arange(16) + 0.5) / 16).all()


def test_a_coded_distribution_is_shown_and_is_a_value():
    assert repr(npl.normal(1.0, 2.0).redraw(min=0.0).coded(9)) == "normal(mean=1, std=2).redraw(min=0).coded(bits=9)"
    assert npl.uniform().coded() == npl.uniform().coded(12) != npl.uniform()
