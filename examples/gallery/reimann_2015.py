# SPDX-License-Identifier: Apache-2.0
"""Reimann et al. (2015): a circuit made of touches between axons and dendrites.

M. W. Reimann et al., Front. Comput. Neurosci. 9:120. Where an axon passes a dendrite within spine length there may be a
synapse. Touches alone give too many connections, most of them with a single touch, so connections are removed as
a whole and the rest keeps all of its touches. Here 120 cells of nine types are grown in a column, their touches found
and half of the connections kept. Connection probability falls with the distance of the somata, as axons and dendrites
overlap less, and connected pairs have several touches. The cells are grown by rules, not reconstructed, so no number of
the paper can be compared; `neuropil circuit touch` does the same with reconstructed cells.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl
from neuropil import circuit

CELLS, KEPT = 120, 0.5
EDGES = np.arange(0.0, 901.0, 100.0)  # µm


def by_distance(positions: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Share of the ordered pairs in each bin of distance that are connected."""
    distance = np.linalg.norm(positions[:, None] - positions, axis=2)
    np.fill_diagonal(distance, np.inf)
    all_pairs = np.histogram(distance, EDGES)[0]
    return np.histogram(distance[source, target], EDGES)[0] / np.maximum(all_pairs, 1)


def numbers() -> dict[str, Any]:
    """Touches, connection probability near and far, and spikes of the circuit."""
    with tempfile.TemporaryDirectory() as folder:
        config = circuit.grow_column(Path(folder) / "column", CELLS, seed=1)
        run = circuit.detect_touches(config, Path(folder) / "edges.h5")
        pairs = circuit.Connections(circuit.EdgeFile(run.path))
        positions = circuit.NodeFile(next(iter(circuit.read_config(config).nodes.values()))).positions()
        net = npl.Network(seed=1)
        made = circuit.touches_to_network(run.path, options=circuit.SynapseOptions(survival=KEPT), net=net)
        spikes = {name: net.record(nodes) for name, nodes in made.populations.items()}
        net.run(1000.0)
        source, target, count = (np.array(each) for each in (pairs.source, pairs.target, pairs.count))
    probability = by_distance(positions, source, target)
    return {
        "touches": float(run.touches),
        "touches per connected pair": float(count.mean()),
        "share of connected pairs with one touch": float((count == 1).mean()),
        "connection probability, below 100 µm": float(probability[0]),
        "connection probability, 500 to 600 µm": float(probability[5]),
        "synapses of the network over touches": made.synapses / run.touches,
        "mean rate (spikes/s)": float(sum(len(each) for each in spikes.values()) / CELLS),
        "probability": probability,
        "count": count,
        "spikes": {name: each.data() for name, each in spikes.items()},
    }


def draw(found: dict[str, Any]) -> Any:
    """Touches of pairs, probability over distance, spikes."""
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", width_ratios=[1, 1, 1.3])
    left.hist(found["count"], np.arange(1, 17), align="left", color="C2")
    left.set(xlabel="touches of a pair", ylabel="pairs")
    middle.stairs(found["probability"], EDGES, fill=True, color="C0")
    middle.set(xlabel="distance of somata (µm)", ylabel="connection probability")
    row = 0
    for each in found["spikes"].values():
        right.plot(each.times, row + each.positions(), "|", ms=3)
        row += len(each.watched)
    right.set(xlabel="time (ms)", ylabel="cell, by type", xlim=(0, 1000))
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("reimann_2015.png", dpi=110)
