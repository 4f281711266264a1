# SPDX-License-Identifier: Apache-2.0
"""Running, recording, stopping."""

import io
import os
import re
import signal

import numpy as np
import pytest

import neuropil as npl
from neuropil.base import progress


def chain(net, times=(1.0, 2.5, 7.3), delay=0.5):
    generator = net.create("spike_generator", spike_times=times)
    parrots = net.create("parrot_neuron", 3)
    net.connect(generator, parrots, delay=delay)
    return generator, parrots


def test_spikes_arrive_after_the_delay(net):
    generator, parrots = chain(net)
    record, sent = net.record(parrots), net.record(generator)
    net.run(10.0)
    assert sent.times.tolist() == [1.0, 2.5, 7.3]
    assert record.times.tolist() == [1.5] * 3 + [3.0] * 3 + [7.8] * 3
    assert record.steps.tolist() == [15] * 3 + [30] * 3 + [78] * 3
    assert record.gids.tolist() == [2, 3, 4] * 3
    assert (record.times.dtype, record.gids.dtype) == (np.float64, np.int64)


def test_precise_neurons_have_times_between_grid_points(net):
    generator = net.create("spike_generator", spike_times=[1.04, 2.5, 2.53], precise_times=True)
    parrots, plain = net.create("parrot_neuron_ps", 2), net.create("parrot_neuron")
    net.connect(generator, parrots, delay=0.5)
    net.connect(parrots[:1], plain, delay=1.0)
    records = [net.record(nodes) for nodes in (generator, parrots, plain)]
    net.run(10.0)
    sent, repeated, dropped = records
    np.testing.assert_allclose(sent.times, [1.04, 2.5, 2.53], atol=1e-12)
    np.testing.assert_allclose(repeated.times, np.repeat([1.54, 3.0, 3.03], 2), atol=1e-12)
    np.testing.assert_allclose(repeated.offsets[::2], [0.06, 0.0, 0.07], atol=1e-12)
    assert (repeated.gids.tolist(), repeated.steps.tolist()) == ([2, 3] * 3, [16, 16, 30, 30, 31, 31])
    assert (dropped.times.tolist(), dropped.offsets.tolist()) == ([2.6, 4.0, 4.1], [0.0] * 3)


def test_a_record_grows_and_can_be_cleared(net):
    _, parrots = chain(net)
    record = net.record(parrots)
    net.run(2.0)
    assert len(record) == 3
    first = record.times
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0.0
    net.run(2.0)
    assert len(record) == 6
    assert (record.start, record.stop, record.duration) == (0.0, 4.0, 4.0)
    record.clear()
    assert len(record) == 0
    net.run(6.0)
    assert record.times.tolist() == [7.8] * 3
    assert (record.start, record.stop) == (4.0, 10.0)


def test_a_record_has_a_window(net):
    _, parrots = chain(net)
    windows = {(0.0, 1.5): 1, (1.5, 3.0): 1, (1.4, 3.0): 2, (3.0, np.inf): 1}
    records = {window: net.record(parrots[1], start=window[0], stop=window[1]) for window in windows}
    net.run(10.0)
    assert {window: len(record) for window, record in records.items()} == windows
    assert records[1.5, 3.0].rates().tolist() == [1 / 1.5e-3]


def test_a_record_made_later_starts_now(net):
    _, parrots = chain(net)
    net.run(2.0)
    record = net.record(parrots[[2, 0]])
    net.run(8.0)
    assert record.start == 2.0
    assert record.times.tolist() == [3.0, 3.0, 7.8, 7.8]
    assert record.gids.tolist() == [2, 4, 2, 4]
    assert record.watched.tolist() == [4, 2]
    assert [train.tolist() for train in record.trains()] == [[3.0, 7.8]] * 2


def test_trace_of_a_decaying_membrane(net):
    a = net.create("iaf_psc_exp", 3, V_m=[-60.0, -65.0, -70.0])
    trace = net.record(a, ["V_m", "I_syn_ex"], interval=0.2, offset=0.1)
    net.run(20.0)
    assert np.allclose(trace.times, 0.1 + 0.2 * np.arange(100), atol=1e-12)
    assert trace["V_m"].shape == (100, 3)
    assert trace.values.shape == (100, 3, 2)
    closed_form = -70.0 + np.array([10.0, 5.0, 0.0]) * np.exp(-trace.times[:, None] / 10.0)
    assert np.abs(trace["V_m"] - closed_form).max() < 1e-11
    assert trace["I_syn_ex"].max() == 0.0
    assert trace.units == {"V_m": "mV", "I_syn_ex": "pA"}
    assert len(trace) == 100


