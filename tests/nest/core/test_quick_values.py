# SPDX-License-Identifier: Apache-2.0
"""Numbers that are set and read by the shortest way, against the way that all other values take."""

import pytest

from neuropil import nest
from neuropil.nest import node_status, quick_values
from neuropil.nest.kernel import session

VALUES = (-3, 0.25, float("inf"))


def outcome(model, key, value):
    """Status of two of three nodes after a set, and what was raised."""
    nest.ResetKernel()
    nodes = nest.Create(model, 3)
    try:
        nodes[:2].set({key: value})
    except Exception as error:
        return repr(error), [repr(nodes.get(key))]
    return "", [repr(nodes.get(key)), repr(nodes.get())]


def names():
    models = nest.node_models
    return [name for name in models if session().node_models[name].kind != "recorder"]


@pytest.mark.parametrize("model", names())
def test_either_way_is_the_same(model, monkeypatch):
    keys = node_status.plain_keys(session().node_models[model])[1]
    cases = [(key, value) for key in sorted(keys) for value in VALUES]
    quick = [outcome(model, *case) for case in cases]
    monkeypatch.setattr(quick_values, "set_numbers", lambda table, given: False)
    monkeypatch.setattr(quick_values, "get_numbers", lambda table, key: None)
    assert quick == [outcome(model, *case) for case in cases]


def test_the_short_way_is_taken():
    nest.ResetKernel()
    nodes = nest.Create("iaf_psc_alpha", 5)
    assert quick_values.set_numbers(nodes._alive(), {"I_e": 3.0, "tau_m": 12})
    assert quick_values.set_numbers(nodes[::2]._alive(), {"V_m": -60.0})
    assert quick_values.get_numbers(nodes._alive(), "V_m") == (-60.0, -70.0, -60.0, -70.0, -60.0) == nodes.V_m
    for given in ({}, {"V_m": [1.0] * 5}, {"frozen": True}, {"Ca": 1.0}, {"no_such_key": 1.0}, {"tau_m": -1.0}, {"I_e": 2**60}):
        assert not quick_values.set_numbers(nodes._alive(), given)
    assert nodes.get("tau_m") == (12.0,) * 5
