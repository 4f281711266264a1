# SPDX-License-Identifier: Apache-2.0
"""Simulate, and its parts Prepare, Run, Cleanup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from ..engine import Times
from . import compartments, elements, grid, growing, populations, readout, windows
from .devices import recorders
from .errors import NESTErrors, translating
from .kernel import Session, session


def Simulate(t: float) -> None:  # noqa: N802
    """Simulates t ms, a non-negative multiple of the resolution. Raises BadParameter."""
    s = session()
    try:
        t = _checked(s, t)
    except NESTErrors.BadParameter:
        s.refused = not s.prepared
        raise
    start = _prepare(s)
    try:
        _run(s, t, start)
    except NESTErrors.NumericalInstability:
        raise  # the kernel stays prepared, as in NEST: it takes no more calls until ResetKernel
    except BaseException:
        Cleanup()
        raise
    Cleanup()


def _checked(s: Session, t: float) -> float:
    if isinstance(t, str) or not hasattr(t, "__float__"):
        raise TypeError(f"must be real number, not {type(t).__name__}")
    ms = float(t)
    if ms < 0:
        raise NESTErrors.BadParameter("The simulation time cannot be negative.")
    found = _on_grid(ms, s.resolution, s.tics)
    if found is None:
        raise NESTErrors.BadParameter("The simulation time must be a multiple of the simulation resolution.")
    return found


@lru_cache(maxsize=16)
def _on_grid(ms: float, h: float, tics: int) -> float | None:
    return grid.on_grid(ms) if ms < 1e15 else None


def Prepare() -> None:  # noqa: N802
    """Makes everything ready for Run: recorders begin, files are opened. Raises KernelException when that was done already."""
    _prepare(session())


def _prepare(s: Session) -> Times:
    """Returns the time at the end."""
    if s.prepared:
        raise NESTErrors.KernelException("Prepare was called already: call Cleanup first")
    start, n_nodes, s.refused = s.clocks.start(), s.registry.size, True  # until all is ready
    if s.prepared_nodes != n_nodes:  # what only new nodes need
        compartments.check_all()
        elements.follow_all()
        populations.prepare(s)
    if s.has_network and not s.engine.kernel.up_to_date:
        readout.prepare(s)
    recorders.prepare(s)
    growing.prepare(s)
    building = s.has_network and not s.engine.kernel.up_to_date
    if building:
        with translating():
            s.network.build(progress=False)
    s.prepared, s.prepared_nodes, s.counted_nodes, s.refused = True, n_nodes, n_nodes, False
    return s.clocks.took("prepare", start, alone=not building)


def Run(t: float) -> None:  # noqa: N802
    """Simulates t ms between Prepare and Cleanup. Raises KernelException without Prepare, BadParameter."""
    s = session()
    ms = _checked(s, t)
    if not s.prepared:
        raise NESTErrors.KernelException("Run needs Prepare before it")
    _run(s, ms, s.clocks.start())


def _run(s: Session, t: float, start: Times) -> None:
    network, kernel = s.network, s.engine.kernel
    s.own_spikes_before_run, s.run_began = kernel.own_spikes, network.time
    with translating():
        changes = kernel.growth_changes
        progress = bool(s.setting("print_time"))
        windows.run(s, t, lambda ms: network.run(ms, progress=progress))
    if changes != kernel.growth_changes:
        s.wires.n_by_kind = None
    if t > 0 and not s.simulated:
        s.simulated, s.delay_bounds = True, (s.min_delay, s.max_delay)  # as in NEST, they do not change any more
        s.plans.clear()
    for recorder in s.recorders.values():
        recorder.after_run()
    s.clocks.took("simulate", start, alone=s.threads == 1)


def Cleanup() -> None:  # noqa: N802
    """Ends what Prepare began: files are closed. Raises KernelException without Prepare, unless the last Simulate or Prepare was refused."""
    s = session()
    if s.refused:  # NEST stays prepared then, so its scripts call Cleanup
        s.refused = False
        return
    if not s.prepared:
        raise NESTErrors.KernelException("Cleanup needs Prepare before it")
    s.prepared = False
    for recorder in s.recorders.values():
        recorder.cleanup()


@contextmanager
def RunManager() -> Iterator[None]:  # noqa: N802
    """`with RunManager(): Run(t); Run(t)`: Prepare before, Cleanup after."""
    Prepare()
    try:
        yield
    finally:
        Cleanup()


def simulated_spikes(s: Session) -> int:
    """Spikes of all neurons in the last Run. Collective."""
    if not s.simulated:
        return 0
    not_counted = s.engine.kernel.gather(np.array([s.own_spikes_before_run + _told(s)], np.float64))
    return s.network.counters.get("spikes", 0) - int(not_counted.sum())


def _told(s: Session) -> int:
    """Spikes that the spike_generators of this rank were told to send in the last Run: NEST does not count them."""
    kernel, total = s.engine.kernel, 0
    for row in s.registry.rows:
        if row.model.root != "spike_generator" or row.model.entry.effect != "emits":
            continue
        for gid in row.gids[s.own(row.gids)].tolist():
            times, copies = (np.asarray(kernel.get_vector(gid, key)) for key in ("spike_times", "spike_multiplicities"))
            start, stop, origin = (float(kernel.get(np.array([gid]), key)[0]) for key in ("start", "stop", "origin"))
            at = np.round(times / s.resolution)
            low, high = (round(min(ms, 1e15) / s.resolution) for ms in (max(s.run_began, start + origin), min(s.time, stop + origin)))
            sent = (at > low) & (at <= high)
            total += int(copies[sent].sum()) if len(copies) else int(sent.sum())
    return total
