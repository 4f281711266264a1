# SPDX-License-Identifier: Apache-2.0
"""A synthetic cortical column: cells in layers with grown morphologies, written as SONATA nodes so that the same path reads it as real data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.checks import to_number, to_whole
from ..errors import bad_parameter, unknown_name
from .errors import writing
from .growth import Arbor, grow
from .libraries import library
from .morphologies import APICAL, AXON, BASAL, Morphology
from .morphology_files import write_h5, write_swc

__all__ = ["LAYERS", "MTYPES", "Mtype", "grow_column"]

HEIGHT = 2000.0  # um, from white matter (y = 0) to pia
DENSITY = 80_000.0  # cells per mm^3
LAYERS = {"L6": (0.0, 600.0), "L5": (600.0, 1100.0), "L4": (1100.0, 1350.0), "L23": (1350.0, 1850.0), "L1": (1850.0, 2000.0)}
FORMATS = {"h5": write_h5, "swc": write_swc}


@dataclass(frozen=True)
class Mtype:
    """A morphological type: its share of the cells, its layer, whether it excites, how it grows."""

    name: str
    share: float
    layer: str
    excites: bool
    arbors: tuple[Arbor, ...]


def _pyramidal(apical_orders: int, apical_length: float) -> tuple[Arbor, ...]:
    return (
        Arbor(AXON, 1, 90.0, 5, 0.92, (0.0, -1.0, 0.0), 0.01, 0.2, 1.3, 5.0, 0.35, 0.85),
        Arbor(BASAL, 5, 45.0, 3, 0.85, wander=0.1),
        Arbor(APICAL, 1, apical_length, apical_orders, 0.9, (0.0, 1.0, 0.0), 0.05, 0.08, 0.6, 6.0, 1.4),
    )


def _local() -> tuple[Arbor, ...]:
    return (Arbor(AXON, 1, 45.0, 6, 0.92, wander=0.25, spread=1.5, step=4.0, radius=0.35, taper=0.9), Arbor(BASAL, 6, 55.0, 2, 0.8))


def _ascending() -> tuple[Arbor, ...]:
    """As Martinotti cells: an axon that climbs to the pia."""
    return (Arbor(AXON, 1, 110.0, 5, 0.9, (0.0, 1.0, 0.0), 0.03, 0.15, 1.2, 5.0, 0.35, 0.9), Arbor(BASAL, 5, 55.0, 3, 0.75))


MTYPES = (
    Mtype("L1_NGC", 0.02, "L1", False, _local()),
    Mtype("L23_PC", 0.24, "L23", True, _pyramidal(3, 70.0)),
    Mtype("L23_BC", 0.06, "L23", False, _local()),
    Mtype("L4_SS", 0.16, "L4", True, _pyramidal(2, 60.0)),
    Mtype("L4_BC", 0.03, "L4", False, _local()),
    Mtype("L5_TTPC", 0.17, "L5", True, _pyramidal(4, 170.0)),
    Mtype("L5_MC", 0.04, "L5", False, _ascending()),
    Mtype("L6_PC", 0.24, "L6", True, _pyramidal(3, 110.0)),
    Mtype("L6_BC", 0.04, "L6", False, _local()),
)


def grow_column(
    directory: Path | str, cells: int = 300, *, seed: int = 1, shapes: int = 4, format: str = "h5", mtypes: Sequence[Mtype] = MTYPES
) -> Path:
    """Grows a column and writes it as SONATA into `directory`: circuit_config.json, nodes.h5, node_sets.json, morphologies.

    cells: how many, dealt to the mtypes by their shares; shapes: different morphologies per mtype; format: "h5" or "swc".
    Returns the path of the configuration. The same arguments give the same circuit. Raises BadParameter, UnknownName, DiskFull.
    """
    n, variants, key = to_whole("cells", cells), to_whole("shapes", shapes), to_whole("seed", seed)
    if n < 1 or variants < 1 or key < 0:
        raise bad_parameter(
            *next(
                (name, v, allowed)
                for name, v, allowed, bad in (
                    ("cells", n, "at least 1", n < 1),
                    ("shapes", variants, "at least 1", variants < 1),
                    ("seed", key, "at least 0", key < 0),
                )
                if bad
            )
        )
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    folder = Path(directory)
    with writing(folder):
        (folder / "morphologies").mkdir(parents=True, exist_ok=True)
    counts = _counts(n, [to_number("share", m.share) for m in mtypes])
    for k, mtype in enumerate(mtypes):
        for v in range(min(variants, counts[k])):
            name = f"{mtype.name}_{v}"
            FORMATS[format](folder / "morphologies" / f"{name}.{format}", _shape(mtype, key, k * 1000 + v))
    _write_nodes(folder / "nodes.h5", mtypes, counts, variants, key)
    return _write_config(folder, format, mtypes)


def _shape(mtype: Mtype, seed: int, stream: int) -> Morphology:
    return grow(mtype.arbors, seed, stream, soma_radius=8.0 if mtype.excites else 6.5)


def _counts(n: int, shares: Sequence[float]) -> list[int]:
    """Whole numbers by share that add up to n: the largest remainders are rounded up."""
    exact = n * np.asarray(shares) / sum(shares)
    counts = np.floor(exact).astype(int)
    for k in np.argsort(counts - exact, kind="stable")[: n - int(counts.sum())]:
        counts[k] += 1
    return [int(count) for count in counts]


def _write_nodes(path: Path, mtypes: Sequence[Mtype], counts: Sequence[int], variants: int, seed: int) -> None:
    n = sum(counts)
    mtype = np.repeat(np.arange(len(mtypes)), counts)
    dice = np.random.Generator(np.random.Philox(key=np.array([seed, 1 << 40], np.uint64))).random((n, 5))
    radius = np.sqrt(1e9 * n / DENSITY / HEIGHT / np.pi)  # of the column, um
    bottom, top = np.array([LAYERS[m.layer] for m in mtypes]).T
    away, around = radius * np.sqrt(dice[:, 0]), 2.0 * np.pi * dice[:, 1]
    columns: dict[str, NDArray[np.float64]] = {
        "x": away * np.cos(around),
        "y": bottom[mtype] + (top - bottom)[mtype] * dice[:, 2],
        "z": away * np.sin(around),
        "orientation_w": np.cos(np.pi * dice[:, 3]),  # turned about the axis of the column
        "orientation_x": np.zeros(n),
        "orientation_y": np.sin(np.pi * dice[:, 3]),
        "orientation_z": np.zeros(n),
    }
    shape = np.floor(dice[:, 4] * np.minimum(variants, np.array(counts))[mtype]).astype(int)
    names = [f"{m.name}_{v}" for m in mtypes for v in range(variants)]
    excites = np.array([m.excites for m in mtypes])
    labels = {
        "morphology": (mtype * variants + shape, names),
        "mtype": (mtype, [m.name for m in mtypes]),
        "layer": (np.array([list(LAYERS).index(m.layer) for m in mtypes])[mtype], list(LAYERS)),
        "synapse_class": (1 - excites[mtype].astype(int), ["EXC", "INH"]),
    }
    h5py = library("h5py")
    with writing(path), h5py.File(path, "w") as file:
        group = file.create_group("nodes/All/0")
        for name, values in columns.items():
            group[name] = values
        for name, (index, texts) in labels.items():
            group[name] = index.astype(np.uint32)
            group[f"@library/{name}"] = np.array(texts, h5py.string_dtype())
        file["nodes/All/node_type_id"] = np.full(n, -1, np.int64)


def _write_config(folder: Path, format: str, mtypes: Sequence[Mtype]) -> Path:
    place = {"morphologies_dir": "$BASE/morphologies"} if format == "swc" else {"alternate_morphologies": {"h5v1": "$BASE/morphologies"}}
    config = {
        "manifest": {"$BASE": "."},
        "node_sets_file": "$BASE/node_sets.json",
        "networks": {
            "nodes": [
                {
                    "nodes_file": "$BASE/nodes.h5",
                    "populations": {"All": {"type": "biophysical", "biophysical_neuron_models_dir": "$BASE", **place}},
                }
            ],
            "edges": [],
        },
    }
    sets = {"Excitatory": {"synapse_class": "EXC"}, "Inhibitory": {"synapse_class": "INH"}} | {
        f"Layer{name[1:]}": {"layer": name} for name in LAYERS
    }
    with writing(folder):
        (folder / "node_sets.json").write_text(json.dumps(sets, indent=2) + "\n")
        (folder / "circuit_config.json").write_text(json.dumps(config, indent=2) + "\n")
    return folder / "circuit_config.json"
