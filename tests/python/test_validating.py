# SPDX-License-Identifier: Apache-2.0
"""`microcircuit --validate`: distances are those of Kolmogorov and Smirnov, and a simulator that differs is seen."""

import json

import numpy as np
import pytest
from scipy.stats import ks_2samp
from typer.testing import CliRunner

import neuropil as npl
from neuropil import cli
from neuropil.cli.jobs import validating

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 5), (200, 333)])
def test_distance_of_two_samples(n, m):
    for digits in (0, 6):  # with ties and without
        a, b = RNG.normal(0.0, 2.0, n).round(digits), RNG.normal(0.5, 2.0, m).round(digits)
        assert validating.ks_distance(a, b) == pytest.approx(ks_2samp(a, b).statistic, abs=1e-12)
    assert np.isnan(validating.ks_distance(a, np.empty(0)))


def test_what_is_measured_of_spikes():
    times, nodes = [10.0, 20.0, 40.0, 10.0, 20.0, 40.0, 5.0], [1, 1, 1, 2, 2, 2, 3]
    found = validating.measured(npl.results.Spikes(times, nodes, [1, 2, 3, 4], 0.0, 100.0))
    assert found["rate"] == pytest.approx([30.0, 30.0, 10.0, 0.0])
    assert found["cv"] == pytest.approx([1 / 3, 1 / 3])  # intervals of 10 and 20 ms
    assert found["correlation"][0] == pytest.approx(1.0)
    assert len(found["correlation"]) == 3


def runs(shift, seeds=4, n=300):
    """Distributions as of a simulator whose rates are shifted."""
    return [
        {"E": {"rate": RNG.normal(10.0 + shift, 1.0, n), "cv": RNG.normal(0.8, 0.1, n), "correlation": RNG.normal(0.0, 0.01, n)}}
        for _ in range(seeds)
    ]


@pytest.mark.parametrize(("shift", "outside"), [(0.0, 0), (1.0, 1)])
def test_a_simulator_that_differs_is_seen(shift, outside):
    one, other = runs(0.0), runs(shift)
    found = {
        "between": validating.distances(one, other),
        "NEST": validating.distances(one),
        "neuropil": validating.distances(other),
    }
    assert len(found["between"]["rate"]["E"]) == 16
    assert len(found["NEST"]["rate"]["E"]) == 6
    assert [kind for kind, _, well in validating.within(found) if not well] == ["rate"] * outside
    assert ("outside: E rate" in validating.verdict(found)) == bool(outside)


def test_seeds_without_validation_are_refused():
    cli.add_jobs()
    answer = CliRunner().invoke(cli.app, ["job", "microcircuit", "--seeds", "3"])
    assert isinstance(answer.exception, npl.errors.BadParameter)
    assert "--validate" in str(answer.exception)


@pytest.mark.slow
def test_neuropil_is_within_the_seeds_of_nest(tmp_path):
    pytest.importorskip("nest")
    cli.add_jobs()
    options = ["--scale", "0.05", "--k-scale", "0.1", "--duration", "3000", "--warmup", "300", "--seeds", "4", "--output", str(tmp_path)]
    answer = CliRunner().invoke(cli.app, ["job", "microcircuit", "--validate", *options])
    assert answer.exit_code == 0, answer.output
    found = json.loads((tmp_path / "validation.json").read_text())
    assert len(found["means"]["NEST"]) == 4
    assert len(found["distances"]["between"]["rate"]["L4E"]) == 16
    between, seeds = ([np.mean(d) for each in found["distances"][name].values() for d in each.values()] for name in ("between", "NEST"))
    assert len(between) == 24
    assert np.median(np.divide(between, seeds)) < 1.25
    assert sum(well for *_, well in found["within"]) >= 20
