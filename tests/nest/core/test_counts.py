# SPDX-License-Identifier: Apache-2.0
"""Numbers of connections, asked for at any time, are those of the lists."""

import random

import pytest

import neuropil.nest as nest
from neuropil.nest.kernel import session

RULES = [
    {"rule": "all_to_all"},
    {"rule": "all_to_all", "allow_autapses": False},
    {"rule": "fixed_indegree", "indegree": 3},
    {"rule": "fixed_outdegree", "outdegree": 2, "allow_autapses": False},
    {"rule": "fixed_total_number", "N": 17},
    {"rule": "pairwise_bernoulli", "p": 0.3},
    {"rule": "pairwise_bernoulli", "p": 0.2, "allow_autapses": False},
    {"rule": "one_to_one", "make_symmetric": True},
    {"rule": "one_to_one", "allow_autapses": False},
]
MODELS = ["static_synapse", "mine", "yours", "stdp_synapse", "tsodyks2_synapse"]


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def listed(model=None):
    return len(nest.GetConnections(synapse_model=model))


def connect_some(draw, pops):
    rule = draw.choice(RULES)
    model = draw.choice(MODELS[:3] if rule.get("make_symmetric") else MODELS)
    pre, post = draw.choice(pops), draw.choice(pops)
    nest.Connect(pre, post, rule, {"synapse_model": model, "weight": draw.choice([1.0, 2.0])})


def edit_some(draw, pops):
    found = nest.GetConnections(draw.choice(pops), draw.choice(pops))
    if len(found) < 2:
        return
    some = found[: len(found) // 2]
    if draw.random() < 0.5:
        some.disconnect()
    elif all(model == "stdp_synapse" for model in some.get("synapse_model")):
        some.set({"lambda": 0.05})
    else:
        some.set({"delay": 2.0})


@pytest.mark.parametrize("seed", range(8))
def test_counts_are_lengths_of_lists(seed):
    draw = random.Random(seed)
    for name in ("mine", "yours"):
        nest.CopyModel("static_synapse", name)
    pops = [nest.Create("iaf_psc_alpha", 7) for _ in range(3)]
    nest.SetKernelStatus({"min_delay": 0.5, "max_delay": 3.0})
    nest.Connect(nest.Create("poisson_generator", 2), pops[0], syn_spec={"synapse_model": "mine"})
    nest.Connect(pops[1], nest.Create("spike_recorder"))
    acts = [lambda: connect_some(draw, pops)] * 6 + [lambda: edit_some(draw, pops), lambda: nest.Simulate(1.0)]
    for _ in range(25):
        draw.choice(acts)()
        if draw.random() < 0.7:
            counts = {model: nest.GetDefaults(model)["num_connections"] for model in MODELS}
            total = nest.num_connections
            assert total == listed() == sum(counts.values())
            assert counts == {model: listed(model) for model in MODELS}


def test_counting_builds_nothing():
    """Else every Connect of a script that counts would merge all tables anew."""
    cells = nest.Create("iaf_psc_alpha", 10)
    for rule in RULES:
        nest.Connect(cells, cells, rule)
        assert nest.num_connections == nest.GetDefaults("static_synapse")["num_connections"]
        assert not session().network._kernel.built
