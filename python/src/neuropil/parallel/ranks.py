# SPDX-License-Identifier: Apache-2.0
"""Ranks of a parallel run: who this process is, and that a rank that fails ends the whole job.

Without a launcher (mpiexec, srun) there is one rank, and no MPI is opened.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from .. import _core
from ..base import hooks
from ..errors import RankError

_TO_TELL_THE_CAUSE = 1.0  # s
_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")


def rank() -> int:
    """Number of this rank, 0 .. n_ranks() - 1. Opens MPI if a launcher started this process. Raises MpiError if that fails."""
    hook = hooks.current()
    return int(_core.world()["rank"]) if hook is None or hook.ranks is None else hook.rank


def n_ranks() -> int:
    """Number of ranks of this run; 1 without a launcher. Opens MPI if a launcher started this process. Raises MpiError if that fails."""
    hook = hooks.current()
    return int(_core.world()["size"]) if hook is None or hook.ranks is None else hook.ranks


def launched() -> bool:
    """Whether a launcher started this process, possibly as the only rank. Opens nothing."""
    return _core.launched_ranks() >= 0


def world() -> Any:
    """Communicator of the ranks of this run, None without a launcher. Opens MPI. Raises MpiError."""
    global _world
    if _world is None and launched():
        _world = _core.world_ranks()
        atexit.register(_leave)
    return _world


_world: Any = None


def _leave() -> None:
    """Who still waits for this rank learns that it has ended; where MPI is the kernel's to end, it does that itself and knows the exit code."""
    global _world
    if not _core.ends_mpi():
        _world.leave()
    _world = None


_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMIX_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE")


_by_default: int | None = None  # threads of networks that do not ask for a number


def set_default_threads(threads: int | None) -> None:
    """What default_threads() tells from now on; None: what the machine has."""
    global _by_default
    _by_default = threads


@contextmanager
def threads_by_default(threads: int) -> Iterator[None]:
    """Sets it for the block."""
    before = _by_default
    set_default_threads(threads)
    try:
        yield
    finally:
        set_default_threads(before)


def usable_cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_threads() -> int:
    """Threads of a rank: the cores this process may use, shared with the other ranks of this machine."""
    if _by_default is not None:
        return _by_default
    cores = usable_cores()
    if not launched():
        return cores
    local = next((int(os.environ[name]) for name in _LOCAL_RANKS if os.environ.get(name, "").isdigit()), n_ranks())
    return max(1, cores // max(local, 1))


def describe() -> str:
    """Text like "rank 1 of 4", as far as it is known without opening MPI."""
    world: dict[str, Any] = _core.world(make=False)
    number = world.get("rank", next((os.environ[name] for name in _RANK_VARIABLES if name in os.environ), "?"))
    size = world.get("size", max(_core.launched_ranks(), 0) or "?")
    return f"rank {number} of {size}"


def guard() -> None:
    """Under a launcher: an uncaught exception is printed with the number of the rank and ends all ranks. Called at import.

    What is not an exception is covered elsewhere: at exit with another code than 0 the kernel calls MPI_Abort (cpp/comm/mpi.cpp), and the
    launcher sees ranks that a signal ended.
    """
    if os.environ.get("NEUROPIL_MPI") == "off" or _core.launched_ranks() in (-1, 1):
        return
    _core.guard_exit()
    shown = sys.excepthook

    def end_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        try:
            sys.stdout.flush()
            print(f"neuropil: {describe()}: an uncaught exception ends all ranks", file=sys.stderr)
            shown(kind, error, trace)
            sys.stderr.flush()
            if issubclass(kind, RankError):  # the rank that failed is about to print why, and then ends the job itself
                time.sleep(_TO_TELL_THE_CAUSE)
        finally:
            _core.abort_job(130 if issubclass(kind, KeyboardInterrupt) else 1, "")

    sys.excepthook = end_all
