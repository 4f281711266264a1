# SPDX-License-Identifier: Apache-2.0
"""Dry runs from Python and from the command line: the tables of the real rank, nothing that grows with the whole, errors at the door."""

import json
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import neuropil as npl
from neuropil import _core
from neuropil.cli import app

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def describe(**settings):
    net = npl.Network(seed=5, threads=1, exchange="alltoallv", **settings)
    exc = net.create("iaf_psc_alpha", 120, V_m=npl.normal(-60.0, 4.0).clip(max=-56.0), tau_m=npl.uniform(8.0, 12.0), I_e=400.0)
    inh = net.create("iaf_psc_alpha", 40, I_e=npl.normal(300.0, 30.0))
    net.stimulate(exc + inh, npl.poisson(rate=8000.0), weight=npl.normal(20.0, 2.0), delay=0.4)
    net.connect(exc, exc + inh, npl.fixed_indegree(20), weight=npl.normal(20.0, 4.0).redraw(min=0.0), delay=npl.uniform(0.5, 3.0))
    net.connect(exc, exc, npl.pairwise_bernoulli(0.1), weight=20.0, delay=1.5, synapse=npl.stdp(Wmax=60.0))
    net.connect(inh, exc + inh, npl.fixed_total_number(700), weight=-60.0, delay=0.8)
    return net, exc, inh


