# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver: what it compares, what it prints, and that both sides describe the same networks."""

import json

import numpy as np
import pytest
from bench import construct, microcircuit, programs, report, run
from bench.peers import common, nest_hpc_benchmark, potjans
from bench.ranks import hines, start
from bench.report import LOWER, Row, Section, Table
from bench.sides import Settings

from mpi import jobs


@pytest.mark.parametrize("drive", ["poisson", "dc"])
@pytest.mark.parametrize(("scale", "k_scale"), [(1.0, 1.0), (0.1, 1.0), (0.3, 0.25)])
def test_both_microcircuits_are_the_same(scale, k_scale, drive):
    from neuropil.cli.jobs import microcircuit as job

    ours, theirs = job.plan(scale, k_scale, job.Input(drive)), potjans.circuit(scale, k_scale, drive)
    np.testing.assert_array_equal(ours.neurons, theirs.sizes)
    np.testing.assert_allclose(ours.synapses, theirs.synapses, atol=1.0, rtol=0.0)  # halves may be rounded either way
    np.testing.assert_allclose(ours.weights, theirs.weights, rtol=1e-12)
    np.testing.assert_allclose(ours.current, theirs.dc, rtol=1e-9, atol=1e-9)
    assert ours.external_weight == pytest.approx(theirs.external_weight, rel=1e-12)
    if drive == "poisson":
        np.testing.assert_allclose(ours.external_rate, potjans.EXTERNAL_RATE * theirs.external_indegree)
    assert job.NEURON == potjans.NEURON
    if scale == k_scale == 1.0:
        assert theirs.synapses.sum() == ours.synapses.sum() == 298_880_968


@pytest.mark.parametrize(("n", "k"), [(11255, 3750), (11250, 11250), (25000, 2500)])
def test_both_hpc_benchmarks_are_the_same(n, k):
    from neuropil.cli.jobs import hpc_benchmark as job

    ours, theirs = job.plan(n, k), nest_hpc_benchmark.network_numbers(n, k)
    assert [ours.neurons_exc, ours.neurons_inh, ours.indegree_exc, ours.indegree_inh] == [theirs[x] for x in ("ne", "ni", "ke", "ki")]
    assert ours.weight == pytest.approx(theirs["je"], rel=1e-9)
    assert ours.rate == pytest.approx(theirs["rate"], rel=1e-9)
    assert theirs["je"] * theirs["ke"] == pytest.approx(45.61 * 9000, rel=1e-3)


def test_ratios_are_of_medians_and_above_1_is_better():
    slower = Row("t", "s", [1.0, 2.0, 9.0], [10.0, 30.0, 20.0], "slower", 10.0)
    assert slower.ratio == 10.0
    assert slower.met
    faster = Row("rate", "1/s", [30.0], [10.0], "faster", 4.0)
    assert faster.ratio == 3.0
    assert faster.met is False
    assert Row("bytes", "B", [7.0, 8.5, 8.1], [50.0], "value", 8.0, LOWER).met is False
    assert Row("bytes", "B", [], [50.0], "value", 8.0, LOWER).met is None
    assert Row("t", "s", [1.0]).met is None


def test_peer_threads_stay_below_the_limit_of_nest():
    assert microcircuit.peer_threads(298_880_968, 2) == 4
    assert microcircuit.peer_threads(298_880_968, 16) == 16
    assert microcircuit.peer_threads(100, 2) == 2


def test_report_is_written_and_comes_back_as_markdown(tmp_path):
    section = Section("x", "Title", [Row("time", "s", [1.0, 3.0, 2.0], [20.0], "slower", 5.0)], notes=["a note"], errors=["broken"])
    machine = {"cpu": "C", "cores": 2, "memory_bytes": 2**34, "load": 0.25}
    report.write(tmp_path / "bench.json", [section], machine, {"python": "3"}, ["./run", "bench"])
    loaded = json.loads((tmp_path / "bench.json").read_text())
    assert loaded["sections"][0]["rows"][0]["ratio"] == 10.0
    text = report.markdown(loaded)
    assert "| time | s | 2 (1-3) | 20 | 10 x | at least 5 x | yes |" in text
    assert "broken" in text


def test_tables_are_printed_and_come_back_as_markdown(tmp_path, capsys):
    section = Section("x", "Title", tables=[Table("Ways", ["way", "run [s]"], [["nbx", 0.125]], notes=["oversubscribed"])], peer="NEURON")
    report.print_section(section)
    report.write(tmp_path / "bench.json", [section], {"cpu": "C", "cores": 2, "memory_bytes": 2**34, "load": 0.25}, {}, [])
    text = report.markdown(json.loads((tmp_path / "bench.json").read_text()))
    for shown in (capsys.readouterr().out, text):
        assert all(word in shown for word in ("Ways", "nbx", "0.125", "oversubscribed", "NEURON"))


