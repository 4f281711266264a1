# SPDX-License-Identifier: Apache-2.0
"""Spike counts per bin under mpiexec: the same on every rank and on any number of ranks."""

import json

import pytest

from mpi import jobs

RATES = """
import json
import neuropil as npl
net = npl.Network(seed=3, threads=2)
cells = net.create("iaf_psc_exp", 200, I_e=npl.uniform(300.0, 700.0))
net.connect(cells, cells, npl.fixed_indegree(10), weight=30.0, delay=1.5)
bins = [net.record(cells[10 * k : 10 * k + 15], "rate", bin=0.5 * (k + 1)) for k in range(10)]
net.run(30.2)
bins[0].clear()
net.run(30.2)
line = json.dumps([(b.times.tolist(), b.counts.tolist()) for b in bins])
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_rates(kind, ranks, tmp_path):
    told = {n: [] for n in (1, ranks)}
    for n in told:
        (tmp_path / str(n)).mkdir()
        told[n] = [json.loads(line) for line in jobs.lines(kind, n, RATES, tmp_path / str(n))]
    assert len(told[ranks]) == ranks and all(found == told[1][0] for found in told[ranks])
    assert sum(sum(counts) for _, counts in told[1][0]) > 500
