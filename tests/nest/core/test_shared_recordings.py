# SPDX-License-Identifier: Apache-2.0
"""Many recorders with a node each, which share recordings of the kernel, beside one recorder of all these nodes."""

from pathlib import Path

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest import checkpoints

N = 150  # more than have recordings of the kernel of their own


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def driven(n, model="iaf_psc_alpha"):
    """Neurons that spike at different times."""
    return nest.Create(model, n, params={"I_e": 380.0 + 700.0 * np.arange(n) / n})


def of_each(whole, nodes):
    """The events of each node, of those of one recorder of all nodes."""
    events = whole.events
    return [{key: values[events["senders"] == gid] for key, values in events.items()} for gid in nodes.tolist()]


def assert_alike(recorders, expected):
    found = recorders.get("events")
    assert recorders.get("n_events") == tuple(len(events["times"]) for events in expected)
    for one, wanted, recorder in zip(found, expected, recorders, strict=True):
        assert {key: values.tolist() for key, values in one.items()} == {key: values.tolist() for key, values in wanted.items()}
        assert all(np.array_equal(values, wanted[key]) for key, values in recorder.events.items())


def test_as_many_recorders_as_there_are_neurons():
    n = 120_000
    parrots, recorders = nest.Create("parrot_neuron", n), nest.Create("spike_recorder", n)
    for k, ms in enumerate((1.0, 2.0)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": [ms, ms + 3.0]}), parrots[k::2])
    nest.Connect(parrots, recorders, "one_to_one")
    nest.Simulate(8.0)
    assert recorders.get("n_events") == (2,) * n
    for k in (0, 1, 99_999, 100_000, n - 1):
        ms = 2.0 + k % 2
        assert recorders[k].events["times"].tolist() == [ms, ms + 3.0]
        assert recorders[k].events["senders"].tolist() == [parrots[k].global_id] * 2


@pytest.mark.parametrize("model", ["voltmeter", "multimeter"])
def test_as_many_multimeters_as_there_are_neurons(model):
    n = 120_000
    neurons = nest.Create("iaf_psc_delta", n, params={"I_e": 300.0 * (np.arange(n) % 7)})
    meters, whole = nest.Create(model, n, params={"record_from": ["V_m"]}), nest.Create("voltmeter")
    nest.Connect(meters, neurons, "one_to_one")
    nest.Connect(whole, neurons[99_998:100_012])
    nest.Simulate(6.0)
    assert set(meters.get("n_events")) == {5}
    for k, events in zip(range(99_998, 100_012), of_each(whole, neurons[99_998:100_012]), strict=True):
        assert {key: values.tolist() for key, values in meters[k].events.items()} == {key: v.tolist() for key, v in events.items()}


@pytest.mark.parametrize("model", ["iaf_psc_alpha", "iaf_psc_alpha_ps"])
def test_spikes_over_several_runs(model):
    neurons, recorders, whole = driven(N, model), nest.Create("spike_recorder", N), nest.Create("spike_recorder")
    nest.Connect(neurons, recorders, "one_to_one")
    nest.Connect(neurons, whole)
    for ms in (60.0, 0.5, 90.0):
        nest.Simulate(ms)
        assert_alike(recorders, of_each(whole, neurons))


def test_samples_over_several_runs():
    nest.resolution = 0.5
    neurons, whole = driven(N), nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "interval": 1.5, "offset": 3.0})
    meters = nest.Create("multimeter", N, params={"record_from": ["V_m", "I_syn_ex"], "interval": 1.5, "offset": 3.0})
    nest.Connect(meters, neurons, "one_to_one")
    nest.Connect(whole, neurons)
    for ms in (20.0, 0.5, 31.0):
        nest.Simulate(ms)
        assert_alike(meters, of_each(whole, neurons))


@pytest.mark.parametrize("model", ["spike_recorder", "voltmeter"])
def test_windows_and_clearing_in_mid_run(model):
    neurons, recorders, whole = driven(N), nest.Create(model, N), nest.Create(model)
    pairs = (recorders, neurons) if model == "voltmeter" else (neurons, recorders)
    nest.Connect(*pairs, "one_to_one")
    nest.Connect(*(whole if node is recorders else node for node in pairs))
    for change in ({"label": "a"}, {"start": 70.0}, {"n_events": 0}, {"stop": 220.0}):
        for node in (recorders, whole):
            node.set(change)
        nest.Simulate(60.0)
        assert_alike(recorders, of_each(whole, neurons))