def test_a_run_that_fails_is_reported_and_gives_status_1(tmp_path, monkeypatch, capsys):
    def fails(command, log, environment=None):
        raise programs.RunError("it broke")

    monkeypatch.setattr(programs, "execute", fails)
    assert run.main(["microcircuit", "--quick", "--no-peers", "--output", str(tmp_path)]) == 1
    assert "it broke" in capsys.readouterr().out


def test_construction_of_small_networks(tmp_path, monkeypatch):
    small = (construct.Shape("small", 200, 40), construct.Shape("sparse", 2000, 5, peer=False, static=True))
    monkeypatch.setattr(construct, "QUICK", small)
    monkeypatch.setattr(construct, "ALLOCATORS", {"absent": "libabsent.so.99"})
    assert run.main(["construct", "--quick", "--no-peers", "--threads", "1", "--output", str(tmp_path)]) == 0
    section = json.loads((tmp_path / "bench.json").read_text())["sections"][0]
    assert [row["quantity"] for row in section["rows"]] == [
        title + end
        for end in ("", ": peak while building / built")
        for title in ("small (N = 200, K = 40), 1 thread", "sparse (N = 2000, K = 5), 1 thread")
    ]
    assert any("absent" in note for note in section["notes"])
    phases, allocators, allocations = section["tables"]
    assert [row[0] for row in phases["rows"]] == ["small, 1", "sparse, 1"]
    assert set(construct.PHASES) <= section["runs"]["small, 1 thread, neuropil"][0]["timers"].keys()
    assert [row[:2] for row in allocators["rows"]] == [["glibc", "1"]]
    assert [row[1] for row in allocations["rows"]] == [0.004, 0.008, 0.004, 0.01]
    assert all(row[2] < 1000 for row in allocations["rows"])
    assert (tmp_path / "construct" / "construct_phases.png").stat().st_size > 0
    assert (tmp_path / "construct" / "construct_allocators.png").stat().st_size > 0


def test_phases_of_construction_are_medians_and_add_up(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(construct.construct_plots, "phases", lambda bars, path: drawn.append(bars))
    timers = {name: float(k) for k, name in enumerate(construct.PHASES, 1)}
    runs = [{"timers": timers | {"create": create}, "build_s": 100.0, "init_s": 7.0} for create in (1.0, 50.0, 2.0)]
    shape, section = construct.Shape("x", 10, 10), Section("construct", "Title")
    construct.phases(section, Settings(tmp_path), {(shape, 2): {"neuropil": runs, "nest": []}})
    (row,) = section.tables[0].rows
    assert row == ["x, 2", 2.0, *(float(k) for k in range(2, len(timers) + 1)), 100.0 - 2.0 - sum(range(2, len(timers) + 1)), 7.0]
    assert section.tables[0].headers == ["network, threads", *construct.PHASES.values(), "other", "first 10 ms"]
    assert drawn == [{shape.title: {2: dict(zip(section.tables[0].headers[1:], row[1:], strict=True))}}]


def test_peak_of_construction_is_growth_over_growth():
    shape = construct.Shape("x", 10, 10)
    runs = [
        {"rss_before": 100, "rss_peak": 350, "rss_built": 300, "synapses": 100},
        {"rss_before": 0, "rss_peak": None, "rss_built": 1, "synapses": 100},
    ]
    row = construct.memory(shape, 2, runs)[0]
    assert row.neuropil == [1.25]
    assert row.met


def test_unknown_section_is_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["nonsense"])
    assert "microcircuit" in capsys.readouterr().err


def test_cv_of_intervals():
    times, senders = np.array([1.0, 2.0, 4.0, 5.0, 7.0, 3.0, 4.0]), np.array([4, 4, 4, 4, 4, 9, 9])
    np.testing.assert_allclose(common.interval_cv(times, senders), [np.std([1, 2, 1, 2]) / 1.5])


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("nest_microcircuit", {"scale": 0.01, "k_scale": 0.05, "duration": 100.0, "warmup": 20.0, "threads": 1}),
        ("nest_hpc_benchmark", {"neurons": 500, "indegree": 100, "duration": 50.0, "threads": 1}),
    ],
)
def test_peer_programs_print_json(module, options, tmp_path):
    pytest.importorskip("nest")
    found = programs.run_peer(module, options, tmp_path)
    assert {
        "build_s",
        "init_s",
        "sim_s",
        "rates",
        "cv",
        "synapses",
        "events",
        "peak_rss_bytes",
        "bytes_per_synapse",
        "real_time_factor",
    } <= set(found)
    assert found["synapses"] > 10_000
    assert all(np.isfinite(rate) for rate in found["rates"].values())
    assert sum(found["rates"].values()) > 0


