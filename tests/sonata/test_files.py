# SPDX-License-Identifier: Apache-2.0
"""libsonata opens what is written, and a network that is written and read back gives the same bits."""

import json
import threading

import h5py
import numpy as np
import pytest

import neuropil as npl
from neuropil.errors import NotKept
from sonata import files

libsonata = pytest.importorskip("libsonata")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    simulation = npl.sonata.run(files.write(tmp_path_factory.mktemp("sonata")), threads=1, progress=False)
    return simulation, simulation.config.file.parent / "output"


def test_spikes(ran):
    simulation, folder = ran
    ids, times = simulation.spikes("cells")
    found = libsonata.SpikeReader(str(folder / "spikes.h5"))
    assert found.get_population_names() == ["cells"]
    assert found["cells"].sorting == "by_time"
    assert found["cells"].get() == [*zip(ids.tolist(), times.tolist(), strict=True)]
    lines = [line.split() for line in (folder / "spikes.csv").read_text().splitlines()]
    assert lines[0] == ["timestamps", "population", "node_ids"]
    assert [(int(c), float(a), b) for a, b, c in lines[1:]] == [(*pair, "cells") for pair in zip(ids.tolist(), times.tolist(), strict=True)]


def test_reports(ran):
    simulation, folder = ran
    trace = simulation.report("potential")["cells"]
    found = libsonata.SomaReportReader(str(folder / "potential.h5"))["cells"]
    assert found.get_node_ids() == [2, 5, 8, 11]
    assert found.times == (trace.times[0], pytest.approx(trace.times[-1] + 0.5), 0.5)
    frames = found.get()
    np.testing.assert_allclose(frames.times, trace.times, atol=1e-4)
    np.testing.assert_array_equal(frames.data, trace["V_m"].astype(np.float32))


def network(seed):
    """Neurons with parameters of their own, static and plastic synapses, receptors, stimulators of every kind, given spikes."""
    net = npl.Network(seed=seed, threads=1)
    e = net.create("iaf_psc_exp", 30, name="exc", V_m=npl.normal(-65, 5), C_m=npl.uniform(200, 300))
    i = net.create("iaf_psc_alpha", 10, E_L=-66.0, positions=npl.grid((5, 2)))
    m = net.create("iaf_psc_exp_multisynapse[3]", 3, tau_syn_2=5.0)
    net.stimulate(e + i, npl.poisson(rate=9000.0), weight=npl.uniform(25.0, 30.0))
    net.connect(e, e + i, npl.fixed_indegree(8), weight=npl.normal(30, 5), delay=npl.normal(1.5, 0.5).redraw(min=0.1))
    net.connect(e, e, npl.fixed_indegree(5), synapse=npl.synapse("stdp_synapse", Wmax=100.0, alpha=1.1), weight=20.0, delay=1.0)
    net.connect(i, e, npl.fixed_indegree(4), weight=-80.0, delay=0.8)
    net.connect(e, i, npl.fixed_indegree(2), weight=60.0, synapse=npl.synapse("tsodyks2_synapse", U=npl.uniform(0.2, 0.6)))
    net.connect(e, m, npl.fixed_indegree(6), weight=400.0, receptor=2, delay=1.0)
    net.stimulate(m, npl.noise(mean=350.0, std=80.0))
    given = net.create("spike_generator", 2, name="in put")
    given[0].spike_times, given[0].spike_multiplicities, given[1].spike_times = [5.0, 7.3], [1, 2], [9.0]
    net.connect(given, e, weight=100.0, delay=1.0)
    net.stimulate(e[:10], npl.step_current([10.0, 30.0], [300.0, 0.0]), weight=1.5)
    return net


def run(net):
    nodes = sum(net.populations[1:3], start=net.populations[0])
    spikes = net.record(nodes)
    net.run(100.0)
    return spikes.times.copy(), spikes.gids.copy(), np.asarray(net.connections().weight)


def test_a_network_that_is_read_back_gives_the_same_bits(tmp_path):
    net = network(7)
    path = net.to_sonata(tmp_path / "net", duration=50.0)
    again = npl.sonata.load(path, threads=2)
    assert again.config.tstop == 50.0
    assert (again.net.resolution, again.net.n_nodes, again.net.n_connections) == (0.1, net.n_nodes, net.n_connections)
    assert "exc" in again.populations
    assert "in_put" in again.populations
    expected, found = run(net), run(again.net)
    assert len(expected[0]) > 200
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))
    assert again.nodes("in_put")[0].spike_times.tolist() == pytest.approx([5.0, 7.3, 7.3])


