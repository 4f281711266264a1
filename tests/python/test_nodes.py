# SPDX-License-Identifier: Apache-2.0
import copy

import numpy as np
import pytest

import neuropil as npl
from neuropil import Network


@pytest.fixture
def exc(net):
    return net.create("iaf_psc_exp", 10)


def test_gids_count_from_one_in_order_of_creation(net, exc):
    inh = net.create("iaf_psc_alpha", 4)
    assert exc.gids.tolist() == list(range(1, 11))
    assert inh.gids.tolist() == [11, 12, 13, 14]
    assert exc.gids.dtype == np.int64
    assert (len(exc), len(inh), net.n_nodes) == (10, 4, 14)
    assert (exc.model, inh.model, (exc + inh).models) == ("iaf_psc_exp", "iaf_psc_alpha", ("iaf_psc_exp", "iaf_psc_alpha"))


@pytest.mark.parametrize(
    "key", [0, -1, slice(2, 5), slice(None, None, 3), slice(None, None, -1), [3, 1, 2], np.array([0, -1]), np.arange(10) % 2 == 0]
)
def test_indexing_like_the_array_of_gids(exc, key):
    assert exc[key].gids.tolist() == np.atleast_1d(exc.gids[key]).tolist()


def test_iteration_gives_nodes_of_length_one(exc):
    singles = list(exc[3:6])
    assert [len(n) for n in singles] == [1, 1, 1]
    assert [n.gids[0] for n in singles] == [4, 5, 6]
    assert singles[1] == exc[4]


def test_union_equality_membership(net, exc):
    inh = net.create("iaf_psc_exp", 5)
    assert exc[:4] + exc[4:] == exc
    assert exc + inh == net.nodes()
    assert (exc[:6] + exc[3:]) == exc, "what is in both is there once"
    assert sum([exc, inh]) == exc + inh
    assert exc[::-1] != exc
    assert exc != net.create("iaf_psc_exp", 10)
    assert 3 in exc.gids
    assert 11 not in exc.gids
    assert exc[2:4] in exc
    assert inh not in exc
    assert "V_m" not in exc
    assert hash(exc[:4] + exc[4:]) == hash(exc)
    assert len({exc, exc[:], inh}) == 2
    assert (exc == 3) is False


def test_an_empty_set(exc):
    nothing = exc[2:2]
    assert len(nothing) == 0
    assert repr(nothing) == "Nodes(none)"
    assert (nothing + exc) == exc
    assert nothing.gids.shape == (0,)


def test_parameters_and_state_as_attributes(exc):
    assert exc.V_m.tolist() == [-70.0] * 10
    exc.V_m = -60.0
    exc[:3].tau_m = [11.0, 12.0, 13.0]
    assert exc.V_m.tolist() == [-60.0] * 10
    assert exc.tau_m.tolist() == [11.0, 12.0, 13.0] + [10.0] * 7
    assert exc[0].V_m.shape == (1,)
    assert exc[[2, 0]].tau_m.tolist() == [13.0, 11.0]


def test_get_and_set_by_name(exc):
    exc.set(V_m=-65.0, t_ref=1.0)
    exc.set({"E_L": -66.0}, C_m=np.full(10, 200.0))
    assert exc.get("E_L").tolist() == [-66.0] * 10
    found = exc.get("V_m", "t_ref", "C_m")
    assert {name: values[0] for name, values in found.items()} == {"V_m": -65.0, "t_ref": 1.0, "C_m": 200.0}
    assert set(exc.get()) == set(npl.describe("iaf_psc_exp").names)


def test_parameters_that_only_fit_together(exc):
    exc.set(V_reset=-50.0, V_th=-40.0)
    assert exc.V_th[0] == -40.0
    with pytest.raises(npl.errors.BadParameter, match="V_reset"):
        exc.set(V_reset=-30.0)


def test_nodes_of_several_models(net, exc):
    both = exc + net.create("iaf_psc_alpha", 3)
    both.V_m = np.arange(13.0) - 80.0
    assert both.V_m.tolist() == (np.arange(13.0) - 80.0).tolist()
    assert both[9:11].V_m.tolist() == [-71.0, -70.0]
    assert "I_syn_ex" in dir(exc)
    assert "I_syn_ex" in both.get() or "I_syn_ex" not in npl.describe("iaf_psc_alpha").names


