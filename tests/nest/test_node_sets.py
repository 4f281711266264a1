# SPDX-License-Identifier: Apache-2.0
"""NodeCollection is a set of ids in ascending order: its operations against lists and sets of Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil.nest as nest

SIZES = (7, 1, 12, 5)
MODELS = ("iaf_psc_exp", "parrot_neuron", "iaf_psc_alpha", "iaf_psc_exp")
IDS = list(range(1, sum(SIZES) + 1))
subsets = st.sets(st.sampled_from(IDS), min_size=1)
slices = st.tuples(st.integers(-25, 24), st.integers(-25, 25), st.integers(1, 6))
fast = settings(deadline=None, max_examples=60)


@pytest.fixture(scope="module", autouse=True)
def network():
    nest.ResetKernel()
    for model, size in zip(MODELS, SIZES, strict=True):
        nest.Create(model, size)
    yield
    nest.ResetKernel()


def collection(ids):
    return nest.NodeCollection(sorted(ids))


@fast
@given(subsets)
def test_is_the_sorted_list_of_its_ids(ids):
    nodes, expected = collection(ids), sorted(ids)
    assert nodes.tolist() == expected
    assert len(nodes) == len(expected)
    assert [node.global_id for node in nodes] == expected
    assert np.array_equal(np.array(nodes), expected)
    assert nodes == collection(expected)
    assert [id_ in nodes for id_ in IDS] == [id_ in ids for id_ in IDS]


@fast
@given(subsets)
def test_index_is_the_inverse_of_indexing(ids):
    nodes = collection(ids)
    for position, id_ in enumerate(sorted(ids)):
        assert nodes.index(id_) == position
        assert nodes[position].tolist() == [id_]
        assert nodes[position - len(ids)].tolist() == [id_]
    for absent in set(IDS) - ids:
        with pytest.raises(ValueError):
            nodes.index(absent)


@fast
@given(subsets, slices)
def test_slices_are_those_of_lists_or_errors(ids, part):
    start, stop, step = part
    nodes, expected = collection(ids), sorted(ids)
    if -len(ids) <= start < len(ids) and -len(ids) <= stop <= len(ids) and expected[start:stop]:
        assert nodes[start:stop:step].tolist() == expected[start:stop:step]
    else:
        with pytest.raises((IndexError, nest.NESTErrors.BadParameter)):
            nodes[start:stop:step]


@fast
@given(subsets, st.data())
def test_positions_and_masks(ids, data):
    nodes, expected = collection(ids), np.array(sorted(ids))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids))))
    assert nodes[mask].tolist() == expected[mask].tolist()
    positions = np.flatnonzero(mask)
    assert nodes[positions].tolist() == nodes[positions.tolist()].tolist() == expected[mask].tolist()


@fast
@given(subsets, subsets)
def test_sums_are_unions_of_disjoint_sets(first, second):
    if first & second:
        with pytest.raises(nest.NESTErrors.BadProperty):
            collection(first) + collection(second)
    else:
        assert (collection(first) + collection(second)).tolist() == sorted(first | second)
        assert collection(first) + collection(second) == collection(second) + collection(first) == collection(first | second)


@fast
@given(subsets, subsets)
def test_equality_is_that_of_sets(first, second):
    assert (collection(first) == collection(second)) == (first == second)
    assert (collection(first) != collection(second)) == (first != second)


@fast
@given(subsets)
def test_models_are_those_of_the_ids(ids):
    expected = [MODELS[np.searchsorted(np.cumsum(SIZES), id_)] for id_ in sorted(ids)]
    found = collection(ids).model
    assert list(map(str, [found] if len(ids) == 1 else found)) == expected


@fast
@given(st.sets(st.integers(1, 7), min_size=1), st.data())
def test_values_go_to_their_nodes(ids, data):
    values = data.draw(st.lists(st.floats(-80.0, -56.0), min_size=len(ids), max_size=len(ids)))
    first = nest.NodeCollection(list(range(1, 8)))
    first.V_m = -70.0
    collection(ids).V_m = values if len(ids) > 1 else values[0]
    expected = dict(zip(sorted(ids), values, strict=True))
    assert list(first.V_m) == [expected.get(id_, -70.0) for id_ in range(1, 8)]