def test_trace_defaults_and_clear(net):
    a = net.create("iaf_psc_exp")
    trace = net.record(a, "V_m")
    net.run(3.0)
    assert trace.times.tolist() == [1.0, 2.0, 3.0]
    trace.clear()
    assert len(trace) == 0
    net.run(2.0)
    assert trace.times.tolist() == [4.0, 5.0]


def test_a_trace_made_later_starts_after_now(net):
    a = net.create("iaf_psc_exp", 2, V_m=-60.0)
    net.run(2.0)
    trace = net.record(a[1], "V_m", interval=0.5)
    assert len(trace) == 0
    net.run(1.0)
    assert trace.times.tolist() == [2.5, 3.0]
    assert trace["V_m"][1, 0] == a.V_m[1]


def test_nodes_of_several_models_in_one_trace(net):
    both = net.create("iaf_psc_exp", 2, V_m=-61.0) + net.create("iaf_psc_alpha", 1, V_m=-62.0)
    trace = net.record(both[::-1], "V_m", interval=0.1)
    net.run(0.1)
    decay = np.exp(-0.01)
    assert np.allclose(trace["V_m"][0], [-70 + 8 * decay, -70 + 9 * decay, -70 + 9 * decay], atol=1e-12)


def test_stimulate_with_a_constant_current(net):
    a = net.create("iaf_psc_exp", 2)
    device = net.stimulate(a, npl.dc(amplitude=100.0), weight=[1.0, -2.0], delay=1.0)
    trace = net.record(a, "V_m", interval=0.1)
    net.run(30.0)
    # A current sent in the first step acts from delay + one step on.
    charge = 1.0 - np.exp(-np.maximum(trace.times - 1.1, 0.0) / 10.0)
    assert np.abs(trace["V_m"] - (-70.0 + np.outer(charge, [4.0, -8.0]))).max() < 1e-11
    assert device.pre.model == "dc_generator"
    device.pre.amplitude = 0.0
    net.run(200.0)
    assert np.abs(a.V_m + 70.0).max() < 1e-6


def test_stimulate_with_steps_spikes_noise_and_poisson(net):
    a = net.create("iaf_psc_delta", 50)
    net.stimulate(a[0], npl.step_current([5.0, 10.0], [50.0, 0.0]), delay=0.1)
    net.stimulate(a[1], npl.spike_train([3.0], [2]), weight=1.5, delay=1.0)
    net.stimulate(a[2:10], npl.noise(mean=10.0, std=5.0))
    net.stimulate(a[10:], npl.poisson(rate=1000.0), weight=0.1)
    trace = net.record(a, "V_m", interval=0.1)
    net.run(20.0)
    V, t = trace["V_m"], trace.times
    assert (V[t < 5.15, 0] == -70.0).all()
    assert V[51, 0] > -70.0, "on from 5.0 + delay to 10.0 + delay"
    assert t[V[:, 0].argmax()] == 10.1
    assert np.flatnonzero(V[:, 1] > -69.0)[0] == 39, "jumps by 3 mV at 4.0 ms"
    assert V[39, 1] == pytest.approx(-67.0, abs=1e-9)
    assert len(np.unique(V[-1, 2:10])) == 8, "noise is independent for each target"
    assert len(np.unique(V[-1, 10:])) > 20


def test_time_and_counters(net):
    a = net.create("iaf_psc_exp", 10, I_e=1000.0)
    record = net.record(a)
    assert net.time == 0.0
    net.run(0.0)
    net.run(0.3)
    assert net.time == 0.3
    net.run(20.0)
    assert net.time == pytest.approx(20.3)
    assert net.counters["steps"] == 203
    assert net.counters["spikes"] == len(record) > 0
    assert net.timers["run"] > 0.0
    assert net.memory["total"] >= net.memory["neurons"] > 0
    assert "t = 20.3 ms" in repr(net)
    assert (net.resolution, net.seed, net.threads) == (0.1, 7, 2)


