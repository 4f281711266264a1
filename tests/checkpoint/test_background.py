# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that are written while the network runs: what is on the disk, and when; disks that fail or die at any operation."""

import re
import shutil
import signal
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import neuropil as npl
from checkpoint.disks import Dead, Failing, Mortal
from neuropil.checkpoint import background, container, copies, files, periodic, saving
from neuropil.checkpoint.disk import Disk
from neuropil.errors import BadCheckpoint
from thread_ranks import on_ranks

TIME_LIMIT = 60  # s; what waits longer hangs
END = 90.0


def build(comm=None):
    net = npl.Network(seed=3, threads=2, ranks=comm)
    e = net.create("iaf_psc_exp", 30, V_m=npl.normal(-60.0, 4.0), I_e=npl.uniform(300.0, 420.0), name="E")
    net.connect(e, e, npl.fixed_indegree(5), weight=npl.uniform(5.0, 40.0), delay=1.5, synapse=npl.stdp(), name="plastic")
    net.extra = {"spikes": net.record(e)}
    return net


def results(net):
    spikes = net.extra["spikes"]
    return [np.asarray(x).tobytes() for x in (spikes.steps, spikes.gids, net.projections["plastic"].weight, net["E"].V_m)]


@pytest.fixture(scope="module")
def whole():
    """What the network ends with."""
    net = build()
    net.run(END)
    assert len(net.extra["spikes"]) > 20
    return results(net)


def resumed(path):
    net = npl.load(path)
    net.run(until=END)
    return results(net)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.npc"


class Gate(Disk):
    """Threads make no file before it is opened."""

    def __init__(self):
        super().__init__()
        self.open = threading.Event()

    def create(self, path):
        assert threading.current_thread() is threading.main_thread() or self.open.wait(TIME_LIMIT)
        return super().create(path)


@pytest.fixture
def use(monkeypatch):
    """Sets the disk that checkpoints are written to."""
    return lambda disk: monkeypatch.setattr(files, "Disk", lambda: disk)


@pytest.fixture
def gate(use):
    use(disk := Gate())
    return disk


@pytest.fixture
def opened_by_waiting(monkeypatch, gate):
    """A checkpoint is not written before it is waited for."""
    wait = background.Background.wait

    def opens(self, poll=None):
        gate.open.set()
        wait(self, poll)
        gate.open.clear()

    monkeypatch.setattr(background.Background, "wait", opens)


def test_the_network_runs_while_its_checkpoint_is_written(monkeypatch, path, whole, gate):
    """Every byte is written when the network is somewhere else."""
    run, times = periodic.Saver.run, []

    def opens(self, steps, poll):
        run(self, steps, poll)
        times.append((self._net.time, path.exists()))
        if self._net.time >= 40.0:
            gate.open.set()

    monkeypatch.setattr(periodic.Saver, "run", opens)
    build().run(50.0, checkpoint=path, checkpoint_every=20.0)
    assert times[:2] == [(20.0, False), (40.0, False)]
    assert [npl.load(path.with_name(name)).time for name in ("run.npc", "run.npc.1")] == [40.0, 20.0]
    assert resumed(path) == resumed(path.with_name("run.npc.1")) == whole


def test_the_same_bytes_as_of_a_network_that_is_stopped(monkeypatch, tmp_path):
    monkeypatch.setattr(files.secrets, "token_hex", lambda n: "0" * 2 * n)
    monkeypatch.setattr(saving.time, "strftime", lambda form: "now")
    written = []
    for most in (copies.MOST_BYTES, 0):
        monkeypatch.setattr(copies, "MOST_BYTES", most)
        net = build()
        sizes = [0, 1, container.LARGE - 1, container.LARGE, container.LARGE + 1, 3 * container.LARGE, 9 << 20]
        net.extra |= {"arrays": [np.arange(n, dtype=np.uint8) for n in sizes], "turned": np.arange(90_000.0).reshape(300, 300).T}
        net.extra["texts"] = np.array(["one", "three"] * 9000)
        net.run(50.0, checkpoint=tmp_path / "run.npc", checkpoint_every=20.0)
        written.append([(tmp_path / name).read_bytes() for name in ("run.npc", "run.npc.1")])
    assert len(written[0][0]) > sum(sizes)
    assert written[0] == written[1]
    assert npl.load(tmp_path / "run.npc").extra["texts"][-1] == "three"


