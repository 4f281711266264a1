# SPDX-License-Identifier: Apache-2.0
"""Corners of the models that the stored protocols do not visit, against NEST itself, and what both refuse."""

import numpy as np
import pytest

import neuropil
from peers.simulators import Neuropil

pytest.importorskip("nest")
from peers.simulators import Nest

RECORD = {
    "iaf_psc_delta": ["V_m"],
    "iaf_psc_exp": ["V_m", "I_syn_ex", "I_syn_in"],
    "iaf_psc_alpha": ["V_m", "I_syn_ex", "I_syn_in"],
    "izhikevich": ["V_m", "U_m"],
    "iaf_cond_exp": ["V_m", "g_ex", "g_in"],
    "aeif_cond_exp": ["V_m", "g_ex", "g_in", "w"],
    "hh_psc_alpha": ["V_m", "Act_m", "Inact_h", "Act_n"],
}

# model, parameters, weight of the spikes, resolution
EXACT = {
    "time constants equal": ("iaf_psc_exp", {"tau_m": 2.0, "C_m": 50.0, "I_e": 380.0}, 300.0, 0.1),
    "time constants nearly equal": ("iaf_psc_exp", {"I_e": 380.0, "tau_syn_ex": 10.0 + 1e-7, "tau_syn_in": 9.999}, 100.0, 0.1),
    "alpha, time constants equal": ("iaf_psc_alpha", {"I_e": 380.0, "tau_syn_ex": 10.0, "tau_syn_in": 10.001}, 50.0, 0.1),
    "refractory input": ("iaf_psc_delta", {"I_e": 390.0, "refractory_input": True, "t_ref": 3.0}, 6.0, 0.1),
    "refractory input lost": ("iaf_psc_delta", {"I_e": 390.0, "t_ref": 3.0}, 6.0, 0.1),
    "lowest potential": ("iaf_psc_delta", {"I_e": 300.0, "V_min": -71.0}, 6.0, 0.1),
    "alpha, lowest potential": ("iaf_psc_alpha", {"I_e": 300.0, "V_min": -71.0}, 300.0, 0.1),
    "no refractoriness": ("iaf_psc_exp", {"I_e": 900.0, "t_ref": 0.0}, 300.0, 0.1),
    "refractoriness between steps": ("iaf_psc_exp", {"I_e": 900.0, "t_ref": 1.04}, 300.0, 0.1),
    "refractoriness below a tic": ("iaf_psc_exp", {"I_e": 900.0, "t_ref": 0.0004}, 300.0, 0.1),
    "start above threshold": ("iaf_psc_alpha", {"V_m": -50.0}, 300.0, 0.1),
    "fine grid": ("iaf_psc_exp", {"I_e": 390.0}, 300.0, 0.025),
    "coarse grid": ("iaf_psc_alpha", {"I_e": 390.0}, 300.0, 0.5),
    "published scheme": ("izhikevich", {"I_e": 5.0, "consistent_integration": False}, 6.0, 0.1),
    "published scheme, 1 ms": ("izhikevich", {"I_e": 5.0, "consistent_integration": False}, 4.0, 1.0),
    "Izhikevich, lowest potential": ("izhikevich", {"I_e": 4.0, "V_min": -66.0}, 6.0, 0.5),
}
# also: the largest difference of V_m allowed
SOLVED = {
    # V_m rises by 28 mV per µs at -26.8 mV, so 1 mV is a difference of 36 ns in the time of the upstroke.
    "several spikes per step": ("aeif_cond_exp", {"I_e": 3e5, "b": 10.0}, 0.0, 0.1, 1.0),
    "refractoriness of one step": ("aeif_cond_exp", {"I_e": 1e5, "t_ref": 0.05}, 0.0, 0.1, 1e-6),
    "bursting": ("aeif_cond_exp", {"I_e": 800.0, "g_L": 10.0, "a": 2.0, "b": 0.0, "tau_w": 30.0, "V_reset": -46.0}, 0.0, 0.1, 1.0),
    "sharp threshold": ("aeif_cond_exp", {"I_e": 700.0, "Delta_T": 0.0}, 5.0, 0.1, 0.05),
    "strong conductances": ("iaf_cond_exp", {"I_e": 100.0, "V_th": -10.0}, 400.0, 0.1, 2e-3),
    "coarse grid": ("iaf_cond_exp", {"I_e": 250.0}, 20.0, 0.5, 5e-3),
    "short dead time": ("hh_psc_alpha", {"I_e": 650.0, "t_ref": 0.3}, 100.0, 0.1, 0.05),
    "no dead time": ("hh_psc_alpha", {"I_e": 650.0, "t_ref": 0.0}, 100.0, 0.1, 0.05),
}


def run(simulator: type, model: str, params: dict, weight: float, resolution: float) -> dict[str, np.ndarray]:
    """40 excitatory and 20 inhibitory spikes within 100 ms, the same for everybody."""
    sim = simulator(resolution)
    node = sim.create(model, **params)
    random = np.random.default_rng(3)
    grid = max(resolution, 0.1)
    for count, sign in ((40, 1.0), (20, -0.8)):
        times = np.sort(random.choice(np.arange(10, round(95 / grid)), count, replace=False)) * grid
        if weight:
            sim.connect(sim.device("spike_generator", spike_times=np.round(times, 6).tolist()), node, weight=sign * weight, delay=1.0)
    trace, spikes = sim.trace(node, RECORD[model], interval=resolution), sim.spikes(node)
    sim.run(100.0)
    return sim.read_trace(trace) | {"spikes": sim.read_spikes(spikes)[0]}


@pytest.mark.parametrize("case", EXACT)
def test_exact_models_in_corners(case):
    found, expected = run(Neuropil, *EXACT[case]), run(Nest, *EXACT[case])
    np.testing.assert_array_equal(found["spikes"], expected["spikes"])
    for key in RECORD[EXACT[case][0]]:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-11, atol=1e-9, err_msg=key)


@pytest.mark.parametrize("case", SOLVED)
def test_solver_models_in_corners(case):
    *arguments, allowed = SOLVED[case]
    found, expected = run(Neuropil, *arguments), run(Nest, *arguments)
    np.testing.assert_array_equal(found["spikes"], expected["spikes"])
    np.testing.assert_allclose(found["V_m"], expected["V_m"], atol=allowed)


TRIED = [-1000.0, -70.0, -55.0, -50.4, -1.0, -0.1, 0.0, 0.05, 0.08, 0.5, 1.0, 1.5, 2.0, 1000.0]
# Ours takes numbers for these; refused by NEST, as Python values of another type, but for 0 and 1.
FLAGS = {"refractory_input", "consistent_integration"}


@pytest.mark.parametrize("model", [*RECORD, "ignore_and_fire"])
def test_both_refuse_the_same_parameters(model):
    nest, ours = Nest(), neuropil.Network(seed=1)
    differ = []
    for name in neuropil.models()[model].parameters:
        for value in [] if name in FLAGS else TRIED:
            theirs_takes, ours_takes = True, True
            try:
                nest.create(model, **{name: value})
            except nest.nest.NESTError:
                theirs_takes = False
            try:
                ours.create(model, **{name: value})
            except neuropil.errors.BadParameter as error:
                assert name in str(error) or "V_reset" in str(error) or "V_peak" in str(error)
                ours_takes = False
            if theirs_takes != ours_takes:
                differ.append((name, value, "neuropil takes it" if ours_takes else "NEST takes it"))
    assert differ == []
