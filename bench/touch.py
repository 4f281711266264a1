# SPDX-License-Identifier: Apache-2.0
"""Touch detection: a real circuit whole and tiled, what its ranks send to each other, and the raw search beside bsb-native.

The circuit is ../shared/circuit1000 (NEUROPIL_BENCH_CIRCUIT names another folder); where there is none, and with --quick, a grown column.
"""

from __future__ import annotations

import json
import os
import statistics
from pathlib import Path

import h5py
import numpy as np

from bench import programs, touch_plots, touch_raw
from bench.ranks import start
from bench.report import LOWER, Row, Section, Table, markdown_table
from bench.sides import Settings
from neuropil.circuit import NodeFile, grow_column, read_config

TILES = ((1, 1), (2, 2), (4, 4))  # tiles, ranks
MANY = (4, 16)  # more ranks than cores: who sends to whom; its times mean nothing
EXCHANGES = ("alltoallv", "neighbor", "nbx")
GOAL_SECONDS, GOAL_IMBALANCE = 40.0, 1.1
LIMIT = 1200.0  # seconds for a start of all ranks
PHASES = ("reading", "indexing", "detecting", "spooling", "writing")


def run(settings: Settings) -> Section:
    """All parts; a part that fails is noted as an error and the others go on."""
    folder = settings.output / "touch"
    folder.mkdir(parents=True, exist_ok=True)
    circuit, name = the_circuit(settings, folder)
    section = Section("touch", f"Touch detection in {name}", peer="bsb-native 8.0.2")
    for part in (whole, tiled, raw):
        try:
            part(settings, section, circuit)
        except (programs.RunError, OSError, ValueError) as error:
            section.errors.append(f"{part.__name__}: {error}")
    check_files(section)
    write_tables(section, folder)
    return section


def the_circuit(settings: Settings, folder: Path) -> tuple[Path, str]:
    given = Path(os.environ.get("NEUROPIL_BENCH_CIRCUIT", programs.ROOT.parent / "shared" / "circuit1000"))
    if not settings.quick and given.exists():
        return given, given.name
    cells = 60 if settings.quick else 1000
    return grow_column(folder / "column", cells, seed=1), f"a grown column of {cells} cells"


# --- one circuit, all cores


def whole(settings: Settings, section: Section, circuit: Path) -> None:
    """On all cores: threads of one rank, and as many ranks of one thread, with every exchange."""
    found = []
    base = {"circuit": str(circuit), "mode": "tapered", "exchange": "alltoallv"}
    cases = [(1, base | {"threads": settings.threads})] * settings.repeats
    cases += [(max(settings.threads, 2), base | {"threads": 1, "exchange": exchange}) for exchange in EXCHANGES]
    for k, (ranks, case) in enumerate(cases):
        found.append(measured(settings, section, ranks, case, f"whole-{k}"))
    found = [entry for entry in found if entry]
    section.runs["whole"] = found
    alone = [entry for entry in found if entry["ranks"] == 1]
    section.rows.append(
        Row(
            "touches found, written and indexed, all cores",
            "s",
            [e["seconds"] for e in alone],
            goal=GOAL_SECONDS,
            sense=LOWER,
            note=counted(alone),
        )
    )
    section.tables.append(phase_table("Whole circuit", found))
    section.tables.append(search_table(found))
    if found:
        touch_plots.phases(found, settings.output / "touch" / "phases.png")


def measured(settings: Settings, section: Section, ranks: int, case: dict, name: str) -> dict | None:
    """The result of one start; None, with an error noted, when it failed."""
    settings.say(f"touch: {name}, {ranks} ranks x {case['threads']} threads, {case['exchange']}")
    folder = settings.output / "touch" / name
    load = os.getloadavg()[0]
    found, error = start.run_cases("touch", ranks, [case | {"output": str(folder / "edges.h5")}], folder, LIMIT)
    if error:
        section.errors.append(f"{name}: {error}")
        return None
    (folder / "edges.h5").unlink(missing_ok=True)
    return found[0] | {"load_before": load}


