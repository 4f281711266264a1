# SPDX-License-Identifier: Apache-2.0
"""How the costs of an event, of a neuron's step and of a synapse grow with every size of a network, beside NEST and what the machine's memory allows.

Each cell is a network of bench/peers/growth.py in a process of its own, the same script on both simulators. A base point, and through it a sweep of
each size; corners. Numbers of a cell, of medians over windows of the same biological time:

run     seconds per second of biological time while all neurons fire at the given rate
neuron  ns per neuron and step: a window in which nobody fires, over neurons and steps
event   ns per event: (a window in which all fire - a window in which nobody fires) over spikes x in-degree. What a spike costs is in it, too
build   ns per synapse: from the first Connect to the end of the first step, over synapses
bytes   bytes per synapse: growth of the resident memory of the process from before Create to after the first step, over synapses; so neurons are in it

With threads and ranks times are those on the wall, memory is that of all. Limits: bench/growth_limits.py.
python -m bench.growth [AXIS ...] --resume --budget 50: measures what can be begun in 50 s and was not measured before; without --budget also the report.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from bench import exchange_jobs, growth_limits, growth_plots, programs, report
from bench.report import LOWER, Row, Section, Table
from bench.sides import Settings

NUMBERS = {
    "run": "s per s",
    "neuron": "ns per neuron and step",
    "event": "ns per event",
    "build": "ns per synapse built",
    "bytes": "bytes per synapse",
}
OURS, PEER = "neuropil", "NEST"
LIMIT, QUICK_LIMIT = 300.0, 60.0  # s of a process
SPARE = 4 * 2**30  # bytes of memory that are left to others
PEER_SYNAPSE, PEER_NEURON, PEER_MOST = 48, 3000, 2**27  # bytes of a synapse and of a neuron in NEST, synapses that it takes per thread
LARGE = 20_000_000  # synapses from which a cell is measured once
DRIFT = 0.05  # of the machine between windows: events that take a smaller part of the run have no time
GOAL = 1.0  # NEST over neuropil, in every cell


@dataclass(frozen=True)
class Cell:
    """A network."""

    neurons: int = 10_240
    indegree: int = 1024
    populations: int = 1
    delays: int = 15
    rate: float = 10.0
    threads: int = 1
    ranks: int = 1
    first_delay: float = 0.1
    equal_weights: int = 0
    expression: int = 0

    @property
    def synapses(self) -> int:
        return self.neurons * self.indegree

    def options(self, scale: float) -> dict:
        return {name: value for name, value in asdict(self).items() if name != "ranks"} | {"scale": scale}


def swept(base: Cell, name: str, values: tuple) -> list[Cell]:
    return [replace(base, **{name: value}) for value in values]


BASE, SMALL = Cell(), Cell(neurons=2000, indegree=96)
AXES = {
    "neurons": swept(BASE, "neurons", (1000, 3200, 10_240, 32_000, 100_000, 320_000, 1_000_000)),
    "neurons, K = 100": swept(replace(BASE, indegree=100), "neurons", (1000, 10_240, 100_000, 1_000_000)),
    "indegree": swept(BASE, "indegree", (10, 32, 100, 320, 1024, 3200, 10_000)),
    "populations": swept(BASE, "populations", (1, 4, 16, 64, 256)),
    "delays": swept(BASE, "delays", (1, 5, 15, 50, 100)),
    "rate": swept(BASE, "rate", (0.1, 1.0, 10.0, 100.0)),
    "threads": swept(BASE, "threads", (1, 2)),
    "ranks": swept(BASE, "ranks", (1, 2, 4)),
    "corners": [
        replace(BASE, delays=1, equal_weights=1),
        replace(BASE, first_delay=1.0),
        replace(BASE, expression=1),
        Cell(neurons=1000, indegree=10, rate=0.1),
        Cell(neurons=1000, indegree=1000, rate=100.0, threads=2),
        Cell(neurons=100_000, indegree=10, rate=0.1),
        Cell(neurons=1_000_000, indegree=10, rate=1.0, threads=2),
        Cell(neurons=102_400, indegree=256, populations=64, delays=100, threads=2),
    ],
}
QUICK = {
    "neurons": swept(SMALL, "neurons", (500, 2000, 8000)),
    "indegree": swept(SMALL, "indegree", (12, 96, 768)),
    "populations": swept(SMALL, "populations", (1, 8)),
    "delays": swept(SMALL, "delays", (1, 15)),
    "rate": swept(SMALL, "rate", (1.0, 10.0)),
    "threads": swept(SMALL, "threads", (1, 2)),
    "ranks": swept(SMALL, "ranks", (1, 2)),
}


@dataclass
class Measured:
    """Results of a cell by simulator, of several runs; why one has none."""

    cell: Cell
    runs: dict[str, list[dict]] = field(default_factory=dict)
    why_not: dict[str, str] = field(default_factory=dict)

    def values(self, side: str, number: str) -> list[float]:
        return [found[number] for run in self.runs.get(side, []) if (found := numbers(self.cell, run))[number] is not None]

    def value(self, side: str, number: str) -> float | None:
        """Median; None where there is none."""
        values = self.values(side, number)
        return statistics.median(values) if values else None

    def ratio(self, number: str) -> float | None:
        """NEST over neuropil."""
        ours, theirs = self.value(OURS, number), self.value(PEER, number)
        return theirs / ours if ours and theirs else None


def numbers(cell: Cell, run: dict) -> dict[str, float | None]:
    """What one process tells. Events whose time cannot be told from the noise of the windows have None."""
    steps = run["window_ms"] * 10
    silent, firing = (statistics.median(run[state]["seconds"]) for state in ("silent", "firing"))
    events = statistics.mean(run["firing"]["spikes"]) * cell.indegree
    least = max(2 * (doubt(run["silent"]["seconds"]) + doubt(run["firing"]["seconds"])), DRIFT * silent)
    known = firing - silent > least and events
    memory = run["memory"]
    return {
        "run": firing / (1e-3 * run["window_ms"]), "neuron": 1e9 * silent / (steps * cell.neurons), "event": 1e9 * (firing - silent) / events if known else None,
        "build": 1e9 * run["build_s"] / run["synapses"], "bytes": (memory["built"] - memory["before"]) / run["synapses"],
    }  # fmt: skip


def doubt(seconds: list[float]) -> float:
    """About the standard error of the median."""
    low, _, high = statistics.quantiles(seconds, n=4)
    return (high - low) / len(seconds) ** 0.5


def spikes_agree(found: Measured) -> str:
    """Empty, or what is wrong: neurons fire at the given rate, up to what phases drawn at random do to windows of part of a period."""
    cell = found.cell
    for side, runs in found.runs.items():
        for run in runs:
            counted, period = run["firing"]["spikes"], 1e3 / cell.rate
            expected = cell.neurons * cell.rate * 1e-3 * run["window_ms"] * len(counted)
            part = run["window_ms"] * len(counted) % period
            if abs(sum(counted) - expected) > 0.005 * expected + 6 * (cell.neurons * min(part, period - part) / period) ** 0.5 + 3 * len(
                counted
            ):
                return f"{shown(cell)}: {side} has {sum(counted)} spikes, not {expected:.0f}"
    return ""


def shown(cell: Cell) -> str:
    """What is not as in the base cell."""
    words = {"neurons": "N = {}", "indegree": "K = {}", "populations": "{} populations", "delays": "{} delays", "rate": "{:g} Hz", "threads": "{} threads",
             "ranks": "{} ranks", "first_delay": "delays from {} ms", "equal_weights": "equal weights",
             "expression": "delays by uniform_int"}  # fmt: skip
    values = asdict(cell)
    return ", ".join(
        text.format(values[name]) for name, text in words.items() if name in ("neurons", "indegree") or values[name] != getattr(BASE, name)
    )


def too_large(cell: Cell, side: str) -> str:
    """Why a simulator cannot hold the cell here; empty if it can."""
    if side == OURS:
        need = 14 * cell.synapses + 200 * cell.neurons  # while it is built
    elif cell.synapses >= PEER_MOST * cell.threads:
        return "NEST refuses 2^27 synapses per thread"
    else:
        need = PEER_SYNAPSE * cell.synapses + PEER_NEURON * cell.neurons
    free = programs.available_memory() - SPARE
    return f"{side} needs about {need / 2**30:.0f} GiB, {free / 2**30:.0f} are free" if need > free else ""


class Store:
    """Runs, a line each, so that an interrupted measurement goes on where it was."""

    def __init__(self, path: Path, resume: bool):
        self.path, self.runs = path, {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if not resume:
            path.unlink(missing_ok=True)
        for line in path.read_text().splitlines() if path.exists() else []:
            entry = json.loads(line)
            self.runs.setdefault((Cell(**entry["cell"]), entry["side"]), []).append(entry["run"])

    def of(self, cell: Cell, side: str) -> list[dict]:
        return self.runs.setdefault((cell, side), [])

    def add(self, cell: Cell, side: str, run: dict) -> None:
        self.of(cell, side).append(run)
        with self.path.open("a") as file:
            file.write(json.dumps({"cell": asdict(cell), "side": side, "run": run}) + "\n")


def sides_of(cell: Cell, settings: Settings) -> list[str]:
    """NEST's wheel has no MPI."""
    return [OURS, PEER] if settings.peers and cell.ranks == 1 else [OURS]