def test_many_networks_side_by_side():
    networks = [npl.Network(seed=k, threads=1) for k in range(3)]
    populations = [net.create("iaf_psc_exp", 5, V_m=npl.normal(-65.0, 3.0)) for net in networks]
    networks[1].run(5.0)
    assert [net.time for net in networks] == [0.0, 5.0, 0.0]
    assert len({tuple(p.V_m) for p in populations}) == 3


def busy(seed=1):
    net = npl.Network(seed=seed, threads=2)
    a = net.create("iaf_psc_exp", 200, V_m=npl.uniform(-70.0, -56.0), I_e=400.0)
    net.connect(a, a, npl.fixed_indegree(20), weight=npl.normal(0.0, 20.0), delay=1.5)
    return net, net.record(a)


def test_an_exception_of_progress_stops_the_run_and_the_network_goes_on():
    class EnoughError(Exception):
        pass

    def stop(phase, done, total):
        if phase == "simulating":
            raise EnoughError

    net, record = busy()
    with pytest.raises(EnoughError):
        net.run(1e7, progress=stop)
    assert 0.0 < net.time < 1e7
    steps = round(net.time / 0.1)
    assert steps % 15 == 0, "stops at the end of an interval"
    net.run(30.0)
    other, uninterrupted = busy()
    other.run((steps + 300) * 0.1)
    assert np.array_equal(record.steps, uninterrupted.steps)
    assert np.array_equal(record.gids, uninterrupted.gids)


@pytest.fixture
def heard_ctrl_c():
    """Who starts us in the background may have told us to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard_ctrl_c")
def test_ctrl_c_stops_the_run_and_the_network_goes_on():
    def press(phase, done, total):
        if phase == "simulating":
            os.kill(os.getpid(), signal.SIGINT)

    net, _ = busy()
    with pytest.raises(KeyboardInterrupt):
        net.run(1e7, progress=press)
    stopped = net.time
    assert 0.0 < stopped < 1e7
    net.run(1.5)
    assert net.time == pytest.approx(stopped + 1.5)


def test_ctrl_c_while_building_ends_before_the_run():
    def press(phase, done, total):
        if phase == "building":
            raise KeyboardInterrupt

    net = npl.Network(seed=1, threads=2)
    a = net.create("iaf_psc_exp", 4000)
    net.connect(a, a, npl.fixed_indegree(2500), weight=npl.normal(0.0, 1.0), delay=npl.uniform(0.5, 5.0))
    with pytest.raises(KeyboardInterrupt):
        net.run(10.0, progress=press)
    assert net.time == 0.0
    assert net.counters["synapses"] == 10**7
    net.run(10.0)
    assert net.time == 10.0


def test_progress_function_is_told_where_the_run_is():
    calls = []

    def watch(phase, done, total):
        calls.append((phase, done, total))
        if len(calls) == 3:
            raise KeyboardInterrupt

    net, _ = busy()
    net.build()
    with pytest.raises(KeyboardInterrupt):
        net.run(1e7, progress=watch)
    assert [phase for phase, _, _ in calls] == ["simulating"] * 3
    done = [d for _, d, _ in calls]
    assert done == sorted(done)
    assert {total for _, _, total in calls} == {10**8}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def drawn(monkeypatch, seconds, option):
    """What the bar writes when each of ten polls takes `seconds`, without escapes of the terminal."""
    monkeypatch.setenv("TERM", "xterm")
    clock, stream = [0.0], Terminal()
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(progress.sys, "stderr", stream)
    with progress.polling(option) as poll:
        for k in range(11):
            poll("simulating", k, 10)
            clock[0] += seconds
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())


def test_the_bar_is_for_long_runs_on_terminals(monkeypatch):
    assert drawn(monkeypatch, 0.05, None) == ""
    assert drawn(monkeypatch, 1.0, False) == ""
    assert "100 %" in drawn(monkeypatch, 0.05, True)
    text = drawn(monkeypatch, 1.0, None)
    assert text.endswith("\n")
    lines = text.strip("\n").split("\r")
    assert lines[0].startswith("simulating")
    assert "8.0 s left" in lines[1]
    assert lines[-1].count("━") == 24


def test_no_bar_without_a_terminal(net, capsys):
    net.create("iaf_psc_exp", 10)
    net.run(10.0)
    assert capsys.readouterr() == ("", "")