def counted(found: list[dict]) -> str:
    return f"{found[0]['touches']} touches of {found[0]['cells']} cells" if found else ""


# --- weak scaling


def tiled(settings: Settings, section: Section, circuit: Path) -> None:
    """1, 2, 4 tiles of the column on 1, 2, 4 ranks of one thread."""
    found = []
    for tiles, ranks in TILES if settings.quick else (*TILES, MANY):
        config = tile(circuit, settings.output / "touch" / f"tiles-{tiles}", tiles)
        case = {"circuit": str(config), "mode": "tapered", "exchange": "alltoallv", "threads": 1}
        entry = measured(settings, section, ranks, case, f"tiled-{tiles}-{ranks}")
        if entry:
            found.append(entry | {"tiles": tiles})
    section.runs["tiled"] = found
    if not found:
        return
    section.tables += [
        phase_table("Weak scaling: tiles of the circuit, one per rank; the last with many ranks", found),
        traffic_table(found),
    ]
    section.rows.append(
        Row(
            "imbalance of segments over ranks, most",
            "x",
            [max(imbalance(e) for e in found)],
            goal=GOAL_IMBALANCE,
            sense=LOWER,
            note="largest / mean",
        )
    )
    touch_plots.traffic(found, settings.output / "touch" / "traffic.png")


