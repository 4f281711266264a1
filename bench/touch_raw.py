# SPDX-License-Identifier: Apache-2.0
"""Raw search for overlaps, neuropil beside bsb-native 8.0.2: the same axons and dendrites, capsules, no regions, no files."""

from __future__ import annotations

import json
import sys
import time
import venv
from pathlib import Path

import numpy as np

from bench import programs
from bench.report import Row, Section
from bench.sides import Settings
from neuropil.circuit import NodeFile, TouchOptions, read_config
from neuropil.circuit.kernel import FOUND, Detector
from neuropil.circuit.morphologies import APICAL, AXON, BASAL, Morphology, Shelf
from neuropil.circuit.nodes import Cells
from neuropil.circuit.notes import Notes

BSB = "bsb-native==8.0.2"
CONTACTS = (0.0, 2.5)  # um from surface to surface that count as a contact; neuropil: spine length


def rows(settings: Settings, section: Section, circuit: Path, cells: int) -> list[Row]:
    """Speed ratio and completeness, for cells x cells of the circuit."""
    folder = settings.output / "touch"
    chosen, shapes = load(circuit, cells)
    python = bsb_python(folder) if settings.other_peers else None
    write_segments(folder / "segments.npz", chosen, shapes)
    found = []
    for contact in CONTACTS:
        ours, theirs = [], []
        overlaps = contacts = np.empty((0, 6), np.int64)
        for _ in range(settings.repeats):
            seconds, overlaps = search(chosen, shapes, contact, settings.threads)
            ours.append(seconds)
            if python:
                once, contacts = run_bsb(python, folder, contact)
                theirs.append(once)
        section.runs[f"raw {contact:g}"] = [{"seconds": ours, "overlaps": len(overlaps)}, {"seconds": theirs, "contacts": len(contacts)}]
        note = f"{len(overlaps)} overlaps" + (f", bsb-native {len(contacts)} contacts" if python else "")
        name = f"overlaps of {len(chosen)} x {len(chosen)} cells, contact {contact:g} um"
        found.append(Row(name, "s", ours, theirs, "slower", None if settings.quick else 2.0, note=note))
        if python:
            found.append(
                Row(f"contacts of bsb-native that are found, contact {contact:g} um", "part", [part_of(contacts, overlaps)], goal=1.0)
            )
    return found


def part_of(some: np.ndarray, others: np.ndarray) -> float:
    """Part of the rows that are among the others; 1 where there are none."""
    known = set(map(tuple, others.tolist()))
    return sum(row in known for row in map(tuple, some.tolist())) / max(len(some), 1) if len(some) else 1.0


def load(circuit: Path, cells: int) -> tuple[Cells, list[Morphology]]:
    """The first cells of a circuit."""
    nodes = read_config(circuit).population()
    file = NodeFile(nodes)
    chosen = file.read(range(min(cells, file.n)))
    return chosen, Shelf(nodes.morphologies, Notes()).get(chosen.morphologies)


def search(cells: Cells, shapes: list[Morphology], contact: float, threads: int) -> tuple[float, np.ndarray]:
    """Seconds for indexing and searching, and the overlaps (n, 6). Cells touch themselves, too, as they do for bsb-native."""
    detector = Detector(TouchOptions(post=("dendrite",), autapses=True, mode="capsule"), None, threads)
    begin = time.perf_counter()
    detector.index(cells, shapes, np.full(len(cells), contact))
    found = detector.overlaps(cells, shapes)
    return time.perf_counter() - begin, np.stack([found[name] for name in FOUND], axis=1)


# --- the peer


def bsb_python(folder: Path) -> Path | None:
    """The interpreter of an environment with bsb-native alone; None where it cannot be had."""
    home = folder / "bsb-venv"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True, clear=True)
    try:
        programs.execute([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", BSB, "numpy"], folder / "bsb-pip.log")
    except programs.RunError as error:
        print(f"bsb-native cannot be installed: {error}", file=sys.stderr)
        return None
    return python


def write_segments(path: Path, cells: Cells, shapes: list[Morphology]) -> None:
    """Segments of the morphologies, axons first, then dendrites: begin and end (n, 3), mean radius, section, segment, where each morphology begins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [segments(shape, kinds) for kinds in ((AXON,), (BASAL, APICAL)) for shape in shapes]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    offsets = np.cumsum([0, *(len(part["radius"]) for part in parts)])
    np.savez(
        path,
        **columns,
        offsets=offsets,
        morphology=cells.morphology.astype(np.int64),
        rotation=matrices(cells.rotation),
        position=cells.position,
    )


def segments(shape: Morphology, kinds: tuple[int, ...]) -> dict[str, np.ndarray]:
    section = np.repeat(np.arange(shape.n_sections), np.diff(shape.begin))
    first = np.flatnonzero((section[:-1] == section[1:]) & np.isin(shape.kind[section[:-1]], kinds))
    return {
        "begin": shape.points[first],
        "end": shape.points[first + 1],
        "radius": 0.5 * (shape.radii[first] + shape.radii[first + 1]),
        "section": section[first] + 1,  # as in edge files
        "segment": first - shape.begin[section[first]],
    }


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions w, x, y, z."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def run_bsb(python: Path, folder: Path, contact: float) -> tuple[float, np.ndarray]:
    """Seconds of one search, and the contacts as rows like those of neuropil."""
    script = programs.ROOT / "bench" / "peers" / "bsb_contacts.py"
    words = [str(python), str(script), str(folder / "segments.npz"), str(folder / "contacts.npz"), f"{contact:g}", "1"]
    seconds = json.loads(programs.execute(words, folder / "bsb.log", {"PYTHONPATH": ""}))["seconds"][0]
    with np.load(folder / "contacts.npz") as file:
        return seconds, np.concatenate([file["pre"], file["post"]], axis=1)
