# SPDX-License-Identifier: Apache-2.0
"""Functions of `nest` on nodes in space, files and pictures. Expected values: as NEST 3.10 gives them."""

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.spatial import distance, free, grid

ERRORS = nest.NESTErrors


@pytest.fixture
def layer():
    nest.ResetKernel()
    return nest.Create("iaf_psc_alpha", positions=grid([5, 5], extent=[5.0, 5.0], edge_wrap=True))


@pytest.fixture
def other(layer):
    return nest.Create("iaf_psc_alpha", positions=grid([5, 5], extent=[5.0, 5.0], center=[1.0, 0.0]))


@pytest.fixture
def placeless(layer):
    return nest.Create("iaf_psc_alpha", 3)


def test_displacement_and_distance(layer, other):
    assert nest.Displacement(layer[0], layer[12]) == [[-2.0, 2.0]]  # between nodes: from - to
    assert nest.Displacement([[0.0, 0.0]], layer[0]) == [[-2.0, 2.0]]  # from a position: node - position
    assert nest.Displacement(layer[0], layer[:3]) == [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]]
    assert nest.Displacement(layer[24], other[0]) == [[-2.0, 1.0]]  # the first layer says whether edges are joined
    assert nest.Displacement(other[0], layer[24]) == [[-3.0, 4.0]]
    assert nest.Displacement([(7.4, 0.0)], layer[0]) == [[pytest.approx(0.6), 2.0]]
    assert nest.Displacement([[2.5, 0.0]], layer[12]) == nest.Displacement([[-2.5, 0.0]], layer[12]) == [[-2.5, 0.0]]
    assert nest.Distance(layer[:3], layer[0]) == [0.0, 1.0, 2.0]
    assert nest.Distance([[0.0, 0.0], [1.0, 1.0]], layer[:2]) == [8.0**0.5, 2.0]
    assert nest.Distance(np.array([0.0, 0.0]), layer[0]) == [8.0**0.5]


def test_displacement_from_several_positions_to_one_node(layer):
    """NEST gives the first one only."""
    assert nest.Displacement([[0.0, 0.0], [1.0, 1.0]], layer[0]) == [[-2.0, 2.0], [2.0, 1.0]]


def test_errors_of_distances(layer, placeless):
    for call, error in [
        (lambda: nest.Distance(layer[:3], layer[:2]), ValueError),
        (lambda: nest.Distance([], layer), ValueError),
        (lambda: nest.Distance(layer[0], [[0.0, 0.0]]), TypeError),
        (lambda: nest.Distance([0.0, 0.0], layer[0]), TypeError),
        (lambda: nest.Distance([[0.0, 0.0, 0.0]], layer[0]), ERRORS.BadProperty),
        (lambda: nest.Displacement(placeless[0], layer[0]), ERRORS.LayerExpected),
        (lambda: nest.Displacement(3, layer[0]), TypeError),
        (lambda: nest.GetPosition(placeless), ERRORS.LayerExpected),
        (lambda: nest.GetPosition([1, 2]), TypeError),
    ]:
        with pytest.raises(error):
            call()


def test_nearest(layer):
    assert nest.FindNearestElement(layer, [0.4, 0.4]).tolist() == [13]
    assert nest.FindNearestElement(layer, [0.5, 0.5]).tolist() == [12]
    assert [n.tolist() for n in nest.FindNearestElement(layer, [0.5, 0.5], True)] == [[12], [13], [17], [18]]
    assert [n.tolist() for n in nest.FindNearestElement(layer, [[0.4, 0.4], [1.0, 1.0]])] == [[13], [17]]
    assert nest.FindNearestElement(layer, [[0.4, 0.4]]).tolist() == [13]
    assert nest.FindNearestElement(layer[::2], [-1.0, 2.0]).tolist() == [1]
    assert nest.FindNearestElement(layer, [100.0, 0.0]).tolist() == [13]
    assert nest.FindCenterElement(layer).tolist() == [13]
    for call, error in [
        (lambda: nest.FindNearestElement(layer, 3), TypeError),
        (lambda: nest.FindNearestElement(3, [0.0, 0.0]), TypeError),
        (lambda: nest.FindNearestElement(layer, [0.0, 0.0, 0.0]), ERRORS.BadProperty),
    ]:
        with pytest.raises(error):
            call()


