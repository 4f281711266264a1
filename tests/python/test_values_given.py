# SPDX-License-Identifier: Apache-2.0
"""What is wrong is refused where it is written, with the nearest name; models are made by name and by constructor."""

import numpy as np
import pytest

import neuropil as npl


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: npl.uniform(2, 1), npl.errors.BadParameter, r"uniform\(min=2, max=1\)"),
        (lambda: npl.normal(0, -1), npl.errors.BadParameter, "standard deviation >= 0"),
        (lambda: npl.exponential(0.0), npl.errors.BadParameter, "exponential"),
        (lambda: npl.pairwise_bernoulli(1.5), npl.errors.BadParameter, "p = 1.5: must be from 0 to 1"),
        (lambda: npl.fixed_indegree(-1), npl.errors.BadParameter, "k = -1"),
        (lambda: npl.synapse("tsodyks2_synaps"), npl.errors.UnknownName, "tsodyks2_synapse"),
        (lambda: npl.synapse("tsodyks2_synapse", tau_recc=3.0), npl.errors.UnknownName, "tau_rec"),
        (lambda: npl.synapse("tsodyks2_synapse", tau_rec=-3.0), npl.errors.BadParameter, "tau_rec = -3.0: must be above 0"),
        (lambda: npl.synapse("tsodyks2_synapse", tau_rec="a"), npl.errors.BadType, "tau_rec"),
        (lambda: npl.device("ac_generatr"), npl.errors.UnknownName, "ac_generator"),
        (lambda: npl.device("ac_generator", amplitud=3.0), npl.errors.UnknownName, "amplitude"),
        (lambda: npl.stdp(lambd=3), npl.errors.UnknownArgument, "lambda_"),
        (lambda: npl.Network(treads=2), npl.errors.UnknownArgument, r"argument 'treads' of Network\(\); nearest: 'threads'"),
        (lambda: npl.fixed_indegree(3, autapse=False), npl.errors.UnknownArgument, "autapses"),
        (lambda: npl.synapse.tsodyks3_synapse, npl.errors.UnknownAttribute, "tsodyks2_synapse"),
    ],
)
def test_refused_at_once(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_an_unknown_argument_is_a_type_error_too():
    with pytest.raises(TypeError):
        npl.poisson(rates=3.0)
    with pytest.raises(TypeError, match="required"):
        npl.poisson()  # not enough arguments: Python's own message


def test_a_rule_by_name_needs_no_parameters(net):
    a = net.create("iaf_psc_exp", 3)
    assert len(net.connect(a, a, "one_to_one")) == 3
    with pytest.raises(npl.errors.BadParameter, match=r"neuropil\.fixed_indegree\(k"):
        net.connect(a, a, "fixed_indegree")
    with pytest.raises(npl.errors.UnknownName, match="fixed_indegree"):
        net.connect(a, a, "fixed_indegre")


def test_devices_and_synapses_by_name_and_by_constructor(net):
    assert npl.device("ac_generator", amplitude=50.0) == npl.device.ac_generator(amplitude=50.0)
    assert npl.synapse("stdp_synapse", lambda_=0.02) == npl.synapse.stdp_synapse(lambda_=0.02) == npl.stdp(lambda_=0.02)
    assert "ac_generator" in dir(npl.device) and "tsodyks_synapse" in dir(npl.synapse)
    cell = net.create("iaf_psc_exp")
    net.stimulate(cell, npl.device("ac_generator", amplitude=500.0, frequency=10.0))
    net.stimulate(cell, "dc_generator")
    trace = net.record(cell, "V_m")
    net.run(100.0)
    assert np.ptp(trace.values) > 1.0


def test_every_device_and_synapse_can_be_constructed():
    for catalogue, make in ((npl.devices(), npl.device), (npl.synapses(), npl.synapse)):
        for name, entry in catalogue.items():
            given = {k: f.default for k, f in entry.parameters.items() if f.default is not None}
            assert make(name, **given).name == name


def test_catalogues_are_short():
    for catalogue in (npl.models(), npl.devices(), npl.synapses(), npl.rules()):
        lines = repr(catalogue).splitlines()
        assert len(lines) == len(catalogue) and max(map(len, lines)) <= 120
        assert catalogue._repr_html_().count("<tr>") == len(catalogue)
        with pytest.raises(npl.errors.UnknownName):
            catalogue["no_such_thing"]


def test_only_public_names_are_listed():
    assert set(dir(npl)) == {*npl.__all__, "__version__", "errors"}
    assert all(hasattr(npl, name) for name in dir(npl))


def test_no_limit_is_minus_infinity(net):
    cells = net.create("iaf_psc_delta", 3)
    assert set(cells.V_min) == {-np.inf} and "-inf" in repr(npl.describe("iaf_psc_delta"))
    cells.V_min = [-80.0, -np.inf, -90.0]
    assert cells.V_min.tolist() == [-80.0, -np.inf, -90.0]
    cells.V_min = -np.inf
    assert set(net.create("iaf_psc_delta", V_min=-np.inf).V_min) == set(cells.V_min) == {-np.inf}
    for other in ("E_L", "V_th"):
        with pytest.raises(npl.errors.BadParameter):
            cells.set({other: -np.inf})


def test_receptors_read_back_as_they_were_given(net):
    a = net.create("iaf_psc_exp_multisynapse", 2)
    assert set(net.connect(a, a, receptor=2).connections().receptor) == {2}


def test_connections_of_devices_that_are_not_stored_are_refused(net):
    cells = net.create("iaf_psc_exp", 4)
    noise = net.stimulate(cells, npl.poisson(10.0))
    with pytest.raises(npl.errors.IllegalConnection, match="poisson_generator"):
        net.connections(source=noise.pre)
    assert len(net.connections(source=cells)) == 0