def tile(circuit: Path, folder: Path, tiles: int) -> Path:
    """A circuit of copies side by side in x and z, as far apart as the column is wide; its morphologies stay where they are."""
    nodes = read_config(circuit).population()
    file = NodeFile(nodes)
    folder.mkdir(parents=True, exist_ok=True)
    columns = 1 if tiles == 1 else 2
    positions = file.positions()
    width = np.ptp(positions, axis=0)
    with h5py.File(nodes.file) as given, h5py.File(folder / "nodes.h5", "w") as made:
        source = given[f"nodes/{nodes.population}/0"]
        group = made.create_group(f"nodes/{nodes.population}/0")
        for name, values in source.items():
            if isinstance(values, h5py.Dataset):
                group[name] = np.tile(values[:], tiles)
        if "@library" in source:
            given.copy(source["@library"], group)
        for k in range(tiles):
            part = slice(k * file.n, (k + 1) * file.n)
            group["x"][part] = positions[:, 0] + width[0] * (k % columns)
            group["z"][part] = positions[:, 2] + width[2] * (k // columns)
        made[f"nodes/{nodes.population}/node_type_id"] = np.full(tiles * file.n, -1)
    formats = {".swc": "swc", ".h5": "h5v1", ".asc": "neurolucida-asc"}
    folders = {formats[suffix]: str(path.resolve()) for suffix, path in nodes.morphologies.items()}
    config = {"networks": {"nodes": [{"nodes_file": "nodes.h5", "populations": {nodes.population: {"alternate_morphologies": folders}}}]}}
    (folder / "circuit_config.json").write_text(json.dumps(config, indent=1) + "\n")
    return folder / "circuit_config.json"


# --- raw search


def raw(settings: Settings, section: Section, circuit: Path) -> None:
    section.rows += touch_raw.rows(settings, section, circuit, 20 if settings.quick else 100)


# --- tables


def of_ranks(entry: dict, name: str) -> list[float]:
    return [float(counters.get(name, 0.0)) for counters in entry["counters"]]


def imbalance(entry: dict) -> float:
    segments = of_ranks(entry, "segments")
    return max(segments) / max(statistics.mean(segments), 1e-9)


def phase_table(title: str, found: list[dict]) -> Table:
    headers = [
        "cells",
        "ranks x threads",
        "exchange",
        "touches",
        "total (s)",
        *(f"{name} (s)" for name in PHASES),
        "peak memory of a rank (MB)",
    ]
    rows = []
    for e in found:
        slowest = [max(seconds.get(name, 0.0) for seconds in e["phases"]) for name in PHASES]
        rows.append(
            [
                f"{e['cells']}",
                f"{e['ranks']} x {e['threads']}",
                e["exchange"],
                f"{e['touches']}",
                e["seconds"],
                *slowest,
                max(e["peak_rss"]) / 1e6,
            ]
        )
    over = any(e["ranks"] * e["threads"] > programs.cores() for e in found)
    notes = ["phases: of the slowest rank"] + (["more ranks x threads than cores: times are those of taking turns"] if over else [])
    return Table(title, headers, rows, 4, notes)


def search_table(found: list[dict]) -> Table:
    """Pairs of segments tested, and how many of them overlap."""
    rows = []
    for e in found:
        tested, overlaps = (sum(of_ranks(e, name)) for name in ("tested", "overlaps"))
        seconds = sum(of_ranks(e, "s_search"))
        cores = e["ranks"] * e["threads"]
        rate = tested / 1e6 / max(seconds * e["threads"], 1e-9)
        rows.append(
            [
                f"{e['ranks']} x {e['threads']}",
                e["exchange"],
                tested / 1e6,
                rate,
                overlaps / max(tested, 1.0),
                e["touches"] / max(overlaps, 1.0),
                float(cores),
            ]
        )
    headers = [
        "ranks x threads",
        "exchange",
        "pairs tested (M)",
        "pairs/s and core (M)",
        "overlaps per pair",
        "touches per overlap",
        "cores",
    ]
    return Table("Search", headers, rows, 2, ["pairs/s: per second of search and thread"])


def traffic_table(found: list[dict]) -> Table:
    rows = []
    for e in found:
        partners = [n / max(e["ranks"] - 1, 1) for n in of_ranks(e, "partners")]
        sent, messages = (sum(of_ranks(e, name)) for name in ("bytes_sent", "messages"))
        payload = statistics.mean(of_ranks(e, "bytes_index"))
        grown = statistics.mean(a - b for a, b in zip(e["peak_rss"], e["rss_before"], strict=True))
        rows.append(
            [f"{e['tiles']}", f"{e['ranks']}", sent / 1e6, messages, statistics.mean(partners), imbalance(e), payload / 1e6, grown / 1e6]
        )
    headers = [
        "tiles",
        "ranks",
        "sent (MB)",
        "messages",
        "part of the ranks sent to",
        "imbalance",
        "index of a rank (MB)",
        "memory of a rank (MB)",
    ]
    return Table("Communication", headers, rows, 2, ["memory: how far the run raised the peak of a rank, mean"])


def check_files(section: Section) -> None:
    """Law 1: the same file whatever ranks, threads and exchange."""
    by_cells: dict[int, set[str]] = {}
    every = [entry for name in ("whole", "tiled") for entry in section.runs.get(name, [])]
    for entry in every:
        by_cells.setdefault(entry["cells"], set()).add(entry["sha256"])
    different = [cells for cells, files in by_cells.items() if len(files) > 1]
    section.notes.append(f"edge files identical over ranks, threads and exchanges: {'NO' if different else 'yes'} ({len(every)} runs)")
    section.errors += [f"different edge files of {cells} cells (law 1)" for cells in different]


def write_tables(section: Section, folder: Path) -> None:
    """As they stand in docs/concepts/circuit.md."""
    machine, commit = programs.machine(), programs.versions()["commit"]
    lines = [
        f"Printed by `./run bench touch` on {machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f} at the end, commit {commit}."
    ]
    for table in section.tables:
        lines += ["", f"**{table.title}**", "", *markdown_table(table.headers, table.texts()), *(f"\n{note}" for note in table.notes)]
    (folder / "touch.md").write_text("\n".join(lines) + "\n")
    section.notes.append(f"tables: {folder / 'touch.md'}; plots: {', '.join(sorted(path.name for path in folder.glob('*.png')))}")
