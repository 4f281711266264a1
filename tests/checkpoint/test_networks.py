# SPDX-License-Identifier: Apache-2.0
"""Networks that are saved and loaded go on, to the bit, as if nothing had been: on other threads and ranks, with records and samples."""

import signal
import warnings

import numpy as np
import pytest

import neuropil as npl
from neuropil.errors import BadCheckpoint, BadParameter, BadType, NotKept, RankError, UnknownName
from thread_ranks import on_ranks, the_same


def build(comm=None, threads=1, **settings):
    """Neurons, devices, plastic synapses, positions, all kinds of records; returns what the script holds."""
    net = npl.Network(seed=5, threads=threads, ranks=comm, **settings)
    e = net.create(
        "iaf_psc_exp",
        40,
        name="E",
        V_m=npl.normal(-60.0, 4.0),
        I_e=npl.uniform(300.0, 420.0),
        positions=npl.free(npl.uniform(0.0, 1.0), dims=2),
    )
    i = net.create("iaf_psc_alpha", 15, name="I", I_e=npl.uniform(300.0, 400.0))
    plastic = net.connect(
        e, e, npl.fixed_indegree(5), weight=npl.uniform(5.0, 40.0), delay=npl.uniform(0.5, 3.0), synapse=npl.stdp(), name="plastic"
    )
    net.connect(e, i, npl.pairwise_bernoulli(0.2), weight=30.0, delay=1.5)
    weights = net.record_weights()
    net.connect(i, e, npl.fixed_outdegree(4), weight=-50.0, delay=0.8, weight_recorder=weights)
    net.connect(e, e, npl.pairwise_bernoulli(npl.space.gaussian(npl.distance, std=0.1)), weight=1.0, delay=1.0, name="near")
    net.stimulate(e, npl.poisson(rate=2000.0), weight=20.0)
    held = {
        "e": e,
        "plastic": plastic,
        "spikes": net.record(e + i),
        "late": net.record(i, start=20.0, stop=60.0),
        "trace": net.record(e[:7], "V_m", interval=0.5),
        "bins": net.record(e[::2] + i, "rate", bin=1.5),
        "weights": weights,
        "synapses": net.record(plastic, ["weight", "Kplus"], interval=5.0),
        "note": ["any", {"data": np.arange(3)}],
    }  # fmt: skip
    return net, held


def results(net, held):
    """All bits there are to see."""
    s, t, w, y = held["spikes"], held["trace"], held["weights"], held["synapses"]
    late = held["late"]
    columns = [
        s.steps,
        s.gids,
        late.steps,
        late.gids,
        t.times,
        t.values,
        held["bins"].times,
        held["bins"].counts,
        w.times,
        w.sources,
        w.targets,
        w.weights,
        y.times,
        y["weight"],
        y["Kplus"],
    ]
    columns += [y.sources, y.targets, held["plastic"].weight, held["e"].V_m, net["I"].I_syn_ex, held["e"].positions]
    return [np.asarray(column).tobytes() for column in columns] + [s.start, s.stop, late.start, late.stop, net.time, net.n_connections]


def uninterrupted(comm=None, **settings):
    net, held = build(comm, **settings)
    net.run(80.0)
    assert len(held["spikes"]) > 100
    return results(net, held)


REFERENCE = {}


def reference():
    if not REFERENCE:
        REFERENCE["all"] = uninterrupted()
    return REFERENCE["all"]


def saved(path, at=33.3, comm=None, threads=1, keep=1, **settings):
    net, held = build(comm, threads, **settings)
    net.run(at)
    net.save(path, held, keep=keep)
    return True


def resumed(path, comm=None, threads=1, **settings):
    net = npl.load(path, ranks=comm, threads=threads, **settings)
    net.run(until=80.0)
    assert net.extra["note"][1]["data"].tolist() == [0, 1, 2]
    return results(net, net.extra)


