# SPDX-License-Identifier: Apache-2.0
"""Every model against NEST under deterministic input: exact models to 1e-9 mV, the others within what NEST's own solver allows."""

import numpy as np
import pytest

import neuropil
from peers import exact, protocols
from peers.simulators import Neuropil
from peers.stored import stored, stored_defaults

# NEST's solvers keep a local error of 1e-3 (1e-6: aeif) per step; docs/concepts/validation.md has the deviations of NEST from the exact solution.
EXACT = dict.fromkeys(protocols.EXACT, 1e-9)
SOLVER = {"iaf_cond_exp": 2e-3, "aeif_cond_exp": 5e-3, "hh_psc_alpha": 5e-2}
TRACES = [name for name in protocols.PROTOCOLS if "/" in name]


@pytest.mark.parametrize("name", [n for n in TRACES if n.split("/")[1] in EXACT])
def test_exact_models_agree_to_1e_9(name):
    found, expected = protocols.ALL[name](Neuropil), stored(name)
    assert found.keys() == expected.keys()
    np.testing.assert_array_equal(found["spikes"], expected["spikes"])
    for key in found:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-11, atol=1e-9, err_msg=key)


@pytest.mark.parametrize("name", [n for n in TRACES if n.split("/")[1] in SOLVER])
def test_solver_models_agree_within_the_tolerance_of_nest(name):
    model = name.split("/")[1]
    found, expected = protocols.ALL[name](Neuropil), stored(name)
    assert found.keys() == expected.keys()
    np.testing.assert_allclose(found["spikes"], expected["spikes"], atol=0.1001)
    same = agreeing(found["spikes"], expected["spikes"], expected["times"])
    assert same.sum() > 100
    for key in set(found) - {"spikes", "times"}:
        np.testing.assert_allclose(found[key][:, same], expected[key][:, same], rtol=1e-3, atol=SOLVER[model], err_msg=key)


def agreeing(ours, theirs, times):
    """Samples before the first spike whose time differs by a step: after it, traces are shifted and cannot be compared."""
    n = min(len(ours), len(theirs))
    differ = np.flatnonzero(np.abs(ours[:n] - theirs[:n]) > 1e-6)
    limit = min(ours[differ[0]], theirs[differ[0]]) - 1.0 if len(differ) else np.inf
    return times < limit


@pytest.mark.parametrize("name", ["parrot_neuron", "ignore_and_fire"])
def test_spike_times_are_those_of_nest(name):
    found, expected = protocols.ALL[name](Neuropil), stored(name)
    assert found.keys() == expected.keys()
    for key in found:
        np.testing.assert_array_equal(found[key], expected[key], err_msg=key)


def never(value: float) -> float:
    """The largest float, infinity and 1e300 all mean: no limit."""
    return float(value) if abs(value) < 1e300 else np.copysign(np.inf, value)


@pytest.mark.parametrize("model", [*protocols.CASES, "ignore_and_fire"])
def test_defaults_and_recordables_are_those_of_nest(model):
    entry, theirs = neuropil.models()[model], stored_defaults()[model]
    ours = entry.parameters | entry.state
    shared = set(theirs) & set(ours)
    assert set(protocols.CASES.get(model, {"params": {"rate", "phase"}})["params"]) <= shared
    for key in shared:
        assert never(ours[key].default) == pytest.approx(never(theirs[key]), rel=1e-12), key
    assert set(theirs["recordables"]) <= set(entry.state)


KINDS = {
    "stdp_synapse": "synapses",
    "stdp_pl_synapse_hom": "synapses",
    "poisson_generator": "devices",
    "dc_generator": "devices",
    "step_current_generator": "devices",
    "noise_generator": "devices",
    "spike_generator": "devices",
}


@pytest.mark.parametrize("model", KINDS)
def test_defaults_of_synapses_and_devices_are_those_of_nest(model):
    ours, theirs = getattr(neuropil, KINDS[model])()[model].parameters, stored_defaults()[model]
    assert ours
    # tau_minus belongs to the synapse here and to the target neuron in NEST.
    for key in ours.keys() - {"axonal_delay"}:  # NEST's delays are dendritic
        expected = stored_defaults()["parrot_neuron"]["tau_minus"] if key == "tau_minus" else theirs[key]
        assert never(ours[key].default) == pytest.approx(never(expected), rel=1e-12), key


# Largest deviation of V_m from the exact solution before the first spike (mV): not more than NEST's own (tests/peers/exact.py prints them).
AS_EXACT_AS_NEST = {"iaf_cond_exp": 1e-5, "aeif_cond_exp": 1.2e-5, "hh_psc_alpha": 1e-3}


@pytest.mark.parametrize("protocol", exact.PROTOCOLS)
@pytest.mark.parametrize("model", exact.SYSTEMS)
def test_solver_models_are_at_least_as_exact_as_nest(model, protocol):
    found = protocols.ALL[f"{protocol}/{model}"](Neuropil)
    until = exact.first_spike(stored(f"{protocol}/{model}")) - 0.2
    assert exact.deviations(protocol, model, found, until)["V_m"] < AS_EXACT_AS_NEST[model]


@pytest.mark.parametrize("protocol", exact.PROTOCOLS)
@pytest.mark.parametrize("model", exact.SYSTEMS)
def test_nest_follows_the_same_equations(model, protocol):
    data = stored(f"{protocol}/{model}")
    found = exact.deviations(protocol, model, data, exact.first_spike(data) - 0.2)
    assert found["V_m"] < AS_EXACT_AS_NEST[model]


def test_a_recurrent_plastic_network_has_the_spikes_of_nest():
    """120 neurons of three models with static and plastic synapses: every spike in the same step. Rounding grows with each spike, so V_m gets 1e-7."""
    found, expected = protocols.recurrent_network(Neuropil), stored("recurrent_network")
    assert sum(len(found[f"{model}/times"]) for model in protocols.NETWORK_MODELS) > 1000
    for key in expected:
        if key.endswith("V_m"):
            np.testing.assert_allclose(found[key], expected[key], rtol=0, atol=1e-7, err_msg=key)
        else:
            np.testing.assert_array_equal(found[key], expected[key], err_msg=key)
    two = protocols.recurrent_network(Neuropil, threads=2)
    for key in found:
        np.testing.assert_array_equal(two[key], found[key], err_msg=f"2 threads: {key}")
