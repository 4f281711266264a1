# SPDX-License-Identifier: Apache-2.0
"""NodeCollections behave as ascending sets of ids: compared with Python's sets and lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil.nest as nest

N = 40  # nodes 1..25 of one model, 26..40 of another
settings.register_profile("neuropil", deadline=None)
settings.load_profile("neuropil")
subsets = st.sets(st.integers(1, N), min_size=1)


@pytest.fixture(autouse=True, scope="module")
def network():
    nest.ResetKernel()
    nest.Create("iaf_psc_exp", 25)
    nest.Create("parrot_neuron", 15)
    yield
    nest.ResetKernel()


@given(subsets)
def test_ids_go_in_and_come_out(ids):
    nodes = nest.NodeCollection(sorted(ids))
    assert nodes.tolist() == sorted(ids) == [node.global_id for node in nodes] == np.array(nodes).tolist()
    assert len(nodes) == len(ids)
    assert all((k in nodes) == (k in ids) for k in range(N + 2))
    assert [nodes.index(k) for k in sorted(ids)] == list(range(len(ids)))


@given(subsets, subsets)
def test_sum_is_the_union_of_disjoint_sets(a, b):
    first, second = nest.NodeCollection(sorted(a)), nest.NodeCollection(sorted(b))
    if a & b:
        with pytest.raises(nest.NESTErrors.BadProperty):
            first + second
    else:
        assert (first + second).tolist() == (second + first).tolist() == sorted(a | b)
        assert first + second == sum([second, first])


@given(subsets, st.data())
def test_slices_are_those_of_lists(ids, data):
    nodes, listed = nest.NodeCollection(sorted(ids)), sorted(ids)
    n = len(listed)
    start, stop, step = data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, n)), data.draw(st.integers(1, 5))
    if start < stop:
        assert nodes[start:stop:step].tolist() == listed[start:stop:step]
        assert nodes[start - n : stop].tolist() == listed[start:stop]
    else:
        with pytest.raises(nest.NESTErrors.BadParameter):
            nodes[start:stop]


@given(subsets, st.data())
def test_positions_and_masks_select(ids, data):
    nodes, listed = nest.NodeCollection(sorted(ids)), np.array(sorted(ids))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(listed), max_size=len(listed))))
    assert nodes[mask].tolist() == nodes[mask.tolist()].tolist() == listed[mask].tolist()
    assert nodes[np.flatnonzero(mask)].tolist() == listed[mask].tolist()
    k = data.draw(st.integers(-len(listed), len(listed) - 1))
    assert nodes[k].tolist() == [listed[k]]


@given(subsets, subsets)
def test_equal_means_the_same_ids(a, b):
    assert (nest.NodeCollection(sorted(a)) == nest.NodeCollection(sorted(b))) == (a == b)


@settings(max_examples=30)
@given(subsets)
def test_values_of_mixed_models(ids):
    nodes = nest.NodeCollection(sorted(ids))
    found = nodes.get(["model", "global_id"])
    models = [found["model"]] if len(ids) == 1 else found["model"]
    assert list(models) == ["iaf_psc_exp" if k <= 25 else "parrot_neuron" for k in sorted(ids)]
    if min(ids) > 25:
        with pytest.raises(KeyError):
            nodes.get("V_m")
    else:
        values = nodes.get("V_m") if len(ids) > 1 else (nodes.get("V_m"),)
        assert [value is None for value in values] == [k > 25 for k in sorted(ids)]


@pytest.mark.parametrize(
    "key", [slice(0, 41), slice(40, None), slice(-41, 3), slice(0, 5, 0), slice(None, None, -1), 40, -41, [40], 1.0, "a", [True]]
)
def test_bad_index(key):
    with pytest.raises(IndexError):
        nest.GetNodes()[key]


@pytest.mark.parametrize(
    ("key", "error"), [([1, 1], ValueError), ([1, 0], nest.NESTErrors.BadProperty), ([1.0], TypeError), ([True, 0], TypeError)]
)
def test_bad_list_of_positions(key, error):
    with pytest.raises(error):
        nest.GetNodes()[key]


@pytest.mark.parametrize(("ids", "error"), [([2, 1], "BadProperty"), ([1, 1], "BadProperty"), ([41], "UnknownNode"), ([0], "UnknownNode")])
def test_ids_that_make_no_collection(ids, error):
    with pytest.raises(getattr(nest.NESTErrors, error)):
        nest.NodeCollection(ids)


def test_descriptions():
    cells = nest.NodeCollection(range(1, 26))
    assert str(cells) == repr(cells) == "NodeCollection(metadata=None, model=iaf_psc_exp, size=25, first=1, last=25)"
    assert str(nest.NodeCollection()) == "NodeCollection(<empty>)"
    assert "step=2" in str(cells[::2])
    assert str(cells[:2] + nest.NodeCollection([26])).count("model=") == 2


def test_collections_are_neither_numbers_nor_keys():
    nodes = nest.GetNodes()
    with pytest.raises(TypeError):
        nodes + 1
    with pytest.raises(TypeError):
        hash(nodes)
    with pytest.raises(NotImplementedError):
        nodes == 3  # noqa: B015
    with pytest.raises(TypeError):
        nodes in nodes  # noqa: B015


def test_position_of_an_id_is_that_in_the_list():
    a, _, b = nest.Create("iaf_psc_alpha", 20), nest.Create("poisson_generator", 3), nest.Create("iaf_psc_exp", 10)
    drawn = nest.NodeCollection(sorted(np.random.default_rng(0).choice(np.arange(1, 34), 12, replace=False).tolist()))
    parts = [
        a,
        b,
        a + b,
        a[::3],
        (a + b)[::2],
        drawn,
        a[3:4],
        a[:3] + a[10:],
        nest.NodeCollection([1, 3, 5]) + nest.NodeCollection([2, 4, 8]),
    ]
    for nodes in (*parts, nest.NodeCollection([])):
        ids = nodes.tolist()
        for gid in range(-2, 40):
            assert (gid in nodes) == (gid in ids)
            if gid in ids:
                assert nodes.index(gid) == ids.index(gid)
            else:
                with pytest.raises(ValueError, match="not in"):
                    nodes.index(gid)


def test_one_dict_for_all_and_whole_floats():
    cells = nest.Create("iaf_psc_alpha", 3)
    cells.set([{"V_m": -61.0}])
    assert cells.V_m == (-61.0, -61.0, -61.0)
    with pytest.raises(nest.NESTErrors.BadParameter, match="same size"):
        cells.set([{"V_m": -61.0}, {"V_m": -62.0}])
    assert nest.NodeCollection(np.array([1.0, 3.0])).tolist() == [1, 3]
    with pytest.raises(TypeError, match="integers"):
        nest.NodeCollection([1.5, 2.0])


def test_a_slice_over_models_is_not_added_as_a_whole():
    """NEST adds all nodes of the composite that was sliced."""
    cells, relays = nest.NodeCollection(range(1, 26)), nest.NodeCollection(range(26, 41))
    for part in (cells[::2], (cells + relays)[20:30]):
        with pytest.raises(nest.NESTErrors.BadProperty, match="sliced composite"):
            relays[10:] + part


@pytest.mark.parametrize("given", [[1, 2], [{}, 3], "xy"])
def test_parameters_are_dicts(given):
    with pytest.raises(TypeError, match="dict"):
        nest.NodeCollection([1, 2]).set(given)


def test_a_value_without_a_name_is_refused():
    with pytest.raises(TypeError, match="name of one parameter"):
        nest.SetStatus(nest.NodeCollection([1, 2]), {}, 3.0)


def test_collections_of_a_kernel_that_was_reset_equal_those_with_the_same_ids_of_the_same_models():
    nest.ResetKernel()
    old, others = nest.Create("iaf_psc_alpha", 4), nest.Create("parrot_neuron", 2)
    in_space = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([2, 2]))
    older, part = old + others, old[:2]
    nest.ResetKernel()
    new, more = nest.Create("iaf_psc_alpha", 4), nest.Create("iaf_psc_alpha", 2)
    again = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([2, 2]))
    assert old == new
    assert new == old
    assert (old != new) is False
    assert part == new[:2]
    assert new in [others, old]
    assert others != more
    assert older != new + more
    assert in_space != again
    nest.ResetKernel()
    assert old == new
    nest.Create("parrot_neuron", 4)
    assert old != nest.NodeCollection([1, 2, 3, 4])
    with pytest.raises(nest.NESTErrors.KernelException):
        old.get("V_m")
    with pytest.raises(NotImplementedError, match="list"):
        _ = old == [1, 2, 3, 4]


@pytest.mark.parametrize("key", ["post_trace", "archiver_length"])
def test_what_the_archive_of_neurons_holds_in_nest_is_refused_by_name(key):
    cells = nest.Create("iaf_psc_alpha", 2)
    for read in (lambda: cells.get(key), lambda: getattr(cells, key), lambda: nest.GetStatus(cells, key), lambda: cells.get(["V_m", key])):
        with pytest.raises(nest.NotSupported, match=key):
            read()
    with pytest.raises(KeyError, match="unknown"):
        cells.get("unknown")
