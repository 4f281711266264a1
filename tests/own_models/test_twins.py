# SPDX-License-Identifier: Apache-2.0
"""A model that was compiled by itself has the bits of the same model that is built in, whatever its form."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.own_models import compilers
from own_models.twins import twin

FORMS = {  # model -> what it is an example of
    "izhikevich": "a step",
    "iaf_psc_delta": "advance, fire; held while refractory; a shape by name",
    "aeif_cond_exp": "the solver",
    "glif_cond": "the solver with ports, first ports of their own",
}
MORE_FORMS = {
    "gif_psc_exp": "drawn spikes",
    "iaf_psc_exp_ps": "off-grid spikes",
    "iaf_psc_exp_multisynapse": "ports",
    "hh_psc_alpha_gap": "gap junctions",
    "hh_psc_alpha_clopath": "a history for synapses",
    "eprop_iaf": "learning signals",
    "sigmoid_rate_ipn": "rates with noise",
    "iaf_cond_alpha_mc": "several places for currents",
}


@pytest.fixture(autouse=True)
def compiler_of_users(monkeypatch):
    """With the optimisation that users get."""
    monkeypatch.delenv("NEUROPIL_CXX", raising=False)
    compilers.compiler.cache_clear()
    yield
    compilers.compiler.cache_clear()


def driven(model: str, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Spikes and one state variable of 300 neurons with Poisson input and a current."""
    entry = npl.models()[model]
    net = npl.Network(seed=3, threads=threads)
    neurons = net.create(model, 300)
    if "V_m" in entry.state:
        neurons.V_m = npl.normal(entry.state["V_m"].default, 1.0)
    if entry.kind == "neuron" and entry.input != "ports" and "rate" not in entry.state:
        net.stimulate(neurons, npl.poisson(rate=8000.0), weight={"nS": 2.0, "mV": 0.5}.get(entry.weight_unit, 40.0))
    if entry.input == "ports":
        net.stimulate(neurons, npl.poisson(rate=8000.0), weight=2.0, receptor=1)
    if "I_e" in entry.parameters:
        neurons.I_e = npl.uniform(0.0, 500.0)
    spikes, trace = net.record(neurons), net.record(neurons, entry.recordables[0], interval=0.1)
    net.run(100.0)
    found = spikes.data()
    return np.stack([found.gids, found.steps]), np.asarray(trace.data()[entry.recordables[0]])


@pytest.mark.parametrize("model", [*FORMS, *(pytest.param(model, marks=pytest.mark.slow) for model in MORE_FORMS)])
def test_same_bits_as_built_in(model):
    entry, built_in = twin(model), npl.models()[model]
    assert (entry.parameters, entry.state, entry.receptors, entry.input) == (
        built_in.parameters,
        built_in.state,
        built_in.receptors,
        built_in.input,
    )
    wanted = driven(model, 1)
    for threads in (1, 2):
        for mine, theirs in zip(driven(entry.name, threads), wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert np.ptp(wanted[1]) > 0.0


def test_shape_by_name():
    twin("iaf_psc_delta")
    assert "ignore_and_spike" in npl.models()["own_iaf_psc_delta[clock]"].parameters


def test_shape_by_number():
    twin("glif_cond")
    assert "tau_syn_12" in npl.models()["own_glif_cond[12]"].parameters
