# SPDX-License-Identifier: Apache-2.0
"""Recorders: windows that change, several connections, samples, files."""

import random
from pathlib import Path

import numpy as np
import pytest

import neuropil.nest as nest


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def spiking(times):
    """A parrot that spikes at the times (ms), 1 ms after its generator."""
    source, parrot = nest.Create("spike_generator", params={"spike_times": np.array(times) - 1.0}), nest.Create("parrot_neuron")
    nest.Connect(source, parrot)
    return parrot


def test_a_window_is_open_at_its_start_and_closed_at_its_end():
    parrot = spiking([5.0, 10.0, 15.0, 20.0])
    recorder = nest.Create("spike_recorder", params={"start": 5.0, "stop": 15.0})
    shifted = nest.Create("spike_recorder", params={"start": 5.0, "stop": 15.0, "origin": 5.0})
    nest.Connect(parrot, recorder + shifted)
    nest.Simulate(30.0)
    assert recorder.events["times"].tolist() == [10.0, 15.0]
    assert shifted.events["times"].tolist() == [15.0, 20.0]


def test_a_window_can_change_between_runs():
    parrot, recorder = spiking([5.0, 10.0, 15.0, 20.0, 25.0]), nest.Create("spike_recorder")
    nest.Connect(parrot, recorder)
    nest.Simulate(12.0)
    recorder.set(start=17.0)
    nest.Simulate(10.0)
    recorder.set(stop=24.0)
    nest.Simulate(10.0)
    assert recorder.events["times"].tolist() == [5.0, 10.0, 20.0]


def test_clearing_and_going_on():
    parrot, recorder = spiking([5.0, 15.0]), nest.Create("spike_recorder")
    nest.Connect(parrot, recorder)
    nest.Simulate(10.0)
    assert recorder.n_events == 1
    recorder.n_events = 0
    assert recorder.events["times"].tolist() == []
    nest.Simulate(10.0)
    assert recorder.events["times"].tolist() == [15.0]
    with pytest.raises(nest.NESTErrors.BadProperty):
        recorder.n_events = 2


def test_a_node_connected_twice_counts_twice():
    parrot, recorder = spiking([5.0]), nest.Create("spike_recorder")
    nest.Connect(parrot, recorder)
    nest.Connect(parrot, recorder)
    nest.Simulate(10.0)
    assert recorder.events["times"].tolist() == [5.0, 5.0]


def test_steps_instead_of_times():
    parrot, recorder = spiking([5.0]), nest.Create("spike_recorder", params={"time_in_steps": True})
    nest.Connect(parrot, recorder)
    nest.Simulate(10.0)
    assert recorder.events["times"].tolist() == [50]
    assert recorder.events["offsets"].tolist() == [0.0]
    with pytest.raises(nest.NESTErrors.BadProperty):
        recorder.time_in_steps = False


@pytest.mark.parametrize(("interval", "offset", "times"), [(1.0, 0.0, range(1, 10)), (3.0, 0.0, [3, 6, 9]), (3.0, 2.0, [2, 5, 8])])
def test_samples(interval, offset, times):
    """A multimeter has the samples of all slices but the last, as NEST: it asks for them at the beginning of the next slice."""
    cells, meter = (
        nest.Create("iaf_psc_exp", 2, {"I_e": [0.0, 100.0]}),
        nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "interval": interval, "offset": offset}),
    )
    nest.Connect(meter, cells)
    nest.Simulate(10.0)
    events = meter.events
    assert events["times"].tolist() == np.repeat(list(times), 2).tolist()
    assert events["senders"].tolist() == [1, 2] * len(list(times))
    second = events["V_m"][1::2]
    exact = -70.0 + 100.0 / 250.0 * 10.0 * (1.0 - np.exp(-np.array(list(times)) / 10.0))  # of a constant current from rest
    assert np.abs(second - exact).max() < 1e-9
    nest.Simulate(10.0)
    assert meter.n_events == 2 * len([t for t in range(1, 20) if (t - offset) % interval == 0 and t >= (offset or interval)])


