# SPDX-License-Identifier: Apache-2.0
"""A program that goes on from its last checkpoint whenever it is started, for tests that kill it. Arguments: folder, seconds that writing takes longer.

`result.json` has the hash of what it ends with, `begun` appears when the network runs.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np

import neuropil as npl
from neuropil.checkpoint import container
from neuropil.checkpoint.disk import Disk

END = 150.0


def build():
    net = npl.Network(seed=9, threads=1)
    e = net.create("iaf_psc_exp", 60, V_m=npl.normal(-60.0, 4.0), I_e=npl.uniform(300.0, 420.0), name="E")
    net.connect(
        e, e, npl.fixed_indegree(10), weight=npl.uniform(2.0, 20.0), delay=npl.uniform(0.5, 3.0), synapse=npl.stdp(), name="plastic"
    )
    net.stimulate(e, npl.poisson(rate=1500.0), weight=20.0)
    net.extra = {"spikes": net.record(e), "trace": net.record(e[:5], "V_m")}
    return net


def main(folder: Path, slow: float) -> None:
    file = folder / "run.npc"
    write = Disk.write

    def slowly(self, *what):
        time.sleep(slow)  # so that most deaths are while it saves
        write(self, *what)

    Disk.write = slowly
    container._GATHERED = 0  # small columns one by one
    if file.exists():
        net = npl.load(file)
    else:
        net = build()
        net.record(net["E"], to=folder / "spikes", every=10.0)
    (folder / "begun").touch()
    net.run(until=END, checkpoint=file, checkpoint_every=10.0)
    spikes, trace, weights = net.extra["spikes"], net.extra["trace"], net.projections["plastic"].weight
    parts = [spikes.steps, spikes.gids, trace.values, np.asarray(weights), net["E"].V_m]
    found = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
    if npl.rank() == 0:
        streamed = npl.results.load_spikes(folder / "spikes")
        assert np.array_equal(streamed.steps, spikes.steps)
        (folder / "result.json").write_text(json.dumps({"hash": found, "spikes": len(spikes)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
