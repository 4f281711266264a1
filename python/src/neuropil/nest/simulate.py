# SPDX-License-Identifier: Apache-2.0
"""Simulate, and its parts Prepare, Run, Cleanup."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..engine import Ints, Times, gathered
from . import attributes, editing, elements, grid, shapes
from .connection_query import query
from .devices import recorders
from .errors import NESTErrors, translating
from .kernel import Session, session
from .models.faces import FOREVER
from .models.hardware import FACETS
from .models.node_models import CM
from .registry import Row
from .senders import DILUTOR


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
    if (found := grid.on_grid(ms)) is None or found >= 1e15:
        raise NESTErrors.BadParameter("The simulation time must be a multiple of the simulation resolution.")
    return found


def Prepare() -> None:  # noqa: N802
    """Makes everything ready for Run: recorders begin, files are opened. Raises KernelException when that was done already."""
    _prepare(session())


def _prepare(s: Session) -> Times:
    """Returns the time at the end."""
    if s.prepared:
        raise NESTErrors.KernelException("Prepare was called already: call Cleanup first")
    start, n_nodes, s.refused = s.clocks.start(), s.registry.size, True  # until all is ready
    if s.prepared_nodes != n_nodes:  # what only new nodes need
        if any(row.model.base == CM for row in s.registry.rows):
            raise NESTErrors.UnknownCompartment("Compartment 0 does not exist in tree, meaning that no compartments have been added.")
        elements.follow_all()
        shapes.prepare_populations(s)
    if s.has_network and not s.engine.kernel.up_to_date:
        _number_read_synapses(s)
    recorders.prepare(s)
    attributes.prepare(s)
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
        _run_in_windows(s, t, lambda ms: network.run(ms, progress=progress))
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


# --- what some models need


def _number_read_synapses(s: Session) -> None:
    """Numbers synapses of stdp_facetshw_synapse_hom, made since the last time, in the cycle in which the hardware reads them. Collective.

    NEST numbers synapses when their sources spike first, which depends on the order of threads; here all are numbered in the order of (source, target).
    """
    for name in dict.fromkeys(kind.model for kind in s.wires.kinds if kind.base == FACETS):
        _number(s, name)


def _number(s: Session, name: str) -> None:
    model = s.synapse_models[name]
    found = query(model=name)
    mine = found.part(np.flatnonzero(found.origin >= 0))
    ends, first = gathered(np.column_stack([mine.source, mine.target]).astype(np.float64))
    before, known = s.read_synapses.get(name, (int(model.default("no_synapses")), 0))
    if len(ends) == known:
        return
    n = before + len(ends)
    s.read_synapses[name] = before, len(ends)
    model.parameters["no_synapses"] = float(n)
    if n <= model.default("synapses_per_driver") and before == 0:
        return  # one driver: all are read at once
    numbers = np.empty(len(ends))
    numbers[np.lexsort((ends[:, 1], ends[:, 0]))] = before + np.arange(len(ends))
    editing.replace(mine, {"no_synapses": float(n), "synapse_id": numbers[first : first + len(mine)]})


# --- windows of spike_dilutors: outside of its window a dilutor, a parrot_neuron of the kernel, is frozen, and what arrives is lost

_NEVER = 2**62  # steps


def _run_in_windows(s: Session, t: float, simulate: Callable[[float], None]) -> None:
    """Simulates t ms in pieces that begin where windows begin or end."""
    windows = [_Window(row) for row in s.registry.rows if row.model.root == DILUTOR] if s.registry.dilutes else []
    windows = [window for window in windows if not window.open]
    if not windows:
        return simulate(t)
    kernel = s.engine.kernel
    now, end = int(kernel.step), int(kernel.step) + round(t / s.resolution)
    bounds = np.unique(np.concatenate([np.ravel(window.bounds) for window in windows]))
    for until in [*bounds[(bounds > now) & (bounds < end)].tolist(), end]:
        for window in windows:
            window.freeze(kernel, now)
        simulate(float(s.engine.ms(np.array([until - now]))[0]))
        now = until
    return None


class _Window:
    """The dilutors of a row. bounds : steps of their last spikes before the window and in it, int64 of shape (2, n)."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._gids: Ints = np.arange(row.first, row.first + row.count, dtype=np.int64)
        start, stop, origin = (np.array(row.extra(key, self._gids), np.float64) for key in ("start", "stop", "origin"))
        self.open = bool((start + origin == 0.0).all() and (stop >= FOREVER).all())
        ends = np.where(stop >= FOREVER, FOREVER, stop + origin)
        self.bounds = np.stack([_steps(start + origin), _steps(ends)])

    def freeze(self, kernel: Any, step: int) -> None:
        """Freezes the dilutors that are outside of their window after a step, and thaws the others."""
        begin, end = self.bounds
        shut = (step < begin) | (step >= end) | np.array(self._row.extra("frozen", self._gids), bool)
        for frozen in (True, False):
            if (shut == frozen).any():
                kernel.freeze(self._gids[shut == frozen], frozen)


def _steps(ms: Any) -> Ints:
    """When NEST's dilutors reach these times: they look min_delay back."""
    steps = np.round(grid.steps(np.where(ms < FOREVER, ms, 0.0) + session().min_delay))
    return np.where(ms < FOREVER, steps, _NEVER).astype(np.int64)