def test_select_by_mask(layer, placeless):
    disc = nest.CreateMask("circular", {"radius": 1.0})
    assert nest.SelectNodesByMask(layer, [0.0, 0.0], disc).tolist() == [8, 12, 13, 14, 18]
    assert nest.SelectNodesByMask(layer, [7.0, 2.0], disc).tolist() == [1, 16, 21, 22, 25]
    assert nest.SelectNodesByMask(layer[::2], (0, 0), disc).tolist() == [8, 12, 13, 14, 18]
    assert nest.SelectNodesByMask(layer, [0.0, 0.0], disc).spatial is None
    cells = nest.CreateMask("grid", {"shape": [2, 3]}, anchor=[1, 1])
    assert nest.SelectNodesByMask(layer, [0.4, 0.4], cells).tolist() == [7, 8, 9, 12, 13, 14]
    for call, error in [
        (lambda: nest.SelectNodesByMask(layer, [0.0, 0.0, 0.0], disc), ERRORS.TypeMismatch),
        (lambda: nest.SelectNodesByMask(layer, [0.0, 0.0], nest.CreateMask("spherical", {"radius": 1.0})), ERRORS.BadProperty),
        (lambda: nest.SelectNodesByMask(layer, [0.0, 0.0], nest.CreateMask("circular", {"radius": 3.0})), ERRORS.BadProperty),
        (lambda: nest.SelectNodesByMask(placeless, [0.0, 0.0], disc), ERRORS.LayerExpected),
        (lambda: nest.SelectNodesByMask(3, [0.0, 0.0], disc), TypeError),
        (lambda: nest.SelectNodesByMask(layer, 0, disc), TypeError),
    ]:
        with pytest.raises(error):
            call()


def connected(layer, other):
    spec = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.1}}}
    nest.Connect(layer, other, spec, {"weight": distance + 1, "delay": 1.0 + distance.x})
    nest.Connect(layer[0], layer[0], syn_spec="stdp_synapse")


def test_partners(layer, other, placeless):
    connected(layer, other)
    assert [n.tolist() for n in nest.GetTargetNodes(layer[:2], other)] == [[26], [27]]
    assert [n.tolist() for n in nest.GetSourceNodes(layer, other[:2])] == [[1, 6, 7, 11], [2, 6, 7, 8, 12]]
    assert nest.GetTargetPositions(layer[:2], other) == [[[-1.0, 2.0]], [[-1.0, 1.0]]]
    assert nest.GetSourcePositions(layer, other[0]) == [[[-2.0, 2.0], [-1.0, 2.0], [-1.0, 1.0], [0.0, 2.0]]]
    assert [len(n) for n in nest.GetTargetNodes(layer[0], layer, "static_synapse")] == [0]
    assert [n.tolist() for n in nest.GetTargetNodes(layer[0], layer, "stdp_synapse")] == [[1]]
    assert nest.GetTargetPositions(layer[1], layer) == [[]]
    for call, error in [
        (lambda: nest.GetTargetNodes(3, layer), TypeError),
        (lambda: nest.GetTargetNodes(layer[0], 3), TypeError),
        (lambda: nest.GetTargetNodes(layer[0], layer, "foo"), ERRORS.UnknownSynapseType),
        (lambda: nest.GetTargetPositions(layer[0], placeless), ERRORS.LayerExpected),
    ]:
        with pytest.raises(error):
            call()


