# SPDX-License-Identifier: Apache-2.0
"""The status file of a running network, which `neuropil top` reads."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .paging import resident
from .progress import Poll

__all__ = ["FILE", "Watch"]

FILE = "status.json"
SCHEMA = 1
EVERY = 1.0  # s between two writings
FIRST = 1.0  # ms of the first piece
MOST_RANKS = 1024  # with more, the file has no values of single ranks
_GROWTH = 4.0  # a piece is at most this much longer or shorter than the one before
_LOADS = ("neurons", "synapses", "spikes", "events", "memory")


class Watch:
    """Writes `folder`/status.json about once a second. Networks run in pieces then, between which ranks tell their load."""

    def __init__(self, folder: Path, name: str, until: float | None = None) -> None:
        """name : of the job or script; until : biological time at which all is done (ms), None: the end of each run."""
        self._file, self._until = Path(folder) / FILE, until
        self._first = True  # whether this rank writes; known when a network tells its rank
        self._steps, self._begun, self._told = 0, time.perf_counter(), 0.0
        self._last: tuple[int, np.ndarray] | None = None
        self._status: dict[str, Any] = {
            "schema": SCHEMA,
            "name": name,
            "command": sys.argv,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "began": time.time(),
            "state": "starting",
        }

    def poll(self, poll: Poll, rank: int) -> Poll:
        """Also notes how far a phase is, once a second on the first rank."""
        self._first = rank == 0
        return self._noting(poll) if self._first else poll

    def _noting(self, poll: Poll) -> Poll:
        def note(phase: str, done: int, total: int) -> None:
            poll(phase, done, total)
            if time.perf_counter() - self._told > EVERY:
                self._write(state=phase, part=min(done / max(total, 1), 1.0))

        return note

    def next(self, net: Any, end: int) -> int:
        """The step at which the ranks tell their load again; the same on all ranks."""
        step: int = net._kernel.step
        if self._last is None:  # a piece has begun
            self._steps = self._steps or max(1, round(FIRST / net.resolution))
            self._last = step, self._now(net)
        return min(step + self._steps, end)

    def after(self, net: Any, begin: int, end: int) -> None:
        """A piece has run, of a run from step `begin` to `end`. Collective."""
        assert self._last is not None
        before, loads = self._last
        now = self._now(net)
        steps, taken = net._kernel.step - before, now.copy()
        taken[:, : loads.shape[1]] -= loads  # before the first run there are no phases of running
        seconds = float(taken[:, 0].max())
        self._last = None if net._kernel.step == end else (net._kernel.step, now)
        if seconds > 0.0 and steps > 0:
            self._steps = max(1, round(self._steps * min(max(EVERY / seconds, 1.0 / _GROWTH), _GROWTH)))
        if self._first and steps > 0 and (time.perf_counter() - self._told > EVERY / 2 or self._last is None):
            self._tell(net, (begin, end), steps * net.resolution, now, taken)

    def end(self, state: str) -> None:
        """All is done, or has failed. Says so in the file."""
        if self._first:
            self._write(state=state, part=1.0 if state == "done" else self._status.get("part", 0.0))

    def _now(self, net: Any) -> np.ndarray:
        """Time, resident memory, load and seconds by phase of each rank, shape (n_ranks, n). Collective."""
        load, timers = net._kernel.load(), _run_phases(net.timers)
        mine = [time.perf_counter() - self._begun, float(resident("VmRSS")), *(load[name] for name in _LOADS), *timers.values()]
        return np.asarray(net._kernel.gather(np.array(mine, np.float64))).reshape(net.n_ranks, -1)

    def _tell(self, net: Any, run: tuple[int, int], simulated: float, now: np.ndarray, taken: np.ndarray) -> None:
        """simulated : ms of the piece."""
        seconds, at = float(taken[:, 0].max()), net.time
        begin, end = (step * net.resolution for step in run)
        until = max(end, self._until or 0.0)
        names = [*_LOADS, *_run_phases(net.timers)]
        sums, changes = dict(zip(names, now[:, 2:].sum(axis=0), strict=True)), dict(zip(names, taken[:, 2:].T, strict=True))
        factor = 1e3 * seconds / simulated
        by_rank = {"events": changes["events"], "rss": now[:, 1], "memory": now[:, 2 + _LOADS.index("memory")]}
        by_rank |= {name: changes[name] for name in names[len(_LOADS) :]}
        self._write(
            state="simulating",
            part=(at - begin) / max(end - begin, net.resolution),
            time_ms=at,
            until_ms=until,
            real_time_factor=factor,
            left_s=1e-3 * factor * (until - at),
            ranks=net.n_ranks,
            threads=net.threads,
            neurons=int(sums["neurons"]),
            synapses=int(sums["synapses"]),
            spikes=int(sums["spikes"]),
            rate=float(changes["spikes"].sum() / max(sums["neurons"], 1.0) / (1e-3 * simulated)),
            spikes_per_s=float(changes["spikes"].sum() / seconds),
            events_per_s=float(changes["events"].sum() / seconds),
            piece_s=seconds,
            by_rank={name: values.tolist() for name, values in by_rank.items()} if net.n_ranks <= MOST_RANKS else {},
        )

    def _write(self, **new: Any) -> None:
        """The file in one piece: a reader never sees half of it. A disk that is full does not end the run."""
        self._status |= new | {"updated": time.time()}
        self._told = time.perf_counter()
        part = self._file.with_suffix(".json.part")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(self._status) + "\n")
            part.replace(self._file)
        except OSError as error:
            if "failed" not in self._status:
                sys.stderr.write(f"neuropil: {self._file} cannot be written: {error}\n")
            self._status["failed"] = str(error)


def _run_phases(timers: Mapping[str, float]) -> dict[str, float]:
    """Seconds by phase of running."""
    return {name.removeprefix("run_"): seconds for name, seconds in timers.items() if name.startswith("run_")}
