# SPDX-License-Identifier: Apache-2.0
"""From a circuit to an edge file: the postsynaptic cells are indexed, the presynaptic ones come batch by batch."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.checks import to_number, to_whole
from ..errors import bad_parameter, unknown_name
from ..parallel.ranks import default_threads
from .config import Circuit, read_config
from .edge_writer import Header, write_edges
from .errors import writing
from .kernel import Detector
from .morphologies import Shelf
from .nodes import Cells, NodeFile
from .notes import Notes
from .options import EXCHANGES, TouchOptions, spine_lengths
from .selection import Chosen, Selection
from .spool import Spool
from .team import Team, share

__all__ = ["Plan", "State", "TouchRun", "detect_touches"]

# Batches of more cells than this per rank are not faster; an overlap takes about 64 bytes in the kernel, a touch about three times what is written.
_FIRST_BATCH, _MOST_CELLS, _BATCH_SECONDS = 32, 128, 5.0
_OVERLAP_BYTES, _TOUCH_COPIES = 64.0, 3.0


@dataclass(frozen=True)
class Plan:
    """How the work is done: never changes the touches.

    batch_size: presynaptic cells of a batch, all ranks together; None: as many as `memory_limit` (bytes, per rank) and about 5 s allow
    threads: of a rank, default: its share of the cores; exchange: "alltoallv", "neighbor" or "nbx"
    strict: warnings are errors; restart: throw away what an earlier run with the same output has left; keep_spool: leave the finished batches
    """

    batch_size: int | None = None
    memory_limit: float = 1e9
    threads: int | None = None
    exchange: str = "alltoallv"
    strict: bool = False
    restart: bool = False
    keep_spool: bool = False

    def __post_init__(self) -> None:
        for name, value in (("batch_size", self.batch_size), ("threads", self.threads)):
            if value is not None and to_whole(name, value) < 1:
                raise bad_parameter(name, value, "at least 1")
        if not to_number("memory_limit", self.memory_limit) >= 1e6:
            raise bad_parameter("memory_limit", self.memory_limit, "at least 1e6 bytes")
        if self.exchange not in EXCHANGES:
            raise unknown_name("exchange", self.exchange, EXCHANGES)


@dataclass(frozen=True)
class State:
    """How far a run is: phase ("reading", "indexing", "detecting", "writing"), presynaptic cells done and in all, touches found."""

    phase: str
    cells: int = 0
    of: int = 0
    touches: int = 0


Watch = Callable[[State], None]


@dataclass
class TouchRun:
    """What came out. counters: of every rank; seconds: of this rank, by phase; resumed: cells that an earlier run had done."""

    path: Path
    config: Path
    population: str
    cells: int
    touches: int = 0
    resumed: int = 0
    batches: int = 0
    notes: list[str] = field(default_factory=list)
    counters: list[dict[str, float]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<TouchRun: {self.touches} touches of {self.cells} presynaptic cells in {self.path}>"


def detect_touches(
    circuit: Path | str,
    output: Path | str,
    options: TouchOptions | None = None,
    *,
    population: str | None = None,
    target_population: str | None = None,
    pre: Selection | None = None,
    post: Selection | None = None,
    plan: Plan | None = None,
    watch: Watch | None = None,
    ranks: Any = ...,
) -> TouchRun:
    """Finds all touches of a circuit and writes them as the SONATA edge file `output`, with indices, and a circuit configuration beside it.

    circuit: a SONATA circuit configuration, or a folder with circuit_config.json; population, target_population: node populations of the two sides
    pre, post: which of their cells; watch: called on rank 0 after every batch; ranks: communicator, default: the ranks of this program

    Collective. The file has the same bytes for any number of ranks and threads, any plan. What is finished is kept in `output`.spool until the
    file is whole: the same call goes on from there, also on another number of ranks. Raises BadFile, DiskFull, BadParameter, UnknownName on all ranks.
    """
    return _Run(Path(output), options or TouchOptions(), plan or Plan(), Team(ranks), watch).go(
        Path(circuit), (population, target_population), (pre or Selection(), post or Selection())
    )


class _Run:
    """One call of detect_touches."""

    def __init__(self, output: Path, options: TouchOptions, plan: Plan, team: Team, watch: Watch | None) -> None:
        self.output, self.options, self.plan, self.team = output, options, plan, team
        self.watch = watch if watch is not None and team.rank == 0 else None
        self.notes = Notes(plan.strict)
        self.seconds: dict[str, float] = {}
        self.pace, self.overlaps = float(_FIRST_BATCH), 0.0

    def go(self, circuit: Path, populations: tuple[str | None, str | None], selections: tuple[Selection, Selection]) -> TouchRun:
        with self._timed("reading"):
            self.team.together(lambda: self._open(read_config(circuit), populations, selections))
        result = TouchRun(self.output, config_beside(self.output), self.header.population, len(self.pre))
        with self._timed("reading"):
            self._open_spool()
        result.resumed = self.spool.done
        if self.spool.done < len(self.pre):
            self._index()
        while self.spool.done < len(self.pre):
            self._batch()
            result.batches += 1
        with self._timed("writing"):
            self._show("writing")
            write_edges(self.output, self.spool, self.header, self.team)
            self.team.first(self._finish)
        self.notes.merge(self.team.gather(self.notes.found))
        counters = self.detector.counters() if result.batches else {}
        result.touches, result.notes = self._touches(), self.notes.lines()
        result.counters, result.seconds = self.team.gather(counters), self.seconds
        return result

    # --- before the work

    def _open(self, circuit: Circuit, populations: tuple[str | None, str | None], selections: tuple[Selection, Selection]) -> None:
        """Everything that can be wrong with what the user gave, but for the morphologies."""
        self.circuit = circuit
        source, target = circuit.population(populations[0]), circuit.population(populations[1] or populations[0])
        self.sources = NodeFile(source, self.notes)
        self.targets = self.sources if target == source else NodeFile(target, self.notes)
        for file in dict.fromkeys((self.sources, self.targets)):
            file.check(share(file.n, self.team.rank, self.team.size))
        self.pre = selections[0].of(self.sources, circuit.node_sets, "pre")
        self.post = selections[1].of(self.targets, circuit.node_sets, "post")
        self.spines = spine_lengths(self.options, self.targets.mtypes, target.file)
        self.shelves = [Shelf(nodes.morphologies, self.notes, nodes.config, self.plan.memory_limit / 4) for nodes in (source, target)]
        if source == target:
            self.shelves[1] = self.shelves[0]
        self.header = Header(
            f"{source.population}__{target.population}__chemical",
            source.population,
            target.population,
            self.sources.n,
            self.targets.n,
            self.options.key(),
        )

    def _open_spool(self) -> None:
        files = {name: _identity(nodes.nodes.file) for name, nodes in (("source nodes", self.sources), ("target nodes", self.targets))}
        parameters = {f"option {name}": value for name, value in self.options.key().items()}
        cells = {
            "pre": self.pre.key(),
            "post": self.post.key(),
            "populations": [self.header.source_population, self.header.target_population],
        }
        self.spool = Spool(self.output.with_name(self.output.name + ".spool"), files | parameters | cells)
        self.team.first(lambda: self.spool.open(self.plan.restart))
        self.spool.done, self.spool.pieces = self.team.gather((self.spool.done, self.spool.pieces))[0]

    # --- the work

    def _index(self) -> None:
        self._show("reading")
        with self._timed("reading"):
            cells, shapes = self.team.together(lambda: self._load(self.targets, self.post, range(len(self.post)), 1))
        with self._timed("indexing"):
            self._show("indexing")
            self.detector = Detector(self.options, self.team.comm, self.plan.threads or default_threads(), self.plan.exchange)
            self.detector.index(cells, shapes, self.spines[cells.mtype])

    def _load(self, file: NodeFile, chosen: Chosen, within: range, side: int) -> tuple[Cells, list[Any]]:
        """The share of this rank of the cells at these places, with their morphologies."""
        mine = share(len(within), self.team.rank, self.team.size)
        cells = file.read(chosen.part(range(within.start + mine.start, within.start + mine.stop)))
        return cells, self.shelves[side].get(cells.morphologies)

    def _batch(self) -> None:
        begin = self.spool.done
        end = min(begin + (self.plan.batch_size or int(self.pace)), len(self.pre))
        clock = time.perf_counter()
        with self._timed("reading"):
            cells, shapes = self.team.together(lambda: self._load(self.sources, self.pre, range(begin, end), 0))
        with self._timed("detecting"):
            touches = self.detector.detect(cells, shapes)
        with self._timed("spooling"):
            pieces = self.team.gather(self.team.together(lambda: self.spool.write(begin, self.team.rank, touches)))
            self.team.first(lambda: self.spool.finish_batch(begin, end, pieces))
        self.spool.done = end
        self.spool.pieces += [piece for piece in pieces if piece.touches]
        self._show("detecting")
        self._set_pace(end - begin, max(piece.nbytes for piece in pieces), time.perf_counter() - clock)

    def _set_pace(self, cells: int, most_bytes: int, seconds: float) -> None:
        """Cells of the next batch: within half of the memory limit and the time, by what a cell of this one took on the busiest rank."""
        found = self.detector.counters().get("overlaps", 0.0)
        overlaps, slowest = (max(values) for values in zip(*self.team.gather((found - self.overlaps, seconds)), strict=True))
        self.overlaps = found
        by_memory = 0.5 * self.plan.memory_limit / max((_TOUCH_COPIES * most_bytes + _OVERLAP_BYTES * overlaps) / cells, 1.0)
        by_time = _BATCH_SECONDS / max(slowest / cells, 1e-9)
        self.pace = max(1.0, min(by_memory, by_time, 4.0 * self.pace, _MOST_CELLS * self.team.size))

    def _touches(self) -> int:
        return sum(piece.touches for piece in self.spool.pieces)

    def _finish(self) -> None:
        write_config(self.output, self.circuit, self.header)
        if not self.plan.keep_spool:
            self.spool.remove()

    # --- telling

    def _show(self, phase: str) -> None:
        if self.watch:
            self.watch(State(phase, self.spool.done, len(self.pre), self._touches()))

    def _timed(self, phase: str) -> _Clock:
        return _Clock(self.seconds, phase)


class _Clock:
    """Adds the time of a block to seconds[phase]."""

    def __init__(self, seconds: dict[str, float], phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(self, *trouble: Any) -> None:
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + time.perf_counter() - self._begin


def _identity(file: Path) -> list[Any]:
    status = file.stat()
    return [hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:16], status.st_size, status.st_mtime_ns]


# --- the configuration beside the edge file


def config_beside(edges: Path) -> Path:
    """Where the circuit configuration of an edge file is: the same name with .circuit_config.json."""
    return edges.with_name(edges.stem + ".circuit_config.json")


def write_config(edges: Path, circuit: Circuit, header: Header) -> None:
    """A circuit configuration with the nodes of `circuit` and these edges, for libsonata, bluepysnap and the other commands; paths are relative to it."""
    folder = edges.resolve().parent

    def relative(path: Path) -> str:
        return os.path.relpath(path.resolve(), folder)

    entries = []  # libsonata wants a folder of electrical models wherever there are morphologies
    for name in dict.fromkeys((header.source_population, header.target_population)):
        nodes = circuit.nodes[name]
        others = {
            key: relative(nodes.morphologies[suffix])
            for key, suffix in (("h5v1", ".h5"), ("neurolucida-asc", ".asc"))
            if suffix in nodes.morphologies
        }
        place = {"morphologies_dir": relative(nodes.morphologies[".swc"])} if ".swc" in nodes.morphologies else {}
        entries.append(
            {
                "nodes_file": relative(nodes.file),
                "populations": {
                    name: {"type": "biophysical", "biophysical_neuron_models_dir": ".", **place, "alternate_morphologies": others}
                },
            }
        )
    config: dict[str, Any] = {
        "version": 2,
        "networks": {"nodes": entries, "edges": [{"edges_file": edges.name, "populations": {header.population: {"type": "chemical"}}}]},
    }
    if circuit.node_sets is not None:
        config["node_sets_file"] = relative(circuit.node_sets)
    path = config_beside(edges)
    with writing(path):
        path.write_text(json.dumps(config, indent=2) + "\n")
