# SPDX-License-Identifier: Apache-2.0
"""V_min holds at the end of each step, those in which spikes arrive included (NEST's precise neurons go below it there)."""

import numpy as np
import pytest

import neuropil.nest as nest

WEIGHTS = {
    "iaf_psc_exp_ps": -3000.0,
    "iaf_psc_exp_ps_lossless": -3000.0,
    "iaf_psc_alpha_ps": -3000.0,
    "iaf_psc_delta_ps": -1.5,
    "iaf_psc_delta": -1.5,
}


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


@pytest.mark.parametrize("train", [[5.0, 5.5, 6.0], [5.05, 5.52], [5.02, 5.07]])
@pytest.mark.parametrize("model", WEIGHTS)
def test_potentials_stay_above_v_min(model, train):
    cell = nest.Create(model, params={"V_min": -72.0})
    precise = "_ps" in model
    times = train if precise else np.unique(np.round(train, 1))
    drive = nest.Create("spike_generator", params={"spike_times": times, "precise_times": precise})
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
    nest.Connect(drive, cell, syn_spec={"weight": WEIGHTS[model], "delay": 1.0})
    nest.Connect(meter, cell)
    nest.Simulate(9.0)
    lowest = meter.events["V_m"].min()
    assert -72.0 - 1e-12 <= lowest < -71.0
