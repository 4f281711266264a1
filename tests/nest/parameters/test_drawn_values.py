# SPDX-License-Identifier: Apache-2.0
"""Weights and delays by expressions that draw: as programs of the kernel, beside numpy with the same random numbers and beside moments."""

import math

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil import _core
from neuropil.space import formulas

WEIGHTS = {
    "product": lambda: nest.random.uniform() * nest.random.uniform(),
    "square": lambda: nest.random.normal(1.0, 0.3) ** 2,
    "where": lambda: nest.logic.conditional(nest.random.uniform() < 0.3, nest.random.normal(5.0, 0.1), 2.0),
    "both signs": lambda: nest.random.normal() / nest.random.uniform(1.0, 2.0) - nest.random.exponential(0.2),
    "bounded": lambda: nest.math.min(nest.math.max(2.0 * nest.random.normal() + nest.random.uniform(), -1.0), 1.0),
    "whole": lambda: nest.random.uniform_int(7) * nest.random.uniform() + nest.random.uniform_int(100_000),
    "redrawn": lambda: nest.math.redraw(nest.random.normal(), 0.0, 1.0) * nest.random.uniform(),  # by numpy
    "exp": lambda: nest.math.exp(nest.random.normal(0.0, 0.5)),
    "cube": lambda: nest.random.normal(0.5, 0.3) ** 3,
}
CLOSE = ("exp", "cube")  # numpy has other last digits
DELAYS = [lambda: 1.0, lambda: 1.0 + nest.random.uniform() ** 2, lambda: nest.random.uniform(1.0, 3.0)]
RULES = [
    {"rule": "fixed_indegree", "indegree": 300},
    {"rule": "fixed_indegree", "indegree": 10, "allow_multapses": False, "allow_autapses": False},
    {"rule": "fixed_outdegree", "outdegree": 20},
    {"rule": "fixed_total_number", "N": 3000},
    {"rule": "pairwise_bernoulli", "p": 0.3},
    {"rule": "all_to_all"},
    {"rule": "one_to_one"},
]


def connections(rule, weight, delay, threads=1):
    nest.ResetKernel()
    nest.set(rng_seed=5, local_num_threads=threads)
    sources, targets = nest.Create("iaf_psc_alpha", 60), nest.Create("iaf_psc_exp", 60)
    nest.Connect(sources, targets, rule, {"weight": WEIGHTS[weight](), "delay": delay()})
    nest.Connect(targets, sources, "one_to_one", {"weight": WEIGHTS["product"]()})  # has random numbers of its own
    return in_order(nest.GetConnections())


def in_order(made):
    found = made.get(["source", "target", "weight", "delay"])
    columns = [np.array(found[key]) for key in ("weight", "delay", "source", "target")]
    return np.array(columns)[:, np.lexsort(columns)]


@pytest.fixture
def by_numpy(monkeypatch):
    """Calls a function where no expression becomes a program."""

    def call(function, *arguments):
        with monkeypatch.context() as patch:
            patch.setattr(formulas, "_compiled", lambda term, dims: None)
            return function(*arguments)

    return call


def agree(found, expected, name):
    np.testing.assert_array_equal(found[1:], expected[1:])
    np.testing.assert_allclose(found[0], expected[0], rtol=4e-16 if name in CLOSE else 0.0)


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_are_those_of_numpy(name, by_numpy):
    for rule in RULES:
        found = connections(rule, name, DELAYS[0])
        assert len(np.unique(found[0])) > 100 or name in ("where", "bounded")
        agree(found, by_numpy(connections, rule, name, DELAYS[0]), name)


@pytest.mark.parametrize("delay", DELAYS)
def test_delays_are_those_of_numpy(delay, by_numpy):
    for rule in RULES:
        agree(connections(rule, "both signs", delay), by_numpy(connections, rule, "both signs", delay), "both signs")


def test_threads_and_instructions_change_nothing():
    level = _core.simd()
    for rule in RULES:
        found = connections(rule, "exp", DELAYS[1])
        np.testing.assert_array_equal(connections(rule, "exp", DELAYS[1], threads=3), found)
        try:
            for name in set(_core.simd_levels()["build"]) & set(_core.simd_levels()["machine"]):
                _core.set_simd(name)
                np.testing.assert_array_equal(connections(rule, "exp", DELAYS[1]), found)
        finally:
            _core.set_simd(level)