@pytest.mark.parametrize("at", [0.0, 0.1, 20.0, 33.3, 80.0])
def test_on_one_rank(tmp_path, at):
    saved(tmp_path / "run.npc", at)
    assert resumed(tmp_path / "run.npc") == reference()


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, 2), (3, 2), (2, 3), (1, 4)])
def test_on_other_ranks(tmp_path, before, after):
    path = tmp_path / "run.npc"
    the_same(on_ranks(before, lambda comm: saved(path, comm=comm)) if before > 1 else [saved(path)])
    assert len(list(tmp_path.iterdir())) == before
    assert the_same(on_ranks(after, lambda comm: resumed(path, comm)) if after > 1 else [resumed(path)]) == reference()


def test_on_other_threads_distribution_and_exchange(tmp_path):
    path = tmp_path / "run.npc"
    saved(path, threads=2)
    assert resumed(path, threads=3) == reference()
    assert the_same(on_ranks(2, lambda comm: resumed(path, comm, 2, distribution="consecutive", exchange="allgather"))) == reference()


@pytest.mark.parametrize("ranks", [1, 2])
def test_connections_that_are_stored_or_drawn_again(tmp_path, ranks):
    sizes = {}
    for edges in ("describe", "store"):
        path = tmp_path / f"{edges}.npc"

        def save(comm, path=path, edges=edges):
            net = npl.Network(seed=5, threads=1, ranks=comm)
            e = net.create("iaf_psc_exp", 300, I_e=npl.uniform(350.0, 420.0))
            net.connect(e, e, npl.fixed_indegree(100), weight=npl.normal(20.0, 2.0), delay=1.0)
            net.run(20.0)
            net.save(path, {"e": e}, edges=edges)
            net.run(20.0)
            return e.V_m.tobytes()

        def load(comm, path=path):
            net = npl.load(path, ranks=comm, threads=2)
            net.run(20.0)
            return net.extra["e"].V_m.tobytes()

        there = the_same(on_ranks(ranks, save))
        assert there == the_same(on_ranks(3 - ranks, load)) == the_same(on_ranks(ranks, load))
        sizes[edges] = sum(file.stat().st_size for file in tmp_path.glob(f"{edges}.npc*"))
    assert sizes["store"] > sizes["describe"] + 100_000
    with pytest.raises(BadParameter, match="edges"):
        npl.Network().save(tmp_path / "x.npc", edges="both")


def test_twice_in_a_row(tmp_path):
    path = tmp_path / "run.npc"
    saved(path)

    def again(comm):
        net = npl.load(path, ranks=comm, threads=1)
        net.run(until=50.0)
        net.save(tmp_path / "second.npc")
        return True

    the_same(on_ranks(3, again))
    assert resumed(tmp_path / "second.npc") == reference()


def test_saving_changes_nothing(tmp_path):
    net, held = build()
    for until in (10.0, 33.3, 80.0):
        net.run(until=until)
        net.save(tmp_path / "run.npc", held)
    assert results(net, held) == reference()


def test_network_as_the_script_knows_it(tmp_path):
    net, held = build()
    net.run(10.0)
    net.save(tmp_path / "run.npc", held)
    again = npl.load(tmp_path / "run.npc", threads=1)
    assert repr(again.summary()) == repr(net.summary())
    assert [repr(p) for p in again.projections] == [repr(p) for p in net.projections]
    assert again["E"] == again.extra["e"]
    assert again.projections["plastic"] is again.extra["plastic"]
    assert again.extra["synapses"].projection is again.extra["plastic"]
    assert (again.time, again.seed, again.resolution, again.n_nodes) == (net.time, net.seed, net.resolution, net.n_nodes)
    assert np.array_equal(again.projections["near"].distances(), net.projections["near"].distances())


