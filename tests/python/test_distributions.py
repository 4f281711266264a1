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
    (npl.normal(0.0, 1.0).redraw(min=0.5, max=2.0), stats.truncnorm(0.5, 2.0)),
]


@pytest.mark.parametrize(("distribution", "expected"), CASES, ids=lambda x: str(x)[:30])
def test_distribution_of_samples(distribution, expected):
    values = distribution.sample(20_000, seed=5)
    assert values.shape == (20_000,)
    assert stats.kstest(values, expected.cdf).pvalue > 1e-3


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
    with pytest.raises(AttributeError):
        a.a = 3.0


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
