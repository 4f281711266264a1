# SPDX-License-Identifier: Apache-2.0
"""Touches as synapses: what is kept, which weight and delay it has, the same spikes on any ranks."""

import numpy as np
import pytest

import neuropil as npl
from circuit import small
from neuropil.circuit import BadFile, SynapseOptions, touches_to_network
from neuropil.circuit.network import delays_of, survives
from neuropil.cli.jobs.result import spike_hash
from neuropil.errors import UnknownName
from thread_ranks import on_ranks, the_same

MTYPES = ["L4_PC", "L4_MC", "L4_PC", "L4_MC", "L4_PC"]


def made(tmp_path, pairs, options=None, net=None, path=100.0, **changes):
    config = small.circuit(tmp_path, small.nodes(5, mtype=MTYPES, **changes))
    n = len(pairs)
    touches = small.touches(pairs, efferent_distance_soma=np.full(n, path) if np.isscalar(path) else path)
    small.write_touches(tmp_path / "edges.h5", touches, 5)
    return touches_to_network(tmp_path / "edges.h5", config, options, net=net)


def table(net: npl.Network, gid: np.ndarray) -> list[tuple[int, int, float, float]]:
    """(source, target, weight, delay) of all synapses, by node ids, sorted."""
    back = {int(g): k for k, g in enumerate(gid)}
    c = net.connections()
    rows = zip(c.source.tolist(), c.target.tolist(), c.weight.tolist(), c.delay.tolist(), strict=True)
    return sorted((back[s], back[t], w, d) for s, t, w, d in rows)


def test_every_touch_is_a_synapse_of_its_connection(tmp_path):
    options = SynapseOptions(survival=1.0, weight_cv=0.0, weight_exc=60.0, weight_inh=-90.0, velocity=200.0, synaptic_delay=0.5, drive=0.0)
    pairs = [(0, 1), (0, 1), (0, 1), (1, 0), (2, 0), (2, 0)]
    path = np.array([100.0, 200.0, 0.0, 333.0, 60.0, 50.0])
    network = made(tmp_path, pairs, options, path=path)
    assert (network.touches, network.connections, network.synapses, network.kept) == (6, 3, 6, 3)
    assert sorted(network.populations) == ["L4_MC I", "L4_PC E"]
    assert len(network.populations["L4_PC E"]) == 3
    # Weights are kept as float32; delays are path / velocity + 0.5 ms on the grid of 0.1 ms: 333 um give 2.165, rounded to 2.2.
    expected = [
        (0, 1, 20.0, 0.5), (0, 1, 20.0, 1.0), (0, 1, 20.0, 1.5), (1, 0, -90.0, 2.2), (2, 0, 30.0, 0.8), (2, 0, 30.0, 0.8),
    ]  # fmt: skip
    assert [tuple(pytest.approx(value) for value in row) for row in expected] == table(network.net, network.gid)


def test_delays_are_on_the_grid_and_at_least_a_step():
    options = SynapseOptions(velocity=300.0, synaptic_delay=0.0)
    found = delays_of(np.array([0.0, 3.0, 30.0, 44.0, 46.0, 3000.0], np.float32), options, 0.1)
    assert found == pytest.approx([0.1, 0.1, 0.1, 0.1, 0.2, 10.0])


def test_classes_come_from_the_file_or_the_name(tmp_path):
    by_name = made(tmp_path / "a", [(0, 1)])
    assert sorted(by_name.populations) == ["L4_MC I", "L4_PC E"]
    by_class = made(tmp_path / "b", [(0, 1)], synapse_class=["INH", "EXC", "INH", "EXC", "INH"])
    assert sorted(by_class.populations) == ["L4_MC E", "L4_PC I"]


def test_survival_is_that_of_the_pathway(tmp_path):
    options = SynapseOptions(survival={"*>*": 1.0, "EXC>*": 0.0, "L4_PC>L4_PC": 1.0}, drive=0.0)
    pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 3), (4, 0), (4, 1)]
    network = made(tmp_path, pairs, options)
    assert [(s, t) for s, t, _, _ in table(network.net, network.gid)] == [(0, 2), (1, 0), (1, 2), (4, 0)]
    found = {row["pathway"]: (row["connections"], row["kept"], row["survival"]) for row in network.pathways}
    assert found == {"L4_PC>L4_MC": (3, 0, 0.0), "L4_PC>L4_PC": (2, 2, 1.0), "L4_MC>L4_PC": (2, 2, 1.0)}
    with pytest.raises(UnknownName, match="L9_PC"):
        made(tmp_path / "x", pairs, SynapseOptions(survival={"L9_PC>*": 0.5}))


