# SPDX-License-Identifier: Apache-2.0
"""Values set connection by connection: a number and a list of numbers leave the same network and raise the same errors."""

import random

import numpy as np
import pytest

import neuropil.nest as nest

MODELS = ["static_synapse", "stdp_synapse", "inhibitory", "static_synapse_hom_w", "tsodyks2_synapse", "static_synapse_lbl"]
VALUES = [1.0, 2, 0.0, -0.0, -1.5, 0.3, np.float64(2.5), float("nan"), float("inf"), "text", True, [4.0], nest.random.uniform(1.0, 2.0)]


def network(models):
    nest.ResetKernel()
    nest.CopyModel("stdp_synapse", "inhibitory", {"Wmax": -100.0, "weight": -1.0})
    cells = nest.Create("iaf_psc_alpha", 5)
    nest.Connect(nest.Create("poisson_generator"), cells, syn_spec={"weight": 3.0})
    for k, model in enumerate(models):
        synapse = {"synapse_model": model} | ({"synapse_label": 3} if model.endswith("_lbl") else {})
        synapse |= {"U": nest.random.uniform(0.1, 0.9)} if model == "tsodyks2_synapse" else {}
        if not model.endswith("_hom_w"):
            synapse["weight"] = -2.0 if model == "inhibitory" else 2.0
        nest.Connect(cells[k % 3 : k % 3 + 3], cells, {"rule": "all_to_all"}, synapse)
    nest.Simulate(2.0)
    return cells


def edited(models, seed, as_list):
    """Weights, and the errors on the way to them. as_list : a number is given as a list with one for each connection."""
    draw = random.Random(seed)
    cells = network(models)
    found, errors = nest.GetConnections(), []
    for step in range(60):
        at = draw.randrange(len(found))
        some = draw.choice([found[at], found[at : at + 1], found[at : at + 2]])
        try:
            act = draw.random()
            if act < 0.7:
                value = draw.choice(VALUES)
                some.weight = [value] * len(some) if as_list and np.isscalar(value) else value
            elif act < 0.74:
                some.delay = draw.choice([1.0, 1.5, 2, 2.04, 0.0, float("nan"), "text"])
            elif act < 0.77:
                some.U = draw.choice([0.3, 0.4, 1, 1.5, -1.0, float("nan"), "text"])
            elif act < 0.8:
                some.set({"weight": draw.choice(VALUES), "delay": 1.0})
            elif act < 0.9:
                some.disconnect()
            else:
                nest.Connect(cells, cells, "one_to_one", {"weight": 7.0})
        except Exception as error:
            errors.append((step, type(error).__name__, str(error)))
    now = nest.GetConnections()
    return list(zip(now.sources(), now.targets(), now.get("weight"), now.get("delay"), strict=True)), now.get("U"), errors


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(12))
def test_numbers_and_lists_agree(seed):
    models = random.Random(seed).sample(MODELS, 1 + seed % 4)
    assert repr(edited(models, seed, as_list=True)) == repr(edited(models, seed, as_list=False))


def test_weights_are_those_that_were_set():
    network(["static_synapse", "stdp_synapse"])
    cells = nest.GetNodes({"model": "iaf_psc_alpha"})
    found = nest.GetConnections(cells, cells)
    for k, one in enumerate(found):
        one.weight = 1.0 + k
    found[3].set({"weight": 77.0})
    assert found.get("weight")[:5] == [1.0, 2.0, 3.0, 77.0, 5.0]


def test_connections_of_a_kernel_that_was_reset_touch_nothing():
    network(["static_synapse"])
    old = nest.GetConnections()[0]
    network(["static_synapse"])
    before = nest.GetConnections().get("weight")
    old.weight = 5.0
    assert nest.GetConnections().get("weight") == before


def test_delays_and_parameters_in_rows():
    """Of one connection, in its row or not: the other connections of the list keep their values."""
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 6)
    synapse = {"synapse_model": "tsodyks2_synapse", "U": nest.random.uniform(0.1, 0.9), "delay": 3.0}
    nest.Connect(cells, cells, "all_to_all", synapse)
    found = nest.GetConnections()
    delays, shares = [3.0] * 36, list(found.get("U"))
    for k in range(10):
        delays[3 * k] = found[3 * k].delay = 1.0 + k / 10
    for k in range(36):
        delays[k] = found[k].delay = 3.0 - k / 20 // 0.1 / 10
        shares[k] = found[k].U = 0.2 + k / 100
    assert np.allclose(found.get("delay"), delays) and np.array_equal(found.get("U"), shares)
    again = nest.GetConnections()
    key = [(s, t) for s, t in zip(found.sources(), found.targets(), strict=True)]
    now = dict(zip(zip(again.sources(), again.targets(), strict=True), zip(again.get("delay"), again.get("U"), strict=True), strict=True))
    assert all(np.isclose(now[pair][0], d) and now[pair][1] == u for pair, d, u in zip(key, delays, shares, strict=True))
