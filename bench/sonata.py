# SPDX-License-Identifier: Apache-2.0
"""SONATA: whole processes beside bmtk on NEST, and the rate at which an edge file becomes synapses beside that of the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bench.peers.bmtk_examples import EXAMPLES
from bench.programs import ROOT
from bench.report import Row, Section
from bench.sides import Settings

EDGES, CELLS = 100_000_000, 100_000
RATIO_GOAL, PART_OF_DISK_GOAL = 5.0, 0.5
_AT_ONCE = 1 << 22

LOAD = """
import json, resource, sys, time
import neuropil as npl, h5py
peak = lambda: 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, begin, cpu = peak(), time.perf_counter(), time.process_time()
net = npl.sonata.load(sys.argv[1], threads=int(sys.argv[2])).net
net.build(progress=False)
seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
print(json.dumps({"seconds": seconds, "cpu": cpu, "bytes": peak() - before, "edges": net.n_connections, "tables": net.memory["total"]}))
"""


def run(settings: Settings) -> Section:
    section = Section("sonata", "SONATA: seconds of whole processes, and an edge file that becomes synapses", peer="bmtk on NEST")
    folder = settings.output / "sonata"
    try:
        if settings.peers:
            for name in EXAMPLES:
                settings.say(f"sonata: {name}")
                section.rows.append(_example(name, folder / name, settings))
    except (subprocess.CalledProcessError, ImportError) as error:
        section.notes.append(f"bmtk is not installed, or failed ({error}): pip install bmtk==1.2.0")
    settings.say("sonata: edge file")
    section.rows += _edge_file(folder, settings)
    return section


def _example(name: str, folder: Path, settings: Settings) -> Row:
    program = ("-m", "bench.peers.bmtk_examples")
    subprocess.run([sys.executable, *program, "build", name, str(folder), "1"], cwd=ROOT, check=True, capture_output=True)
    config, ours, theirs = str(folder / "config.json"), [], []
    for _ in range(settings.repeats):
        theirs.append(_seconds(*program, "run", config))
        ours.append(_seconds("-m", "neuropil.sonata", config, "--threads", "1"))
    return Row(f"{name}, 3 s", "s", ours, theirs, "slower", None if settings.quick else RATIO_GOAL)


def _seconds(*words: str) -> float:
    """CPU time of one process: a shared machine lets it wait."""
    before = os.times()
    subprocess.run([sys.executable, *words], cwd=ROOT, env=os.environ | {"PYNEST_QUIET": "1"}, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


# --- edge file


def _edge_file(folder: Path, settings: Settings) -> list[Row]:
    n, cells = (EDGES // 100, CELLS // 100) if settings.quick else (EDGES, CELLS)
    config = write_edges(folder / "edges", n, cells)
    file = folder / "edges/edges.h5"
    rates, loads = [], []
    for _ in range(settings.repeats):
        rates.append(_disk(file))
        _forget(file)
        done = subprocess.run([sys.executable, "-c", LOAD, str(config), str(settings.threads)], check=True, capture_output=True, text=True)
        loads.append(json.loads(done.stdout))
    size = file.stat().st_size
    file.unlink()
    ours = [size / load["seconds"] for load in loads]
    title = f"{n / 1e6:g} M edges, {size / n:.0f} bytes each"
    share = [mine / disk for mine, disk in zip(ours, rates, strict=True)]
    return [
        Row(f"{title}: file to synapses", "MB/s", [rate / 1e6 for rate in ours]),
        Row("  reading the file alone, past the cache", "MB/s", [rate / 1e6 for rate in rates]),
        Row("  part of the disk's rate", "", share, goal=None if settings.quick else PART_OF_DISK_GOAL),
        Row("  CPU time of all threads, per edge", "ns", [1e9 * load["cpu"] / n for load in loads]),
        Row("  peak of the memory, per edge", "bytes", [load["bytes"] / n for load in loads]),
        Row("  of which the network keeps", "bytes", [load["tables"] / n for load in loads]),
    ]


def _forget(file: Path) -> None:
    """Takes a file out of the cache of the system."""
    handle = os.open(file, os.O_RDONLY)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)


def _disk(file: Path) -> float:
    """Bytes per second at which the disk gives a file."""
    _forget(file)
    begin, done = time.perf_counter(), 0
    with file.open("rb", buffering=0) as handle:
        while part := handle.read(1 << 24):
            done += len(part)
    return done / (time.perf_counter() - begin)


def write_edges(folder: Path, n: int, cells: int) -> Path:
    """n edges with weights and delays of their own as bmtk writes them, sorted by target; returns the path of the configuration."""
    import h5py

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "node_types.csv").write_text("node_type_id model_type model_template\n1 point_neuron nest:iaf_psc_exp\n")
    (folder / "edge_types.csv").write_text("edge_type_id model_template\n1 static_synapse\n")
    kinds = {"source_node_id": "u8", "target_node_id": "u8", "edge_type_id": "u4", "edge_group_id": "u2", "edge_group_index": "u4"}
    with h5py.File(folder / "nodes.h5", "w") as file:
        file["nodes/cells/node_type_id"] = np.ones(cells, np.int64)
    with h5py.File(folder / "edges.h5", "w") as file:
        group, rng = file.create_group("edges/cells_to_cells"), np.random.default_rng(1)
        columns = {key: group.create_dataset(key, (n,), kind) for key, kind in (kinds | {"0/syn_weight": "f8", "0/delay": "f8"}).items()}
        for key in ("source_node_id", "target_node_id"):
            columns[key].attrs["node_population"] = "cells"
        for begin in range(0, n, _AT_ONCE):
            some = slice(begin, min(begin + _AT_ONCE, n))
            number = np.arange(some.start, some.stop)
            values = (rng.integers(0, cells, len(number)), number * cells // n, 1, 0, number)
            more = (rng.random(len(number), np.float32), rng.integers(5, 40, len(number)) / 10)
            for column, value in zip(columns.values(), (*values, *more), strict=True):
                column[some] = value
    networks = {
        "nodes": [{"nodes_file": "nodes.h5", "node_types_file": "node_types.csv"}],
        "edges": [{"edges_file": "edges.h5", "edge_types_file": "edge_types.csv"}],
    }
    path = folder / "config.json"
    path.write_text(json.dumps({"networks": networks, "run": {"tstop": 10.0, "dt": 0.1}}))
    return path
