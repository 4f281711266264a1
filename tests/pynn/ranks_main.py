# SPDX-License-Identifier: Apache-2.0
"""A script of PyNN for any number of ranks: what it reads goes into FOLDER/RANK, to be compared. Words: FOLDER CONNECTORS."""

import pickle
import sys
import warnings
from pathlib import Path

from pyNN.random import NumpyRNG, RandomDistribution

import neuropil.pynn as sim
from neuropil.pynn import NotSupported

FOLDER, CONNECTORS = Path(sys.argv[1]), sys.argv[2]


def network():
    """Noise, a plastic projection, gap junctions, drawn parameters and weights, cells and connections set one by one."""
    rng = NumpyRNG(seed=42, parallel_safe=True)
    cells = sim.Population(21, sim.IF_cond_exp(tau_m=RandomDistribution("uniform", (15.0, 25.0), rng=rng)))
    cells.initialize(v=RandomDistribution("uniform", (-65.0, -55.0), rng=rng))
    noise = sim.Population(21, sim.SpikeSourcePoisson(rate=2000.0))
    trains = sim.Population(3, sim.SpikeSourceArray(spike_times=[[5.0, 6.0], [7.0], [8.0, 20.0]]))
    coupled = sim.Population(4, sim.native_cell_type("hh_psc_alpha_gap")(I_e=[600.0, 0.0, 300.0, 0.0]))
    sim.Projection(noise, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=0.01, delay=0.1))
    weights = RandomDistribution("uniform", (0.0, 0.004), rng=rng)
    recurrent = sim.Projection(cells, cells, sim.FixedProbabilityConnector(0.3, rng=rng), sim.StaticSynapse(weight=weights, delay=1.5))
    total = sim.Projection(cells[:9], cells[9:], sim.FixedTotalNumberConnector(30, rng=rng), sim.StaticSynapse(weight=0.001, delay=1.0))
    rule = sim.STDPMechanism(sim.SpikePairRule(A_plus=0.05, A_minus=0.05), sim.AdditiveWeightDependence(w_max=0.02), weight=0.01, delay=1.0)
    plastic = sim.Projection(trains, cells, sim.AllToAllConnector(), rule)
    junctions = sim.Projection(coupled[:2], coupled[2:], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.02))
    for cell in cells:
        cell.v_thresh = -50.5 + 0.01 * int(cell)
    for connection in recurrent:
        connection.delay = 2.0
    cells.record("spikes")
    cells[3:11].record(["v", "gsyn_exc"])
    noise.sample(4).record("spikes")
    coupled.record("V_m")
    return cells, noise, trains, coupled, {"recurrent": recurrent, "total": total, "plastic": plastic, "junctions": junctions}


def shown(block):
    """Trains by cell and signals, of all segments."""
    return [
        (
            {int(train.annotations["source_index"]): train.magnitude.tolist() for train in segment.spiketrains},
            {s.name: (s.array_annotations["channel_index"].tolist(), s.magnitude.tolist()) for s in segment.analogsignals},
        )
        for segment in block.segments
    ]


def refused():
    """Names of what several ranks cannot do."""
    cells = sim.Population(4, sim.IF_curr_exp())
    static = sim.StaticSynapse(weight=0.1, delay=1.0)
    (FOLDER / "list").write_text("0 1\n")
    found = []
    for use in (
        lambda: cells.set(tau_m=RandomDistribution("uniform", (1.0, 2.0))),
        lambda: cells.initialize(v=RandomDistribution("uniform", (1.0, 2.0), rng=NumpyRNG(seed=1, parallel_safe=False))),
        lambda: cells.sample(2, NumpyRNG()),
        lambda: sim.Projection(cells, cells, sim.FixedProbabilityConnector(0.5, rng=NumpyRNG(seed=1, parallel_safe=False)), static),
        lambda: sim.Projection(cells, cells, sim.FromFileConnector(str(FOLDER / "list"), distributed=True), static),
        lambda: sim.Projection(cells, cells, sim.AllToAllConnector(), static).save("weight", str(FOLDER / "w"), gather=False),
    ):
        try:
            use()
        except NotSupported as error:
            found.append(error.what)
        else:
            found.append("")
    return found


def main():
    warnings.simplefilter("ignore")
    rank = sim.setup(timestep=0.1, threads=1, connectors=CONNECTORS)
    cells, noise, trains, coupled, projections = network()
    sim.run(30.0)
    sim.reset()
    cells[5].tau_m = 10.0
    sim.DCSource(amplitude=0.5, start=10.0, stop=20.0).inject_into(cells[:5])
    late = sim.Population(4, sim.IF_curr_exp(i_offset=1.2))
    late.record(["spikes", "v"])
    sim.run(25.0)
    sim.run(15.0)
    both = cells + coupled
    views = {"cells": cells, "noise": noise, "coupled": coupled, "late": late, "some": cells[2:9], "assembly": both}
    found = {"ranks": sim.num_processes(), "rank": (rank, sim.rank())}
    for name, gather in (("whole", True), ("own", False)):
        found[name] = {
            "data": {key: shown(view.get_data(gather=gather)) for key, view in views.items()},
            "counts": cells.get_spike_counts(gather=gather),
            "mean": [view.mean_spike_count(gather=gather) for view in (cells, both)],
            "weights": {key: each.get("weight", "list", gather=gather) for key, each in projections.items()},
            "array": projections["recurrent"].get(["weight", "delay"], "array", gather=gather),
            "size": [each.size(gather=gather) for each in projections.values()],
            "tau_m": cells.get("tau_m", gather=gather),
            "more": [
                cells[3:].get(["tau_m", "cm"], gather=gather),
                both[:3].get("tau_m", gather=gather),
                trains.get("spike_times", gather=gather),
            ],
        }
    found["whole"]["loops"] = [[int(cell) for cell in both], cells[1].tau_m, cells[2].local, len(projections["recurrent"])]
    found["local"] = [int(cell) for cell in cells.local_cells], cells.local_size, [int(cell) for cell in both.local_cells]
    cells.write_data(str(FOLDER / "gathered.pkl"))
    cells.write_data(str(FOLDER / "own.pkl"), gather=False)
    projections["recurrent"].save("weight", str(FOLDER / "weights.txt"))
    found["refused"] = refused() if sim.num_processes() > 1 else []
    sim.end()
    (FOLDER / str(rank)).write_bytes(pickle.dumps(found))


main()