def test_what_is_made_later_is_the_same(tmp_path):
    """Numbers of draws, labels and recorders go on."""

    def grow(net, held):
        more = net.create("iaf_psc_exp", 10, V_m=npl.uniform(-65.0, -55.0), I_e=400.0)
        net.connect(net["E"], more, npl.fixed_indegree(3), weight=npl.normal(20.0, 2.0), delay=1.0, name="new")
        net["E"].V_m = npl.normal(-60.0, 1.0)
        record = net.record(more)
        net.run(until=80.0)
        with pytest.raises(BadParameter):
            net.connect(more, more, weight=1.0, name="plastic")
        return [*results(net, held), record.times.tobytes(), record.gids.tobytes()]

    net, held = build()
    net.run(30.0)
    net.save(tmp_path / "run.npc", held)
    again = npl.load(tmp_path / "run.npc")
    assert grow(again, again.extra) == grow(net, held)


def test_records_that_were_cleared(tmp_path):
    def finish(net, held):
        net.run(until=60.0)
        return [held["spikes"].start, held["spikes"].times.tobytes(), held["synapses"].times.tobytes(), held["trace"].times.tobytes()]

    net, held = build()
    net.run(30.0)
    for name in ("spikes", "trace", "synapses", "weights"):
        held[name].clear()
    net.save(tmp_path / "run.npc", held)
    again = npl.load(tmp_path / "run.npc")
    assert finish(again, again.extra) == finish(net, held)


def test_parts_of_ranks(tmp_path):
    path = tmp_path / "run.npc"

    def save(comm):
        net, held = build(comm)
        net.run(20.0)
        net.save(path, {"own": held["spikes"].view(gather=False), "all": held["spikes"]})
        return True

    def load(comm):
        net = npl.load(path, ranks=comm)
        own = net.extra["own"]
        assert set(net.ranks_of(own.nodes)) == {comm.rank}
        mine = np.isin(net.extra["all"].gids, own.nodes.gids)
        assert np.array_equal(own.gids, net.extra["all"].gids[mine])
        return True

    the_same(on_ranks(2, save))
    the_same(on_ranks(3, load))


# --- while running


def test_every_so_many_ms(tmp_path):
    net, held = build()
    net.extra = held
    path = tmp_path / "run.npc"
    net.run(75.0, checkpoint_every=20.0, checkpoint=path, keep=3)
    times = [npl.load(path.with_name(f"run.npc{k}")).time for k in ("", ".1", ".2")]
    assert times == [60.0, 40.0, 20.0]
    net.run(until=80.0)
    assert results(net, held) == reference()
    for k in ("", ".1", ".2"):
        assert resumed(path.with_name(f"run.npc{k}")) == reference()


def test_functions_of_every_are_told_and_given_again(tmp_path):
    def push(net):
        net["E"].I_e = 300.0 + net.time

    net, held = build()
    net.every(5.0, push)
    net.extra = held
    net.run(80.0, checkpoint_every=40.0, checkpoint=tmp_path / "run.npc")
    with pytest.warns(UserWarning, match=r"net.every\(5, .*push"):
        again = npl.load(tmp_path / "run.npc.1")
    again.every(5.0, push)
    again.run(until=80.0)
    assert results(again, again.extra) == results(net, held)


def test_sigterm_saves(tmp_path):
    """In the middle of an interval of checkpoints."""
    net, held = build()
    net.extra = held
    before = signal.getsignal(signal.SIGTERM)
    net.every(50.0, lambda net: signal.raise_signal(signal.SIGTERM) if net.time == 50.0 else None)
    with pytest.raises(SystemExit) as end:
        net.run(until=80.0, checkpoint=tmp_path / "run.npc", checkpoint_every=30.0)
    assert end.value.code == 75
    assert signal.getsignal(signal.SIGTERM) == before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert npl.load(tmp_path / "run.npc").time == 50.0
        assert resumed(tmp_path / "run.npc") == reference()


def test_wrong_arguments_of_run(tmp_path):
    net, _ = build()
    with pytest.raises(BadParameter, match="checkpoint_every"):
        net.run(1.0, checkpoint_every=1.0)
    with pytest.raises(BadParameter, match="resolution"):
        net.run(1.0, checkpoint_every=0.25, checkpoint=tmp_path / "x.npc")
    with pytest.raises(BadParameter, match="folder"):
        net.run(1.0, checkpoint_every=0.5, checkpoint=tmp_path / "no" / "x.npc")
    with pytest.raises(BadParameter, match="keep"):
        net.run(1.0, checkpoint=tmp_path / "x.npc", keep=0)
    assert net.time == 0.0