def test_array_parameters_of_devices(net):
    generator = net.create("spike_generator", spike_times=[1.0, 2.5])
    assert generator.spike_times.tolist() == [1.0, 2.5]
    generator.spike_times = [3.0]
    assert generator.get("spike_times").tolist() == [3.0]
    two = net.create("spike_generator", 2, spike_times=[4.0])
    assert [list(times) for times in two.spike_times] == [[4.0], [4.0]]
    steps = net.create("step_current_generator", amplitude_times=[1.0, 2.0], amplitude_values=[5.0, 6.0])
    steps.set(amplitude_times=[3.0], amplitude_values=[7.0], stop=9.0)
    assert (steps.amplitude_times.tolist(), steps.amplitude_values.tolist(), steps.stop.tolist()) == ([3.0], [7.0], [9.0])


def test_a_refused_array_leaves_all_as_it_was(net):
    steps = net.create("step_current_generator", 2, amplitude_times=[1.0], amplitude_values=[5.0])
    with pytest.raises(npl.errors.BadLength):
        steps.set(amplitude_times=[3.0, 4.0], stop=50.0)
    assert steps.stop.min() > 50.0
    assert [times.tolist() for times in steps.amplitude_times] == [[1.0], [1.0]]


def test_draws_are_keyed_by_gid_and_count_per_network():
    a, b = (Network(seed=3, threads=threads) for threads in (1, 2))
    whole = a.create("iaf_psc_exp", 100, V_m=npl.normal(-65.0, 5.0))
    other = b.create("iaf_psc_exp", 100)
    other[50:].V_m = npl.normal(-65.0, 5.0)
    assert other.V_m[50:].tolist() == whole.V_m[50:].tolist(), "first draw, same gids"
    first = whole.V_m
    whole.V_m = npl.normal(-65.0, 5.0)
    assert not np.isin(whole.V_m, first).any(), "the second draw is another one"
    assert Network(seed=4).create("iaf_psc_exp", 100, V_m=npl.normal(-65.0, 5.0)).V_m.tolist() != first.tolist()


def test_completion_and_repr(net, exc):
    assert {"V_m", "tau_m", "gids", "get"} <= set(dir(exc))
    assert not any(name.startswith("_") for name in dir(exc))
    assert repr(exc) == "Nodes(10 iaf_psc_exp; gids 1..10)"
    assert repr(exc[::3]) == "Nodes(4 iaf_psc_exp; gids 1..10 step 3)"
    assert repr(exc[4]) == "Nodes(1 iaf_psc_exp; gids 5)"
    assert repr(exc[2:4] + net.create("parrot_neuron", 2)) == "Nodes(2 iaf_psc_exp, 2 parrot_neuron; gids 3..4, 11..12)"
    assert repr(exc[[0, 2, 3, 6, 7, 9, 1, 5]]).endswith("...)") or len(exc[[0, 2, 3, 6, 7, 9, 1, 5]]._ranges.table) <= 4


def test_nodes_of_a_network(net, exc):
    device = net.create("dc_generator")
    more = net.create("iaf_psc_exp", 2)
    assert net.nodes() == exc + more
    assert net.nodes("iaf_psc_exp") == exc + more
    assert net.nodes("dc_generator") == device
    assert net.nodes("izhikevich").gids.tolist() == []
    assert net.nodes(gids=[3, 1]) == exc[[2, 0]]


def test_copies_are_the_same_nodes(exc):
    assert copy.copy(exc) == copy.deepcopy([exc])[0] == exc


def test_numpy_sees_gids(exc):
    assert np.asarray(exc[:3]).tolist() == [1, 2, 3]
    assert np.isin(5, exc)


@pytest.mark.parametrize("slices", [slice(3, 20000), slice(0, 20000, 7), slice(None, None, -1)])
def test_large_sets_over_many_populations(slices):
    net = Network(threads=1)
    parts = [net.create("iaf_psc_exp" if k % 2 else "parrot_neuron", 1000) for k in range(20)]
    everyone = sum(parts)[slices]
    counts = {entry.name: n for entry, n in everyone._parts()}
    gids = everyone.gids
    odd = ((gids - 1) // 1000) % 2 == 1
    assert counts == {"iaf_psc_exp": odd.sum(), "parrot_neuron": (~odd).sum()}
