# SPDX-License-Identifier: Apache-2.0
"""./run bench limits: bandwidths by size, what loops must move, the fraction of the machine's speed that they reach."""

import math

import pytest
from bench import cpp_loops, limits, run
from bench.sides import Settings

KIB = 1024


def a_memory(way, size, gb_per_s):
    return {"name": f"memory/{way}/{size}", "bytes_per_second": 1e9 * gb_per_s}


MEMORY = [
    a_memory(way, size, gb) for way in ("read", "update", "write") for size, gb in ((4 * KIB, 100.0), (16 * KIB, 80.0), (64 * KIB, 20.0))
]
LOOP = {
    "name": "deliver/a/min_time:1.000", "items_per_second": 0.25e9,
    "stream/read/synapses": 6.0, "set/read/synapses": 64.0 * KIB, "stream/update/sums": 16.0, "set/update/sums": 4.0 * KIB,
}  # fmt: skip


def test_bandwidth_is_the_median_of_repetitions_by_way_and_size():
    found = limits.curves([*MEMORY, a_memory("read", 4 * KIB, 120.0), a_memory("read", 4 * KIB, 110.0), LOOP])
    assert set(found) == {"read", "update", "write"}
    assert found["read"][4 * KIB] == pytest.approx(110e9)


@pytest.mark.parametrize(("size", "gb"), [(1, 100.0), (4 * KIB, 100.0), (8 * KIB, 90.0), (32 * KIB, 50.0), (64 * KIB, 20.0), (1e9, 20.0)])
def test_between_measured_sizes_bandwidth_is_interpolated(size, gb):
    assert limits.bandwidth(limits.curves(MEMORY)["read"], size) == pytest.approx(gb * 1e9)


def test_least_time_is_that_of_all_streams_in_turn():
    moved = limits.streams(LOOP)
    assert {(s.what, s.way, s.per_item) for s in moved} == {("synapses", "read", 6.0), ("sums", "update", 16.0)}
    assert limits.least_ns(moved, limits.curves(MEMORY)) == pytest.approx(6 / 20 + 16 / 100)


def test_a_row_tells_the_fraction_reached():
    (row,) = limits.loop_rows([LOOP, *MEMORY], limits.curves(MEMORY))
    assert row[0] == "deliver/a"
    assert row[2:5] == [22.0, pytest.approx(0.46), pytest.approx(4.0)]
    assert row[5] == "12 %"


def test_sizes_that_a_way_lacks_have_no_bandwidth():
    rows = limits.memory_rows({"read": {8 * KIB: 1e9}, "update": {}, "write": {}})
    assert rows[0][0] == "8 KiB" and rows[0][2] == 1.0 and math.isnan(rows[0][3])


def test_the_section_is_there_and_tells_a_failed_build(tmp_path, monkeypatch):
    def fails(log):
        raise OSError("no compiler")

    monkeypatch.setattr(cpp_loops, "build", fails)
    assert run.SECTIONS["limits"] is limits.run
    assert limits.run(Settings(tmp_path)).errors == ["no compiler"]
