# SPDX-License-Identifier: Apache-2.0
"""Results that go to a directory go on after a checkpoint as if nothing had been."""

from pathlib import Path

import numpy as np
import pytest

import neuropil as npl
from checkpoint.test_networks import build
from neuropil.errors import BadParameter
from thread_ranks import on_ranks, the_same


def with_streams(folder: Path, comm=None):
    net, held = build(comm)
    e = held["e"]
    held["to"] = {
        "spikes": net.record(e, to=folder / "spikes", every=7.0),
        "trace": net.record(e[:3], "V_m", to=folder / "trace", every=10.0),
        "synapses": net.record(held["plastic"], "weight", interval=4.0, to=folder / "synapses", every=10.0),
        "weights": held["weights"].stream(folder / "weights", every=10.0),
    }
    return net, held


def streamed(folder: Path):
    s, t, y, w = npl.results.load_spikes(folder / "spikes"), npl.results.load_trace(folder / "trace"), npl.results.load_synapse_trace(folder / "synapses"), npl.results.load_weights(folder / "weights")  # fmt: skip
    columns = [s.times, s.gids, t.times, t.values, y.times, y["weight"], y.sources, w.times, w.sources, w.targets, w.weights]
    return [np.asarray(column).tobytes() for column in columns] + [s.start, s.stop]


@pytest.fixture
def whole_streams(tmp_path):
    net, _ = with_streams(tmp_path / "whole")
    net.run(80.0)
    return streamed(tmp_path / "whole")


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)])
def test_streams_go_on(tmp_path, whole_streams, before, after):
    """The first run goes on after its checkpoint, which is lost; so does the second one."""
    path, folder = tmp_path / "run.npc", tmp_path / "to"

    def first(comm):
        net, held = with_streams(folder, comm)
        net.run(33.3)
        net.save(path, held)
        net.run(20.0)
        return True

    def second(comm):
        net = npl.load(path, ranks=comm)
        net.run(until=45.0)
        net.save(tmp_path / "second.npc")
        net.run(10.0)
        return True

    def last(comm):
        net = npl.load(tmp_path / "second.npc", ranks=comm)
        net.run(until=80.0)
        return True

    def on(ranks, program):
        return the_same(on_ranks(ranks, program) if ranks > 1 else [program(None)])

    on(before, first)
    on(after, second)
    on(before, last)
    assert streamed(folder) == whole_streams
    on(after, second)  # from the first checkpoint once more
    assert npl.results.load_spikes(folder / "spikes").stop == 55.0
    on(after, last)
    assert streamed(folder) == whole_streams


def test_looking_at_a_checkpoint_leaves_streams_alone(tmp_path, whole_streams):
    net, held = with_streams(tmp_path / "to")
    net.run(30.0)
    net.save(tmp_path / "run.npc", held)
    net.run(until=80.0)
    npl.load(tmp_path / "run.npc")
    assert streamed(tmp_path / "to") == whole_streams


def test_streams_to_another_directory(tmp_path, whole_streams):
    net, held = with_streams(tmp_path / "to")
    net.run(30.0)
    net.save(tmp_path / "run.npc", held)
    net.run(until=80.0)
    names = ("spikes", "trace", "synapses", "weights")
    again = npl.load(tmp_path / "run.npc", streams={tmp_path / "to" / name: tmp_path / "other" / name for name in names})
    again.run(until=80.0)
    assert streamed(tmp_path / "to") == whole_streams
    spikes, other = npl.results.load_spikes(tmp_path / "to" / "spikes"), npl.results.load_spikes(tmp_path / "other" / "spikes")
    assert other.start == 30.0
    assert np.array_equal(other.times, spikes.times[spikes.times > 30.0])
    with pytest.raises(BadParameter, match="streams"):
        npl.load(tmp_path / "run.npc", streams={"nowhere": "there"})
    with pytest.raises(BadParameter, match="directory without results"):
        npl.load(tmp_path / "run.npc", streams={tmp_path / "to" / "spikes": tmp_path / "other" / "trace"})


def test_streams_that_are_gone(tmp_path):
    net, held = with_streams(tmp_path / "to")
    net.run(30.0)
    net.save(tmp_path / "run.npc", held)
    (tmp_path / "to").rename(tmp_path / "away")
    again = npl.load(tmp_path / "run.npc")
    with pytest.raises((npl.errors.BadFile, FileNotFoundError)):
        again.run(10.0)


def test_streams_of_restored_states(tmp_path, whole_streams):
    net, _ = with_streams(tmp_path / "to")
    net.run(33.3)
    net.store()
    for _ in range(2):
        net.run(until=70.0)
        net.restore()
    net.run(until=80.0)
    assert streamed(tmp_path / "to") == whole_streams
