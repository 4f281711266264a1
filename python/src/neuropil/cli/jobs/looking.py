# SPDX-License-Identifier: Apache-2.0
"""What a job keeps for its report: load and times of each rank, and with --report traces and histograms of weights."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from neuropil.errors import UnknownName

if TYPE_CHECKING:
    import neuropil

MOST_RANKS = 1024  # with more, result.json has no values of single ranks
SAMPLES = 20_000  # of V_m, of one neuron of each population
SAMPLED = 100  # at most, neurons of each population whose incoming weights are counted
BINS = 60


def by_rank(net: "neuropil.Network", values: Mapping[str, float]) -> dict[str, list[float]]:
    """The values of each rank; empty for more ranks than MOST_RANKS. Collective; names are those of the first rank."""
    if net.n_ranks > MOST_RANKS:
        return {}
    table = np.asarray(net._kernel.gather(np.array([*values.values()], np.float64))).reshape(net.n_ranks, -1)
    return {name: table[:, k].tolist() for k, name in enumerate(values)}


def record_traces(net: "neuropil.Network", populations: "Mapping[str, neuropil.Nodes]", duration: float) -> "neuropil.results.Trace | None":
    """Records V_m of the first neuron of each population while `duration` ms are simulated; None for models without V_m."""
    firsts = [nodes[:1] for nodes in populations.values()]
    interval = net.resolution * max(1, -(-round(duration / net.resolution) // SAMPLES))
    try:
        trace: Any = net.record(sum(firsts[1:], start=firsts[0]), "V_m", interval=interval)
    except UnknownName:
        return None
    return trace  # type: ignore[no-any-return]


def weights(net: "neuropil.Network", populations: "Mapping[str, neuropil.Nodes]") -> dict[str, Any]:
    """Histograms of the weights to some neurons of each population, by source. Collective."""
    found = {}
    for target, nodes in populations.items():
        chosen = nodes[:: -(-len(nodes) // SAMPLED)]
        connections = net.connections(target=chosen)
        source, weight = np.asarray(connections.source), np.asarray(connections.weight)
        curves = [_histogram(name, weight[np.isin(source, own.gids)]) for name, own in populations.items()]
        known = [curve for curve in curves if curve]
        if known:
            note = f"to {len(chosen)} of {len(nodes)} neurons at the end of the run, by source"
            found[f"to {target}"] = {"unit": connections.weight_unit, "note": note, "histograms": known}
    return found


def _histogram(name: str, weight: np.ndarray) -> dict[str, Any]:
    """Edges of bins and the share of the weights in each; empty without weights."""
    if not len(weight):
        return {}
    counts, edges = np.histogram(weight, BINS)
    return {"name": name, "edges": edges.tolist(), "shares": (counts / len(weight)).tolist()}