def test_ascii_files():
    parrot, cell = spiking([5.0, 15.0]), nest.Create("iaf_psc_exp")
    nest.set(data_prefix="run_")
    recorder = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "mine"})
    meter = nest.Create(
        "multimeter", params={"record_to": "ascii", "record_from": ["V_m"], "interval": 5.0, "precision": 1, "file_extension": "txt"}
    )
    nest.Connect(parrot, recorder)
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    name = f"run_mine-{recorder.global_id}-0.dat"
    assert list(recorder.filenames) == [name]
    assert Path(name).read_text().splitlines()[2:] == ["sender\ttime_ms", f"{parrot.global_id}\t5.000", f"{parrot.global_id}\t15.000"]
    assert Path(meter.filenames[0]).read_text().splitlines()[2:] == [
        "sender\ttime_ms\tV_m",
        *(f"{cell.global_id}\t{t}.0\t-70.0" for t in (5, 10, 15)),
    ]
    assert recorder.n_events == 2
    with pytest.raises(nest.NESTErrors.IOError):
        nest.Simulate(1.0)
    nest.Cleanup()  # as in NEST, which stays prepared
    with pytest.raises(nest.NESTErrors.KernelException, match="Prepare"):
        nest.Cleanup()
    with pytest.raises(nest.NESTErrors.IOError):
        nest.Prepare()
    nest.overwrite_files = True
    nest.Cleanup()
    nest.Simulate(1.0)


def test_to_the_screen(capsys):
    parrot, recorder = spiking([5.0]), nest.Create("spike_recorder", params={"record_to": "screen"})
    nest.Connect(parrot, recorder)
    nest.Simulate(10.0)
    assert capsys.readouterr().out == f"{parrot.global_id}\t5.000\n"


@pytest.mark.parametrize(
    "params",
    [{"record_to": "no_such"}, {"start": 5.0, "stop": 4.0}, {"start": 0.05}, {"interval": 0.0}, {"interval": 0.05}, {"offset": 0.05}],
)
def test_refused(params):
    with pytest.raises(nest.NESTErrors.BadProperty):
        nest.Create("multimeter", params=params)


def test_what_cannot_be_recorded():
    cell, meter, noise, recorder = (
        nest.Create("iaf_psc_exp"),
        nest.Create("multimeter", params={"record_from": ["w"]}),
        nest.Create("poisson_generator"),
        nest.Create("spike_recorder"),
    )
    with pytest.raises(nest.NESTErrors.IllegalConnection):
        nest.Connect(meter, cell)
    with pytest.raises(nest.NESTErrors.IllegalConnection):
        nest.Connect(cell, meter)
    with pytest.raises(nest.NESTErrors.IllegalConnection):
        nest.Connect(recorder, cell)
    with pytest.raises(nest.NESTErrors.IllegalConnection):
        nest.Connect(nest.Create("dc_generator"), recorder)
    with pytest.raises(nest.NotSupported, match="stimulator"):
        nest.Connect(noise, nest.Create("correlation_detector"))


def test_what_a_stimulator_sent_does_not_depend_on_pieces_or_settings_of_others():
    """Recorded afterwards: settings count from when they were made, and a train is the same in one run and in pieces."""

    def times(pieces):
        nest.ResetKernel()
        noise, recorder = nest.Create("poisson_generator", params={"rate": 500.0}), nest.Create("spike_recorder")
        nest.Connect(noise, recorder)
        for k, piece in enumerate(pieces):
            if k == len(pieces) - 1:
                noise.rate = 5000.0
            nest.Simulate(piece)
        return recorder.events["times"].tolist()

    whole = times([50.0, 10.0])
    assert whole == times([20.0, 0.1, 29.9, 10.0])
    assert sum(time > 50.0 for time in whole) > sum(time <= 50.0 for time in whole) > 0


