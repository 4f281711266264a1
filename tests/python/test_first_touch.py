# SPDX-License-Identifier: Apache-2.0
"""First touch: the pages of a slice are made by the thread that updates it. Counted as minor page faults per thread, which says on which NUMA node
pages lie on a machine that has several; `neuropil.parallel.pages()` shows the sum per node."""

import os
from pathlib import Path

import pytest

import neuropil  # noqa: F401
from lowlevel import connect, drawn, floats, kernel, rows

TASKS = Path("/proc/self/task")
pytestmark = pytest.mark.skipif(not TASKS.exists(), reason="needs /proc of Linux")


def minor_faults(stat: Path) -> int:
    return int(stat.read_text().rsplit(")", 1)[1].split()[7])


class Faults:
    """Page faults since it was made: of the caller's thread, of the other threads, and of threads that have ended."""

    def __init__(self):
        self.before, self.total = self.threads(), minor_faults(Path("/proc/self/stat"))

    @staticmethod
    def threads() -> dict[int, int]:
        return {int(task.name): minor_faults(task / "stat") for task in TASKS.iterdir()}

    def since(self) -> tuple[int, int, int]:
        now, total = self.threads(), minor_faults(Path("/proc/self/stat")) - self.total
        mine = now[os.getpid()] - self.before[os.getpid()]
        others = sum(n - self.before.get(thread, 0) for thread, n in now.items()) - mine
        return mine, others, total - mine - others


def check_shared(faults: Faults) -> None:
    """Two threads have half of the slices each."""
    mine, others, ended = faults.since()
    assert others > 100
    assert 0.4 * mine < others < 1.6 * mine  # the caller also checks drawn values, in memory of its own
    assert ended < 0.05 * (mine + others)


@pytest.mark.parametrize("draws", [[], [("V_m", drawn("normal", -65.0, 5.0), 1), ("C_m", drawn("uniform", 200.0, 300.0), 2)]])
def test_columns_of_neurons(draws):
    net = kernel(threads=2)
    faults = Faults()
    net.create("iaf_psc_exp", 200_000, floats(I_e=500.0), draws)
    check_shared(faults)


@pytest.mark.parametrize("synapse", ["static_synapse", "stdp_synapse"])
def test_tables(synapse):
    net = kernel(threads=2)
    net.create("iaf_psc_exp", 20_000)
    connect(net, rows(1, 20_000), rows(1, 20_000), "fixed_indegree", indegree=100, weight=drawn("normal", 10.0, 1.0), synapse=synapse)
    faults = Faults()
    net.build(None)
    check_shared(faults)
