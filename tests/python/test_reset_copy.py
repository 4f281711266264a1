# SPDX-License-Identifier: Apache-2.0
"""Networks from time 0 again, and copies: the same bits as a fresh network that was made and changed in the same way."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from thread_ranks import on_ranks, the_same


def made(seed=5, *, threads=2, comm=None, **settings):
    net = npl.Network(seed=seed, threads=threads, ranks=comm, **settings)
    cells = net.create("iaf_psc_exp", 60, V_m=npl.normal(-60.0, 3.0), C_m=npl.normal(250.0, 10.0), name="cells")
    random = net.create("pp_psc_delta", 20, I_e=200.0, name="random")
    inputs = net.create("poisson_generator", 20, rate=50.0, name="inputs")
    net.connect(inputs, cells, npl.fixed_indegree(5), synapse=npl.stdp(), weight=npl.normal(40.0, 3.0).redraw(min=0.0), name="in")
    net.connect(
        cells,
        cells,
        npl.fixed_indegree(6),
        synapse=npl.synapse.tsodyks2_synapse(),
        weight=npl.normal(40.0, 3.0),
        delay=npl.uniform(0.5, 4.0),
    )
    net.connect_gids(np.arange(1, 31), np.arange(31, 61), weight=np.linspace(1.0, 30.0, 30), name="listed")
    net.stimulate(cells, npl.poisson(8000.0), weight=45.0)
    net.stimulate(cells, npl.noise(0.0, 100.0))
    net.connect(cells, random, weight=0.3)
    return net


def records(net):
    return (
        net.record(net["cells"] + net["random"]),
        net.record(net["cells"][:3], "V_m"),
        net.record(net.projections["in"], interval=7.0),
        net.record(net["inputs"]),
    )


def bits(spikes, trace, weights, sent):
    return (
        *(a.tobytes() for a in (spikes.times, spikes.gids, trace.times, trace.values, weights.times, weights.values, sent.times)),
        (spikes.start, spikes.stop),
    )


def result(net, duration=60.0):
    found = records(net)
    net.run(duration)
    return bits(*found)


# --- reset


def test_a_run_after_reset_is_the_first_run():
    net = made()
    found = records(net)
    net.run(60.0)
    first = bits(*found)
    assert len(found[0]) > 50 and len(found[3]) > 10
    for _ in range(2):
        net.reset()
        assert net.time == 0.0 and net.seed == 5
        assert len(found[0]) == len(found[1]) == len(found[2]) == 0 and found[0].stop == 0.0
        net.run(20.0)
        net.run(40.0)
        assert bits(*found) == first
    assert result(made()) == first


def test_reset_before_any_run():
    net = made()
    net.reset()
    assert result(net) == result(made())


def test_what_happened_while_time_was_above_0_is_undone():
    net = made()
    found = records(net)
    first_connections = len(net.connections())
    net.run(10.0)
    cells = net["cells"]
    cells.V_th = -50.0
    cells.V_m = -70.0
    more = net.create("iaf_psc_exp", 5, name="more")
    net.connect(cells, more, name="late")
    net.projections["in"].weight = 0.0
    net.projections["listed"].disconnect()
    late, gone = net.record(cells), net.record(more)
    net.record(net.projections["late"], interval=1.0)
    of_late = net.record(net.projections["listed"], interval=1.0)
    net.run(10.0)
    net.reset()
    assert net.n_nodes == 102 and [*net._names] == ["cells", "random", "inputs"] and len(net.projections) == 6
    with pytest.raises(npl.errors.UnknownName):
        net.projections["late"]
    net.run(60.0)
    assert bits(*found) == result(made())
    assert (late.times == found[0].select(nodes=cells).times).all() and late.start == 0.0
    assert len(gone) == 0 and of_late.values.shape == (60, 30)
    assert len(net.connections()) == first_connections
    net.create("iaf_psc_exp", name="more")  # the name is free again


def test_what_is_changed_at_time_0_stays():
    """Trials: reset, another input, run."""
    net = made()
    found = records(net)
    of_rate = {}
    for rate in (20.0, 200.0, 20.0, 80.0, 200.0):
        net.reset()
        net["inputs"].rate = rate
        net.run(40.0)
        assert of_rate.setdefault(rate, bits(*found)) == bits(*found)
        fresh = made()
        fresh["inputs"].rate = rate
        assert result(fresh, 40.0) == bits(*found)
    assert len({*of_rate.values()}) == 3
    assert sum(call.name == "set" for call in net._kernel.journal.first) == 1


def test_edits_and_weights_at_time_0_stay():
    def changed():
        net = made()
        net.projections["in"].weight[::2] = 50.0
        net.projections["listed"].set(delay=2.5)
        net.projections["in"].disconnect(np.arange(len(net.projections["in"])) % 7 == 0)
        net.connect(net["random"], net["cells"], npl.fixed_indegree(2), weight=5.0)
        return net

    net = changed()
    found = records(net)
    net.run(60.0)
    first = bits(*found)
    net.reset()
    net.run(60.0)
    assert bits(*found) == first == result(changed())
    net.reset(seed=8)
    net.run(60.0)
    second = bits(*found)
    net.reset()
    net.run(60.0)
    assert first != second == bits(*found)


def test_functions_are_called_again_as_at_first():
    net = made()
    found = records(net)
    calls = []

    def louder(n):
        calls.append(n.time)
        n["inputs"].rate = 50.0 + n.time
        if n.time == 30.0:
            handle.cancel()

    handle = net.every(10.0, louder)
    net.run(60.0)
    first = bits(*found)
    assert calls == [10.0, 20.0, 30.0]
    late = net.every(5.0, lambda n: calls.append("late"))
    net.reset()
    net.run(60.0)
    assert calls == [10.0, 20.0, 30.0] * 2 and bits(*found) == first
    net.reset()
    handle.cancel()
    late.cancel()
    net.run(60.0)
    assert calls == [10.0, 20.0, 30.0] * 2 and bits(*found) != first


def test_another_seed():
    net = made(5)
    found = records(net)
    net.run(60.0)
    first, before = bits(*found), [np.array(net.connections().weight), np.array(net["cells"].C_m)]
    net.reset(seed=9)
    assert net.seed == 9
    assert (np.asarray(net["cells"].C_m) == before[1]).all()
    assert (np.asarray(net["cells"].V_m) == np.asarray(made(9)["cells"].V_m)).all()
    again = net.connections()
    fresh = made(5)
    assert (again.source == fresh.connections().source).all() and (np.asarray(again.weight) == np.asarray(fresh.connections().weight)).all()
    net.run(60.0)
    second = bits(*found)
    assert second != first

    fresh = made(5)  # drawn with the old seed; the new one, and its states, before the first run
    fresh._reseed(9)
    fresh["cells"].V_m = np.asarray(made(9)["cells"].V_m)
    assert result(fresh) == second
    net.reset()
    net.run(60.0)
    assert bits(*found) == second and net.seed == 9
    net.reset(seed=5)
    net.run(60.0)
    assert bits(*found) == first


def test_states_drawn_beside_arrays_are_drawn_again():
    def changed(seed):
        net = made(seed)
        net["cells"].set(V_m=npl.normal(-58.0, 2.0), I_e=np.linspace(0.0, 50.0, 60), C_m=npl.normal(250.0, 5.0))
        net["random"].V_m = npl.uniform(-5.0, 5.0)
        net["cells"].V_m[::7] = npl.normal(-60.0, 1.0)
        return net

    net, one, other = changed(5), changed(5), changed(9)
    net.reset(seed=9)
    for name in ("cells", "random"):
        assert (np.asarray(net[name].V_m) == np.asarray(other[name].V_m)).all()
        assert not (np.asarray(net[name].V_m) == np.asarray(one[name].V_m)).any()
    assert (np.asarray(net["cells"].C_m) == np.asarray(one["cells"].C_m)).all()
    assert (np.asarray(net["cells"].I_e) == np.linspace(0.0, 50.0, 60)).all()
    net.reset(seed=5)
    assert result(net) == result(one)


def test_refused_resets_change_nothing(tmp_path):
    net = made()
    found = records(net)
    net.run(30.0)
    before = bits(*found)
    for bad in (-1, 2**63, 1.5, "new"):
        with pytest.raises(npl.NeuropilError):
            net.reset(seed=bad)
    net.every(1.0, lambda n: n.reset())
    with pytest.raises(npl.errors.BadParameter, match="every"):
        net.run(1.0)
    assert net.time == 31.0 and bits(*found)[1][: len(before[1])] == before[1]

    net = npl.Network(keep_calls=False)
    with pytest.raises(npl.errors.NotKept, match="keep_calls"):
        net.reset()
    assert net.copy().n_nodes == 0

    big = np.ones(3_000_000)
    for keep, fails in ((None, True), (True, False)):
        net = npl.Network(keep_calls=keep)
        net.create("iaf_psc_exp", 3_000_000, V_m=-big)
        if fails:
            with pytest.raises(npl.errors.NotKept):
                net.reset()
        else:
            net.reset()

    net = made()
    net.record(net["cells"], to=tmp_path / "spikes")
    net.run(10.0)
    for refused in (net.reset, net.copy):
        with pytest.raises(npl.errors.NotKept, match="directory"):
            refused()
    net.run(10.0)


def test_changes_on_the_way_are_not_kept(monkeypatch):
    """Neither reset nor copy needs them."""
    monkeypatch.setattr("neuropil.model.journal._MOST_BYTES", 100_000)
    net = made()
    found = records(net)
    net.every(1.0, lambda n: n["cells"].set(I_e=np.linspace(0.0, 100.0, 60) + n.time))
    net.run(300.0)
    late = net.record(net["cells"])
    first = bits(*found)
    twin = net.copy()
    assert bits(*(twin.counterpart(r) for r in found)) == first
    for _ in range(2):
        net.reset()
        net.run(300.0)
        assert bits(*found) == first and len(late) > 0


def test_arrays_of_the_user_are_not_looked_at_again():
    net = npl.Network(seed=1)
    values = np.linspace(-70.0, -60.0, 10)
    cells = net.create("iaf_psc_exp", 10, V_m=values)
    values[:] = 0.0
    net.reset()
    assert cells.V_m.max() == -60.0


# --- copy


@pytest.mark.parametrize("how", [lambda net: net.copy(), copy.copy, copy.deepcopy])
def test_a_copy_goes_on_as_the_original(how):
    net = made()
    found = records(net)
    net.run(25.0)
    net["cells"].V_th = -51.0
    net.projections["in"].weight[::3] = 60.0
    net.run(5.3)
    twin = how(net)
    theirs = [twin.counterpart(r) for r in found]
    assert twin.time == net.time and bits(*theirs) == bits(*found)
    net.run(30.0)
    now = bits(*found)
    assert bits(*theirs) != now
    twin.run(30.0)
    assert bits(*theirs) == now
    assert (twin.counterpart(net["cells"]) == twin["cells"]) and twin["cells"] != net["cells"]
    assert twin.counterpart(net.projections["in"]) is twin.projections["in"]


def test_copies_are_independent():
    net = made()
    found = records(net)
    net.run(20.0)
    twin, other = net.copy(), net.copy()
    twin["inputs"].rate = 500.0
    twin.create("iaf_psc_exp", 3)
    twin.run(20.0)
    other.reset()
    net.run(20.0)
    other.run(40.0)
    assert bits(*(other.counterpart(r) for r in found)) == bits(*found)
    assert bits(*(twin.counterpart(r) for r in found)) != bits(*found)
    assert net.n_nodes == other.n_nodes == twin.n_nodes - 3


def test_a_copy_calls_the_functions_too():
    net = made()
    found = records(net)
    net.every(10.0, lambda n: n["inputs"].set(rate=50.0 + n.time))
    net.run(25.0)
    twin = net.copy()
    net.run(30.0)
    twin.run(30.0)
    assert bits(*(twin.counterpart(r) for r in found)) == bits(*found)


def test_a_copy_after_a_reset_with_a_seed():
    net = made()
    found = records(net)
    net.run(20.0)
    net.reset(seed=4)
    net.connect(net["random"], net["cells"], npl.fixed_indegree(3), weight=9.0)
    net.run(20.0)
    twin = net.copy()
    net.run(20.0)
    twin.run(20.0)
    assert twin.seed == 4 and bits(*(twin.counterpart(r) for r in found)) == bits(*found)


def test_what_was_cleared_is_not_in_the_copy():
    net = made()
    spikes = net.record(net["cells"])
    net.run(30.0)
    spikes.clear()
    net.run(10.0)
    twin = net.copy().counterpart(spikes)
    assert len(twin) == len(spikes) > 0 and twin.start == 30.0


# --- any sequence of calls, threads, ranks

STEPS = st.lists(st.sampled_from(["run", "set", "state", "weights", "connect", "reset", "seed", "copy"]), min_size=2, max_size=8)


def played(steps, comm=None, threads=1):
    """The network that a list of steps makes; and where it went through copies and resets, the one without them."""
    net = made(threads=threads, comm=comm)
    found = list(records(net))
    for number, step in enumerate(steps):
        k = number - steps[:number].count("copy")
        if step == "run":
            net.run(5.0 + k)
        elif step == "set":
            net["inputs"].rate = 40.0 + 10 * k
        elif step == "state":
            net["cells"].V_m = npl.normal(-62.0, 1.0)
        elif step == "weights":
            net.projections["in"].weight[:: 2 + k] = 30.0 + k
        elif step == "connect":
            net.connect(net["random"], net["cells"], npl.fixed_indegree(1), weight=4.0)
        elif step == "reset":
            net.reset()
        elif step == "seed":
            net.reset(seed=k)
        else:
            twin = net.copy()
            found, net = [twin.counterpart(r) for r in found], twin
    net.run(10.0)
    return net, bits(*found)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_reset_and_copy_after_any_calls(steps):
    net, now = played(steps)
    assert played([s for s in steps if s != "copy"])[1] == now
    last = max((k for k, s in enumerate(steps) if s in ("reset", "seed")), default=-1)
    if last < 0 and "run" not in steps:
        first = records(net)
        net.reset()
        net.run(10.0)
        assert bits(*first) == now


@pytest.mark.parametrize("steps", [["run", "copy", "run", "reset", "run"], ["weights", "run", "seed", "connect", "run", "copy"]])
def test_the_same_for_any_threads_and_ranks(steps):
    one = played(steps)[1]
    assert played(steps, threads=3)[1] == one
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: played(steps, comm)[1])) == one


def test_what_is_read_of_a_copy_and_of_a_restored_network_is_as_it_was(net):
    cells = net.create("iaf_psc_exp", 20)
    net.connect(cells, cells, weight=2.0, delay=1.5)
    net.store()
    net.run(1.0)
    read = {"n_connections", "min_delay", "max_delay"}
    before = {name: getattr(net, name) for name in read}
    copied = net.copy()
    net.restore()
    for other in (copied, net):
        assert {name: getattr(other, name) for name in read} == before and before["n_connections"] == 400


def test_a_copy_knows_where_its_nodes_are(net):
    cells = net.create("iaf_psc_exp", positions=npl.grid((3, 3)))
    net.create("poisson_generator")
    copy = net.copy()
    assert (copy.counterpart(cells).positions == cells.positions).all()
    copy.connect(
        copy.counterpart(cells), copy.counterpart(cells), npl.pairwise_bernoulli(npl.space.gaussian(npl.distance, std=0.5)), weight=1.0
    )
    assert copy._populations.with_devices


@pytest.mark.parametrize("back", [lambda net: net.reset(), lambda net: net.restore()], ids=["reset", "restore"])
def test_nodes_that_a_reset_has_taken_out_are_refused(back):
    """They were looked for without end."""
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 3)
    net.store()
    net.run(1.0)
    late = net.create("iaf_psc_exp", 2)
    parrots = net.create("parrot_neuron", 200)
    back(net)
    assert net.n_nodes == 3
    many = parrots[np.arange(200) % 3 > 0]
    for call in (lambda: late.model, lambda: late.V_m, lambda: net.connect(cells, late), lambda: net.record(late), lambda: many.model):
        with pytest.raises(npl.NeuropilError):
            call()
    with pytest.raises(npl.errors.Stale, match="node 5 is no longer in the network"):
        _ = late.model
    assert cells.model == "iaf_psc_exp"


@pytest.mark.parametrize("ranks", [1, 2])
def test_nodes_that_are_gone_are_named_by_rules_that_python_draws(ranks):
    def of_rank(comm):
        net = npl.Network(ranks=comm, threads=1, distribution="consecutive")  # which knows only ranks of nodes that are there
        rates = net.create("lin_rate_ipn", 3)
        net.run(0.1)
        late = net.create("lin_rate_opn", 3)
        net.reset()
        with pytest.raises(npl.errors.Stale, match="node 6 is no longer in the network"):
            net.connect(late, rates, npl.pairwise_poisson(1.5), synapse="rate_connection_instantaneous", weight=1.0)

    the_same(on_ranks(ranks, of_rank))


def test_a_projection_that_a_reset_has_taken_out_has_no_counterpart():
    """It raised a ValueError."""
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 3)
    first = net.connect(cells, cells)
    net.run(1.0)
    late = net.connect(cells, cells)
    net.reset()
    twin = net.copy()
    assert len(twin.counterpart(first)) == 9
    with pytest.raises(npl.errors.Stale, match="no longer in the network"):
        twin.counterpart(late)


@pytest.mark.parametrize(
    "keep", [lambda net, path: net.copy(), lambda net, path: net.store(), lambda net, path: net.save(path / "net.npc")]
)
def test_edits_after_the_network_was_kept_at_time_0_are_repeated_by_a_reset(keep, tmp_path):
    """Keeping builds the tables, in which edits have places: `reset` raised BadParameter."""
    net = made()
    keep(net, tmp_path)
    net.projections["in"].weight[::2] = 30.0
    net.run(10.0)
    first = net.projections["in"].weight.tolist()
    net.reset()
    net.run(10.0)
    assert net.projections["in"].weight.tolist() == first


def test_records_of_nodes_that_a_reset_has_removed_stay_empty():
    net = npl.Network(seed=3, threads=1)
    net.run(10.0)
    cell = net.create("aeif_psc_exp", I_e=800.0)
    trace, spikes, counts = net.record(cell, ["V_m", "w"], interval=1.0), net.record(cell), net.record(cell, "rate", bin=5.0)
    units = trace.units
    net.reset()
    assert len(trace.times) == len(spikes) == len(counts.times) == 0
    other = net.create("iaf_psc_exp", I_e=1000.0)  # with the number of the one that is gone, and without w
    net.run(20.0)
    assert other.gids == cell.gids
    assert trace.units == units == {"V_m": "mV", "w": "pA"}
    assert trace["w"].size == 0
    assert len(spikes) == 0
