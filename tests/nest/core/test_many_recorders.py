# SPDX-License-Identifier: Apache-2.0
"""Many recorders: each has the events of its own nodes, whether it shares recordings of the kernel with others or has its own."""

from pathlib import Path

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest import checkpoints
from neuropil.nest.devices import recorder

MANY = 100_001


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def neurons(n):
    """Neurons that spike at other times each."""
    return nest.Create("iaf_psc_delta", n, {"I_e": np.linspace(400.0, 900.0, n)})


def test_each_of_100001_spike_recorders_has_the_spikes_of_its_neuron():
    cells, own, one = neurons(MANY), nest.Create("spike_recorder", MANY), nest.Create("spike_recorder")
    nest.Connect(cells, own, "one_to_one")
    nest.Connect(cells, one)
    nest.Simulate(15.0)
    expected = np.bincount(one.events["senders"], minlength=MANY + 1)[1:]
    assert expected.min() < expected.max()
    assert list(own.n_events) == expected.tolist()
    found = own.events
    assert np.concatenate([events["senders"] for events in found if len(events["senders"])]).tolist() == sorted(one.events["senders"])
    order = np.lexsort((one.events["times"], one.events["senders"]))
    assert np.array_equal(np.concatenate([events["times"] for events in found]), one.events["times"][order])
    own.n_events = 0
    assert not any(own.n_events)
    nest.Simulate(10.0)
    later = np.bincount(one.events["senders"], minlength=MANY + 1)[1:] - expected
    assert later.max() > 0
    assert list(own.n_events) == later.tolist()
    assert [len(events["times"]) for events in own.events] == later.tolist()


def test_each_of_100001_voltmeters_has_the_potential_of_its_neuron():
    cells, own = neurons(MANY), nest.Create("voltmeter", MANY)
    one = nest.Create("voltmeter")
    nest.Connect(own, cells, "one_to_one")
    nest.Connect(one, cells)
    nest.Simulate(3.0)
    assert own.n_events == (2,) * MANY
    found, all_of_them = own.events, one.events
    assert np.array_equal(np.concatenate([events["senders"] for events in found]), np.repeat(np.arange(1, MANY + 1), 2))
    order = np.lexsort((all_of_them["times"], all_of_them["senders"]))
    for key in ("V_m", "times"):
        assert np.array_equal(np.concatenate([events[key] for events in found]), all_of_them[key][order])
    with pytest.raises(nest.NESTErrors.IllegalConnection, match="only be connected once"):
        nest.Connect(own, cells, "one_to_one")


def shown(nodes):
    """Events of each of some recorders as lists."""
    return [{key: column.tolist() for key, column in events.items()} for events in nodes.events]


@pytest.mark.parametrize("model", ["iaf_psc_delta", "iaf_psc_delta_ps"])
@pytest.mark.parametrize("seed", range(3))
def test_shared_recordings_give_what_own_ones_give(monkeypatch, seed, model):
    def simulate(many):
        monkeypatch.setattr(recorder, "MANY", many)
        nest.ResetKernel()
        rng, n = np.random.default_rng(seed), 12
        cells = nest.Create(model, n, {"I_e": np.linspace(500.0, 900.0, n)})
        spikes, meters = nest.Create("spike_recorder", n, {"start": float(rng.integers(5))}), nest.Create("voltmeter", n)
        nest.Connect(cells, spikes, "one_to_one")
        nest.Connect(meters, cells, "one_to_one", {"delay": 0.1 * rng.integers(1, 4)})
        found = []
        for _ in range(8):
            a, b = sorted(rng.choice(n, 2, replace=False).tolist())
            what = rng.integers(6)
            if what == 0:
                nest.Connect(cells[a:b], spikes[a])
            elif what == 1:
                nest.Connect(cells[: b - a], spikes[a:b], "one_to_one")
            elif what == 2:
                spikes[a:b].n_events = 0
                meters[a].n_events = 0
            elif what == 3:
                meters[a:b].set(start=float(rng.integers(10)))
                spikes[b].set(start=float(rng.integers(10)), stop=float(rng.integers(20, 80)))
            elif what == 4:
                cells[a].frozen = not cells[a].frozen
            else:
                found.append([shown(spikes[a:b]), meters[a].n_events])
            nest.Simulate(round(float(rng.integers(1, 100)) * 0.1, 1))
        return [*found, shown(spikes), shown(meters), spikes.n_events, meters.n_events]

    assert simulate(10**9) == simulate(0) == simulate(5)


def test_one_recorder_after_the_other_as_all_at_once(monkeypatch):
    def simulate(many):
        monkeypatch.setattr(recorder, "MANY", many)
        nest.ResetKernel()
        cells, own = neurons(20), nest.Create("spike_recorder", 20)
        for cell, one in zip(cells, own, strict=True):
            nest.Connect(cell, one)
        nest.Connect(cells[:3], own)
        nest.Simulate(30.0)
        assert own.n_events[10] > 4
        return shown(own)

    assert simulate(10) == simulate(100)


def test_mixed_kinds_of_sources_one_to_one():
    times = np.arange(1.0, 71.0)
    cells = nest.Create("parrot_neuron", 70)
    stimulators = nest.Create("spike_generator", 70, [{"spike_times": [t]} for t in times])
    nest.Connect(stimulators, cells, "one_to_one")
    noise = nest.Create("poisson_generator", 3, {"rate": 1e4})
    own = nest.Create("spike_recorder", 73)
    nest.Connect(cells + noise, own, "one_to_one")
    nest.Simulate(80.0)
    assert [events["times"].tolist() for events in own[:70].events] == [[t + 1.0] for t in times]
    assert all(n > 500 for n in own[70:].n_events)
    assert len(nest.GetConnections(target=own)) == 73


def test_files_of_recorders_that_share():
    cells, own = neurons(70), nest.Create("spike_recorder", 70)
    nest.Connect(cells, own, "one_to_one")
    nest.Simulate(20.0)
    before = own[5].n_events
    own[5].set(record_to="ascii", label="five")
    nest.Simulate(80.0)
    lines = Path(own[5].filenames[0]).read_text().splitlines()[3:]
    assert len(lines) == own[5].n_events > before > 0
    assert own[6].n_events == len(own[6].events["times"]) > 0


def test_a_checkpoint_holds_what_is_shared(tmp_path):
    def begin():
        nest.ResetKernel()
        cells, own, meters = neurons(70), nest.Create("spike_recorder", 70), nest.Create("voltmeter", 70)
        nest.Connect(cells, own, "one_to_one")
        nest.Connect(meters, cells, "one_to_one")
        nest.Simulate(20.0)
        return own, meters

    own, meters = begin()
    nest.Simulate(20.0)
    expected = [shown(own), shown(meters)]
    own, meters = begin()
    checkpoints.save(tmp_path / "saved", extra=[own, meters])
    nest.ResetKernel()
    own, meters = checkpoints.load(tmp_path / "saved")
    nest.Simulate(20.0)
    assert [shown(own), shown(meters)] == expected
