# SPDX-License-Identifier: Apache-2.0
"""The report of pages: read from stored /proc files, and of this very process."""

import numpy as np

import neuropil
from neuropil.base.paging import huge_page_mode, pages

SMAPS = """5619c3b9c000-7ffce6105000 ---p 00000000 00:00 0                          [rollup]
Rss:              409600 kB
Anonymous:        204800 kB
AnonHugePages:    102400 kB
"""
MAPS = """55e92fb0f000 default file=/usr/bin/head mapped=2 mapmax=3 N0=2 kernelpagesize_kB=4
7f0000000000 default anon=1024 dirty=1024 N0=1000 N1=24 kernelpagesize_kB=4
7f1000000000 default anon=3 dirty=3 N1=3 kernelpagesize_kB=2048
7f2000000000 default
"""


def test_files_of_proc_are_summed(tmp_path):
    (tmp_path / "smaps_rollup").write_text(SMAPS)
    (tmp_path / "numa_maps").write_text(MAPS)
    found = pages(tmp_path)
    assert (found.resident, found.anonymous, found.huge) == (400 << 20, 200 << 20, 100 << 20)
    assert found.huge_share == 0.5
    assert found.nodes == {0: 1002 * 4096, 1: 24 * 4096 + 3 * (2 << 20)}
    assert "50 %" in str(found)
    assert "node 1" in str(found)


def test_systems_without_proc(tmp_path):
    found = pages(tmp_path)
    assert found == neuropil.classes.Pages(0, 0, 0, {})
    assert found.huge_share == 0.0
    assert "unknown" in str(found)


def test_of_this_process():
    before = neuropil.parallel.pages()
    block = np.ones(1 << 23)  # 64 MiB, written
    after = neuropil.parallel.pages()
    assert after.resident - before.resident > block.nbytes // 2
    assert 0 <= after.huge <= after.anonymous <= after.resident
    if after.nodes:
        assert sum(after.nodes.values()) > block.nbytes
    assert huge_page_mode() in {"always", "madvise", "never", "-"}