def run_side(cell: Cell, side: str, settings: Settings) -> dict:
    """One process. Raises RunError."""
    command = (programs.layer_command if side == OURS else programs.peer_command)("growth", cell.options(0.3 if settings.quick else 1.0))
    log = settings.output / "growth" / f"{side}.log"
    return json.loads(exchange_jobs.on_ranks(cell.ranks, command, log, QUICK_LIMIT if settings.quick else LIMIT))


def measure_cell(cell: Cell, settings: Settings, store: Store, refused: dict) -> None:
    """Both simulators in turn, until the store has as many runs as are wanted."""
    for repeat in range(1 if cell.synapses > LARGE else settings.repeats):
        for side in sides_of(cell, settings):
            if len(store.of(cell, side)) > repeat or (cell, side) in refused:
                continue
            if reason := too_large(cell, side):
                refused[cell, side] = reason
                continue
            try:
                store.add(cell, side, run_side(cell, side, settings))
            except (programs.RunError, OSError, ValueError) as error:
                refused[cell, side] = str(error)


def measure(axes: dict[str, list[Cell]], settings: Settings, store: Store, budget: float = float("inf")) -> dict[Cell, Measured]:
    """Every cell once, though several sweeps have it; no cell is begun after `budget` seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    cells, refused, start = list(dict.fromkeys(cell for cells in axes.values() for cell in cells)), {}, time.perf_counter()
    columns = (
        TextColumn("growth"),
        BarColumn(),
        TextColumn("{task.completed} of {task.total} cells"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=len(cells))
        for k, cell in enumerate(cells):
            bar.update(task, description=shown(cell))
            if not sys.stderr.isatty():
                settings.say(f"growth: {k + 1} of {len(cells)}, {shown(cell)}")
            if time.perf_counter() - start < budget:
                measure_cell(cell, settings, store, refused)
            bar.advance(task)
    sides = (OURS, PEER)
    return {
        cell: Measured(cell, {s: store.of(cell, s) for s in sides}, {s: refused[cell, s] for s in sides if (cell, s) in refused})
        for cell in cells
    }


# --- what is told


def axis_table(axis: str, found: list[Measured]) -> Table:
    """A line per cell: both simulators and their ratio for every number."""
    headers = ["cell", *(word for name in NUMBERS for word in (name, PEER, "x"))]
    rows = []
    for m in found:
        line: list[str | float] = [shown(m.cell)]
        for number in NUMBERS:
            line += [value if value is not None else "-" for value in (m.value(OURS, number), m.value(PEER, number), m.ratio(number))]
        rows.append(line)
    notes = [f"{shown(m.cell)}: {reason.splitlines()[0]}" for m in found for reason in m.why_not.values()]
    return Table(f"{axis} ({', '.join(f'{name}: {unit}' for name, unit in NUMBERS.items())})", headers, rows, 1, notes)


def least(found: dict[Cell, Measured], number: str) -> Row:
    """The cell that compares worst with NEST."""
    ratios = {m.cell: ratio for m in found.values() if (ratio := m.ratio(number)) is not None}
    worst = min(ratios, key=ratios.get) if ratios else None
    note = "" if worst is None else f"at {shown(worst)}; below 3x: {'; '.join(shown(c) for c, r in ratios.items() if r < 3) or 'none'}"
    return Row(f"{number}: least NEST / neuropil of all cells", "x", [] if worst is None else [ratios[worst]], goal=GOAL, note=note)


def farthest(found: dict[Cell, Measured], number: str, limits: dict[Cell, dict[str, float]]) -> Row:
    """How far from what the machine allows, at the base point of the grid and at most."""
    over = [value / limits[m.cell][number] for m in found.values() if m.cell in limits and (value := m.value(OURS, number)) is not None]
    return Row(f"{number}: neuropil / limit of memory, median of all cells", "x", [statistics.median(over)] if over else [], sense=LOWER)


def limits_of(found: dict[Cell, Measured], bandwidths: growth_limits.Bandwidths) -> dict[Cell, dict[str, float]]:
    return {
        m.cell: growth_limits.limits(m.cell, m.runs[OURS][0]["kernel_memory"], m.runs[OURS][0]["synapses"], bandwidths)
        for m in found.values()
        if m.runs[OURS]
    }


def told(section: Section, axes: dict[str, list[Cell]], found: dict[Cell, Measured], settings: Settings) -> None:
    """Rows, tables, notes and pictures."""
    bandwidths = growth_limits.measured(tuple(sorted({1, min(2, programs.cores())})))
    limits = limits_of(found, bandwidths)
    by_axis = {axis: [found[cell] for cell in cells] for axis, cells in axes.items()}
    section.rows = [least(found, number) for number in NUMBERS] + [farthest(found, number, limits) for number in NUMBERS]
    section.tables = [axis_table(axis, measured) for axis, measured in by_axis.items()]
    section.notes = [f"bandwidth of {n} at once, GB/s each: " + "; ".join(
        f"{loop} {', '.join(f'{level} {value * 1e-9:.0f}' for level, value in by_level.items())}" for loop, by_level in loops.items()
    ) for n, loops in bandwidths.items()]  # fmt: skip
    section.runs = {f"{shown(m.cell)}, {side}": runs for m in found.values() for side, runs in m.runs.items()}
    section.runs["limits"] = [{"cell": asdict(cell)} | values for cell, values in limits.items()] + [{"bandwidths": bandwidths}]
    section.errors = [error for m in found.values() if (error := spikes_agree(m))]
    section.errors += [f"{shown(m.cell)}: {m.why_not[OURS]}" for m in found.values() if OURS in m.why_not and not m.runs[OURS]]
    growth_plots.draw(by_axis, limits, settings.output / "growth")


def run(settings: Settings, only: tuple[str, ...] = (), budget: float = float("inf")) -> Section:
    section = Section("growth", "How costs grow with the network")
    axes = {axis: cells for axis, cells in (QUICK if settings.quick else AXES).items() if not only or axis in only}
    found = measure(axes, settings, Store(settings.output / "growth" / "runs.jsonl", settings.resume), budget)
    if budget < float("inf"):
        return section
    section.commands = [programs.shown(command("growth", BASE.options(1.0))) for command in (programs.layer_command, programs.peer_command)]
    told(section, axes, found, settings)
    return section


def main() -> None:
    p = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("axes", nargs="*", metavar="AXIS", help=f"which ones: {', '.join(AXES)} (default: all)")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--resume", action="store_true", help="cells that DIR has are not measured again")
    p.add_argument("--budget", type=float, default=float("inf"), help="no cell is begun after so many seconds, and nothing is reported")
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--output", type=Path, default=Path("out/bench"), metavar="DIR")
    args = p.parse_args()
    if unknown := [axis for axis in args.axes if axis not in AXES]:
        p.error(f"unknown axis {unknown[0]}; allowed: {', '.join(AXES)}")
    say = lambda text: print(f"  {text}", file=sys.stderr, flush=True)  # noqa: E731
    settings = Settings(args.output.resolve(), args.quick, args.repeats, peers=programs.peer_available(), say=say, resume=args.resume)
    section = run(settings, tuple(args.axes), args.budget)
    if args.budget < float("inf"):
        return
    report.print_section(section)
    report.write(settings.output / "growth.json", [section], programs.machine(), programs.versions(), sys.argv)


if __name__ == "__main__":
    main()
