# SPDX-License-Identifier: Apache-2.0
"""Network of artificial spiking cells: the test of spike exchange of Hines, Kumar and Schuermann (2011), Front. Comput. Neurosci. 5:49."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from neuropil.cli.jobs.parallel import job

if TYPE_CHECKING:
    import neuropil
    from neuropil.cli.jobs.session import Session

RESOLUTION = 0.1  # ms
DELAY = 1.0  # ms
INTERVAL_MIN, INTERVAL_MAX = 20.0, 40.0  # ms
BURST_FACTOR = 5.0  # firing rate of the group whose turn it is


class Topology(StrEnum):
    """Who is connected to whom."""

    random = "random"
    adjacent = "adjacent"


def build(net: "neuropil.Network", cells: int, connections: int, topology: Topology | str = Topology.random) -> "neuropil.Nodes":
    """Cells with `connections` inputs of weight 0 each: drawn among all others (repeats allowed), or the nearest neighbours on a ring of gids."""
    import neuropil

    if topology == Topology.adjacent and connections >= cells:
        raise neuropil.errors.bad_parameter("connections", connections, f"less than the number of cells, {cells}")
    nodes = net.create("interval_fire", cells, interval_min=INTERVAL_MIN, interval_max=INTERVAL_MAX)
    if topology == Topology.random:
        net.connect(nodes, nodes, neuropil.fixed_indegree(connections, autapses=False), weight=0.0, delay=DELAY)
        return nodes
    for shift in shifts(cells, connections):
        net.connect(nodes[: cells - shift], nodes[shift:], "one_to_one", weight=0.0, delay=DELAY)
        net.connect(nodes[cells - shift :], nodes[:shift], "one_to_one", weight=0.0, delay=DELAY)
    return nodes


def shifts(cells: int, connections: int) -> list[int]:
    """Distances from a cell up the ring, 1 .. cells - 1, to its `connections` nearest neighbours; half of them are below it."""
    below = connections // 2
    return [shift % cells for shift in (*range(-below, 0), *range(1, connections - below + 1))]


def run_bursts(net: "neuropil.Network", nodes: "neuropil.Nodes", groups: int, length: float) -> None:
    """Each of `groups` groups of neighbours fires BURST_FACTOR times faster for `length` ms, one after the other."""
    from neuropil import uniform

    size = len(nodes) // groups
    for k in range(groups):
        group = nodes[k * size : (k + 1) * size if k < groups - 1 else len(nodes)]
        # Without its steady state a cell draws a new interval at once; m is drawn, or most cells, near 1 by then, would fire together.
        group.set(interval_min=INTERVAL_MIN / BURST_FACTOR, interval_max=INTERVAL_MAX / BURST_FACTOR, _m_inf=0.0, m=uniform(0.0, 1.0))
        net.run(length, progress=False)
        group.set(interval_min=INTERVAL_MIN, interval_max=INTERVAL_MAX)  # from the end of the short interval that a cell is in


@job(resolution=RESOLUTION, duration=200.0, warmup=0.0)
def main(
    session: "Session",
    cells: Annotated[int, typer.Option(min=2, help="Number of cells.")] = 16384,
    connections: Annotated[int, typer.Option(min=1, help="In-degree of a cell.")] = 1000,
    topology: Annotated[
        Topology, typer.Option(help="Sources of a cell: drawn among all cells, or the cells with the nearest numbers.")
    ] = Topology.random,
) -> None:
    """Cells that fire every 20 to 40 ms, to measure spike exchange (Hines et al. 2011)."""
    parameters = {"cells": cells, "connections": connections, "topology": topology.value}
    session.run(session.build(parameters, lambda net: {"cells": build(net, cells, connections, topology)}))
    session.finish(parameters)
