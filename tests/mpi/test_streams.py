# SPDX-License-Identifier: Apache-2.0
"""Ranks under mpiexec stream to one directory, and what is read from it is what they have recorded in memory."""

import json

import numpy as np
import pytest

import neuropil as npl
from mpi import jobs

STREAMS = """
import json, os, pathlib
import neuropil as npl
net = npl.Network(seed=3, threads=1)
cells = net.create("iaf_psc_exp", 200, I_e=npl.uniform(300.0, 700.0))
net.connect(cells, cells, npl.fixed_indegree(10), weight=30.0, delay=1.5)
spikes, trace = net.record(cells[::-7]), net.record(cells[:7], "V_m")
here = pathlib.Path(os.environ["HERE"])
streams = net.record(cells[::-7], to=here / "spikes", every=5.0), net.record(cells[:7], "V_m", to=here / "trace", every=10.0)
net.run(60.4)
spikes.save(here / "spikes.npz")
trace.save(here / "trace.npz")
line = json.dumps([stream.rows for stream in streams])
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_streams(kind, ranks, tmp_path):
    told = tmp_path / "told"
    told.mkdir()
    rows = np.array([json.loads(line) for line in jobs.lines(kind, ranks, STREAMS, told, HERE=str(tmp_path))])
    spikes, trace = npl.results.load_spikes(tmp_path / "spikes.npz"), npl.results.load_trace(tmp_path / "trace.npz")
    found = npl.results.load_spikes(tmp_path / "spikes")
    assert len(spikes) == rows[:, 0].sum() > 50 and (rows[:, 1] == 60).all()
    for name in ("times", "gids", "watched"):
        assert getattr(found, name).tobytes() == getattr(spikes, name).tobytes()
    assert npl.results.load_trace(tmp_path / "trace").values.tobytes() == trace.values.tobytes()
    assert found.stop == spikes.stop == 60.4
