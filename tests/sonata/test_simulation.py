# SPDX-License-Identifier: Apache-2.0
"""Simulations in files of SONATA: the network is the one that plain calls make of the same numbers."""

import json

import numpy as np
import pytest

import neuropil as npl
from sonata import files
from thread_ranks import on_ranks, the_same


def by_hand():
    """The network of `files` by plain calls, one call per edge type, with records of spikes and potentials; gid of each node id."""
    given, net = files.numbers(), npl.Network(0.1, 3, threads=1)
    gids = np.empty(files.N, np.int64)
    for kind, model, parameters in ((7, "iaf_psc_alpha", files.CELL), (3, "iaf_psc_exp", {})):
        mine = np.flatnonzero(given.node_type == kind)
        gids[mine] = net.create(model, len(mine), C_m=given.capacity[mine], **parameters).gids
    source = net.create("spike_generator", files.N_IN)
    for k in range(files.N_IN):
        times = np.sort(given.spike_times[given.spike_ids == k])
        source[k].spike_times = np.ceil(times / 0.1) * 0.1
    stdp = npl.synapse("stdp_synapse", Wmax=200.0, **{"lambda": 0.05})
    for kind, weight, delay, synapse in ((100, None, None, None), (101, 24.0, 1.5, None), (102, 8.0, 1.5, stdp)):
        mine = given.kind == kind
        weights, delays = (given.weight[mine], given.delay[mine]) if weight is None else (weight, delay)
        net.connect_gids(gids[given.source[mine]], gids[given.target[mine]], weight=weights, delay=delays, synapse=synapse)
    net.connect_gids(source.gids[given.in_source], gids[given.in_target], weight=400.0, delay=1.5)
    cells = net.populations[0] + net.populations[1]
    for node in (1, 5):
        net.stimulate(cells[int(gids[node] - gids.min())], npl.step_current([20.0, 50.0], [150.0, 0.0]), weight=1.0, delay=0.1)
    return net, gids


@pytest.fixture(scope="module")
def expected():
    """Node ids and times of spikes, and potentials of the nodes with ei = i every 0.5 ms."""
    net, gids = by_hand()
    cells = net.populations[0] + net.populations[1]
    spikes, trace = net.record(cells), net.record(net.populations[1], "V_m", interval=0.5)
    net.run(100.0)
    node = np.empty(gids.max() + 1, np.int64)
    node[gids] = np.arange(files.N)
    assert len(spikes.times) > 50
    order = np.lexsort((node[spikes.gids], spikes.times))
    return node[spikes.gids][order], spikes.times[order], trace["V_m"].copy()


def result(simulation):
    simulation.run(progress=False)
    return *simulation.spikes("cells"), simulation.report("potential")["cells"]["V_m"].copy()


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("at_once", [1 << 20, 7])
def test_the_network_is_that_of_plain_calls(tmp_path, expected, at_once):
    simulation = npl.sonata.load(files.write(tmp_path), threads=1, edges_at_once=at_once)
    assert simulation.populations == ("cells", "in")
    assert simulation.net.n_connections == files.N_EDGES + files.N_IN * files.N
    assert same(result(simulation), expected)


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_ranks_read_the_edges_of_their_own_neurons(tmp_path, expected, ranks):
    path = files.write(tmp_path)

    def program(comm):
        simulation = npl.sonata.load(path, threads=1, ranks=comm, edges_at_once=40)
        found = result(simulation)
        written = simulation.write()
        return [column.tolist() for column in found], [file.name for file in written]

    found, names = the_same(on_ranks(ranks, program))
    assert same([np.array(column) for column in found], expected)
    assert names == ["spikes.h5", "spikes.csv", "potential.h5"]


def test_weight_functions_get_properties_of_edges_and_nodes(tmp_path):
    path = files.write(tmp_path)
    table = (tmp_path / "edge_types.csv").read_text().replace("nsyns\n", "nsyns weight_function\n").replace(" NULL\n", " NULL tuned\n")
    (tmp_path / "edge_types.csv").write_text(table.replace(" 3\n", " 3 tuned\n"))
    given = files.numbers()

    def tuned(edge, source, target):
        return (
            np.where(np.isnan(edge["syn_weight"]), 1.0, edge["syn_weight"])
            + source["angle"]
            - 2.0 * target["angle"] * (target["ei"] == "e")
        )

    with pytest.raises(npl.errors.BadFile, match=r"edge type 10\d.*weight_function tuned"):
        npl.sonata.load(path, threads=1)
    (tmp_path / "edge_types.csv").write_text(
        table.replace(" 3\n", " 3 tuned\n").replace("nest:stdp_synapse", "static_synapse").replace("stdp.json", "NULL")
    )
    net = npl.sonata.load(path, threads=1, weight_functions={"tuned": tuned}).net
    weight = (
        np.where(given.kind == 100, given.weight, 8.0) + 30.0 * given.source - 60.0 * given.target * (given.node_type[given.target] == 7)
    )
    found = net.connections()
    assert sorted(np.asarray(found.weight)[found.weight != 400.0].tolist()) == pytest.approx(sorted(weight.tolist()))


def test_a_weight_function_that_fails_on_one_rank_fails_on_all(tmp_path):
    path = files.write(tmp_path)
    table = (
        (tmp_path / "in_edge_types.csv")
        .read_text()
        .replace("syn_weight\n", "syn_weight weight_function\n")
        .replace("400.0\n", "400.0 odd\n")
    )
    (tmp_path / "in_edge_types.csv").write_text(table)
    table = (tmp_path / "edge_types.csv").read_text().replace("nsyns\n", "nsyns weight_function\n").replace(" NULL\n", " NULL odd\n")
    (tmp_path / "edge_types.csv").write_text(table.replace(" 3\n", " 3 odd\n"))

    def program(comm):
        def odd(edge, source, target):
            if comm.rank == 1:
                raise ValueError("no weight here")
            return np.full(len(target["node_id"]), 3.0)

        npl.sonata.load(path, threads=1, ranks=comm, weight_functions={"odd": odd})

    assert [str(error) for error in on_ranks(2, program)] == ["no weight here"] * 2


def test_spikes_as_text(tmp_path, expected):
    given = files.numbers()
    lines = [f"{time!r} in {node}" for node, time in zip(given.spike_ids, given.spike_times.tolist(), strict=True)]
    (tmp_path / "spikes.csv").write_text("\n".join(["timestamps population node_ids", *lines, "5.0 others 2"]) + "\n")
    inputs = {**files.CONFIG["inputs"], "spikes": {"input_type": "spikes", "module": "csv", "input_file": "spikes.csv", "node_set": "in"}}
    assert same(result(npl.sonata.load(files.write(tmp_path, inputs=inputs), threads=1)), expected)


def test_a_configuration_may_name_that_of_its_circuit(tmp_path, expected):
    path = files.write(tmp_path)
    whole = json.loads(path.read_text())
    (tmp_path / "more").mkdir()
    circuit = {key: whole.pop(key) for key in ("networks", "components")} | {"manifest": {"$BASE": "..", "$MODELS": "$BASE/models"}}
    for entry in circuit["networks"]["nodes"][1:]:
        entry |= {key: f"$BASE/{value}" for key, value in entry.items()}
    (tmp_path / "more/circuit.json").write_text(json.dumps(circuit))
    path.write_text(json.dumps(whole | {"network": "$BASE/more/circuit.json"}))
    assert same(result(npl.sonata.load(path, threads=1)), expected)
