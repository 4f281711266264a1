# SPDX-License-Identifier: Apache-2.0
"""Graphs of NIR give what their equations give, step by step: the same spikes, potentials to rounding."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.errors import BadLength, BadParameter, BadType, NotKept
from nir_tests.reference import Reference

nir = pytest.importorskip("nir")

DT = 1e-3


def lif(rng, *shape, **changes):
    given = {"tau": rng.uniform(0.005, 0.02, shape), "r": rng.uniform(5.0, 9.0, shape), "v_leak": rng.uniform(-0.2, 0.1, shape)}
    return nir.LIF(**(given | {"v_threshold": rng.uniform(0.6, 1.2, shape), "v_reset": rng.uniform(-0.3, 0.0, shape)} | changes))


def cuba(rng, *shape):
    times = {"tau_syn": rng.uniform(0.003, 0.01, shape), "tau_mem": rng.uniform(0.005, 0.02, shape)}
    levels = {"v_leak": np.zeros(shape), "v_threshold": rng.uniform(0.6, 1.2, shape), "v_reset": rng.uniform(-0.3, 0.0, shape)}
    return nir.CubaLIF(**times, r=rng.uniform(3.0, 6.0, shape), **levels, w_in=rng.uniform(1.0, 2.0, shape))


def li(rng, n):
    return nir.LI(rng.uniform(0.005, 0.02, n), rng.uniform(1.0, 2.0, n), rng.uniform(-0.5, 0.5, n))


def chain(*nodes, **more):
    """Nodes one after another; more: further nodes."""
    named = {f"n{k}": node for k, node in enumerate(nodes)}
    return nir.NIRGraph(named | more, [(f"n{k}", f"n{k + 1}") for k in range(len(nodes) - 1)], type_check=False)


def ends(*shape):
    return [nir.Input({"input": np.array(shape)}), nir.Output({"output": np.array(shape)})]


def spikes(rng, n, *shape, p=0.15):
    return (rng.random((n, *shape)) < p).astype(int) * rng.integers(1, 3, (n, *shape))


def compare(graph, x, least=10):
    """The network, after its output was compared with the reference."""
    expected = Reference(graph, DT).run(x)
    network = npl.nir.from_nir(graph, DT, threads=1)
    found = network.run(x)
    assert found.shape == expected.shape
    if found.dtype == np.int64:
        assert expected.sum() > least
        np.testing.assert_array_equal(found, expected)
    else:
        assert np.ptp(expected) > 0.1
        np.testing.assert_allclose(found, expected, atol=1e-10)
    return network


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def test_lif_and_affine(rng):
    first, last = ends(6)[0], ends(5)[1]
    weights = nir.Affine(rng.normal(0.3, 0.6, (8, 6)), rng.uniform(0.0, 0.1, 8)), nir.Linear(rng.normal(0.5, 0.5, (5, 8)))
    network = compare(chain(first, weights[0], lif(rng, 8), weights[1], lif(rng, 5), last), x := spikes(rng, 60, 6))
    assert network.latency == 2
    again = network.run(x)
    np.testing.assert_array_equal(again, network.run(x))  # each run begins at rest
    assert network.run(x[:0]).shape == (0, 5)


def test_cuba_lif_and_li(rng):
    nodes = (
        nir.Linear(rng.normal(0.5, 0.8, (8, 6))),
        cuba(rng, 8),
        nir.Affine(rng.normal(0.0, 0.8, (3, 8)), rng.normal(0.0, 0.3, 3)),
        li(rng, 3),
    )
    compare(chain(ends(6)[0], *nodes, ends(3)[1]), spikes(rng, 60, 6, p=0.3))


def test_a_threshold_that_is_met_exactly_is_not_passed():
    cell = nir.LIF(*(np.array([value]) for value in (2 * DT, 2.0, 0.0, 1.0, 0.0)))  # v <- v / 2 + x
    x = np.array([[1], [0], [1], [2], [0]])
    graph = chain(ends(1)[0], nir.Linear(np.eye(1)), cell, ends(1)[1])
    assert npl.nir.from_nir(graph, DT, threads=1).run(x).ravel().tolist() == [0, 0, 1, 1, 0]


def test_delays_and_paths_of_different_length(rng):
    """Two paths to one node; one passes a neuron node, so the other waits for it."""
    first, last = ends(4)[0], ends(4)[1]
    delay = nir.Delay(np.array([0.0, 1.0, 3.0, 7.0]) * DT)
    graph = chain(first, nir.Linear(np.eye(4) * 1.5), lif(rng, 4), nir.Linear(rng.normal(0.6, 0.3, (4, 4))), lif(rng, 4), last)
    graph = nir.NIRGraph(
        {**graph.nodes, "skip": nir.Affine(np.eye(4), np.full(4, 0.1)), "late": delay},
        [*graph.edges, ("n0", "skip"), ("skip", "late"), ("late", "n4")],
    )
    compare(graph, spikes(rng, 60, 4))


@pytest.mark.parametrize("kind", [lif, cuba])
def test_recurrent_spikes_are_those_of_the_step_before(rng, kind):
    graph = chain(ends(6)[0], nir.Linear(rng.normal(0.6, 0.6, (6, 6))), kind(rng, 6), ends(6)[1])
    back = nir.Linear(rng.normal(0.0, 0.6, (6, 6)))
    compare(nir.NIRGraph({**graph.nodes, "back": back}, [*graph.edges, ("n2", "back"), ("back", "n2")]), spikes(rng, 80, 6, p=0.3))


def test_pictures(rng):
    conv = nir.Conv2d((8, 7), rng.normal(0.2, 0.4, (4, 1, 3, 3)), (2, 1), (1, 2), (1, 2), 2, rng.uniform(0.0, 0.05, 4))
    size = conv.output_type["output"]
    pool = nir.SumPool2d(np.array([2, 3]), np.array([2, 2]), np.array([0, 1]))
    pooled = (4, (size[1] - 2) // 2 + 1, (size[2] + 2 - 3) // 2 + 1)
    pool.input_type, pool.output_type = {"input": np.array(size)}, {"output": np.array(pooled)}
    flat = nir.Flatten({"input": np.array(pooled)}, 0, -1)
    conv.input_type = {"input": np.array([2, 8, 7])}
    last = nir.Linear(rng.normal(0.1, 0.3, (3, int(np.prod(pooled)))))
    compare(chain(ends(2, 8, 7)[0], conv, lif(rng, *size), pool, flat, last, lif(rng, 3), ends(3)[1]), spikes(rng, 30, 2, 8, 7, p=0.2))


@pytest.mark.parametrize("kind", [lif, cuba])
def test_there_and_back(rng, kind, tmp_path):
    """A network written as a graph, and the network of this graph, spike alike."""
    graph = chain(
        ends(6)[0],
        nir.Affine(rng.normal(0.5, 0.8, (8, 6)), rng.uniform(0.0, 0.1, 8)),
        kind(rng, 8),
        nir.Linear(rng.normal(0.5, 0.5, (5, 8))),
        kind(rng, 5),
        ends(5)[1],
    )
    back = nir.Linear(rng.normal(0.0, 0.5, (8, 8)))
    graph = nir.NIRGraph({**graph.nodes, "back": back}, [*graph.edges, ("n2", "back"), ("back", "n2")])
    network = npl.nir.from_nir(graph, DT, threads=1)
    nir.write(tmp_path / "x.nir", npl.nir.to_nir(network))
    again = npl.nir.from_nir(tmp_path / "x.nir", DT, threads=1)
    x = spikes(rng, 60, 6, p=0.3)
    late = network.latency  # a written graph has the delays that the network has
    expected = network.run(x)
    assert expected.sum() > 10
    np.testing.assert_array_equal(again.run(np.concatenate([x, np.zeros((late, 6), int)]))[late:], expected)


def test_refusals(rng):
    def make(*nodes):
        return npl.nir.from_nir(chain(ends(2)[0], *nodes, ends(2)[1]), DT)

    cell, one = lif(rng, 2), np.ones(2)
    others = [nir.Scale(one), nir.I(one), nir.IF(one, one), nir.CubaLI(one, one, one, one), nir.Threshold(one), nir.AvgPool2d(*[one] * 3)]
    for node in (*others, nir.Conv1d(8, np.ones((1, 1, 3)), 1, 0, 1, 1, np.zeros(1)), chain(*ends(2))):
        with pytest.raises(BadType, match=rf"node n1.*{type(node).__name__}.*CubaLIF"):
            make(node, cell)
    with pytest.raises(BadParameter, match="before n2"):
        make(nir.Linear(np.eye(2)))
    with pytest.raises(BadParameter, match=r"tau of n1.*above dt"):
        make(lif(rng, 2, tau=np.full(2, DT)))
    with pytest.raises(BadParameter, match=r"delay of n1.*multiple of dt"):
        make(nir.Delay(np.array([DT, 1.5 * DT])), cell)
    with pytest.raises(BadParameter, match="potentials of an LI"):
        make(li(rng, 2), cell)
    with pytest.raises(BadParameter, match="size of n1"):
        npl.nir.from_nir(chain(ends(2)[0], nir.Linear(np.ones((3, 2))), cell, ends(2)[1]), DT)
    graph = chain(ends(2)[0], cell, lif(rng, 2), ends(2)[1])
    with pytest.raises(BadParameter, match=r"a loop over n1, n2.*with a Delay"):
        npl.nir.from_nir(nir.NIRGraph(graph.nodes, [*graph.edges, ("n2", "n1")]), DT)
    network = npl.nir.from_nir(graph, DT)
    with pytest.raises(BadLength, match=r"\(n_steps, 2\)"):
        network.run(np.zeros((5, 3)))
    with pytest.raises(BadParameter, match="whole numbers"):
        network.run(np.full((5, 2), 0.5))
    net = npl.Network(threads=1)
    net.create("iaf_psc_alpha")
    with pytest.raises(NotKept, match="iaf_psc_alpha"):
        npl.nir.to_nir(net)