@pytest.mark.parametrize("network", ["pathways", "legs"])
def test_many_pathways_spike_alike_in_both_simulators(network, tmp_path):
    """Spikes, spikes of parrots and recorded weights: neurons fire regularly, so that numbers differ by little where connections are drawn anew."""
    pytest.importorskip("nest")
    options = {"network": network, "share": 0.2, "duration": 50.0}
    ours, theirs = programs.run_layer("many_pathways", options, tmp_path), programs.run_peer("many_pathways", options, tmp_path)
    assert ours["synapses"] == theirs["synapses"]
    for what, most in (("spikes", 0.03), ("relayed", 0.05), ("weights", 0.05)):
        assert ours[what] > 500
        assert ours[what] == pytest.approx(theirs[what], rel=most), what


@pytest.mark.parametrize("delays", [pytest.param("equal", marks=pytest.mark.slow), "random"])
def test_balanced_networks_fire_alike_in_both_simulators(delays, tmp_path):
    """Rates of networks that are drawn anew differ by 3 % (standard deviation)."""
    pytest.importorskip("nest")
    options = {"delays": delays, "scale": 0.1, "duration": 300.0}
    ours, theirs = programs.run_layer("balanced_delays", options, tmp_path), programs.run_peer("balanced_delays", options, tmp_path)
    assert ours["synapses"] == theirs["synapses"]
    assert ours["rate"] == pytest.approx(theirs["rate"], rel=0.12)
    assert 5.0 < ours["rate"] < 100.0


@pytest.mark.parametrize("case", ["distance_drawn", "equal", "kernel"])
def test_expressions_make_as_many_connections_in_both_simulators(case, tmp_path):
    pytest.importorskip("nest")
    options = {"case": case, "neurons": 484, "indegree": 20}
    ours, theirs = programs.run_layer("expressions", options, tmp_path), programs.run_peer("expressions", options, tmp_path)
    assert ours["synapses"] == pytest.approx(theirs["synapses"], rel=0.06 if case == "kernel" else 0)  # 4 standard deviations
    assert ours["synapses"] > 9000


def test_each_source_of_many_pathways_has_a_synapse_in_each():
    from bench.peers import many_pathways

    assert len(many_pathways.CLASSES) * many_pathways.COPIES == 40
    assert 40 * many_pathways.SOURCES == 120_000
    assert many_pathways.CELLS + many_pathways.RELAYS == 3600


def test_artificial_cells_have_the_same_spikes_on_any_ranks(tmp_path):
    jobs.own_kind()
    size = {"cells": 128, "connections": 20, "duration": 40.0, "curves": True}
    cases = [
        size | {"exchange": {"strategy": "allgather"}},
        size | {"exchange": {"strategy": "nbx", "halves": True}},
        size | {"topology": "adjacent", "burst_ms": 5.0},
    ]
    found = {}
    for ranks in (1, 2):
        found[ranks], error = start.run_cases("hines", ranks, cases, tmp_path / str(ranks), 60.0)
        assert not error
    for one, two in zip(found[1], found[2], strict=True):
        assert one["hash"] == two["hash"]
        assert one["spikes"] == two["spikes"] > 64
        assert one["messages"] == 0 < two["messages"]
        assert len(two["curves"]["rank0"]) == two["intervals"]
    assert found[2][0]["hash"] == found[2][1]["hash"] != found[2][2]["hash"]


def test_shifts_are_to_the_nearest_neighbours():
    from neuropil.cli.jobs.artificial_cells import shifts

    assert sorted(shifts(10, 4)) == [1, 2, 8, 9]
    assert sorted(shifts(10, 3)) == [1, 2, 9]
    assert len(set(shifts(100, 99))) == 99


def test_imbalance_is_what_balance_would_save():
    assert hines.imbalance(np.array([[1.0, 3.0], [3.0, 1.0]])) == 1.5
    assert hines.imbalance(np.array([[2.0, 0.0], [2.0, 0.0]])) == 1.0
    assert hines.imbalance(np.zeros((2, 3))) == 1.0


def test_every_section_is_documented():
    text = (programs.ROOT / "docs" / "benchmarks" / "README.md").read_text()
    assert [name for name in run.SECTIONS if f"| {name} |" not in text] == []