def test_libsonata_opens_a_network_that_was_written(tmp_path):
    net = network(3)
    net.to_sonata(tmp_path)
    circuit = libsonata.CircuitConfig.from_file(str(tmp_path / "circuit_config.json"))
    nodes = circuit.node_population("exc")
    assert nodes.size == 30
    np.testing.assert_array_equal(nodes.get_dynamics_attribute("C_m", nodes.select_all()), net["exc"].C_m)
    edges = circuit.edge_population("exc__exc__chemical")
    between = net.connections(net["exc"], net["exc"])
    assert edges.size == len(between)
    assert edges.afferent_edges([3]).flat_size == int((between.target == net["exc"].gids[3]).sum())
    assert edges.efferent_edges([3]).flat_size == int((between.source == net["exc"].gids[3]).sum())
    np.testing.assert_array_equal(edges.target_nodes(edges.select_all()), between.target - net["exc"].gids[0])
    simulation = libsonata.SimulationConfig.from_file(str(tmp_path / "simulation_config.json"))
    assert (simulation.run.tstop, simulation.run.dt, simulation.run.random_seed) == (1000.0, 0.1, 3)
    assert simulation.list_input_names == ["spikes_in_put"]


def test_what_sonata_has_no_place_for(tmp_path):
    net = network(1)
    net.run(1.0)
    with pytest.raises(NotKept, match=r"simulated for 1 ms.*call it before run"):
        net.to_sonata(tmp_path)
    net = npl.Network(threads=1)
    cells = net.create("hh_psc_alpha_gap", 2)
    net.connect(cells, cells, npl.one_to_one(), synapse="gap_junction", weight=1.0)
    with pytest.raises(NotKept, match="no place for connections of gap_junction"):
        net.to_sonata(tmp_path)
    net = npl.Network(threads=1)
    net.create("iaf_psc_exp")
    net.every(1.0, print)
    with pytest.raises(NotKept, match="functions of `every`"):
        net.to_sonata(tmp_path)
    with pytest.raises(npl.errors.BadParameter, match="duration"):
        npl.Network(threads=1).to_sonata(tmp_path, duration=-1.0)


def test_the_index_leads_to_the_edges_of_a_rank(tmp_path):
    """Edges onto some nodes, by the index and without."""
    from neuropil.sonata.edges import EdgePopulation

    net = network(5)
    net.to_sonata(tmp_path)
    file = tmp_path / "network/exc__exc__chemical_edges.h5"
    mine = np.zeros(30, bool)
    mine[[3, 4, 17]] = True
    ends = []
    for k in range(2):
        edges = EdgePopulation(file, "exc__exc__chemical", {})
        ends.append([*zip(*(np.concatenate(c) for c in list(zip(*edges.slices(mine, [], 5), strict=True))[:2]), strict=True)])
        with h5py.File(file, "r+") as handle:
            del handle[f"edges/exc__exc__chemical/{'indices' if not k else 'edge_group_id'}"]
    assert ends[0] == ends[1]
    assert {int(target) for _, target in ends[0]} == {3, 4, 17}


def test_items_that_are_made_ahead():
    from neuropil.sonata.edges import ahead

    made, before = [], threading.active_count()

    def items(last):
        try:
            for k in range(1, last):
                made.append(k)
                yield k
            raise ValueError("the last")
        finally:
            made.append("closed")

    coming = ahead(items(4))
    assert [next(coming), next(coming), next(coming)] == [1, 2, 3]
    with pytest.raises(ValueError, match="the last"):
        next(coming)
    assert made == [1, 2, 3, "closed"]
    coming = ahead(items(100))
    assert next(coming) == 1
    coming.close()
    assert made[4:] == [1, 2, "closed"]
    assert threading.active_count() == before


def edge_columns(simulation):
    found = simulation.net.connections()
    return sorted(zip(*(np.asarray(getattr(found, key)).tolist() for key in ("source", "target", "weight", "delay")), strict=True))


@pytest.mark.parametrize("dtype", ["u4", ">i8"])
def test_edges_in_any_order_and_type_are_the_same_network(tmp_path, dtype):
    """Sorted by target, as `to_sonata` writes them, or backwards."""
    net = network(5)
    config = net.to_sonata(tmp_path, duration=20.0)
    sorted_ones = edge_columns(npl.sonata.load(config, threads=1, edges_at_once=50))
    file = tmp_path / "network/exc__exc__chemical_edges.h5"
    with h5py.File(file, "r+") as handle:
        group = handle["edges/exc__exc__chemical"]
        del group["indices"]
        for key in ("source_node_id", "target_node_id", "edge_type_id", "edge_group_id", "edge_group_index"):
            values, attributes = group[key][:][::-1], dict(group[key].attrs)
            del group[key]
            group[key] = values.astype(dtype)
            group[key].attrs.update(attributes)
    assert edge_columns(npl.sonata.load(config, threads=1, edges_at_once=50)) == sorted_ones


def test_the_command(tmp_path):
    from typer.testing import CliRunner

    from neuropil.cli import app

    path = files.write(tmp_path)
    config = json.loads(path.read_text())
    config["run"]["dL"] = 20.0
    path.write_text(json.dumps(config))
    done = CliRunner().invoke(app, ["sonata", str(path), "--threads", "1"])
    assert done.exit_code == 0, done.output
    assert "ignored: run/dL is for morphologies" in done.output
    assert (tmp_path / "output/potential.h5").exists()
