# SPDX-License-Identifier: Apache-2.0
"""A network in space with every rule, for tests on several ranks."""

from __future__ import annotations

from typing import Any

import neuropil.nest as nest


def connections() -> list[Any]:
    """Connections that end on this rank: (source, target, weight, delay), sorted; and spikes of all ranks."""
    nest.ResetKernel()
    space, random = nest.spatial, nest.random
    positions = space.free(random.uniform(-0.5, 0.5), extent=[1.0, 1.0], edge_wrap=True)
    cells = nest.Create("iaf_psc_alpha", 150, {"I_e": 400.0, "V_m": random.normal(-65.0, 3.0) + space.pos.x}, positions=positions)
    mask, profile = {"circular": {"radius": 0.3}}, nest.spatial_distributions.gaussian(space.distance, std=0.15)
    by_distance = {"weight": 20.0 * space.distance, "delay": 1.0 + space.distance}
    nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": profile, "mask": mask}, by_distance)
    nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": 0.1, "mask": mask, "use_on_source": True}, {"weight": -5.0})
    kernel = profile * random.uniform()
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5, "p": kernel, "mask": mask}, {"weight": random.normal(-10.0, 2.0)})
    outwards = {"rule": "fixed_outdegree", "outdegree": 5, "p": profile, "mask": mask}
    nest.Connect(cells, cells, outwards, {"weight": random.uniform(1.0, 2.0) * space.distance})
    nest.Connect(
        cells, cells, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 0.3, "mask": mask}, {"weight": random.normal(3.0, 1.0)}
    )
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(60.0)
    found = nest.GetConnections(cells, cells)
    spikes = sorted(zip(recorder.events["times"].tolist(), recorder.events["senders"].tolist(), strict=True))
    return [sorted(zip(found.source, found.target, found.weight, found.delay, strict=True)), spikes]
