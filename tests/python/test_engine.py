# SPDX-License-Identifier: Apache-2.0
"""What front ends use beneath a network: clocks, what ranks tell each other, sets of nodes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuropil import engine
from neuropil.base import clocks


@pytest.fixture
def time(monkeypatch):
    """A time that stands still: wall, processor (s), and how often the processor's was read."""
    now = {"wall": 5.0, "cpu": 1.0, "reads": 0}

    def process_time():
        now["reads"] += 1
        return now["cpu"]

    monkeypatch.setattr(clocks.time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(clocks.time, "process_time", process_time)
    return now


def test_clocks_sum_up_by_name(time):
    found = engine.Clocks(("create", "run"))
    for _ in range(2):
        start = found.start()
        time["wall"] += 2.0
        time["cpu"] += 0.5
        found.took("run", start)
    assert found.seconds == {"create": 0.0, "create_cpu": 0.0, "run": 4.0, "run_cpu": 1.0}


def test_short_calls_read_the_clock_of_the_processor_once(time):
    found = engine.Clocks(("create",))
    for _ in range(10):
        start = found.start()
        time["wall"] += 1e-5
        time["cpu"] += 1e-5
        found.took("create", start)
    assert time["reads"] == 11  # at the first start, and at each end
    assert found.seconds["create_cpu"] == pytest.approx(1e-4)


def test_short_calls_of_one_thread_read_the_clock_of_the_processor_once_per_ms(time):
    found = engine.Clocks(("create",))
    for _ in range(290):
        start = found.start()
        time["wall"] += 1e-5
        time["cpu"] += 1e-5
        found.took("create", start, alone=True)
    assert time["reads"] == 4  # at the first start, and once per ms
    assert found.seconds["create"] == pytest.approx(2.9e-3)
    assert found.seconds["create_cpu"] == pytest.approx(2.9e-3)


def test_a_call_of_one_thread_that_waits_reads_the_clock_of_the_processor(time):
    found = engine.Clocks(("create",))
    start = found.start()
    time["wall"] += 1e-3
    time["cpu"] += 1e-5
    found.took("create", start, alone=True)
    assert found.seconds["create_cpu"] == pytest.approx(1e-5)


def test_a_call_that_is_refused_changes_no_clock(time):
    found = engine.Clocks(("create",))
    before = dict(vars(found))
    found.start()
    assert vars(found) == before


class Ranks:
    """Three ranks, of which this one is the second."""

    def __init__(self, others):
        self.others = others

    def gather_bytes(self, part):
        return [self.others[0], part, self.others[1]]


@pytest.fixture
def on_three(monkeypatch):
    def put(*others):
        monkeypatch.setattr(engine, "rank_and_size", lambda: (1, 3))
        monkeypatch.setattr(engine, "gather_bytes", Ranks(others).gather_bytes)

    return put


def test_rows_of_all_ranks(on_three):
    rows = [np.arange(6.0).reshape(3, 2), np.empty((0, 2)), 9.0 + np.arange(2.0)[None, :]]
    mine = np.array([[7.0, 8.0]])
    assert engine.gathered(mine) == (mine, 0)
    on_three(rows[0].tobytes(), rows[2].tobytes())
    found, first = engine.gathered(mine)
    assert np.array_equal(found, np.concatenate([rows[0], mine, rows[2]]))
    assert first == 3
    assert engine.gathered(rows[1])[0].tolist() == [*rows[0].tolist(), *rows[2].tolist()]


def test_what_any_rank_says(on_three):
    assert engine.any_rank(True)
    assert not engine.any_rank(False)
    assert engine.all_names(frozenset("ab")) == {"a", "b"}
    on_three(b"0", b"1")
    assert engine.any_rank(False)
    on_three(b"0", b"0")
    assert engine.any_rank(True)
    assert not engine.any_rank(False)
    on_three(b"", b"b\nc")
    assert engine.all_names(frozenset({"a", "b"})) == {"a", "b", "c"}
    assert engine.all_names(frozenset()) == {"b", "c"}


@given(st.lists(st.integers(1, 9), max_size=25))
def test_sets_without_repeats(gids):
    found = engine.without_repeats(np.array(gids, np.int64))
    assert sorted(at for some in found for at in some.tolist()) == list(range(len(gids)))
    for some in found:
        assert (np.diff(np.array(gids, np.int64)[some]) > 0).all()
    assert len(found) == max([gids.count(gid) for gid in gids], default=len(found))