def test_p_copy_of_a_connected_dilutor_holds_from_then_on():
    """Binomial counts of some 10 000 spikes, at 5 standard deviations."""
    noise, dilutors = nest.Create("poisson_generator", params={"rate": 1e5}), nest.Create("spike_dilutor", 2)
    relay, recorder = nest.Create("parrot_neuron"), nest.Create("spike_recorder")
    for pair in ((noise, dilutors), (dilutors, relay), (relay, recorder)):
        nest.Connect(*pair)
    found = []
    for share in (0.5, 0.1, 1.0, 0.0, [0.0, 0.3]):
        dilutors.p_copy = share
        nest.Simulate(1.1)  # what is on its way
        before = recorder.n_events
        nest.Simulate(100.0)
        found.append((np.sum(np.broadcast_to(share, 2)) * 1e4, recorder.n_events - before))
    for mean, n in found:
        assert abs(n - mean) <= 5.0 * np.sqrt(mean)


def test_connections_of_nmda_are_not_plastic():
    cells = nest.Create("iaf_bw_2001", 2)
    with pytest.raises(nest.NotSupported, match="stdp"):
        nest.Connect(cells, cells, syn_spec={"receptor_type": 3, "synapse_model": "stdp_synapse"})


CORRELATIONS = [  # spikes of both sides, weights, parameters; bins with their numbers, n_events: as NEST 3.10 gives them
    ([10.0], [12.0], (1.0, 1.0), {}, {7: 1}, [1, 1]),
    ([10.0], [10.0], (2.0, 3.0), {}, {5: 1}, [1, 1]),
    ([10.0], [10.5], (1.0, 1.0), {}, {6: 1}, [1, 1]),
    ([10.0], [9.5], (1.0, 1.0), {}, {5: 1}, [1, 1]),
    ([10.0], [15.5], (1.0, 1.0), {}, {}, [1, 1]),
    ([10.0], [4.5], (1.0, 1.0), {}, {0: 1}, [1, 1]),
    ([10.0, 11.0], [12.0, 13.0], (1.0, 1.0), {}, {6: 1, 7: 2, 8: 1}, [2, 2]),
    ([21.0], [19.0], (1.0, 1.0), {"Tstart": 20.0}, {3: 1}, [1, 0]),
    ([19.0], [19.5], (1.0, 1.0), {"Tstart": 20.0}, {}, [0, 0]),
    ([20.0], [18.0], (1.0, 1.0), {"Tstop": 20.0}, {3: 1}, [1, 1]),
    ([21.0], [19.0], (1.0, 1.0), {"Tstop": 20.0}, {}, [0, 1]),
    ([20.0], [22.0], (1.0, 1.0), {"start": 20.0}, {}, [0, 1]),
]


@pytest.mark.parametrize(("first", "second", "weights", "params", "bins", "n"), CORRELATIONS)
def test_correlations(first, second, weights, params, bins, n):
    detector = nest.Create("correlation_detector", params={"delta_tau": 1.0, "tau_max": 5.0, **params})
    for receptor, times in enumerate((first, second)):
        nest.Connect(spiking(times), detector, syn_spec={"receptor_type": receptor, "weight": weights[receptor]})
    nest.Simulate(50.0)
    counts = np.zeros(11)
    counts[list(bins)] = list(bins.values())
    assert detector.count_histogram.tolist() == counts.tolist()
    assert detector.histogram.tolist() == (counts * weights[0] * weights[1]).tolist()
    assert detector.n_events.tolist() == n


@pytest.mark.parametrize(
    ("params", "error"),
    [({"tau_max": 5.3}, "TimeMultipleRequired"), ({"delta_tau": 0.33}, "StepMultipleRequired"), ({"n_events": [1, 0]}, "BadProperty")],
)
def test_correlation_detector_refuses(params, error):
    detector = nest.Create("correlation_detector")
    with pytest.raises(getattr(nest.NESTErrors, error)):
        detector.set(params)
    with pytest.raises(nest.NESTErrors.UnknownReceptorType):
        nest.Connect(spiking([2.0]), detector, syn_spec={"receptor_type": 2})


