# SPDX-License-Identifier: Apache-2.0
"""Resets that draw random numbers: distributions of gaps and thresholds, threads, and what is refused."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl
from equations.compiled import COMPILER
from neuropil.equations.errors import EquationError
from neuropil.errors import BadParameter

GAP = {
    "equations": "dwait/dt = -1/dt : 1",
    "threshold": "wait < 0.5",
    "reset": "wait = floor(log(random_uniform(0, 1)) / log1p(-probability)) + 1",
    "parameters": {"probability": "0.02 1"},
    "initial": {"wait": "1"},
}
NOISY_THRESHOLD = {  # the reset draws the next threshold; the spike comes when x passes it
    "equations": "dx/dt = rate : 1\ndlimit/dt = 0/ms : 1",
    "threshold": "x > limit",
    "reset": "limit = random_normal(mean, 0.2*mean); x = 0",
    "parameters": {"rate": "1 1/ms", "mean": "10 1"},
}
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")


def trains(model, n=200, duration=400.0, threads=1, seed=3):
    """Steps of the spikes of each neuron."""
    net = npl.Network(seed=seed, threads=threads)
    spikes = net.record(net.create(model, n))
    net.run(duration, progress=False)
    data = spikes.data()
    gids, steps = np.asarray(data.gids), np.rint(np.asarray(data.times) / 0.1).astype(int)
    return [np.sort(steps[gids == gid]) for gid in np.unique(gids)]


@needs_compiler
def test_gaps_are_geometric():
    """With the probability p in each step: mean 1/p, and the distribution by chi square."""
    p = 0.02
    found = trains(npl.neuron("gap", **GAP))
    assert len(found) == 200
    assert all(train[0] == 1 for train in found)
    gaps = np.concatenate([np.diff(train) for train in found])
    assert len(gaps) > 10000
    edges = stats.geom.ppf(np.linspace(0, 1, 21)[1:-1], p)
    counts = np.bincount(np.searchsorted(edges, gaps), minlength=20)
    chances = np.diff(np.concatenate([[0], stats.geom.cdf(edges, p), [1]]))
    assert stats.chisquare(counts, chances * len(gaps)).pvalue > 1e-4


@needs_compiler
@pytest.mark.parametrize("refractory", [None, 2.0])
def test_thresholds_are_normal(refractory):
    """A ramp with slope 1 reaches the threshold after as many ms; meanwhile, while it is refractory, x stays at 0."""
    found = trains(npl.neuron(f"noisy_threshold_{refractory is None}", **NOISY_THRESHOLD, refractory=refractory), n=400)
    gaps = np.concatenate([np.diff(train) for train in found]) * 0.1 - (refractory or 0.0)
    assert len(gaps) > 5000
    assert gaps.mean() == pytest.approx(10.05, abs=5 * 2.0 / np.sqrt(len(gaps)))  # on average half a step late
    assert gaps.std() == pytest.approx(2.0, rel=0.05)


@needs_compiler
def test_numbers_are_of_the_neuron_and_the_seed():
    model = npl.neuron("gap", **GAP)
    first, again, other = trains(model), trains(model, threads=2), trains(model, seed=4)
    for ours, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(ours, same)
    assert not np.array_equal(first[0], first[1][: len(first[0])])
    assert any(len(ours) != len(theirs) for ours, theirs in zip(first, other, strict=True))


@needs_compiler
def test_two_numbers_of_one_reset_differ():
    """And a model without a faster way for neurons that do not spike draws them as well."""
    model = npl.neuron(
        "two_numbers",
        "dx/dt = 1/ms : 1\ndy/dt = 0/ms : 1\ndz/dt = 0/ms : 1",
        threshold="x - floor(x) < 0.25",  # the reset does not end it: spikes come when it becomes true
        reset="y = random_uniform(2, 3); z = random_uniform(2, 3)",
    )
    net = npl.Network(seed=1)
    cells = net.create(model, 500)
    net.run(1.2, progress=False)
    y, z = np.asarray(cells.y), np.asarray(cells.z)
    for values in (y, z):
        assert stats.kstest(values - 2.0, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(y, z)[0, 1]) < 0.2


def test_integrators():
    """The solver looks for spikes within a step, and takes no random numbers."""
    curved = GAP | {"equations": "dwait/dt = -1/dt + 0*wait**2/ms : 1"}
    assert npl.neuron("curved", **curved).integrator == "rk4"
    with pytest.raises(BadParameter, match="a random reset"):
        npl.neuron("curved", **curved, integrator="rkf45")
    with pytest.raises(BadParameter, match="check"):
        npl.neuron("gap", **GAP).check()


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("threshold", "wait < random_uniform(0, 1)", "unknown function 'random_uniform'"),
        ("equations", "dwait/dt = -random_uniform(0, 1)/dt : 1", "unknown function 'random_uniform'"),
        ("reset", "wait = random_uniform(1)", "random_uniform"),
        ("reset", "wait = random_normal(0, 1)*mV", "wait"),
    ],
)
def test_refused(part, text, message):
    with pytest.raises(EquationError, match=message):
        npl.neuron("gap", **GAP | {part: text})
