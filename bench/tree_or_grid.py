# SPDX-License-Identifier: Apache-2.0
"""Which index for touch detection: one tree over all pieces, grids, or a tree per morphology, on one core. python -m bench.tree_or_grid

The circuit is that of `./run bench touch`. Methods take turns, each in a process of its own; the table has medians, docs/concepts/circuit.md shows it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import struct
from pathlib import Path

import numpy as np

from bench import programs
from bench.report import markdown_table
from neuropil.circuit import NodeFile, read_config
from neuropil.circuit.morphologies import Shelf, tables
from neuropil.circuit.notes import Notes

METHODS = {
    "tree over all pieces": ["tree"],
    **{f"grid of segments, {side} um": ["grid", str(side)] for side in (4, 8, 16)},
    **{f"grid of pieces, {side} um": ["piece-grid", str(side)] for side in (8, 16)},
    "tree per morphology": ["two-level"],
}
SPINE = 2.5  # um
BUILD = programs.ROOT / "build" / "bench"
HEADERS = ["index", "build (s)", "pairs alone (s)", "pairs and overlaps (s)", "8 boxes compared (M)", "pairs tested (M)", "overlaps (M)",
           "segments (MB)", "index (MB)", "peak of the process (MB)"]  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.tree_or_grid", description=__doc__)
    words.add_argument("--circuit", type=Path, default=programs.ROOT.parent / "shared" / "circuit1000")
    words.add_argument("--axons", type=int, default=100, help="cells whose axons are searched for on all cells")
    words.add_argument("--repeats", type=int, default=5)
    words.add_argument("--output", type=Path, default=programs.ROOT / "out" / "tree_or_grid")
    given = words.parse_args()
    found = measure(given.circuit, given.axons, given.repeats, given.output)
    (given.output / "result.json").write_text(json.dumps({"machine": programs.machine(), "runs": found}, indent=1) + "\n")
    print("\n".join(report(found, given.axons)))


def measure(circuit: Path, axons: int, repeats: int, folder: Path) -> dict[str, list[dict]]:
    """What the program printed, by method. Raises RunError."""
    folder.mkdir(parents=True, exist_ok=True)
    program = build(folder / "build.log")
    write_circuit(circuit, folder / "circuit.bin")
    found: dict[str, list[dict]] = {name: [] for name in METHODS}
    for _ in range(repeats):
        for name, method in METHODS.items():
            command = [str(program), str(folder / "circuit.bin"), str(axons), *method]
            found[name].append(json.loads(programs.execute(command, folder / "log.txt")))
    return found


def build(log: Path) -> Path:
    if not (BUILD / "CMakeCache.txt").exists():
        programs.execute(["cmake", "--preset", "bench"], log.with_name("configure.log"))
    programs.execute(["cmake", "--build", str(BUILD), "-j", str(programs.cores()), "--target", "tree_or_grid"], log)
    return BUILD / "programs" / "tree_or_grid"


def write_circuit(circuit: Path, path: Path) -> None:
    """All cells with their morphologies, as bench/cpp/tree_or_grid.cpp reads them."""
    nodes = read_config(circuit).population()
    file = NodeFile(nodes)
    cells = file.read(range(file.n))
    t = tables(Shelf(nodes.morphologies, Notes()).get(cells.morphologies))
    arrays = (
        t.points, t.radii, t.point_begin, t.section_begin, t.section_parent, t.section_type, t.soma_centre, t.soma_radius,
        cells.gid, cells.morphology, cells.position, cells.rotation, np.full(file.n, SPINE),
    )  # fmt: skip
    with path.open("wb") as out:
        for array in arrays:
            out.write(struct.pack("<Q", array.nbytes))
            out.write(np.ascontiguousarray(array).tobytes())


def report(found: dict[str, list[dict]], axons: int) -> list[str]:
    """Where it was measured, and the table of medians. Raises RunError where methods do not find the same."""
    first = next(iter(found.values()))[0]
    for name, runs in found.items():
        if any(run["overlaps"] != first["overlaps"] or abs(run["parts"] / first["parts"] - 1) > 1e-9 for run in runs):
            raise programs.RunError(f"{name} finds other overlaps: {[run['overlaps'] for run in runs]}, not {first['overlaps']}")
    machine, commit = programs.machine(), programs.versions()["commit"]
    text = (
        f"Axons of {axons} cells ({first['pre_segments']:,} segments) against somata and dendrites of all ({first['segments']:,} segments); "
        f"CPU seconds of one core of {machine['cpu']}, load {machine['load']:.0f}, medians of {len(next(iter(found.values())))}, commit {commit}."
    )
    return [text, "", *markdown_table(HEADERS, [row(name, runs) for name, runs in found.items()])]


def row(name: str, runs: list[dict]) -> list[str]:
    def median(key: str) -> float:
        return statistics.median(run[key] for run in runs)

    seconds = [f"{median(key):.2f}" for key in ("build", "pairs_alone", "search")]
    millions = [f"{median(key) / 1e6:.3g}" for key in ("boxes", "tested", "overlaps")]
    megabytes = [f"{median(key) / 1e6:.0f}" for key in ("segment_bytes", "index_bytes", "peak_bytes")]
    return [name, *seconds, *millions, *megabytes]


if __name__ == "__main__":
    main()
