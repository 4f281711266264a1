# SPDX-License-Identifier: Apache-2.0
"""Units of weights are those of what a spike adds to: a conductance (nS), a current (pA), the potential (mV)."""

import numpy as np
import pytest

import neuropil as npl

PURE_NUMBERS = {
    "parrot_neuron",
    "parrot_neuron_ps",
    "ignore_and_fire",
    "interval_fire",
    "iaf_chs_2007",
    "ht_neuron",
    "volume_transmitter",
    "cm_default",
}
NO_WEIGHTS = {"siegert_neuron", "astrocyte_lr_1994"}  # and rate neurons: they take no spikes, or count them
POTENTIALS = {
    "iaf_psc_delta",
    "iaf_psc_delta_ps",
    "pp_psc_delta",
    "aeif_psc_delta",
    "aeif_psc_delta_clopath",
    "izhikevich",
    *(f"eprop_iaf{adapts}{end}" for adapts in ("", "_adapt") for end in ("", "_bsshslm_2020")),
    *(f"eprop_{model}" for model in ("iaf_psc_delta", "iaf_psc_delta_adapt", "readout", "readout_bsshslm_2020")),
    "erfc_neuron",
    "ginzburg_neuron",
    "mcculloch_pitts_neuron",
}
CONDUCTANCES = {"glif_cond", "iaf_bw_2001", "iaf_chxk_2008"}


@pytest.mark.parametrize("model", npl.models())
def test_of_every_model(model):
    """Names tell the others: psc is a current, cond a conductance."""
    expected = "nS" if "cond" in model or model in CONDUCTANCES else "pA"
    if model in PURE_NUMBERS | POTENTIALS | NO_WEIGHTS or "rate_" in model:
        expected = "mV" if model in POTENTIALS else ""
    entry = npl.describe(model)
    assert entry.weight_unit == expected
    assert (f"weights of spikes: {expected}" in repr(entry)) == (expected != "")


def test_of_trees():
    """cm_default has receptors only with a shape."""
    assert npl.describe("cm_default[-1,0;1:AMPA_NMDA]").weight_unit == "uS"


def test_devices_take_no_spikes():
    assert {entry.weight_unit for entry in npl.devices().values()} == {""}


@pytest.fixture
def both(net):
    delta, cond = net.create("iaf_psc_delta", 10), net.create("iaf_cond_exp", 5)
    net.connect(delta, delta, weight=0.5, delay=1.0)
    net.connect(delta, cond, weight=2.0, delay=1.0)
    net.connect(net.create("dc_generator", amplitude=3.0), cond, weight=2.0, delay=1.0)
    net.connect(delta, cond, npl.fixed_indegree(3), weight=npl.normal(4.0, 1.0), delay=2.0)
    return net, delta, cond


def test_in_the_summary(both):
    assert [projection.row()[5] for projection in both[0].projections] == ["0.5 mV", "2 nS", "2", "normal(mean=4, std=1) nS"]
    assert "0.5 mV" in str(both[0].summary())


def test_of_connections_and_in_their_plot(both):
    net, delta, cond = both
    for nodes, unit in ((delta, "mV"), (cond, "nS")):
        found = net.connections(target=nodes)
        assert found.weight_unit == unit
        assert npl.plot.weights(found).get_xlabel() == f"weight ({unit})"
    assert net.connections().weight_unit == ""
    assert npl.plot.weights(net.connections()).get_xlabel() == npl.plot.weights(np.ones(3)).get_xlabel() == "weight"