# --- in memory


@pytest.mark.parametrize("at", [0.0, 33.3])
def test_clone(at):
    net, held = build()
    net.run(at)
    twin = net.copy()
    copies = {name: twin.counterpart(thing) if name != "note" else thing for name, thing in held.items()}
    twin.run(until=80.0)
    assert net.time == at
    assert results(twin, copies) == reference()
    net.run(until=80.0)
    assert results(net, held) == reference()


def test_clone_on_ranks():
    def cloned(comm):
        net, held = build(comm)
        net.run(33.3)
        twin = net.copy()
        twin.run(until=80.0)
        return results(twin, {name: twin.counterpart(thing) if name != "note" else thing for name, thing in held.items()})

    assert the_same(on_ranks(2, cloned)) == reference()


def test_a_clone_can_be_reset():
    net, held = build()
    net.run(33.3)
    twin = net.copy()
    twin.reset()
    twin.run(80.0)
    assert results(twin, {name: twin.counterpart(thing) if name != "note" else thing for name, thing in held.items()}) == reference()


@pytest.mark.parametrize("ranks", [1, 2])
def test_store_and_restore(ranks):
    def stored(comm):
        net, held = build(comm)
        net.run(33.3)
        net.store()
        found = []
        for _ in range(3):
            net.run(until=60.0)
            more = net.create("iaf_psc_exp", 5, I_e=500.0, name="more")
            net.connect(more, held["e"], weight=100.0, delay=1.0, name="more")
            held["spikes"].clear()
            net.run(until=70.0)
            net.restore()
            assert net.time == 33.3
            assert net.n_nodes == 56
            net.run(until=80.0)
            found.append(results(net, held))
            net.restore()
        assert found[0] == found[1] == found[2]
        return found[0]

    assert the_same(on_ranks(2, stored) if ranks > 1 else [stored(None)]) == reference()


def test_several_states():
    net, held = build()
    net.store("start")
    net.run(40.0)
    net.store("middle")
    net.run(until=80.0)
    final = results(net, held)
    for name in ("middle", "start", "middle"):
        net.restore(name)
        net.run(until=80.0)
        assert results(net, held) == final == reference()
    net.reset()
    net.run(80.0)
    assert results(net, held) == reference()
    net.restore("middle")
    assert net.time == 40.0
    with pytest.raises(UnknownName, match="nearest: 'middle'"):
        net.restore("midle")


def test_a_parameter_sweep_from_one_state():
    net, held = build()
    net.run(20.0)
    net.store()
    spikes = []
    for current in (300.0, 500.0, 300.0):
        net.restore()
        held["e"].I_e = current
        net.run(until=80.0)
        spikes.append(len(held["spikes"]))
    assert spikes[0] == spikes[2] < spikes[1]


# --- errors


def test_a_loaded_network_cannot_be_reset_but_copied(tmp_path):
    saved(tmp_path / "run.npc")
    net = npl.load(tmp_path / "run.npc")
    with pytest.raises(NotKept, match=r"from a checkpoint.*load it again"):
        net.reset()
    twin = net.copy()
    twin.run(until=80.0)
    net.run(until=80.0)
    assert results(net, net.extra) == reference()


def test_extra_that_cannot_be_saved(tmp_path):
    net, _ = build()
    with pytest.raises(BadType, match="Generator"):
        net.save(tmp_path / "run.npc", {"rng": np.random.default_rng(1)})
    with pytest.raises(BadType, match="Connections"):
        net.save(tmp_path / "run.npc", {"c": net.connections()})
    with pytest.raises(BadType, match="dict"):
        net.save(tmp_path / "run.npc", [1])
    with pytest.raises(BadType, match="dict"):
        net.extra = [1]
    assert list(tmp_path.iterdir()) == []

    def bad_on_one(comm):
        net, _ = build(comm)
        net.save(tmp_path / "run.npc", {"x": print if comm.rank == 1 else 1})

    assert all(isinstance(r, BadType) and "print" in str(r) for r in on_ranks(2, bad_on_one))


