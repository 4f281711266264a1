# SPDX-License-Identifier: Apache-2.0
"""Layers so large that the kernel does not look at each pair: against numpy, which does, and for any threads and ranks."""

import numpy as np
import pytest
from scipy import stats
from tests.nest.spatial import by_spec
from tests.nest.spatial.test_engines import both, scattered

from neuropil.nest.errors import NESTErrors
from neuropil.nest.parameters import math
from neuropil.nest.parameters import spatial_distributions as profiles
from neuropil.nest.spatial import distance, source_pos
from neuropil.space import by_kernel
from neuropil.space.task import Task

N, CENTRES = 5000, 2000
KERNELS = {
    "gaussian": 0.6 * profiles.gaussian(distance, std=0.04),
    "exponential": math.exp(-40.0 * distance),
    "above one": 3.0 * profiles.gaussian(distance, std=0.02),
    "one side": 0.1 * profiles.gaussian(distance.x, std=0.05) * (source_pos.y > 0.1),
    "small": 0.004 + 0.0 * distance,
}


def sides(dims=2, wrap=True):
    return scattered(N, dims, wrap, 1), scattered(CENTRES, dims, wrap, 2, first=N - 99)


def spec(kernel, **more):
    return {"rule": "pairwise_bernoulli", "p": kernel, **more}


def skips(pre, post, given):
    """Whether the kernel leaves out pairs."""
    task = Task(pre, post, by_spec.parse(given), 1, 5, np.ones(len(post.gids), bool), 1)
    return by_kernel.drawing(task)._candidates.skips


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("dims", "wrap"), [(2, True), (2, False), (3, True)])
def test_distances_and_numbers_are_those_of_numpy(name, dims, wrap, monkeypatch):
    pre, post = sides(dims, wrap)
    given = spec(KERNELS[name], use_on_source=name == "gaussian", allow_autapses=dims == 3)
    assert skips(pre, post, given)
    drawn = []
    for found in both(monkeypatch, pre, post, given, 1, 5, np.ones(CENTRES, bool)):
        source, target, key = found
        assert len(np.unique(key)) == len(key) and (np.diff(target) >= 0).all()
        assert dims == 3 or not (pre.gids[source] == post.gids[target]).any()
        drawn.append((distance.evaluate(by_spec.edge_context(pre, post, given, found, 1, 9)), np.bincount(target, minlength=CENTRES)))
    (near, degree), (expected, degrees) = drawn
    assert len(expected) > 300
    assert abs(len(near) - len(expected)) < 4.0 * np.sqrt(2 * len(expected))
    assert stats.ks_2samp(near, expected).pvalue > 1e-3
    assert stats.ks_2samp(degree, degrees).pvalue > 1e-3


@pytest.mark.parametrize(
    "given",
    [
        spec(KERNELS["gaussian"], allow_autapses=False),
        spec(KERNELS["above one"]),
        {"rule": "fixed_indegree", "indegree": 30, "allow_multapses": False, "allow_autapses": False},
        {"rule": "fixed_outdegree", "outdegree": 30, "allow_multapses": False},
        {"rule": "fixed_indegree", "indegree": 30, "p": KERNELS["gaussian"], "allow_multapses": False, "allow_autapses": False},
        {"rule": "fixed_outdegree", "outdegree": 30, "p": KERNELS["exponential"]},
    ],
)
def test_one_result_for_threads_and_ranks(given):
    pre, post = sides()
    pre, post = (post, pre) if given["rule"] == "fixed_outdegree" else (pre, post)
    n = len(post.gids)
    whole = by_spec.edges(pre, post, given, 1, 5, np.ones(n, bool), 1)
    assert len(whole[0]) > 1000
    rank = np.arange(n) % 3
    parts = [by_spec.edges(pre, post, given, 1, 5, rank == r, 1 + r) for r in range(3)]
    target = np.concatenate([part[1] for part in parts])
    order = np.argsort(target, kind="stable")
    for column, found in zip(whole, zip(*parts, strict=True), strict=True):
        assert (column == np.concatenate(found)[order]).all()


@pytest.mark.parametrize("rule", ["fixed_indegree", "fixed_outdegree"])
@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("name", ["gaussian", "exponential", "above one"])
def test_choices_are_those_of_numpy(name, rule, repeats, monkeypatch):
    pre, post = sides()
    pre, post = (post, pre) if rule == "fixed_outdegree" else (pre, post)
    given = {"rule": rule, rule[6:]: 20, "p": KERNELS[name], "allow_multapses": repeats, "allow_autapses": False}
    drawn = []
    for found in both(monkeypatch, pre, post, given, 1, 5, np.ones(len(post.gids), bool)):
        source, target, key = found
        assert len(source) == 20 * CENTRES == len(np.unique(key))
        assert not (pre.gids[source] == post.gids[target]).any()
        assert repeats or len(np.unique(target * (N + CENTRES) + source)) == len(source)
        drawn.append(
            (
                distance.evaluate(by_spec.edge_context(pre, post, given, found, 1, 9)),
                np.bincount(source if rule == "fixed_indegree" else target),
            )
        )
    assert stats.ks_2samp(drawn[0][0], drawn[1][0]).pvalue > 1e-3
    assert stats.ks_2samp(drawn[0][1], drawn[1][1]).pvalue > 1e-3


def test_small_and_masked_layers_are_looked_at_pair_by_pair():
    pre, post = sides()
    kernel = KERNELS["gaussian"]
    assert skips(pre, post, spec(kernel)) and not skips(scattered(2047, 2, True, 1), post, spec(kernel))
    assert not skips(pre, post, spec(kernel, mask={"circular": {"radius": 0.2}}))
    assert not skips(pre, post, spec(0.5 * profiles.gaussian(distance, std=2.0)))


@pytest.mark.parametrize("autapses", [True, False])
def test_partners_without_repeats(autapses):
    pre, post = sides()
    given = {"rule": "fixed_indegree", "allow_multapses": False, "allow_autapses": autapses}
    own = np.ones(CENTRES, bool)
    own[5:-5] = False
    others = N - (0 if autapses else 1)
    for degree in (0, 1, 2500, N - 1, *([N] if autapses else [])):
        source, target, _ = by_spec.edges(pre, post, given | {"indegree": degree}, 1, 5, own)
        assert len(source) == 10 * degree == len(np.unique(target * N + source))
        assert autapses or not (pre.gids[source] == post.gids[target]).any()
    with pytest.raises(NESTErrors.KernelException, match="too few"):
        by_spec.edges(pre, post, given | {"indegree": others + 1}, 1, 5, own)
    source, target, _ = by_spec.edges(pre, post, given | {"indegree": 80}, 1, 5, np.ones(CENTRES, bool))
    seen = np.bincount(source, minlength=N)
    expected = 80 * CENTRES / N
    assert stats.chi2.sf((((seen - expected) ** 2) / (expected * (1 - 80 / N))).sum(), N - 1) > 1e-4
    assert stats.kstest(source.reshape(CENTRES, 80)[:, 0] / N, "uniform").pvalue > 1e-3