def test_multimeters_refuse_any_node_of_many_that_lacks_what_they_record():
    cells = nest.Create("iaf_psc_exp", 40)
    nodes = cells + nest.Create("parrot_neuron") + nest.Create("iaf_psc_exp", 40)
    with pytest.raises(nest.NESTErrors.IllegalConnection):
        nest.Connect(nest.Create("voltmeter"), nodes)
    nest.Connect(nest.Create("voltmeter"), cells)


@pytest.mark.parametrize("delay", [0.1, 1.0])
@pytest.mark.parametrize(("freeze", "thaw"), [(5.0, 8.0), (5.3, 8.1), (12.0, 17.0)])
def test_samples_are_of_the_steps_in_which_a_node_was_not_frozen(delay, freeze, thaw):
    """As NEST 3.10, also where delays are longer than a step, so that samples are shown later."""
    cells, meter = nest.Create("iaf_psc_delta", 2, {"I_e": 300.0, "V_th": 1000.0}), nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(cells, cells, "one_to_one", {"delay": delay})
    nest.Connect(meter, cells, syn_spec={"delay": delay})
    nest.Simulate(freeze)
    cells[0].frozen = True
    nest.Simulate(thaw - freeze)
    cells[0].frozen = False
    nest.Simulate(25.0 - thaw)
    events, last = meter.events, 250 - round(delay / 0.1)
    of_cells = [
        {round(10 * ms): v for ms, v in zip(events["times"][some], events["V_m"][some], strict=True)}
        for some in (events["senders"] == gid for gid in (1, 2))
    ]
    frozen = range(round(10 * freeze) + 1, round(10 * thaw) + 1)
    assert list(of_cells[0]) == [step for step in range(1, last + 1) if step not in frozen]
    assert list(of_cells[1]) == list(range(1, last + 1))
    assert all(v == of_cells[1][step if step < frozen[0] else step - len(frozen)] for step, v in of_cells[0].items())


def change_some(draw, twins, parrots):
    """What a script may do between runs, to both."""
    begin = draw.choice([0.0, 0.0, nest.biological_time + 2.0])
    window = (
        {"start": begin, "stop": begin + draw.choice([3.0, 1e9])}
        if begin
        else {"start": 0.0, "stop": nest.GetDefaults("spike_recorder", "stop")}
    )
    at = draw.randrange(len(parrots) - 5)
    changes = [
        lambda: nest.Connect(parrots[at : at + 5], twins),
        lambda: twins.set(window),
        lambda: twins.set(n_events=0),
        lambda: twins[0].events,
        lambda: nest.SetKernelStatus({"print_time": False}),
    ]
    draw.choice(changes)()


@pytest.mark.parametrize("n", [1, 70], ids=["own recordings", "shared recordings"])
@pytest.mark.parametrize("model", ["spike_recorder", "spin_detector"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_events_are_lengths_of_lists(seed, model, n):
    """One of two recorders is asked for its number of events before it is asked for its events, the other only then."""
    draw = random.Random(seed)
    noise, parrots = nest.Create("poisson_generator", params={"rate": 300.0}), nest.Create("parrot_neuron", 20)
    nest.Connect(noise, parrots)
    asked, listed = nest.Create(model, n), nest.Create(model, n)
    twins = asked + listed
    nest.Connect(parrots[:10], twins)
    sent = nest.Create(model)
    nest.Connect(noise if model == "spike_recorder" else parrots[3:5], sent)  # a train of its own
    total = 0
    for _ in range(6):
        change_some(draw, twins, parrots)
        nest.Simulate(5.0)
        counted = asked.get("n_events", output="pandas")["n_events"].tolist() if n > 1 else [asked.n_events]
        lengths = [len(one.events["times"]) for one in listed]
        assert counted == lengths
        assert [one.n_events for one in asked] == lengths
        assert sent.n_events == len(sent.events["times"])
        total += sum(lengths)
    assert total > 0
    assert asked[0].get("events")["times"].tolist() == listed[0].get("events")["times"].tolist()