@pytest.mark.parametrize(
    ("name", "mean", "variance"),
    [
        ("product", 1 / 4, 1 / 9 - 1 / 16),
        ("square", 1.09, 4 * 0.09 + 2 * 0.3**4),
        ("where", 0.3 * 5.0 + 0.7 * 2.0, 0.3 * 0.7 * 9.0 + 0.3 * 0.01),
        ("exp", math.exp(0.125), (math.exp(0.25) - 1.0) * math.exp(0.25)),
    ],
)
def test_moments(name, mean, variance):
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 200)
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 500}, {"weight": WEIGHTS[name]()})
    weights = np.array(nest.GetConnections().weight)
    assert abs(weights.mean() - mean) < 5.0 * math.sqrt(variance / len(weights))
    assert abs(weights.var() / variance - 1.0) < 0.05


def test_each_connect_draws_anew():
    nest.ResetKernel()
    cells, weight = nest.Create("iaf_psc_alpha", 30), WEIGHTS["product"]()
    nest.Connect(cells, cells, "all_to_all", {"weight": weight, "synapse_label": 1, "synapse_model": "static_synapse_lbl"})
    nest.Connect(cells, cells, "all_to_all", {"weight": weight, "synapse_label": 2, "synapse_model": "static_synapse_lbl"})
    first, second = (nest.GetConnections(synapse_label=label).weight for label in (1, 2))
    assert not set(first) & set(second)


def test_a_program_does_not_change_later_calls():
    """Weights of plain distributions are float32, and stay so after a call of the same form with a program."""

    def plain(before):
        nest.ResetKernel()
        cells = nest.Create("iaf_psc_alpha", 30)
        others = nest.Create("iaf_psc_alpha", 2)
        nest.Connect(others, others, "all_to_all", {"weight": before, "delay": before + 1.0})
        nest.Connect(cells, cells, "all_to_all", {"weight": nest.random.normal(), "delay": nest.random.uniform(1.0, 2.0)})
        return in_order(nest.GetConnections(cells))

    found = plain(WEIGHTS["product"]())
    np.testing.assert_array_equal(found, plain(nest.random.uniform(1.0, 2.0)))
    np.testing.assert_array_equal(found[0], found[0].astype(np.float32))


def plastic():
    """Synapses onto neurons that differ in a parameter of the synapse: several calls of the kernel."""
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 40, {"tau_minus": [20.0, 25.0] * 20})
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5}, {"synapse_model": "stdp_synapse", "weight": WEIGHTS["product"]()})
    return in_order(nest.GetConnections())


def test_targets_of_several_calls_have_numbers_of_their_own():
    assert len(np.unique(plastic()[0])) == 200


@pytest.mark.parametrize(
    ("error", "values"),
    [
        ("BadDelay", lambda: {"delay": nest.random.uniform() * nest.random.uniform() - 0.5}),
        ("BadDelay", lambda: {"delay": nest.math.exp(nest.random.uniform(9.0, 12.0))}),
        ("BadProperty", lambda: {"weight": 1.0 / (nest.random.uniform() * 0.0)}),
    ],
)
def test_impossible_values_are_refused(error, values, by_numpy):
    def message():
        nest.ResetKernel()
        cells = nest.Create("iaf_psc_alpha", 20)
        with pytest.raises(getattr(nest.NESTErrors, error)) as raised:
            nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5}, values())
        assert nest.num_connections == 0
        return str(raised.value)

    assert message().split("=")[0].split("[")[0].strip() == by_numpy(message).split("=")[0].split("[")[0].strip()


def test_no_connections():
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 20)
    nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": 0.0}, {"weight": WEIGHTS["product"](), "delay": DELAYS[1]()})
    nest.Connect(cells[:1], cells[:1], {"rule": "all_to_all", "allow_autapses": False}, {"weight": WEIGHTS["product"]()})
    nest.Simulate(1.0)
    assert nest.num_connections == 0


def test_bounds_of_delays_hold():
    nest.ResetKernel()
    nest.set(min_delay=1.0, max_delay=1.5)
    cells = nest.Create("iaf_psc_alpha", 20)
    with pytest.raises(nest.NESTErrors.BadDelay):
        nest.Connect(cells, cells, "all_to_all", {"delay": DELAYS[1]()})
    assert nest.num_connections == 0
