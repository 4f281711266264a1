# SPDX-License-Identifier: Apache-2.0
"""./run bench growth: networks whose activity is known, numbers from windows, limits, what is kept, tables and pictures."""

import argparse
import json

import pytest
from bench import growth, growth_limits, programs, run
from bench.growth import OURS, PEER, Cell, Measured, Store
from bench.peers import growth as script

from mpi import jobs

TINY = Cell(neurons=60, indegree=8, rate=100.0)
BANDWIDTHS = {"1": {loop: dict.fromkeys(growth_limits.LEVELS, 1e10) for loop in ("read", "update", "write")}}


def a_run(silent=0.2, firing=0.7, spikes=500, **changes):
    """10 neurons at 50 Hz for 1000 ms, 100 synapses."""
    return {
        "window_ms": 1000.0, "silent": {"seconds": [silent] * 3}, "firing": {"seconds": [firing] * 3, "spikes": [spikes] * 3}, "build_s": 1e-6, "synapses": 100,
        "memory": {"before": 1000, "built": 1800}, "kernel_memory": {"synapses": 600.0, "neurons": 320.0, "input": 160.0},
    } | changes  # fmt: skip


TEN = Cell(neurons=10, indegree=10, rate=50.0)


def test_numbers_are_differences_of_windows():
    found = growth.numbers(TEN, a_run())
    assert found["run"] == 0.7
    assert found["neuron"] == pytest.approx(0.2e9 / (10 * 10_000))
    assert found["event"] == pytest.approx(0.5e9 / (500 * 10))
    assert found["build"] == pytest.approx(10.0)
    assert found["bytes"] == 8.0


def test_events_that_noise_hides_have_no_time():
    hidden = a_run() | {"silent": {"seconds": [0.1, 0.2, 0.6]}, "firing": {"seconds": [0.2, 0.21, 0.9], "spikes": [500] * 3}}
    assert growth.numbers(TEN, hidden)["event"] is None


def test_ratios_above_1_mean_that_neuropil_is_better():
    found = Measured(TEN, {OURS: [a_run()], PEER: [a_run(silent=2.0, firing=7.0)]})
    assert found.ratio("run") == pytest.approx(10.0)
    assert Measured(TEN, {OURS: [a_run()]}).ratio("run") is None
    row = growth.least({TEN: found}, "bytes")
    assert row.neuropil == [1.0]
    assert row.met
    assert "N = 10, K = 10" in row.note


def test_wrong_numbers_of_spikes_are_told():
    assert growth.spikes_agree(Measured(TEN, {OURS: [a_run()], PEER: [a_run(spikes=499)]})) == ""
    assert "NEST has 1200 spikes, not 1500" in growth.spikes_agree(Measured(TEN, {OURS: [a_run()], PEER: [a_run(spikes=400)]}))


def test_limits_are_bytes_over_bandwidth():
    found = growth_limits.limits(TEN, {"synapses": 600.0, "neurons": 320.0, "input": 160.0}, 100, BANDWIDTHS)
    assert found["event"] == found["build"] == pytest.approx(0.6)
    assert found["neuron"] == pytest.approx(6.4)
    assert found["run"] == pytest.approx((0.6 * 10 * 10 * 50 + 6.4 * 10 * 1e4) * 1e-9)
    assert 4.0 < found["bytes"] < 6.0


def test_what_nest_cannot_hold_is_not_tried(monkeypatch):
    monkeypatch.setattr(programs, "available_memory", lambda: 2**34)
    assert "2^27" in growth.too_large(Cell(neurons=2**17), PEER)
    assert "GiB" in growth.too_large(Cell(neurons=2**19, threads=8), PEER)
    assert growth.too_large(Cell(neurons=2**17), OURS) == growth.too_large(Cell(), PEER) == ""


def test_runs_are_kept(tmp_path):
    path = tmp_path / "growth" / "runs.jsonl"
    Store(path, False).add(TINY, OURS, {"a": 1})
    assert Store(path, True).of(TINY, OURS) == [{"a": 1}]
    assert Store(path, True).of(TINY, PEER) == []
    assert Store(path, False).of(TINY, OURS) == []


def test_every_axis_passes_through_the_base_point_and_fits_the_plots():
    for axis, cells in growth.AXES.items():
        assert axis == "corners" or growth.growth_plots.quantity(axis) in growth.asdict(growth.BASE)
        assert axis in ("corners", "neurons, K = 100") or growth.BASE in cells
        assert len(set(cells)) == len(cells)


def test_windows_are_whole_periods_where_periods_are_short():
    def length(**given):
        return script.window(argparse.Namespace(**{"neurons": 10_240, "indegree": 1024, "rate": 10.0, "scale": 1.0} | given))

    assert length() % 100.0 == 0.0
    assert length(rate=100.0) % 10.0 == 0.0
    assert length(neurons=1_000_000) == script.SHORTEST
    assert length(rate=0.1) < 1e4


@pytest.mark.slow
def test_a_cell_on_neuropil(tmp_path, monkeypatch):
    monkeypatch.setattr(
        growth, "QUICK", {"neurons": [TINY], "populations": [TINY, Cell(neurons=60, indegree=8, rate=100.0, populations=3)]}
    )
    monkeypatch.setattr(growth_limits, "measured", lambda processes: BANDWIDTHS)
    assert run.main(["growth", "--quick", "--repeats", "1", "--no-peers", "--output", str(tmp_path)]) == 0
    section = json.loads((tmp_path / "bench.json").read_text())["sections"][0]
    assert [len(table["rows"]) for table in section["tables"]] == [1, 2]
    assert all(isinstance(row[1], float) for table in section["tables"] for row in table["rows"])
    first = section["runs"]["N = 60, K = 8, 100 Hz, neuropil"][0]
    assert first["synapses"] == 480
    assert all(abs(spikes / (6 * first["window_ms"]) - 1.0) < 0.01 for spikes in first["firing"]["spikes"])
    assert (tmp_path / "growth" / "growth_size.png").stat().st_size > 0
    assert (tmp_path / "growth" / "growth_shape.png").stat().st_size > 0
    lines = (tmp_path / "growth" / "runs.jsonl").read_text()
    assert run.main(["growth", "--quick", "--repeats", "1", "--no-peers", "--resume", "--output", str(tmp_path)]) == 0
    assert (tmp_path / "growth" / "runs.jsonl").read_text() == lines


def test_both_simulators_have_the_same_spikes_and_synapses(tmp_path):
    pytest.importorskip("nest")
    options = TINY.options(0.02)
    ours, theirs = programs.run_layer("growth", options, tmp_path), programs.run_peer("growth", options, tmp_path)
    for found in (ours, theirs):
        assert found["synapses"] == 480
        assert sum(found["silent"]["spikes"]) == 0
        assert abs(found["firing"]["spikes"][0] / (6 * found["window_ms"]) - 1.0) < 0.01
    assert ours["window_ms"] == theirs["window_ms"]


@pytest.mark.slow
def test_ranks_measure_as_many_windows(tmp_path):
    jobs.own_kind()
    settings = growth.Settings(tmp_path, quick=True, peers=False)
    found = growth.run_side(growth.replace(TINY, ranks=2), OURS, settings)
    assert found["synapses"] == 480
    assert growth.numbers(growth.replace(TINY, ranks=2), found)["bytes"] > 0
