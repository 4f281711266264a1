# SPDX-License-Identifier: Apache-2.0
"""NESTML files in modules, for scripts of NEST; checkpoints of NESTML models."""

from pathlib import Path

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest
from equations.compiled import COMPILER
from neuropil.nestml import NestmlError, load
from neuropil.own_models.modules import load_file, make_module

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")

MODELS = Path(__file__).parent / "models"


@pytest.mark.slow
def test_a_script_of_nest_runs():
    made = make_module("nestml_module", [MODELS / "psc_exp.nestml", MODELS / "psc_delta.nestml"])
    assert [entry.name for entry in made] == ["nestml_psc_exp", "nestml_psc_delta"]
    nest.ResetKernel()
    nest.Install("nestml_module")
    neurons = [nest.Create(model, params={"I_e": 500.0}) for model in ("nestml_psc_exp", "iaf_psc_exp")]
    trains = nest.Create("spike_generator", params={"spike_times": [1.0, 5.0], "spike_weights": [300.0, -400.0]})
    meters = [nest.Create("voltmeter", params={"interval": 0.1}) for _ in neurons]
    for neuron, meter in zip(neurons, meters, strict=True):
        nest.Connect(trains, neuron)
        nest.Connect(meter, neuron)
    nest.Simulate(40.0)
    ours, theirs = (np.asarray(meter.events["V_m"]) for meter in meters)
    assert np.max(ours) - np.min(ours) > 10.0
    np.testing.assert_array_equal(ours, theirs)


def test_a_file_that_is_refused_makes_no_module(tmp_path):
    path = tmp_path / "bad.nestml"
    path.write_text("model bad:\n    state:\n        x[V] real = 0\n")
    with pytest.raises(NestmlError, match=r"bad\.nestml, line 3: the size of a vector"):
        make_module("bad_module", [path])
    with pytest.raises(NestmlError):
        load_file(path)


@pytest.mark.slow
def test_checkpoints_carry_values_from_before_the_step(tmp_path):
    net = npl.Network(seed=1)
    cells = net.create(load(MODELS / "hh.nestml"), 3, I_e=600.0)
    spikes = net.record(cells)
    net.run(10.0, progress=False)
    net.save(tmp_path / "net.npc", extra={"spikes": spikes})
    again = npl.load(tmp_path / "net.npc", progress=False)
    for each in (net, again):
        each.run(20.0, progress=False)
    assert len(spikes.data().times) > 3
    np.testing.assert_array_equal(again.extra["spikes"].data().times, spikes.data().times)
