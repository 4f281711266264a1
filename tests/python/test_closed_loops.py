# SPDX-License-Identifier: Apache-2.0
"""What closed loops read and set at each of their steps: the spikes since a time, and parameters given as plain numbers."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.errors import BadLength, BadParameter, NeuropilError, Stale
from neuropil.results import SpikeRecord, Spikes

RESOLUTION = 0.1


def network(threads: int = 1, delay: float = 1.5) -> tuple[npl.Network, dict[str, npl.Nodes]]:
    """Neurons on the grid and off it in slices that they share, and generators."""
    net = npl.Network(resolution=RESOLUTION, seed=3, threads=threads)
    nodes = {
        "grid": net.create("iaf_psc_exp", 70, I_e=npl.normal(500.0, 60.0)),
        "precise": net.create("iaf_psc_alpha_ps", 30, I_e=npl.normal(500.0, 60.0)),
        "poisson": net.create("poisson_generator", 5, rate=300.0),
    }
    net.connect(nodes["grid"], nodes["precise"], npl.fixed_indegree(5), weight=20.0, delay=delay)
    return net, nodes


def kept_and_fresh(net: npl.Network, nodes: npl.Nodes, gather: bool = True) -> tuple[SpikeRecord, Spikes]:
    """A record that was not read in this step, and all that it holds."""
    record = net.record(nodes)
    net.run(120.0)
    return record.view(gather), record.view(gather).copy()


@pytest.mark.parametrize("which", ["grid", "precise", "all", "poisson"])
@pytest.mark.parametrize(("threads", "gather"), [(1, True), (2, True), (2, False)])
def test_what_is_read_since_a_time_is_what_a_selection_of_all_has(which, threads, gather):
    net, nodes = network(threads)
    chosen = nodes["grid"][::-3] + nodes["precise"] if which == "all" else nodes[which]
    record, everything = kept_and_fresh(net, chosen, gather)
    assert len(everything) > 100
    for start in (-1.0, 0.0, 60.0, 60.1, 60.03, 117.3, 119.9, 120.0, 500.0):
        late = everything.select(start=start)
        found = record.view(gather).select(start=start)
        assert len(late) == np.count_nonzero(everything.times > start)
        for name in ("times", "gids", "offsets", "watched"):
            np.testing.assert_array_equal(getattr(found, name), getattr(late, name), err_msg=f"{name} since {start}")
        assert (found.start, found.stop) == (late.start, late.stop)
        np.testing.assert_array_equal(record.view(gather).counts(start), late.counts())
    some = chosen[2:5]
    np.testing.assert_array_equal(record.select(some, 40.0, 80.0).times, everything.select(some, 40.0, 80.0).times)


@pytest.mark.parametrize("which", ["grid", "precise", "poisson"])
def test_the_number_of_spikes_is_known_without_reading_them(which):
    net, nodes = network()
    record, everything = kept_and_fresh(net, nodes[which])
    assert record._cached is None
    assert len(record) == len(everything)
    assert record._cached is None
    record.clear()
    assert len(record) == 0
    net.run(30.0)
    assert len(record) == record.counts(120.0).sum() == record.counts().sum() > 0


def test_spikes_of_a_generator_s_train_to_one_more_target_are_counted():
    net, nodes = network()
    record = net.record(nodes["poisson"], target=net.create("recorder"))
    net.run(100.0)
    assert len(record.view()) == len(record.copy()) > 50
    np.testing.assert_array_equal(record.view().counts(60.0), record.copy().select(start=60.0).counts())


def test_after_a_checkpoint_the_last_spikes_are_found_among_those_of_several_shards(tmp_path):
    net, nodes = network(2)
    record = net.record(nodes["grid"])
    net.extra["record"] = record
    net.run(100.0)
    net.save(tmp_path / "half.npz")
    again = npl.load(tmp_path / "half.npz", threads=1)
    for one in (net, again):
        one.run(50.0)
    for start in (60.0, 99.5, 120.0):
        np.testing.assert_array_equal(again.extra["record"].select(start=start).times, record.copy().select(start=start).times)
        np.testing.assert_array_equal(again.extra["record"].view().counts(start), record.copy().select(start=start).counts())


def test_a_loop_sees_each_spike_once_and_moves_the_neurons():
    net, nodes = network()
    record = net.record(nodes["grid"])
    seen = []

    def loop(net: npl.Network) -> None:
        seen.append(record.counts(net.time - 1.0))
        nodes["grid"].I_e = 400.0 + 20.0 * seen[-1]

    net.every(1.0, loop)
    net.run(100.0)
    np.testing.assert_array_equal(np.sum(seen, axis=0), record.counts())
    np.testing.assert_array_equal(nodes["grid"].I_e, 400.0 + 20.0 * seen[-1])


@pytest.mark.parametrize("value", [3, 3.5, np.float64(2.5), np.arange(70.0), np.arange(70), [1.0] * 70, np.array([4.0]), np.float32(1.5)])
def test_plain_numbers_set_what_they_say(value):
    _, nodes = network()
    nodes["grid"].I_e = value
    np.testing.assert_array_equal(nodes["grid"].I_e, np.broadcast_to(np.asarray(value, float), 70))
    nodes["grid"].set(V_m=value, I_e=1.0)
    np.testing.assert_array_equal(nodes["grid"].V_m, np.broadcast_to(np.asarray(value, float), 70))


def test_the_array_that_was_given_stays_the_user_s():
    net, nodes = network()
    given = np.full(70, 30.0)
    nodes["grid"].I_e = given
    given[:] = 1e3
    net.run(1.0)
    net.reset()
    assert set(nodes["grid"].I_e) == {30.0}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("tau_m", 0.0, BadParameter),
        ("tau_m", np.full(70, -1.0), BadParameter),
        ("I_e", np.nan, BadParameter),
        ("I_e", np.inf, BadParameter),
        ("I_e", np.full(70, np.nan), BadParameter),
        ("I_e", np.full(69, 1.0), BadLength),
        ("I_e", 10**400, NeuropilError),
        ("I", 1.0, AttributeError),
    ],
)
def test_what_cannot_be_set_changes_nothing(name, value, error):
    _, nodes = network()
    before = nodes["grid"].get("tau_m", "I_e")
    with pytest.raises(error):
        setattr(nodes["grid"], name, value)
    for key, column in before.items():
        np.testing.assert_array_equal(nodes["grid"].get(key), column)


def test_nodes_that_a_reset_has_taken_away_are_refused():
    net, _ = network()
    net.run(1.0)
    late = net.create("iaf_psc_exp", 3)
    net.reset()
    with pytest.raises(Stale):
        late.I_e = 1.0