def test_columns_are_read_by_several_threads():
    """In pieces, the last one first."""
    net = npl.Network(threads=2)
    nodes = net.create("iaf_psc_exp", 20_000)
    net.connect(nodes, nodes, npl.fixed_indegree(2), weight=1.0, delay=1.5, synapse=npl.stdp())
    snapshot = net._kernel.snapshot(store_all=True)
    piece = 500

    def read(common, name, kind, begin, n):
        snapshot.read(common, name, begin, out := np.empty(n, kind))
        copy = np.empty(n, kind)
        assert snapshot.read_checked(common, name, begin, copy) == zlib.crc32(out)
        assert copy.tobytes() == out.tobytes()
        return out.tobytes()

    columns = [(common, *column) for common in (True, False) for column in snapshot.columns(common) if column[2] > 10 * piece]
    assert any("rows/source" in name for _, name, *_ in columns)
    with ThreadPoolExecutor(4) as pool:
        for common, name, kind, n in columns:
            pieces = [pool.submit(read, common, name, kind, begin, min(piece, n - begin)) for begin in reversed(range(0, n, piece))]
            assert b"".join(each.result() for each in reversed(pieces)) == read(common, name, kind, 0, n)


def test_memory_is_used_again(monkeypatch, path):
    rooms, make = [], copies.Copies.make
    monkeypatch.setattr(copies.Copies, "make", lambda self, parts: (make(self, parts), rooms.append(self._room))[0])
    build().run(70.0, checkpoint=path, checkpoint_every=20.0)
    assert len(rooms) == 3
    assert all(room is rooms[0] for room in rooms)


def never(monkeypatch):
    monkeypatch.setattr(background.Background, "start", lambda self, write: pytest.fail("is written in the background"))


def test_networks_that_are_not_copied(monkeypatch, path, whole):
    """Large ones, those for which there is too little memory, and several ranks."""
    never(monkeypatch)
    on_ranks(2, lambda comm: build(comm).run(50.0, checkpoint=path, checkpoint_every=20.0))
    assert resumed(path) == whole
    for name, value in (("MOST_BYTES", 1000), ("_SHARE", 10**9)):
        monkeypatch.setattr(copies, name, value)
        build().run(50.0, checkpoint=path, checkpoint_every=20.0)
        assert npl.load(path).time == 40.0
        monkeypatch.undo()
        never(monkeypatch)


# --- when it is waited for


def test_functions_of_every_find_it(path, opened_by_waiting):
    seen = []
    net = build()
    net.every(30.0, lambda net: seen.append((net.time, npl.load(path).time)))
    with pytest.warns(UserWarning, match="every"):
        net.run(80.0, checkpoint=path, checkpoint_every=20.0)
    assert seen == [(30.0, 20.0), (60.0, 40.0)]


def test_saving_by_hand_comes_after_it(path, opened_by_waiting):
    net = build()
    net.every(30.0, lambda net: net.save(path))
    net.run(30.0, checkpoint=path, checkpoint_every=20.0)
    with pytest.warns(UserWarning, match="every"):
        assert npl.load(path).time == 30.0


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError, SystemExit])
def test_a_run_that_is_ended_waits_for_it(monkeypatch, path, whole, opened_by_waiting, kind):
    run, net = periodic.Saver.run, build()

    def ended(self, steps, poll):
        run(self, steps, poll)
        if self._net.time > 40.0:
            raise kind

    monkeypatch.setattr(periodic.Saver, "run", ended)
    with pytest.raises(kind):
        net.run(50.0, checkpoint=path, checkpoint_every=20.0)
    assert npl.load(path).time == 40.0
    monkeypatch.undo()
    net.run(until=END)
    assert results(net) == resumed(path) == whole


def sigterm_at(monkeypatch, time):
    run = periodic.Saver.run

    def told(self, steps, poll):
        run(self, steps, poll)
        if self._net.time == time:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(periodic.Saver, "run", told)


@pytest.mark.parametrize("time", [40.0, 50.0])
def test_sigterm(monkeypatch, path, whole, opened_by_waiting, time):
    """The state of now is saved after the checkpoint that was on its way."""
    sigterm_at(monkeypatch, time)
    with pytest.raises(SystemExit):
        build().run(time, checkpoint=path, checkpoint_every=20.0)
    assert [npl.load(path.with_name(name)).time for name in ("run.npc", "run.npc.1")] == [time, 20.0 if time == 40.0 else 40.0]
    assert resumed(path) == whole


