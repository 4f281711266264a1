# SPDX-License-Identifier: Apache-2.0
"""Errors of wrong names say what NEST says, and then the nearest names."""

import pytest

from neuropil import nest


@pytest.fixture(autouse=True)
def kernel():
    nest.ResetKernel()


def connect(**given):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes, nodes, given.get("conn_spec"), given.get("syn_spec"))


CALLS = [
    ("UnknownModelName", "iaf_psc_expp is not a known model name. (nearest: iaf_psc_exp,", lambda: nest.Create("iaf_psc_expp")),
    ("UnknownModelName", "stdp is not a known model name. (nearest: stdp_synapse)", lambda: nest.CopyModel("stdp", "mine")),
    ("UnknownComponent", "stdp_synaps is not a known component. (nearest: stdp_synapse,", lambda: nest.GetDefaults("stdp_synaps")),
    ("UnknownSynapseType", "Synapse with name stdp does not exist. (nearest: stdp_synapse)", lambda: connect(syn_spec="stdp")),
    ("UnaccessedDictionaryEntry", "set_status:  Vm (nearest: V_m)", lambda: nest.Create("iaf_psc_exp", params={"Vm": -65.0})),
    ("UnaccessedDictionaryEntry", "set_node_defaults_:  Vm (nearest: V_m)", lambda: nest.SetDefaults("iaf_psc_exp", {"Vm": -65.0})),
    ("UnaccessedDictionaryEntry", "Connect:  model (nearest: synapse_model", lambda: connect(syn_spec={"model": "stdp_synapse"})),
    ("UnaccessedDictionaryEntry", "in function Connect:  weigth (nearest: weight)", lambda: connect(syn_spec={"weigth": 2.0})),
    ("BadProperty", "Unknown connectivity rule: fixed_indegre (nearest: fixed_indegree,", lambda: connect(conn_spec="fixed_indegre")),
]


@pytest.mark.parametrize(("error", "text", "call"), CALLS, ids=[text[:30] for _, text, _ in CALLS])
def test_names_that_do_not_exist(error, text, call):
    with pytest.raises(getattr(nest.NESTErrors, error)) as found:
        call()
    assert text in str(found.value)