def test_broken_files_are_told_on_all_ranks(tmp_path):
    path = tmp_path / "run.npc"
    the_same(on_ranks(2, lambda comm: saved(path, comm=comm)))
    shard = next(tmp_path.glob("run.npc.*.1"))
    whole = {file: file.read_bytes() for file in (path, shard)}

    def errors(comms=2):
        found = on_ranks(comms, lambda comm: npl.load(path, ranks=comm))
        assert all(isinstance(error, BadCheckpoint) for error in found), found
        assert all(str(path) in str(error) for error in found)
        return {str(error) for error in found}

    for file in whole:
        for place in np.linspace(300, len(whole[file]) - 1, 24).astype(int).tolist():
            flipped = bytearray(whole[file])
            flipped[place] ^= 1
            file.write_bytes(flipped)
            found = on_ranks(2, lambda comm: resumed(path, comm))
            if all(isinstance(each, list) for each in found):  # a byte between the columns, or of what zip tells others
                assert the_same(found) == reference()
            else:
                assert all(isinstance(error, BadCheckpoint) and str(path) in str(error) for error in found), found
        file.write_bytes(whole[file])
    shard.unlink()
    assert "is missing" in next(iter(errors()))
    assert "is missing" in next(iter(errors(3)))
    path.write_bytes(b"x" * 1000)
    assert "no checkpoint of neuropil" in next(iter(errors()))
    assert not any(isinstance(error, RankError) for error in on_ranks(2, lambda comm: npl.load(path, ranks=comm)))


def test_a_save_that_fails_leaves_the_network_running(tmp_path):
    net, held = build()
    net.run(20.0)
    with pytest.raises(BadCheckpoint, match="folder does not exist"):
        net.save(tmp_path / "no" / "run.npc")
    net.run(until=80.0)
    assert results(net, held) == reference()


def test_dry_runs_are_not_saved(tmp_path):
    net = npl.Network(dry_run=npl.dry_run(4), threads=1)
    net.create("iaf_psc_exp", 10)
    with pytest.raises(BadParameter, match="dry run"):
        net.save(tmp_path / "run.npc")
    net.run(1.0, checkpoint=tmp_path / "run.npc", checkpoint_every=0.5)  # a job that is played runs
    assert list(tmp_path.iterdir()) == []


# --- progress and interrupts


def test_progress_of_saving_and_loading(tmp_path):
    net, held = build()
    net.run(20.0)
    told = []
    net.save(tmp_path / "run.npc", held, progress=lambda *now: told.append(now))
    npl.load(tmp_path / "run.npc", progress=lambda *now: told.append(now))
    for phase in ("saving", "loading"):
        done = [(d, t) for p, d, t in told if p == phase]
        assert done == sorted(done)
        assert all(0 <= d <= t for d, t in done)
    assert [d == t for p, d, t in told if p == "saving"][-1]


def test_interrupted_on_one_rank(tmp_path):
    """Ctrl-C while it saves: nothing is left of it, and the network goes on."""
    path = tmp_path / "run.npc"
    the_same(on_ranks(2, lambda comm: saved(path, 10.0, comm=comm)))
    before = {file.name for file in tmp_path.iterdir()}

    def interrupted(comm):
        net, held = build(comm)
        net.run(33.3)

        def stop(phase, done, total):
            if comm.rank == 1 and phase == "saving":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt if comm.rank else RankError):
            net.save(path, held, progress=stop)
        net.run(until=80.0)  # each rank has removed what it had written before it goes on
        return results(net, held)

    assert the_same(on_ranks(2, interrupted)) == reference()
    assert {file.name for file in tmp_path.iterdir()} == before
    assert resumed(path) == reference()