def test_files(layer, other, placeless, tmp_path):
    connected(layer, other)
    path = tmp_path / "nodes.txt"
    nest.DumpLayerNodes(other[1:], str(path))  # the whole layer, as in NEST
    assert path.read_text().splitlines()[:2] == ["26 -1 2", "27 -1 1"]
    nest.DumpLayerConnections(layer, other, "static_synapse", str(path))
    lines = path.read_text().splitlines()
    assert lines[0] == "1 26 2 2 1 0"
    assert lines[5:8] == ["6 26 1 1 0 0", "6 27 2 1 0 -1", "6 31 2 2 1 0"]
    nest.DumpLayerConnections(layer, other, "stdp_synapse", str(path))
    assert path.read_text() == ""
    thirds = nest.Create("iaf_psc_alpha", positions=grid([3, 3]))
    nest.DumpLayerNodes(thirds, str(path))
    assert path.read_text().splitlines()[1].endswith("-0.333333 2.77556e-17")
    for call, error in [
        (lambda: nest.DumpLayerNodes(placeless, str(path)), ERRORS.LayerExpected),
        (lambda: nest.DumpLayerNodes(3, str(path)), TypeError),
        (lambda: nest.DumpLayerConnections(layer, placeless, "static_synapse", str(path)), ERRORS.LayerExpected),
        (lambda: nest.DumpLayerConnections(layer, other, "foo", str(path)), ERRORS.UnknownSynapseType),
    ]:
        with pytest.raises(error):
            call()


# --- pictures


def drawn(figure):
    """Numbers of points in each group of dots, in order of drawing."""
    figure.canvas.draw()
    return [len(c.get_offsets()) for c in figure.axes[0].collections if len(c.get_offsets()) and c.get_array() is None]


def test_pictures(layer, other):
    import matplotlib.pyplot as plt

    connected(layer, other)
    figure = nest.PlotLayer(layer)
    assert drawn(figure) == [25]
    assert np.allclose(figure.axes[0].get_xlim(), (-2.75, 2.75))
    assert drawn(nest.PlotTargets(layer[11], other, fig=figure)) == [25, 5, 1]
    masks = [{"circular": {"radius": 1.1}}, {"grid": {"shape": [2, 2]}}, nest.CreateMask("circular", {"radius": 1.0}, [1.0, 0.0])]
    for mask in masks:
        figure = nest.PlotSources(layer, other[6], mask=mask, probability_parameter=nest.spatial_distributions.gaussian(distance))
        assert len(figure.axes) == 2  # with a colour bar
        assert np.allclose(figure.axes[0].images[0].get_array().max(), 1.0, atol=0.02)
    nest.PlotProbabilityParameter(layer[12], mask={"doughnut": {"inner_radius": 0.1, "outer_radius": 0.3}})
    deep = nest.Create("iaf_psc_alpha", positions=free([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    nest.Connect(deep, deep)
    assert nest.PlotTargets(deep[0], deep).axes[0].name == "3d"
    with pytest.warns(UserWarning, match="2 dimensions"):
        nest.PlotTargets(deep[0], deep, mask={"spherical": {"radius": 1.0}})
    plt.close("all")


def test_errors_of_pictures(layer, other, placeless):
    for call, error in [
        (lambda: nest.PlotLayer(3), TypeError),
        (lambda: nest.PlotLayer(placeless), ERRORS.LayerExpected),
        (lambda: nest.PlotTargets(layer[:2], layer), TypeError),
        (lambda: nest.PlotSources(layer, 3), TypeError),
        (lambda: nest.PlotTargets(placeless[0], layer), ERRORS.LayerExpected),
        (lambda: nest.PlotProbabilityParameter(layer[0]), ValueError),
    ]:
        with pytest.raises(error):
            call()


def test_a_network_as_a_picture(tmp_path):
    nest.ResetKernel()
    cells = nest.Create("parrot_neuron", 4)
    nest.Connect(cells[:2], cells[2:])
    nest.visualization.plot_network(cells[:3], str(tmp_path / "network.png"), ext_conns=True, plot_modelnames=True)
    assert (tmp_path / "network.png").stat().st_size > 1000
    for raises, wrong in [
        (TypeError, lambda: nest.visualization.plot_network([1], "network.png")),
        (ValueError, lambda: nest.visualization.plot_network(cells, "network.xyz")),
        (ERRORS.BadParameter, lambda: nest.visualization.plot_network(nest.Create("parrot_neuron", 300), "network.png")),
    ]:
        with pytest.raises(raises):
            wrong()