def test_sigterm_after_a_checkpoint_that_fails(monkeypatch, path, whole, use):
    """A later one takes its place: the process ends as it was told to."""
    sigterm_at(monkeypatch, 40.0)
    use(Failing(0))
    with pytest.raises(SystemExit):
        build().run(50.0, checkpoint=path, checkpoint_every=20.0)
    assert npl.load(path).time == 40.0
    assert [each.name for each in path.parent.iterdir()] == ["run.npc"]
    assert resumed(path) == whole


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
def test_interrupted_while_it_is_waited_for(monkeypatch, path, whole, use, kind):
    """Nothing is left of it, and the network goes on."""
    net = build()
    net.run(30.0, checkpoint=path, checkpoint_every=20.0)
    use(gate := Gate())
    join = background.Background._join

    def opens(self, poll):
        if self._stops:
            gate.open.set()
        join(self, poll)

    def interrupt(phase, done, total):
        if phase == "saving":
            raise kind

    monkeypatch.setattr(background.Background, "_join", opens)
    with pytest.raises(kind):
        net.run(until=50.0, checkpoint=path, checkpoint_every=20.0, progress=interrupt)
    assert [each.name for each in path.parent.iterdir()] == ["run.npc"]
    assert npl.load(path).time == 20.0
    net.run(until=70.0, checkpoint=path, checkpoint_every=20.0)
    assert npl.load(path).time == 60.0
    net.run(until=END)
    assert results(net) == resumed(path) == whole


# --- disks that fail and die


def test_two_errors(monkeypatch, path, use):
    """That of the run is raised, and tells of the checkpoint."""
    use(Failing(0))
    run = periodic.Saver.run

    def ended(self, steps, poll):
        run(self, steps, poll)
        if self._net.time == 40.0:
            raise KeyboardInterrupt

    monkeypatch.setattr(periodic.Saver, "run", ended)
    with pytest.raises(KeyboardInterrupt) as found:
        build().run(50.0, checkpoint=path, checkpoint_every=20.0)
    assert "run.npc: not saved: No space left" in found.value.__notes__[0]
    assert not any(path.parent.iterdir())


def test_a_folder_that_is_gone(tmp_path, whole):
    folder = tmp_path / "folder"
    folder.mkdir()
    net = build()
    net.every(10.0, lambda net: shutil.rmtree(folder, ignore_errors=True))
    with pytest.raises(BadCheckpoint, match="folder does not exist"):
        net.run(50.0, checkpoint=folder / "run.npc", checkpoint_every=20.0)
    net.run(until=END)
    assert results(net) == whole


def names(path):
    return sorted(re.sub(r"\.[0-9a-f]{16}\.", ".ID.", each.name) for each in path.parent.iterdir())


def saved_network(folder, until, use):
    """Path of the checkpoint and the network, which ran until then [ms] with a checkpoint every 10 ms in a new folder."""
    folder.mkdir()
    net = build()
    use(Disk())
    net.run(until, checkpoint=folder / "run.npc", checkpoint_every=10.0)
    return folder / "run.npc", net


def test_failure_at_any_operation_is_told(tmp_path, whole, use):
    at, done = 0, False
    while not done:
        path, net = saved_network(tmp_path / str(at), 30.0, use)
        use(disk := Failing(at))
        try:
            net.run(until=50.0, checkpoint=path, checkpoint_every=10.0)
            done = disk.count <= at
            assert disk.count > at or npl.load(path).time == 50.0
        except BadCheckpoint as error:
            assert "run.npc: not saved: No space left" in str(error)
            assert disk.log[at][0] != "remove"
        assert npl.load(path).time in (30.0, 40.0, 50.0)
        assert resumed(path) == whole
        use(Disk())
        net.run(until=END, checkpoint=path, checkpoint_every=40.0)
        assert results(net) == resumed(path) == whole
        assert names(path) == ["run.npc", "run.npc.1"]
        at += 1
    assert at > 12


@pytest.mark.parametrize("power", [False, True])
def test_death_at_any_operation_leaves_a_good_checkpoint(tmp_path, whole, use, power):
    """A process ends before operation k; then a new one goes on."""
    at, done = 0, False
    while not done:
        path, net = saved_network(tmp_path / str(at), 20.0, use)
        use(Mortal(at, power))
        try:
            net.run(until=40.0, checkpoint=path, checkpoint_every=10.0)
            done = True
        except (Dead, BadCheckpoint):
            pass
        times = tuple(npl.load(path.with_name(name)).time for name in ("run.npc", "run.npc.1"))
        assert times in ((20, 10), (20, 20), (30, 20), (30, 30), (40, 30))
        assert not done or times == (40, 30)
        assert resumed(path) == whole
        use(Disk())
        again = npl.load(path)
        again.run(until=END, checkpoint=path, checkpoint_every=20.0)
        assert results(again) == resumed(path) == whole
        assert names(path) == ["run.npc", "run.npc.1"]
        at += 1
    assert at > 12