def test_kept_connections_are_a_fair_sample_that_depends_on_the_pair_alone():
    source, target = np.divmod(np.arange(200 * 200), 200)
    chance = np.full(len(source), 0.3)
    kept = survives(7, source, target, chance)
    deviation = np.sqrt(0.3 * 0.7 / len(kept))
    assert abs(kept.mean() - 0.3) < 5 * deviation
    by_source = np.bincount(source, kept) / 200
    assert abs(by_source.std() - np.sqrt(0.3 * 0.7 / 200)) < 0.005  # as independent draws
    some = np.random.default_rng(1).permutation(len(source))[:500]
    assert (survives(7, source[some], target[some], chance[some]) == kept[some]).all()
    assert (survives(8, source, target, chance) != kept).any()
    assert (survives(7, target, source, chance) != kept).any()
    more = survives(7, source, target, np.full(len(source), 0.6))
    assert (more | ~kept).all()  # what survives 0.3 survives 0.6


def test_weights_spread_over_connections(tmp_path):
    pairs = sorted((a, b) for a in range(5) for b in range(5) for _ in range(2))
    network = made(tmp_path, pairs, SynapseOptions(survival=1.0, weight_exc=60.0, weight_inh=-120.0, weight_cv=0.4, drive=0.0))
    rows = table(network.net, network.gid)
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert first[2] == second[2]  # touches of a connection share its weight
    assert len({row[2] for row in rows}) == 25
    assert all((weight > 0) == (MTYPES[source] == "L4_PC") for source, _, weight, _ in rows)


def test_mean_and_spread_of_weights_are_those_asked_for():
    from types import SimpleNamespace

    from neuropil.circuit.network import _weights

    source, target = np.divmod(np.arange(300 * 300), 300)
    weights = _weights(SynapseOptions(weight_exc=50.0, weight_cv=0.5), SimpleNamespace(source=source, target=target), np.ones(300, bool))
    assert weights.mean() == pytest.approx(50.0, rel=0.01)
    assert weights.std() / weights.mean() == pytest.approx(0.5, rel=0.03)


def spikes(folder, ranks) -> str:
    net = npl.Network(seed=5, threads=1, ranks=ranks)
    network = touches_to_network(folder / "edges.h5", folder / "circuit_config.json", SynapseOptions(survival=0.5, drive=1.5), net=net)
    record = net.record(sum(list(network.populations.values())[1:], start=next(iter(network.populations.values()))))
    network.run(200.0, progress=False)
    assert len(record) > 20
    return spike_hash(record.steps, record.gids)


def test_spikes_are_the_same_on_any_ranks(tmp_path):
    made(tmp_path, small.random_pairs(np.random.default_rng(1), 200, 5, 5))
    alone = spikes(tmp_path, None)
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: spikes(tmp_path, comm))) == alone


def test_without_touches_there_are_neurons_alone(tmp_path):
    network = made(tmp_path, [])
    assert (network.synapses, network.net.n_connections) == (0, 0)
    network.run(10.0)


@pytest.mark.parametrize(("path", "problem"), [(np.nan, "not finite"), (-1.0, "negative")])
def test_broken_lengths_are_told(tmp_path, path, problem):
    with pytest.raises(BadFile, match=problem):
        made(tmp_path, [(0, 1)], SynapseOptions(survival=1.0), path=path)


def test_what_is_missing_is_told(tmp_path):
    made(tmp_path, [(0, 1)])
    with pytest.raises(BadFile, match=r"there is no circuit configuration .*edges.circuit_config.json; name the one of its nodes"):
        touches_to_network(tmp_path / "edges.h5")
    small.write_nodes(tmp_path / "nodes.h5", small.nodes(1))
    with pytest.raises(BadFile, match="has the node id 1, there are 1 nodes"):
        touches_to_network(tmp_path / "edges.h5", tmp_path)
