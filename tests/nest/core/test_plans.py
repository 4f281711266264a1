# SPDX-License-Identifier: Apache-2.0
"""Connect remembers what it has found out about calls that repeat. Held against the long way, which every call takes when nothing is kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil.nest as nest
from neuropil.engine import own_values
from neuropil.nest import connect, plans
from neuropil.nest.kernel import session

STATIC = {"synapse_model": "static_synapse", "weight": 2.0, "delay": 1.5}


@pytest.fixture(autouse=True)
def fresh() -> None:
    nest.ResetKernel()


def table() -> list[tuple[Any, ...]]:
    """All connections with what they are."""
    found = nest.GetConnections()
    keys = ["source", "target", "weight", "delay", "synapse_model", "receptor"]
    columns = found.get(keys)
    return sorted(zip(*(np.atleast_1d(columns[key]).tolist() for key in keys), strict=True)) if len(found) else []


class Long(dict[Any, Any]):
    """Keeps nothing."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


def both_ways(script: Any, settings: dict[str, Any] | None = None) -> tuple[Any, Any]:
    """What a script gives with plans and without."""
    found = []
    for kind in (dict, Long):
        nest.ResetKernel()
        nest.set(rng_seed=5, **(settings or {}))
        session().plans = kind()
        found.append((script(), table()))
    return found[0], found[1]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the long way was taken, as the length of a list."""
    long: list[int] = []
    real = connect.connect_collections

    def counting(*args: Any) -> Any:
        long.append(1)
        return real(*args)

    monkeypatch.setattr(connect, "connect_collections", counting)
    return long


def random_weight(mean: float = 10.0, low: float = 0.0) -> Any:
    return nest.math.redraw(nest.random.normal(mean=mean, std=1.0), min=low, max=1e9)


def test_repeated_call_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    long = counted(monkeypatch)
    pops = [nest.Create("iaf_psc_exp", 10 + k) for k in range(4)]
    for pre in pops:
        for post in pops:
            rule = {"rule": "fixed_total_number", "N": 20}
            nest.Connect(pre, post, rule, {"synapse_model": "static_synapse", "weight": random_weight(), "delay": 1.0})
    assert len(long) == 1
    assert nest.num_connections == 16 * 20


def test_other_numbers_share_what_does_not_depend_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    long = counted(monkeypatch)
    pops = [nest.Create("iaf_psc_exp", 10) for _ in range(3)]
    for k, post in enumerate(pops * 3):
        nest.Connect(pops[0], post, {"rule": "fixed_indegree", "indegree": 1 + k}, {"weight": 1.0 + k, "delay": 1.0 + k})
    assert len(long) == 1
    got = nest.GetConnections().get(["weight", "delay"])
    assert sorted(set(got["weight"])) == [1.0 + k for k in range(9)]
    assert got["weight"] == got["delay"]
    assert len(got["weight"]) == sum(10 * (1 + k) for k in range(9))


RULES = st.sampled_from(
    [
        None,
        "all_to_all",
        "one_to_one",
        {"rule": "fixed_indegree", "indegree": 2},
        {"rule": "fixed_indegree", "indegree": 5, "allow_multapses": False},
        {"rule": "fixed_outdegree", "outdegree": 2.0},
        {"rule": "fixed_total_number", "N": 9, "allow_autapses": False},
        {"rule": "pairwise_bernoulli", "p": 0.3},
        {"rule": "pairwise_bernoulli", "p": 1.5},
        {"rule": "fixed_indegree", "indegree": True},
        {"rule": "fixed_indegree", "indegree": 1, "allow_autapses": 1},
        {"rule": "fixed_total_number", "N": -1},
        {"rule": "one_to_one", "make_symmetric": True, "allow_autapses": True},
    ]
)
NUMBERS = st.sampled_from([0.0, -0.0, 1, 1.0, True, -3.0, 0.04, 2.5, np.float64(2.5), math.nan, "high", None])
SYNAPSES = st.one_of(
    st.sampled_from([None, "static_synapse", "stdp_synapse", "tsodyks_synapse", "mine"]),
    st.fixed_dictionaries(
        {"synapse_model": st.sampled_from(["static_synapse", "stdp_synapse", "tsodyks_synapse", "mine"])},
        optional={
            "weight": NUMBERS | st.sampled_from(["normal", "clipped", "product", "broad"]),
            "delay": NUMBERS | st.sampled_from(["normal", "clipped"]),
            "receptor_type": st.sampled_from([0, 1, 2, 3.0]),
            "U": st.sampled_from([0.5, 2.0]),
            "Wmax": st.sampled_from([100.0, -100.0]),
        },
    ),
)


def meant(value: Any) -> Any:
    """Parameters by their names, made anew for each call."""
    if value == "normal":
        return nest.math.redraw(nest.random.normal(3.0, 0.5), 1.0, 10.0)
    if value == "broad":
        return nest.random.normal(0.0, 2.0)
    if value == "clipped":
        return nest.math.max(nest.random.uniform(0.5, 2.0), 1.0)
    if value == "product":
        return 2.0 * nest.random.lognormal(0.1, 0.2)
    return value


ACTIONS = st.one_of(
    st.tuples(st.just("connect"), st.integers(0, 4), st.integers(0, 4), RULES, SYNAPSES),
    st.tuples(
        st.just("default"),
        st.sampled_from(["static_synapse", "stdp_synapse", "mine"]),
        st.sampled_from(["weight", "delay"]),
        st.sampled_from([1.5, 4.0]),
    ),
    st.tuples(st.just("tau"), st.integers(0, 4), st.sampled_from([20.0, 30.0])),
    st.tuples(st.just("bounds"), st.sampled_from([(0.1, 50.0), (1.0, 3.0)])),
)


def act(action: tuple[Any, ...], pops: list[Any]) -> str:
    """Does something; the error it raises."""
    try:
        if action[0] == "connect":
            _, a, b, rule, synapse = action
            if isinstance(synapse, dict):
                synapse = {key: meant(value) for key, value in synapse.items()}
            nest.Connect(pops[a], pops[b], rule, synapse)
        elif action[0] == "default":
            nest.SetDefaults(action[1], {action[2]: action[3]})
        elif action[0] == "tau":
            pops[action[1]].set(tau_minus=action[2])
        else:
            nest.set(min_delay=action[1][0], max_delay=action[1][1])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTIONS, min_size=3, max_size=14))
def test_short_way_gives_what_the_long_way_gives(actions: list[tuple[Any, ...]]) -> None:
    def script() -> list[str]:
        nest.CopyModel("static_synapse", "mine", {"weight": 3.0})
        pops = [nest.Create(model, 5) for model in ("iaf_psc_exp", "iaf_psc_exp", "iaf_psc_alpha_multisynapse", "parrot_neuron")]
        pops[2].set(tau_syn=[1.0, 2.0])
        pops.append(pops[0][:3])
        return [act(action, pops) for action in actions * 2]  # twice, so that calls repeat

    short, long = both_ways(script)
    assert short == long


def test_changed_defaults_count_from_then_on() -> None:
    a = nest.Create("iaf_psc_exp", 2)
    nest.CopyModel("static_synapse", "mine", {"weight": 2.0})
    for weight in (2.0, 5.0, 7.0):
        nest.SetDefaults("mine", {"weight": weight, "delay": weight})
        nest.Connect(a, a, "one_to_one", "mine")
        nest.Connect(a, a, "one_to_one", {"synapse_model": "mine"})
    got = nest.GetConnections().get(["weight", "delay"])
    assert sorted(got["weight"]) == [2.0] * 4 + [5.0] * 4 + [7.0] * 4
    assert got["weight"] == got["delay"]


def test_repeats_of_another_kernel_are_not_known() -> None:
    specs = ("all_to_all", {"weight": 2.0, "delay": 0.25})
    for resolution, delay in ((0.1, 0.3), (0.25, 0.25), (0.05, 0.25)):
        nest.ResetKernel()
        nest.set(resolution=resolution)
        old = nest.Create("iaf_psc_exp", 3)
        for _ in range(2):
            nest.Connect(old, old, *specs)
        np.testing.assert_allclose(nest.GetConnections().delay, delay)
    nest.ResetKernel()
    assert not len(session().plans)
    with pytest.raises(nest.NESTErrors.KernelException):
        nest.Connect(old, old, *specs)


def test_errors_of_repeated_calls_are_those_of_first_calls() -> None:
    a, b = nest.Create("iaf_psc_exp", 4), nest.Create("iaf_psc_exp", 3)
    rule = {"rule": "fixed_indegree", "indegree": 4, "allow_multapses": False}
    nest.Connect(a, a, rule, STATIC)
    with pytest.raises(nest.NESTErrors.BadProperty, match="must be a whole number from 0 to"):
        nest.Connect(b, a, rule, STATIC)
    nest.Connect(a, a, "one_to_one", STATIC)
    with pytest.raises(nest.NESTErrors.DimensionMismatch, match="same size"):
        nest.Connect(a, b, "one_to_one", STATIC)
    with pytest.raises(nest.NESTErrors.BadDelay):
        nest.Connect(a, a, "one_to_one", STATIC | {"delay": 0.01})
    with pytest.raises(nest.NESTErrors.BadProperty):
        nest.Connect(a, a, "one_to_one", STATIC | {"weight": math.nan})
    for _ in range(2):
        with pytest.raises(nest.NESTErrors.TypeMismatch):
            nest.Connect(a, a, {"rule": "all_to_all", "allow_autapses": 1}, STATIC)
        nest.Connect(a, a, {"rule": "all_to_all", "allow_autapses": True}, STATIC)


def test_receptors_are_looked_at_every_time() -> None:
    a, b = (nest.Create("iaf_psc_exp_multisynapse", 2, {"tau_syn": tau}) for tau in ([1.0, 2.0, 3.0], [1.0]))
    nest.Connect(a, a, "all_to_all", STATIC | {"receptor_type": 3})
    nest.Connect(a, a, "all_to_all", STATIC | {"receptor_type": 3})
    with pytest.raises(nest.NESTErrors.IncompatibleReceptorType):
        nest.Connect(a, b, "all_to_all", STATIC | {"receptor_type": 3})
    assert set(nest.GetConnections().receptor) == {3}


def test_synapses_have_the_time_constants_of_their_targets() -> None:
    a, b = nest.Create("iaf_psc_exp", 3), nest.Create("iaf_psc_exp", 3, {"tau_minus": 33.0})
    for post in (a, b, a, b):
        nest.Connect(a, post, "all_to_all", {"synapse_model": "stdp_synapse", "weight": 1.0})
    found = session().engine.connections(None, None)
    taus = own_values(found, "parameter", "tau_minus")
    assert [set(taus[np.isin(found.target, post)].tolist()) for post in (a, b)] == [{20.0}, {33.0}]


def test_synapse_models_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    nest.CopyModel("static_synapse", "one")
    nest.CopyModel("static_synapse", "two")
    pops = [nest.Create("iaf_psc_exp", 2) for _ in range(3)]
    long = counted(monkeypatch)
    for _ in range(2):
        for pre in pops:
            for post in pops:
                for model in ("one", "two"):
                    nest.Connect(pre, post, "all_to_all", {"synapse_model": model, "weight": 1.0, "delay": 1.0})
    assert len(long) < 8
    for model in ("one", "two"):
        assert len(nest.GetConnections(synapse_model=model)) == 2 * 9 * 4


def test_number_of_plans_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_MOST", 3)
    cells = nest.Create("iaf_psc_exp", 10)
    for k in range(1, 9):
        for _ in range(2):
            nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": k}, STATIC)
            nest.Connect(cells, cells, "one_to_one", {"synapse_model": "tsodyks_synapse", "U": k / 10})
        assert len(session().plans) <= 3
    found = nest.GetConnections()
    assert len(found) == 2 * 10 * sum(range(1, 9)) + 2 * 10 * 8
    assert sorted(nest.GetConnections(synapse_model="tsodyks_synapse").U) == sorted(np.repeat(np.arange(1, 9) / 10, 20))


def test_numbers_of_synapses_are_not_those_of_rules() -> None:
    """Parameters of synapses that are called like a number of a rule belong to the synapses."""
    cells = nest.Create("iaf_psc_exp", 2)
    for k in (1, 2, 3):
        nest.Connect(cells, cells, "one_to_one", {"synapse_model": "quantal_stp_synapse", "n": k})
    assert sorted(nest.GetConnections().n) == [1, 1, 2, 2, 3, 3]


def test_huge_numbers_are_refused_as_by_the_first_call() -> None:
    cells = nest.Create("iaf_psc_exp", 2)
    for _ in range(2):
        with pytest.raises(OverflowError):
            nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 2**63}, STATIC)
        with pytest.raises(OverflowError):
            nest.Connect(cells, cells, "one_to_one", STATIC | {"weight": 10**400})
        nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 1}, STATIC)
        nest.Connect(cells, cells, "one_to_one", STATIC)


def test_empty_specifications_are_no_defaults() -> None:
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, None, {})
    with pytest.raises(KeyError):
        nest.Connect(cells, cells, {}, None)


def test_parameters_are_compared_by_what_they_are() -> None:
    def structure(p: Any) -> Any:
        return p.structure()

    assert structure(random_weight()) == structure(random_weight())
    assert structure(random_weight()) != structure(random_weight(low=1.0)) != structure(random_weight(mean=11.0))
    assert structure(random_weight(low=0.0)) != structure(random_weight(low=-0.0))
    normal = nest.random.normal(1.0, 2.0)
    assert structure(nest.math.min(normal, 3.0)) != structure(nest.math.max(normal, 3.0)) != structure(normal)
    assert structure(normal * 2.0) != structure(normal / 2.0) != structure(normal + 2.0)
    assert structure(nest.random.exponential(2.0)) != structure(nest.random.exponential(-2.0))
    assert structure(nest.random.uniform_int(3)) is None
    assert structure(nest.math.exp(normal)) is None
    assert structure(nest.spatial.distance * 2.0) is None


def test_submodules_are_loaded_once() -> None:
    assert nest.random is nest.random
    assert "random" in vars(nest)
    assert nest.math.redraw is nest.math.redraw


MASK = nest.CreateMask("rectangular", {"lower_left": [-0.2, -0.3], "upper_right": [0.4, 0.3]})
NEAR = nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.3)
IN_SPACE = [
    {"rule": "pairwise_bernoulli", "p": 0.5, "mask": {"circular": {"radius": 0.3}}},
    {"rule": "pairwise_bernoulli", "p": 0.9, "mask": {"circular": {"radius": 0.3}}},
    {"rule": "pairwise_bernoulli", "p": 0.5, "mask": {"circular": {"radius": 0.4}}},
    {"rule": "pairwise_bernoulli", "p": 0.5, "mask": {"circular": {"radius": 0.3}, "anchor": [0.1, 0.1]}, "allow_autapses": False},
    {"rule": "pairwise_bernoulli", "p": NEAR, "mask": MASK},
    {"rule": "pairwise_bernoulli", "p": NEAR, "mask": MASK, "use_on_source": True},
    {"rule": "pairwise_bernoulli", "p": 0.5, "mask": {"grid": {"shape": [2, 3]}}},
    {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 0.6, "mask": {"circular": {"radius": 0.3}}},
    {"rule": "fixed_indegree", "indegree": 3, "mask": MASK},
    {"rule": "fixed_indegree", "indegree": 2, "mask": MASK, "allow_multapses": False},
    {"rule": "fixed_outdegree", "outdegree": 2, "p": 1.0, "mask": {"circular": {"radius": 0.5}}},
    {"rule": "pairwise_bernoulli", "p": 0.5, "mask": {"spherical": {"radius": 0.3}}},
]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(IN_SPACE), st.sampled_from([1.0, 2.0, "broad"])),
        min_size=2,
        max_size=8,
    )
)
def test_short_way_in_space_gives_what_the_long_way_gives(calls: list[tuple[Any, ...]]) -> None:
    def script() -> list[str]:
        free = np.random.default_rng(1).uniform(-0.5, 0.5, (12, 2)).tolist()
        made = [
            nest.spatial.grid([4, 3]),
            nest.spatial.grid([3, 4], edge_wrap=True),
            nest.spatial.free(free, extent=[1.0, 1.0]),
            nest.spatial.grid([2, 2, 3]),
        ]
        layers = [nest.Create("iaf_psc_alpha", positions=each) for each in made]
        layers += [layers[0][2:9], nest.Create("iaf_psc_alpha", 4)]
        errors = []
        for a, b, spec, weight in calls * 2:
            try:
                nest.Connect(layers[a], layers[b], spec, {"weight": meant(weight), "delay": 1.5})
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
        return errors

    short, long = both_ways(script)
    assert short == long


def test_calls_in_space_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    long = counted(monkeypatch)
    layers = [nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([5, 4])) for _ in range(3)]
    for pre in layers:
        for post in layers:
            nest.Connect(pre, post, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 0.26}}}, {"weight": 2.0})
    assert len(long) == 1
    found = nest.GetConnections(layers[1], layers[2])
    near = [(a, b) for a in layers[1] for b in layers[2] if nest.Distance(a, b)[0] <= 0.26]
    assert sorted(zip(found.sources(), found.targets(), strict=True)) == [(a.global_id, b.global_id) for a, b in near]