def test_a_node_connected_twice_counts_twice():
    neurons, recorders, whole = driven(N), nest.Create("spike_recorder", N), nest.Create("spike_recorder")
    for _ in range(2):
        nest.Connect(neurons, recorders, "one_to_one")
        nest.Connect(neurons, whole)
    nest.Connect(neurons[:5], recorders[:5], "one_to_one")
    nest.Simulate(100.0)
    times = [events["times"].tolist() for events in of_each(whole, neurons)]
    assert any(times)
    assert [events["times"].tolist() for events in recorders[5:].get("events")] == times[5:]
    assert list(recorders[:5].get("n_events")) == [len(ms) // 2 * 3 for ms in times[:5]]


def test_a_multimeter_connects_once_to_a_node():
    neurons, others, meters = driven(N), driven(N), nest.Create("voltmeter", N)
    nest.Connect(meters, neurons, "one_to_one")
    for _ in range(2):
        with pytest.raises(nest.NESTErrors.IllegalConnection):
            nest.Connect(meters, neurons, "one_to_one")
        with pytest.raises(nest.NESTErrors.IllegalConnection):
            nest.Connect(meters[3], neurons[3])
        nest.Simulate(10.0)
    nest.Connect(meters, others, "one_to_one")
    nest.Simulate(10.0)
    assert set(meters.get("n_events")) == {29 + 9}


def test_files_get_all_spikes_and_nothing_stays_in_memory():
    neurons, recorders, whole = driven(N), nest.Create("spike_recorder", N, params={"record_to": "ascii"}), nest.Create("spike_recorder")
    nest.Connect(neurons, recorders, "one_to_one")
    nest.Connect(neurons, whole)
    nest.Prepare()
    for _ in range(3):
        nest.Run(50.0)
        shared = nest.kernel.session().shared_spikes
        assert (shared.found, shared.fresh) == ([], ())
    nest.Cleanup()
    for recorder, events in zip(recorders, of_each(whole, neurons), strict=True):
        lines = Path(recorder.filenames[0]).read_text().split("\n")[3:-1]
        assert [float(line.split()[1]) for line in lines] == np.round(events["times"], 3).tolist()


@pytest.mark.parametrize("model", ["spike_recorder", "voltmeter"])
def test_what_is_cleared_again_and_again_does_not_stay_in_memory(model):
    neurons, recorders = driven(N), nest.Create(model, N)
    nest.Connect(*((recorders, neurons) if model == "voltmeter" else (neurons, recorders)), "one_to_one")
    for _ in range(3):
        nest.Simulate(50.0)
        recorders.n_events = 0
        s = nest.kernel.session()
        found = [*s.shared_spikes.found, *s.shared_spikes.fresh] if model == "spike_recorder" else s.shared_samples.parts[0].found
        assert found == [] or (model == "voltmeter" and sum(len(steps) for steps, _ in found) <= 1)


def test_saving_and_loading(tmp_path):
    neurons, recorders, meters = driven(N), nest.Create("spike_recorder", N), nest.Create("voltmeter", N)
    nest.Connect(neurons, recorders, "one_to_one")
    nest.Connect(meters, neurons, "one_to_one")
    nest.Simulate(50.0)
    checkpoints.save(tmp_path / "saved", extra=[recorders, meters])
    nest.Simulate(50.0)
    expected = [recorders.get("events"), meters.get("events")]
    recorders, meters = checkpoints.load(tmp_path / "saved")
    nest.Simulate(50.0)
    assert [
        [{key: v.tolist() for key, v in one.items()} for one in found] for found in (recorders.get("events"), meters.get("events"))
    ] == [[{key: v.tolist() for key, v in one.items()} for one in found] for found in expected]


def test_frozen_neurons():
    neurons, recorders, meters = driven(N), nest.Create("spike_recorder", N), nest.Create("voltmeter", N)
    whole = [nest.Create("spike_recorder"), nest.Create("voltmeter")]
    nest.Connect(neurons, recorders, "one_to_one")
    nest.Connect(meters, neurons, "one_to_one")
    nest.Connect(neurons, whole[0])
    nest.Connect(whole[1], neurons)
    for frozen in (False, True, False):
        neurons[::3].frozen = frozen
        nest.Simulate(50.0)
        assert_alike(recorders, of_each(whole[0], neurons))
        assert_alike(meters, of_each(whole[1], neurons))


def test_stimulators_and_neurons_together():
    """A generator sends each recorder a train of its own."""
    parrots, generators = nest.Create("parrot_neuron", 2_000), nest.Create("poisson_generator", 2_000, params={"rate": 2000.0})
    recorders = nest.Create("spike_recorder", 4_000)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0]}), parrots)
    nest.Connect(parrots + generators, recorders, "one_to_one")
    nest.Simulate(10.0)
    n = np.array(recorders.get("n_events"))
    assert (n[:2_000] == 1).all()
    assert abs(n[2_000:].mean() - 20.0) < 6.0 * np.sqrt(20.0 / 2_000)
