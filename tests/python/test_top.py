# SPDX-License-Identifier: Apache-2.0
"""The status file of a running network and the view of `neuropil top`. Telling changes no spike."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import neuropil as npl
from neuropil import cli
from neuropil.base import hooks, watching
from neuropil.cli.commands import top
from neuropil.cli.jobs.watching import telling


def model(**options):
    net = npl.Network(seed=2, threads=1, **options)
    cells = net.create("iaf_psc_exp", 60, I_e=npl.uniform(350.0, 500.0))
    net.connect(cells, cells, npl.fixed_indegree(6), weight=30.0)
    return net, net.record(cells)


def simulated(folder, monkeypatch, until=200.0):
    """Runs with a status file, in pieces of 7 ms, each of which is told."""
    monkeypatch.setattr(watching, "EVERY", 1e-9)
    monkeypatch.setattr(watching, "_GROWTH", 1.0)
    monkeypatch.setattr(watching, "FIRST", 7.0)
    hook = hooks.Hook()
    with telling(hook, folder, "mine", until), hooks.in_force(hook):
        net, spikes = model()
        told = []
        net.every(50.0, lambda net: told.append(json.loads((folder / "status.json").read_text()) if net.time > 50.0 else None))
        net.run(120.0, progress=False)
        net.run(until=until, progress=False)
    return net, spikes, told


def test_what_is_told_is_what_the_network_says(tmp_path, monkeypatch):
    net, _, told = simulated(tmp_path, monkeypatch)
    status = json.loads((tmp_path / "status.json").read_text())
    assert (status["name"], status["state"], status["part"]) == ("mine", "done", 1.0)
    assert (status["time_ms"], status["until_ms"], status["left_s"]) == (200.0, 200.0, 0.0)
    assert (status["neurons"], status["synapses"], status["spikes"]) == (60, 360, net.counters["spikes"])
    assert status["by_rank"]["memory"] == [net.memory["total"]]
    assert set(status["by_rank"]) >= {"update", "deliver", "rss", "events"}
    between = [each for each in told if each]
    assert [each["state"] for each in between] == ["simulating"] * len(between)
    assert all(90.0 < each["time_ms"] < 200.0 for each in between)
    assert all(each["left_s"] == pytest.approx(1e-3 * each["real_time_factor"] * (200.0 - each["time_ms"])) for each in between)


def test_telling_changes_no_spike(tmp_path, monkeypatch):
    _, spikes, _ = simulated(tmp_path, monkeypatch)
    net, others = model()
    net.run(200.0)
    assert np.array_equal(spikes.times, others.times)
    assert np.array_equal(spikes.gids, others.gids)
    assert len(spikes) > 100


def test_pieces_take_about_a_second(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(watching.time, "perf_counter", lambda: clock[0])
    net, _ = model()
    net.build()
    watch, pieces, step = watching.Watch(tmp_path, "x"), [], 0
    while step < 50_000:
        until = watch.next(net, 50_000)
        pieces.append(until - step)
        clock[0] += (until - step) * 1e-3  # a step takes a millisecond
        net._kernel.run(until - step, lambda *_: None)
        step = until
        watch.after(net, 0, 50_000)
    assert pieces[0] == 10
    assert max(pieces[4:-1]) <= 1100
    assert min(pieces[6:-1]) >= 900


def test_nobody_is_told_without_a_watch(tmp_path, monkeypatch):
    def poll(phase, done, total):
        """Stands for a bar."""

    assert hooks.watched(poll, 0) is poll
    with hooks.in_force(hooks.Hook()):
        assert hooks.watched(poll, 0) is poll


def test_a_failure_is_told(tmp_path):
    hook = hooks.Hook()
    with pytest.raises(ZeroDivisionError), telling(hook, tmp_path, "mine"), hooks.in_force(hook):
        model()[0].run(1 / 0)
    assert json.loads((tmp_path / "status.json").read_text())["state"] == "failed"


def test_a_folder_that_cannot_be_written_does_not_end_the_run(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    net, _, _ = simulated_without_reading(tmp_path / "file", monkeypatch)
    assert net.time == 20.0
    assert capsys.readouterr().err.count("cannot be written") == 1


def simulated_without_reading(folder, monkeypatch):
    hook = hooks.Hook()
    with telling(hook, folder, "mine"), hooks.in_force(hook):
        net, spikes = model()
        net.run(20.0)
    return net, spikes, None


STATUS = {
    "schema": 1,
    "name": "microcircuit",
    "pid": 1,
    "host": "elsewhere",
    "began": 1000.0,
    "updated": 1100.0,
    "state": "simulating",
    "part": 0.25,
    "time_ms": 350.0,
    "until_ms": 1100.0,
    "real_time_factor": 2.0,
    "left_s": 4000.0,
    "ranks": 20,
    "threads": 4,
    "neurons": 77169,
    "synapses": 299_000_000,
    "spikes": 1000,
    "rate": 3.5,
    "spikes_per_s": 1000.0,
    "events_per_s": 4e6,
    "piece_s": 2.0,
    "by_rank": {
        "events": [10.0] * 20,
        "rss": [1e9] * 20,
        "memory": [5e8] * 20,
        "update": [0.1 * k for k in range(20)],
        "wait": [0.5] * 20,
        "exchange": [0.5] * 20,
    },
}


def shown(status, rows=3, now=1100.5):
    console = Console(width=80)
    with console.capture() as said:
        console.print(top.view(status, rows, now))
    return said.get()


def test_the_view_has_speed_phases_memory_and_the_busiest_ranks():
    text = shown(STATUS)
    for words in (
        "real-time factor 2",
        "350.0 of 1100 ms",
        "1 h 7 min left",
        "1000 spikes, 4.0 M events in a second",
        "20 ranks x 4 threads",
        "20.00 GB",
    ):
        assert words in text
    assert " 25 %" in text
    assert "update      49 %" in text  # 19 s of 39 s
    assert [int(rank) for rank in re.findall(r"^ *(\d+) +\d+ % +\d+ %", text, re.M)] == [17, 18, 19]
    assert "the 3 of 20 ranks" in text
    assert "no news" not in text


def test_old_news_and_dead_processes_are_told(tmp_path):
    assert "no news for 2.0 min" in shown(STATUS, now=1220.0)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    file = tmp_path / "status.json"
    file.write_text(json.dumps(STATUS | {"pid": ended.pid, "host": watching.socket.gethostname()}))
    assert "ended without a word" in shown(top.read(file))


def test_above_1024_ranks_the_ranks_are_left_out():
    text = shown(STATUS | {"ranks": 5000, "by_rank": {}})
    assert "5000 ranks" in text
    assert "network" not in text


@pytest.mark.parametrize(
    ("text", "words"), [(None, "--status"), ("{", "is no status.json: it is not JSON"), ('{"schema": 9}', "version 1")]
)
def test_what_is_no_status_is_refused(tmp_path, text, words):
    if text is not None:
        (tmp_path / "status.json").write_text(text)
    answer = CliRunner().invoke(cli.app, ["top", str(tmp_path), "--once"])
    assert isinstance(answer.exception, npl.NeuropilError)
    assert words in str(answer.exception)


def test_the_command_ends_with_the_job(tmp_path, monkeypatch):
    simulated_without_reading(tmp_path, monkeypatch)
    answer = CliRunner().invoke(cli.app, ["top", str(tmp_path)])
    assert answer.exit_code == 0
    assert "done" in answer.output
    assert "100 %" in answer.output


def test_what_is_no_status(tmp_path):
    (tmp_path / "run.npz").write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(npl.errors.BadFile, match=r"run.npz: is no status.json: it is not JSON; give the output folder") as caught:
        top.read(tmp_path / "run.npz")
    assert "codec" not in str(caught.value)
    with pytest.raises(npl.errors.BadParameter, match=r"empty': must be a folder that holds status.json, or that file itself"):
        top.read(tmp_path / "empty" / "status.json")
