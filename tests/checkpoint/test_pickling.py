# SPDX-License-Identifier: Apache-2.0
"""Python objects in checkpoints: what comes back is what was given, and nothing but data is written or made."""

import collections
import contextlib
import pickle
import pickletools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuropil as npl
from neuropil.checkpoint.pickling import dumped, loaded
from neuropil.errors import BadType

plain = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary() | st.complex_numbers(allow_nan=False)
)
data = st.recursive(
    plain | st.frozensets(st.integers()) | st.sets(st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


def there_and_back(value, network=None):
    content, arrays = dumped(value, network)
    found, finish = loaded(content, [array.copy() for array in arrays], network)
    finish()
    return found


@given(data)
def test_plain_data(value):
    assert there_and_back(value) == value


def test_other_data():
    value = {
        "path": Path("a/b"),
        "deque": collections.deque([1, 2], 5),
        "ordered": collections.OrderedDict(b=1, a=2),
        "range": range(3, 9, 2),
        "bytearray": bytearray(b"\x96x"),
        "slice": slice(1, None, 2),
        "float64": np.float64(0.1),
        "int8": np.int8(-3),
        "dtype": np.dtype("<f4"),
    }
    found = there_and_back(value)
    assert found == value
    assert {k: type(v) for k, v in found.items()} == {k: type(v) for k, v in value.items()}


def test_arrays():
    base = np.arange(12.0).reshape(3, 4)
    frozen = np.array(["a", "bc"])
    frozen.flags.writeable = False
    value = [base, base, base.T, frozen, np.array(3), np.empty((0, 2), "<i4"), np.asfortranarray(base), base[:, ::2]]
    found = there_and_back(value)
    for a, b in zip(found, value, strict=True):
        assert type(a) is np.ndarray
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
        assert a.flags.writeable == b.flags.writeable
    assert found[0] is found[1]


class Own:
    pass


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Own(), "Own"),
        ([{"x": (Own(),)}], "Own"),
        (Own, "Own"),
        (there_and_back, "there_and_back"),
        (lambda: 1, "lambda"),
        (print, "print"),
        (np.array([Own()]), "object"),
        (np.zeros(2, [("a", "i4")]), "a"),
        (np.sin, "ufunc"),
        (np.random.default_rng(1), "Generator"),
        (npl, "module"),
        (collections.ChainMap(), "ChainMap"),
        (npl.distance, "Distance"),
        (npl.space.circle(1.0), "Ball"),
    ],
)
def test_what_is_refused_is_named(value, name):
    with pytest.raises(BadType, match=name) as error:
        dumped({"mine": value}, None)
    assert error.value.parameter == "extra"


def test_too_deep():
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(BadType, match="too deep"):
        dumped(value, None)


class Evil:
    def __reduce__(self):
        return Path.touch, (Path("/tmp/evil"),)


@pytest.mark.parametrize("protocol", range(6))
def test_no_class_or_function_is_looked_up(protocol):
    for value in (Evil(), npl.Network, print, np.zeros(3), collections.Counter()):
        with pytest.raises(ValueError, match=r"not allowed in a checkpoint|UnpicklingError|bytearray"):
            loaded(pickle.dumps(value, protocol), [], None)


def test_byte_arrays_of_others():
    with pytest.raises(ValueError, match="bytearray"):
        loaded(pickle.dumps(bytearray(b"abc"), 5), [], None)


def test_no_names_of_classes_in_the_bytes(net):
    nodes = net.create("iaf_psc_exp", 5)
    content, _ = dumped({"record": net.record(nodes), "nodes": nodes, "distribution": npl.normal(1.0, 2.0)}, net)
    operations = {op.name for op, _, _ in pickletools.genops(content)}
    assert not operations & {"GLOBAL", "STACK_GLOBAL", "INST", "OBJ", "EXT1", "EXT2", "EXT4"}
    assert b"neuropil" not in content


@given(st.binary(max_size=200))
def test_random_bytes(content):
    with contextlib.suppress(ValueError):
        loaded(content, [], None)


def test_live_objects_are_those_of_the_other_network(net):
    nodes = net.create("iaf_psc_exp", 5, name="E")
    projection = net.connect(nodes, nodes, npl.pairwise_bernoulli(0.5), weight=npl.normal(1.0, 0.1), delay=1.0, name="x")
    value = {"nodes": nodes[::2], "projection": projection, "spikes": net.record(nodes), "trace": net.record(nodes, "V_m")}
    content, arrays = dumped(value, net)
    other = npl.Network()
    other.create("iaf_psc_exp", 5, name="E")
    found, _ = loaded(content, arrays, other)
    assert found["nodes"].network is other
    assert found["nodes"].gids.tolist() == [1, 3, 5]
    assert found["projection"].name == "x"
    assert found["projection"].pre.network is other
    assert repr(found["projection"]) == repr(projection)
    assert found["spikes"]._recorder == value["spikes"]._recorder


def test_nodes_of_another_network(net):
    nodes = net.create("iaf_psc_exp", 5)
    with pytest.raises(BadType, match="Network"):
        dumped(nodes, npl.Network())


def test_results_as_data():
    spikes = npl.results.Spikes([1.0, 2.0], [3, 4], start=0.0, stop=5.0, resolution=0.1, seed=3)
    found = there_and_back(spikes)
    assert type(found) is npl.results.Spikes
    assert repr(found) == repr(spikes)
    assert np.array_equal(found.times, spikes.times)
    trace = npl.results.TraceData([1.0, 2.0], np.ones((2, 1, 1)), [4], ["V_m"])
    assert np.array_equal(there_and_back(trace).values, trace.values)