def real(ranks):
    """What every rank of a real run holds, and the values of all nodes."""
    found = [None] * ranks

    def one(comm):
        net, exc, _ = describe(ranks=comm)
        net.build()
        found[comm.rank] = (net._kernel.table_hashes(), net.memory["synapses"], exc.V_m)

    threads = [threading.Thread(target=one, args=(comm,)) for comm in _core.thread_ranks(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_tables_and_drawn_values_are_those_of_the_real_rank(ranks):
    for rank, (hashes, synapses, values) in enumerate(real(ranks)):
        net, exc, _ = describe(dry_run=npl.dry_run(ranks, rank))
        net.build()
        assert net._kernel.table_hashes() == hashes
        assert net.memory["synapses"] == synapses
        mine = np.array([net._kernel.rank_of(int(g)) == rank for g in exc.gids])
        assert np.array_equal(exc.V_m[mine], values[mine])
        assert not exc.V_m[~mine].any()  # of other ranks nothing is known


def test_drawn_values_are_those_of_one_rank():
    _net, exc, inh = describe()
    wanted = _core.draw_values(npl.normal(-60.0, 4.0).clip(max=-56.0).spec(), 5, 1, exc.gids)
    assert np.array_equal(exc.V_m, wanted)
    assert np.array_equal(inh.I_e, _core.draw_values(npl.normal(300.0, 30.0).spec(), 5, 3, inh.gids))


def test_setting_ranges_is_setting_one_by_one():
    net, exc, inh = describe()
    some = (exc + inh)[3:150:2]
    some.set(V_m=npl.uniform(-70.0, -60.0), I_e=3.0)
    assert np.array_equal(some.V_m, _core.draw_values(npl.uniform(-70.0, -60.0).spec(), 5, 4, some.gids))
    assert (some.I_e == 3.0).all()
    before = exc.get("V_m", "tau_m")
    for wrong in (
        {"V_th": npl.normal(-70.0, 3.0)},
        {"tau_m": npl.normal(0.0, 1.0)},
        {"tau_m": -1.0},
        {"V_reset": 10.0},
        {"V_m": 1.0, "tau": 2.0},
    ):
        with pytest.raises((npl.errors.BadParameter, npl.errors.UnknownName)):
            some.set(**wrong)
    assert all(np.array_equal(exc.get(name), values) for name, values in before.items())
    net.run(1.0)


def test_slices_are_those_of_the_played_threads():
    net = npl.Network(threads=2, dry_run=npl.dry_run(100, 3, threads=8))
    assert (net._kernel.slices, net.threads, net.rank, net.n_ranks) == (8, 2, 3, 100)
    assert "dry run of rank 3 of 100" in repr(net)


def test_recordings_are_this_ranks_share():
    net, exc, _ = describe(dry_run=npl.dry_run(4, 1))
    spikes, trace = net.record(exc), net.record(exc[:8], "V_m")
    net.run(30.0)
    assert len(spikes.gids) > 10
    assert {net._kernel.rank_of(int(g)) for g in spikes.gids} == {1}
    assert trace["V_m"].any(axis=0).tolist() == [net._kernel.rank_of(g) == 1 for g in range(1, 9)]
    assert {net._kernel.rank_of(int(g)) for g in net.connections().target} == {1}


def test_runs_are_reproducible_and_the_rate_is_kept():
    def words(rate, seed=5):
        net = npl.Network(seed=seed, threads=1, exchange="nbx", dry_run=npl.dry_run(50, 7, rate=rate))
        cells = net.create("iaf_psc_alpha", 5000)
        net.connect(cells, cells, npl.fixed_indegree(20), weight=1.0, delay=1.5)
        net.run(200.0)
        return net.counters["words_sent"] / 50, net._kernel.routes

    sent, routes = words(10.0)
    assert words(10.0) == (sent, routes)
    assert words(None)[0] == 0.0
    assert sent == pytest.approx(10.0 * 0.2 * routes, abs=6 * np.sqrt(20 * 2.0 * routes))


@pytest.mark.parametrize("ranks", [10**3, 10**6])
def test_describing_costs_nothing_for_many_nodes(ranks):
    tracemalloc.start()
    net = npl.Network(dry_run=npl.dry_run(10**6 if ranks > 10**5 else ranks, 17, threads=4), threads=1)
    n = 10**9 if ranks > 10**5 else 10**6
    exc, inh = net.create("iaf_psc_alpha", n, V_m=npl.normal(-65.0, 5.0)), net.create("iaf_psc_alpha", n // 4, tau_m=npl.uniform(5.0, 9.0))
    net.stimulate(exc + inh, npl.poisson(rate=10.0), weight=npl.normal(1.0, 0.1))
    net.connect(exc, exc + inh, npl.fixed_indegree(100), weight=1.0, delay=1.5)
    net.record(exc), net.record((exc + inh)[::2]), net.nodes(), repr(exc), exc in (exc + inh)
    assert (exc + inh) + exc == exc + inh
    (exc + inh)[5::3].set(V_m=npl.uniform(-70.0, -60.0), I_e=3.0)
    assert net.n_connections == 100 * (n + n // 4)
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


def test_elements_of_all_neurons_are_set_without_a_list_of_them():
    net = npl.Network(dry_run=npl.dry_run(1000, 17))
    tracemalloc.start()
    nodes = net.create("iaf_psc_alpha", 2_000_000, tau_Ca=50.0)
    nodes.synaptic_elements = {
        "axon": npl.synaptic_elements(growth_rate=0.0, z=2.0),
        "spine": npl.synaptic_elements(growth_rate=0.0, z=3.0),
    }
    nodes[1:1000:2].synaptic_elements = {"axon": npl.synaptic_elements(growth_rate=0.1)}
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()
    assert [nodes[[k]].synaptic_elements["axon"]["z"].tolist() for k in (17, 1017)] == [[0.0], [2.0]]  # those of this rank
    assert [*nodes[[17]].synaptic_elements] == ["axon"]
    assert net.memory["total"] < 1e6


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0,), "ranks"),
        ((2**31,), "ranks"),
        ((4, 4), "rank"),
        ((4, -1), "rank"),
        ((4, 0, 0), "threads"),
        ((4, 0, 1, -1.0), "rate"),
        ((4, 0, 1, np.inf), "rate"),
    ],
)
def test_errors_at_the_door(arguments, name):
    with pytest.raises(npl.errors.BadParameter, match=name):
        npl.Network(dry_run=npl.dry_run(*arguments))


def test_what_has_no_mirror_is_refused():
    with pytest.raises(npl.errors.BadParameter, match="shared"):
        npl.Network(dry_run=npl.dry_run(4), exchange="shared")
    with pytest.raises(npl.errors.BadParameter, match="phases"):
        npl.Network(dry_run=npl.dry_run(4), exchange=npl.exchange("multisend", phases=2))
    with pytest.raises(npl.errors.BadType, match="dry_run"):
        npl.Network(dry_run=4)
    with pytest.raises(npl.errors.BadParameter, match="ranks"):
        npl.Network(dry_run=npl.dry_run(4), ranks=_core.thread_ranks(1)[0])


