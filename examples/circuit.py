# SPDX-License-Identifier: Apache-2.0
"""From morphologies to spikes: a column is grown, its touches become synapses, a page shows one connection in 3-D.

python examples/circuit.py [FOLDER [CELLS]]; needs `pip install "neuropil[circuit]"`. With real data: leave grow_column out and name your circuit configuration.
"""

import sys
from pathlib import Path

import neuropil as npl
from neuropil import circuit


def main(folder: str = "out/example_circuit", cells: int = 200) -> float:
    """Returns the mean rate (spikes/s)."""
    place = Path(folder)
    config = circuit.grow_column(place / "column", cells, seed=1)
    run = circuit.detect_touches(config, place / "edges.h5")
    options = circuit.SynapseOptions(survival={"*>*": 0.5, "INH>*": 1.0}, velocity=300.0)
    net = npl.Network(seed=1)
    made = circuit.touches_to_network(run.path, options=options, net=net)
    spikes = {name: net.record(nodes) for name, nodes in made.populations.items()}
    net.run(500.0)
    report = circuit.write_report(run.path, place / "report.html")
    rate = sum(len(s) for s in spikes.values()) / cells / 0.5
    print(f"{run.touches} touches, {made.synapses} synapses, {rate:.1f} spikes/s; {report.page}")
    return rate


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
