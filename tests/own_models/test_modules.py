# SPDX-License-Identifier: Apache-2.0
"""Modules of own models: `neuropil build-model`, `nest.Install`."""

import subprocess
import sys

import pytest

import neuropil.nest as nest
from neuropil.errors import BadParameter, ModelError, UnknownName
from neuropil.own_models.loading import load_source
from neuropil.own_models.modules import load_module, make_module
from own_models.test_loading import leak


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "leak.cpp"
    path.write_text(leak("own_in_module"))
    return path


def test_install(file):
    assert [entry.name for entry in make_module("a_module", [file])] == ["own_in_module"]
    nest.ResetKernel()
    nest.Install("a_module")
    assert nest.modules == ["a_module"]
    assert "own_in_module" in nest.node_models
    assert nest.GetDefaults("own_in_module", "tau_m") == 10.0
    neuron = nest.Create("own_in_module", params={"V_m": 2.0, "tau_m": 5.0})
    train = nest.Create("spike_generator", params={"spike_times": [1.0]})
    nest.Connect(train, neuron, syn_spec={"weight": 3.0, "delay": 1.0})
    nest.Simulate(3.0)
    decay = 2.718281828459045 ** (-1.0 / 5.0)
    assert neuron.V_m == pytest.approx((2.0 * decay**2 + 3.0) * decay)
    nest.ResetKernel()
    assert nest.modules == []


@pytest.mark.slow
def test_a_model_that_is_loaded_again_has_its_new_parameters():
    load_source(leak("own_again"), "leak.cpp")
    nest.ResetKernel()
    assert nest.Create("own_again").tau_m == 10.0
    load_source(leak("own_again").replace("tau_m", "tau"), "leak.cpp")
    nest.ResetKernel()
    neuron = nest.Create("own_again")
    neuron.tau = 5.0
    assert neuron.tau == 5.0
    assert "tau_m" not in neuron.get()


def test_what_is_not_there(file):
    make_module("a_module", [file])
    with pytest.raises(UnknownName, match="nearest: 'a_module'"):
        load_module("a_modul")
    with pytest.raises(UnknownName):
        load_module("../a_module")
    with pytest.raises(nest.NESTErrors.DynamicModuleManagementError, match="neuropil build-model"):
        nest.Install("a_modul")
    with pytest.raises(BadParameter, match="module"):
        make_module("../b", [file])


def test_a_module_with_an_error_is_not_kept(file):
    file.write_text("int")
    with pytest.raises(ModelError):
        make_module("broken", [file])
    with pytest.raises(UnknownName):
        load_module("broken")


def test_command(file):
    command = [sys.executable, "-m", "neuropil", "build-model", str(file), "--module", "by_command"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.partition(" ")[0]) == (0, "own_in_module"), done.stderr
    assert [entry.name for entry in load_module("by_command")] == ["own_in_module"]
    file.write_text("int")
    done = subprocess.run(command[:-2], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("neuropil: leak.cpp does not compile")
