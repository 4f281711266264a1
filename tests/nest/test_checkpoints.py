# SPDX-License-Identifier: Apache-2.0
"""A kernel that is saved, forgotten and loaded goes on as if nothing had been: models, defaults, recorders, positions, later calls."""

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest
from neuropil.nest import checkpoints


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def build():
    nest.rng_seed = 7
    nest.CopyModel("iaf_psc_alpha", "mine", {"I_e": 500.0})
    nest.CopyModel("stdp_synapse", "learn", {"tau_plus": 15.0})
    nest.SetDefaults("iaf_psc_exp", {"tau_m": 12.0})
    a = nest.Create("mine", 20)
    b = nest.Create("iaf_psc_exp", 10, positions=nest.spatial.free(nest.random.uniform(), num_dimensions=2))
    noise = nest.Create("poisson_generator", params={"rate": 8000.0})
    for targets in (a, b):
        nest.Connect(noise, targets, syn_spec={"weight": 50.0})
    nest.Connect(a, a, {"rule": "fixed_indegree", "indegree": 4}, {"synapse_model": "learn", "weight": nest.random.uniform(1, 20)})
    nest.Connect(a, b, {"rule": "pairwise_bernoulli", "p": 0.5}, {"weight": 30.0})
    spikes, meter, weights = (
        nest.Create("spike_recorder"),
        nest.Create("multimeter", params={"record_from": ["V_m"]}),
        nest.Create("weight_recorder"),
    )
    nest.CopyModel("static_synapse", "seen", {"weight_recorder": weights})
    nest.Connect(a, spikes), nest.Connect(b, spikes), nest.Connect(meter, a[:3])
    nest.Connect(a[:2], b[:3], syn_spec="seen")
    return {"a": a, "b": b, "spikes": spikes, "meter": meter, "weights": weights, "noise": noise}


def finish(made):
    """Goes on, changes things, and tells all."""
    nest.Simulate(30.0)
    made["noise"].rate = 4000.0
    nest.Connect(made["a"][:5], made["b"], syn_spec={"weight": 10.0})
    nest.Connect(nest.Create("mine", 3), made["spikes"])
    nest.Simulate(30.0)
    events = [{**made[name].get("events")} for name in ("spikes", "meter", "weights")]
    events[2].pop("ports")  # those of a thread
    connections = nest.GetConnections(made["a"], made["a"])
    rest = {
        "weight": connections.weight,
        "model": [nest.GetDefaults("learn")["tau_plus"], nest.GetDefaults("iaf_psc_exp")["tau_m"]],
        "kernel": [nest.biological_time, nest.network_size, nest.num_connections],
        "positions": nest.GetPosition(made["b"]),
    }
    assert len(events[0]["times"]) > 100 < len(events[1]["times"])
    return [{name: np.asarray(values).tolist() for name, values in each.items()} for each in (*events, rest)]


@pytest.mark.parametrize("threads", [None, 1, 2, 3])
def test_a_loaded_kernel_goes_on(tmp_path, threads):
    made = build()
    nest.Simulate(40.0)
    whole = finish(made)
    nest.ResetKernel()
    made = build()
    nest.Simulate(40.0)
    checkpoints.save(tmp_path / "run.npc", extra=made)
    nest.ResetKernel()
    assert finish(checkpoints.load(tmp_path / "run.npc", threads=threads)) == whole


def test_collections_of_before_are_gone(tmp_path):
    cells = nest.Create("iaf_psc_alpha", 3)
    checkpoints.save(tmp_path / "run.npc", extra=[cells])
    (loaded,) = checkpoints.load(tmp_path / "run.npc")
    assert loaded.get("V_m") == (-70.0, -70.0, -70.0)
    with pytest.raises(nest.NESTError):
        cells.get("V_m")


def test_what_cannot_be_loaded_leaves_the_kernel(tmp_path):
    net = npl.Network()
    net.create("iaf_psc_exp", 3)
    net.save(tmp_path / "native.npc")
    cells = nest.Create("iaf_psc_alpha", 5)
    for path in ("native.npc", "missing.npc"):
        with pytest.raises(npl.errors.BadCheckpoint, match=path):
            checkpoints.load(tmp_path / path)
    assert nest.network_size == 5 and len(cells.get("V_m")) == 5


def test_a_prepared_kernel_is_not_saved(tmp_path):
    nest.Create("iaf_psc_alpha")
    nest.Prepare()
    with pytest.raises(nest.NESTError, match="Cleanup"):
        checkpoints.save(tmp_path / "run.npc")
    nest.Cleanup()
    checkpoints.save(tmp_path / "run.npc")


def learning():
    """A network that learns by e-prop, in the middle of an interval."""
    nest.set(resolution=1.0, eprop_update_interval=50.0, eprop_learning_window=40.0)
    nest.CopyModel("eprop_synapse_bsshslm_2020", "learns", {"optimizer": {"type": "adam", "eta": 0.01}})
    noise, relays = nest.Create("poisson_generator", params={"rate": 100.0}), nest.Create("parrot_neuron", 10)
    cells = nest.Create("eprop_iaf_adapt_bsshslm_2020", 8, {"C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "V_th": 0.2, "adapt_beta": 0.1})
    out = nest.Create("eprop_readout_bsshslm_2020", params={"C_m": 1.0})
    for pre, post, weight in ((relays, cells, 0.3), (cells, cells, 0.1), (cells, out, 0.2)):
        weights = weight + np.random.default_rng(1).normal(0.0, 0.2, (len(post), len(pre)))
        nest.Connect(pre, post, syn_spec={"synapse_model": "learns", "weight": weights, "delay": 1.0})
    nest.Connect(noise, relays)
    nest.Connect(out, cells, syn_spec={"synapse_model": "eprop_learning_signal_connection_bsshslm_2020", "weight": 0.5, "delay": 1.0})
    rates = nest.Create("step_rate_generator", params={"amplitude_times": [1.0, 150.0], "amplitude_values": [1.0, -1.0]})
    nest.Connect(rates, out, syn_spec={"synapse_model": "rate_connection_delayed", "receptor_type": 2, "delay": 1.0})
    nest.Simulate(130.0)


@pytest.mark.parametrize("threads", [1, 2])
def test_learning_goes_on(tmp_path, threads):
    found = []
    for again in (False, True):
        nest.ResetKernel()
        learning()
        if again:
            checkpoints.save(tmp_path / "kernel")
            nest.ResetKernel()
            checkpoints.load(tmp_path / "kernel", threads=threads)
        nest.Simulate(200.0)
        made = nest.GetConnections(synapse_model="learns")
        found.append([made.source, made.target, made.weight, made.optimizer, nest.eprop_update_interval])
    assert found[0] == found[1]
    assert max(o["v"] for o in found[0][3]) > 1e-3


def test_objects_of_another_version_are_refused(tmp_path):
    """Files from before an attribute was added: it is named, and the kernel of now stays."""
    build()
    del nest.kernel.session().wires.of_stimulators
    checkpoints.save(tmp_path / "old")
    nest.ResetKernel()
    nest.Create("iaf_psc_exp", 3)
    with pytest.raises(npl.errors.BadCheckpoint, match="of_stimulators"):
        checkpoints.load(tmp_path / "old")
    assert nest.network_size == 3


def test_kernels_whose_connections_were_looked_at_are_saved(tmp_path):
    """What is known of all connections to tell ports is found again."""
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells)
    before = nest.GetConnections().get()
    checkpoints.save(tmp_path / "kernel")
    nest.ResetKernel()
    checkpoints.load(tmp_path / "kernel", threads=1)
    assert nest.GetConnections().get() == before
