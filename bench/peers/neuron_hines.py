# SPDX-License-Identifier: Apache-2.0
"""The network of artificial spiking cells of Hines et al. (2011) on NEURON, to be run under mpiexec with NEURON's own Python:
mpiexec -n 2 PYTHON bench/peers/neuron_hines.py --mechanisms LIBRARY --cells 4096 --connections 1000 --exchange multisend --output FILE

Every cell has `connections` inputs of weight 0 drawn among the others, delay 1 ms. Rank 0 writes one JSON object. Needs nothing but NEURON and numpy.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

# Bits of the third argument of spike_compress: 1 multisend, 4 two sub-intervals, 8 two phases.
EXCHANGES = {
    "allgather": 0,
    "multisend": 1,
    "multisend, halves": 1 + 4,
    "multisend, 2 phases": 1 + 8,
    "multisend, halves, 2 phases": 1 + 4 + 8,
}
DELAY = 1.0


def build(h, pc, args) -> tuple[list, list]:
    """Cells of this rank (round robin) and all connections to them."""
    cells, wires = [], []
    for gid in range(int(pc.id()), args.cells, int(pc.nhost())):
        cell = h.IntervalFire()
        cell.draws.set_ids(gid, args.seed, 7)
        pc.set_gid2node(gid, int(pc.id()))
        pc.cell(gid, h.NetCon(cell, None))
        cells.append((gid, cell))
    for gid, cell in cells:
        sources = np.random.default_rng([args.seed, gid]).integers(0, args.cells - 1, args.connections)
        for source in (sources + (sources >= gid)).tolist():  # no cell to itself
            wire = pc.gid_connect(source, cell)
            wire.delay = DELAY
            wire.weight[0] = 0.0
            wires.append(wire)
    return cells, wires


def run(args) -> dict:
    from neuron import h

    h.nrnmpi_init()
    h.nrn_load_dll(args.mechanisms)
    pc = h.ParallelContext()
    h.dt = args.dt
    begin = time.perf_counter()
    cells, wires = build(h, pc, args)
    pc.spike_compress(
        args.buffer if args.exchange == "allgather" else 0, 0, EXCHANGES[args.exchange]
    )  # before set_maxstep, which sets multisend up
    interval = pc.set_maxstep(10.0)
    h.CVode().queue_mode(args.bin_queue, 0)
    h.finitialize()
    pc.barrier()
    built = time.perf_counter()
    pc.psolve(args.duration)
    mine = time.perf_counter() - built
    pc.barrier()
    seconds = time.perf_counter() - built
    numbers = {
        "spikes": pc.allreduce(sum(cell.fired for _, cell in cells), 1),
        "synapses": pc.allreduce(len(wires), 1),
        "build_s": pc.allreduce(built - begin, 2),
        "run_s": pc.allreduce(seconds, 2),
        "slowest_rank_s": pc.allreduce(mine, 2),
    }
    found = {
        "simulator": "neuron",
        "version": h.nrnversion(),
        "ranks": int(pc.nhost()),
        "exchange": args.exchange,
        "cells": args.cells,
        "connections": args.connections,
        "dt": args.dt,
        "duration": args.duration,
        "interval_ms": interval,
        "compute_s": pc.step_time(),
        "wait_and_exchange_s": pc.wait_time(),
        **numbers,
    }
    if pc.id() == 0:
        args.output.write_text(json.dumps(found, indent=1) + "\n")
    pc.barrier()
    return found


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description="artificial spiking cells on NEURON")
    p.add_argument("--mechanisms", required=True, help="library made by nrnivmodl from bench/peers/mod")
    p.add_argument("--cells", type=int, default=4096)
    p.add_argument("--connections", type=int, default=1000)
    p.add_argument("--duration", type=float, default=200.0, help="[ms]")
    p.add_argument("--dt", type=float, default=0.025, help="[ms]")
    p.add_argument("--exchange", choices=EXCHANGES, default="allgather")
    p.add_argument(
        "--buffer", type=int, default=0, help="allgather: spikes per rank in the buffer of fixed size, with compressed times; 0: neither"
    )
    p.add_argument("--bin-queue", type=int, default=0, help="1: events of a step in one bin instead of the priority queue")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--output", type=Path, required=True)
    return p


if __name__ == "__main__":
    run(parser().parse_args())
    from neuron import h

    h.quit()