def test_what_cannot_fit_is_refused_before_anything_is_made():
    net = npl.Network(dry_run=npl.dry_run(2))
    with pytest.raises(npl.errors.TooLarge):
        net.create("iaf_psc_alpha", 10**12, V_m=npl.normal(0.0, 1.0))
    cells = net.create("iaf_psc_alpha", 1000)
    with pytest.raises(npl.errors.TooLarge):
        net.connect(cells, cells, npl.fixed_total_number(10**12), delay=1.5)
    assert (net.n_nodes, net.n_connections) == (1000, 0)


def test_a_drawn_value_that_is_not_allowed_changes_nothing():
    net = npl.Network(dry_run=npl.dry_run(3, 1))
    for values in (
        {"tau_m": npl.normal(0.1, 5.0)},
        {"V_th": npl.normal(-70.0, 5.0)},
        {"taum": npl.normal(1.0, 2.0)},
    ):
        with pytest.raises((npl.errors.BadParameter, npl.errors.UnknownName)):
            net.create("iaf_psc_alpha", 1000, **values)
    assert net.n_nodes == 0
    assert net.create("iaf_psc_alpha", 3).gids.tolist() == [1, 2, 3]


def test_timers_tell_the_phases():
    net, _, _ = describe(dry_run=npl.dry_run(3, 1))
    net.run(3.0)
    phases = {
        "create",
        "connect",
        "build_count",
        "build_place",
        "build_fill",
        "build_sort",
        "build_devices",
        "build_prepare",
        "build_route",
        "run",
    }
    assert phases <= set(net.timers)
    assert sum(v for k, v in net.timers.items() if k.startswith("build_")) <= 1.05 * net.timers["build"]


@pytest.mark.parametrize(
    ("model", "own"),
    [
        ("hpc_benchmark.py", ["--size", "large", "--factor", "0.01"]),
        ("hpc_benchmark.py", ["--factor", "0.05"]),
        ("microcircuit.py", ["--scale", "0.02"]),
    ],
)
def test_the_command_plays_scripts(tmp_path, model, own):
    out = tmp_path / "report.json"
    options = ["--ranks", "1000", "--rank", "17", "--threads", "8", "--rate", "8", "--time", "3", "--json-file", str(out)]
    result = CliRunner().invoke(app, ["dryrun", *options, str(EXAMPLES / model), "--", *own])
    assert result.exit_code == 0, result.output
    assert "dry run of rank 17 of 1000: 8 slices" in result.output
    found = json.loads(out.read_text())
    assert (found["ranks"], found["rank"], found["slices"]) == (1000, 17, 8)
    assert found["simulated_ms"] == pytest.approx(3.0)
    assert found["counters"]["synapses"] > 0 < found["rss"]["peak"]
    if "large" in own:
        assert found["nodes"] == 70 * 1000 + 1
        assert found["counters"]["synapses"] == 70 * 112


def test_the_command_tells_the_bytes_of_a_checkpoint(tmp_path):
    script, out = tmp_path / "model.py", tmp_path / "report.json"
    script.write_text(
        "import neuropil as npl\nnet = npl.Network()\ncells = net.create('iaf_psc_exp', 1000)\n"
        "net.connect(cells, cells, npl.fixed_indegree(100), weight=npl.normal(1.0, 0.1))\nnet.run(1.0)\n"
    )
    result = CliRunner().invoke(app, ["dryrun", "--ranks", "2", "--rank", "1", "--json-file", str(out), str(script)])
    assert result.exit_code == 0, result.output
    found = json.loads(out.read_text())["checkpoint"]
    assert 0 < found["describe"] < 100_000  # 500 neurons of 4 states
    assert 500 * 100 * 6 < found["store"] - found["describe"] < 500 * 100 * 8  # target and weight; rows


def test_the_command_says_when_nothing_ran(tmp_path):
    script = tmp_path / "empty.py"
    script.write_text("import neuropil\nassert neuropil.n_ranks() == 9 and neuropil.rank() == 2\n")
    result = CliRunner().invoke(app, ["dryrun", str(script), "--ranks", "9", "--rank", "2"])
    assert result.exit_code == 1
    assert "has run no network" in result.output
