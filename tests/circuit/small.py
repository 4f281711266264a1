# SPDX-License-Identifier: Apache-2.0
"""Small circuits made by hand."""

import itertools
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from neuropil.circuit.columns import COLUMNS, SOURCE, TARGET

AXON_STICK = "1 1 0 0 0 1 -1\n2 2 0 0 -{half} {radius} 1\n3 2 0 0 0 {radius} 2\n4 2 0 0 {half} {radius} 3\n"
DENDRITE_STICK = "1 1 0 0 0 1 -1\n2 3 -{half} 0 0 {radius} 1\n3 3 0 0 0 {radius} 2\n4 3 {half} 0 0 {radius} 3\n"
BALL = "1 1 0 0 0 5 -1\n2 2 0 0 5 0.5 1\n3 2 0 0 60 0.5 2\n4 3 0 5 0 0.5 1\n5 3 0 60 0 0.5 4\n"


def write_nodes(path: Path, columns: dict[str, Any], population: str = "All") -> Path:
    """A node file: numbers as they are, texts as text."""
    with h5py.File(path, "w") as file:
        group = file.create_group(f"nodes/{population}/0")
        for name, values in columns.items():
            array = np.asarray(values)
            group[name] = np.array(values, h5py.string_dtype()) if array.dtype.kind == "U" else array
        file[f"nodes/{population}/node_type_id"] = np.full(len(next(iter(columns.values()))), -1)
    return path


def nodes(n: int = 2, **changes: Any) -> dict[str, Any]:
    """Columns of n cells in a row, 10 um apart; changes: other columns, None leaves one out."""
    columns = {
        "x": 10.0 * np.arange(n),
        "y": np.zeros(n),
        "z": np.zeros(n),
        **{f"orientation_{axis}": np.full(n, float(axis == "w")) for axis in "wxyz"},
        "morphology": ["ball"] * n,
        "mtype": ["L1_BALL"] * n,
    }
    return {name: values for name, values in (columns | changes).items() if values is not None}


def circuit(folder: Path, columns: dict[str, Any] | None = None, shapes: dict[str, str] | None = None, **extra: Any) -> Path:
    """Writes a circuit with SWC morphologies; returns its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    write_nodes(folder / "nodes.h5", nodes() if columns is None else columns)
    for name, text in ({"ball": BALL} if shapes is None else shapes).items():
        (folder / f"{name}.swc").write_text(text)
    config = {"networks": {"nodes": [{"nodes_file": "nodes.h5", "populations": {"All": {"morphologies_dir": "."}}}]}, **extra}
    (folder / "circuit_config.json").write_text(json.dumps(config))
    return folder / "circuit_config.json"


def sticks(folder: Path, n: int = 10, spacing: float = 20.0) -> Path:
    """n axons along z cross n dendrites along x, all of them: cells 0 .. n - 1 have axons, n .. 2 n - 1 dendrites, 0.5 um above them."""
    half = spacing * n / 2.0
    shapes = {"axon": AXON_STICK.format(half=half, radius=0.2), "dendrite": DENDRITE_STICK.format(half=half, radius=0.4)}
    places = spacing * (np.arange(n) - (n - 1) / 2.0)
    zero = np.zeros(n)
    columns = nodes(
        2 * n,
        x=np.concatenate([places, zero]),
        y=np.concatenate([zero, zero + 0.5]),
        z=np.concatenate([zero, places]),
        morphology=["axon"] * n + ["dendrite"] * n,
        mtype=["AXON"] * n + ["DEND"] * n,
    )
    return circuit(folder, columns, shapes)


def touches(pairs: list[tuple[int, int]], seed: int = 1, **columns: Any) -> dict[str, np.ndarray]:
    """Columns of touches between these pairs (sorted), the rest drawn."""
    dice = np.random.default_rng(seed)
    n = len(pairs)
    found = {name: (dice.random(n) * 50).astype(kind) for name, kind in COLUMNS.items()}
    found[SOURCE], found[TARGET] = (np.array([pair[k] for pair in pairs], "<i8").reshape(n) for k in range(2))
    found["afferent_section_type"][:] = 3
    return found | {name: np.asarray(values, COLUMNS[name]) for name, values in columns.items()}


def random_pairs(dice: np.random.Generator, n: int, sources: int, targets: int) -> list[tuple[int, int]]:
    return sorted(zip(dice.integers(0, sources, n).tolist(), dice.integers(0, targets, n).tolist(), strict=True))


def write_touches(path: Path, found: dict[str, np.ndarray], cells: int, cuts: list[int] | None = None, ranks: Any = None) -> Path:
    """Writes an edge file through a spool with a batch per cut."""
    from neuropil.circuit.edge_writer import Header, write_edges
    from neuropil.circuit.spool import Spool
    from neuropil.circuit.team import Team

    team = Team(ranks)
    spool = Spool(path.with_name(path.name + ".spool"), {})
    bounds = [0, *(cuts or []), len(found[SOURCE])]
    pieces = []
    if team.rank == 0:
        spool.open(restart=True)
        for k, (a, b) in enumerate(itertools.pairwise(bounds)):
            piece = spool.write(k, 0, {name: values[a:b] for name, values in found.items()})
            spool.finish_batch(k, k + 1, [piece])
            pieces.append(piece)
    spool.pieces = [piece for piece in team.gather(pieces)[0] if piece.touches]
    write_edges(path, spool, Header("All__All__chemical", "All", "All", cells, cells, {}), team)
    return path
