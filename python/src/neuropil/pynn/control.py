# SPDX-License-Identifier: Apache-2.0
"""Functions of PyNN's interface that control a simulation."""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from typing import Any

import numpy as np
from pyNN import common

from . import cells, simulator
from .connectors import FixedProbabilityConnector
from .errors import refuse, refuse_unknown
from .populations import Population
from .projections import Projection
from .simulator import state
from .synapses import StaticSynapse

__all__ = [
    "connect",
    "create",
    "end",
    "get_current_time",
    "get_max_delay",
    "get_min_delay",
    "get_time_step",
    "initialize",
    "list_standard_models",
    "num_processes",
    "rank",
    "record",
    "record_gsyn",
    "record_v",
    "reset",
    "run",
    "run_for",
    "run_until",
    "set",
    "setup",
]

_OWN = ("max_delay", "threads", "rng_seed", "connectors", "spike_precision")


def setup(timestep: float = 0.1, min_delay: Any = "auto", **extra_params: Any) -> int:
    """Begins a simulation and forgets the former one; returns the rank.

    timestep, min_delay : ms. max_delay : ms; default: no limit. threads : default: all cores; results do not depend on it.
    rng_seed : of everything that the kernel draws; default 1.
    connectors : "kernel": connectors are rules of the kernel where it has them; "pynn": PyNN draws all edges, as for other simulators.
    spike_precision : "on_grid", or "off_grid" for cell types that can spike between time steps.
    Options of other simulators are named in a warning. Raises NotSupported for misspelt ones.
    """
    options = {name: extra_params[name] for name in extra_params if name in _OWN}
    common.setup(timestep, min_delay, **extra_params)
    _check(extra_params, options)
    state.clear()
    state.begin(float(timestep), int(options.get("rng_seed", 1)), options.get("threads"))
    state.given_min_delay = None if min_delay == "auto" else float(min_delay)
    state.max_delay = float("inf") if options.get("max_delay", "auto") == "auto" else float(options["max_delay"])
    state.connectors = options.get("connectors", "kernel")
    state.precise = options.get("spike_precision", "on_grid") == "off_grid"
    return state.mpi_rank


def _check(given: dict[str, Any], own: dict[str, Any]) -> None:
    """Raises NotSupported for values that are not possible and for misspelt options."""
    if own.get("spike_precision", "on_grid") not in ("on_grid", "off_grid"):
        refuse("spike_precision", f"{own['spike_precision']!r}: must be 'on_grid' or 'off_grid'")
    if own.get("connectors", "kernel") not in ("kernel", "pynn"):
        refuse("connectors", f"{own['connectors']!r}: must be 'kernel' or 'pynn'")
    for name in given:
        if name in _OWN:
            continue
        if get_close_matches(name, _OWN, 1):
            refuse_unknown("option of setup", name, _OWN)
        warnings.warn(f"setup: {name} is no option of neuropil and has no effect; its options: {', '.join(_OWN)}", stacklevel=3)


def end(compatible_output: bool = True) -> None:
    """Writes what `record` was asked to write to files."""
    for population, variables, filename in state.write_on_end:
        population.write_data(filename, variables)
    state.write_on_end = []


run, run_until = common.build_run(simulator)
run_for = run
reset = common.build_reset(simulator)
get_current_time, get_time_step, _, get_max_delay, num_processes, rank = common.build_state_queries(simulator)


def get_min_delay() -> float:
    """The shortest delay that connections may have (ms): as given to `setup`, else that of the connections there are."""
    if state.given_min_delay is None and np.isfinite(state.shortest_delay):
        return state.shortest_delay
    return state.min_delay


create = common.build_create(Population)
connect = common.build_connect(Projection, FixedProbabilityConnector, StaticSynapse)
set = common.set
initialize = common.initialize
record = common.build_record(simulator)


def record_v(source: Any, filename: str) -> None:
    """Records the potential to a file."""
    record(["v"], source, filename)


def record_gsyn(source: Any, filename: str) -> None:
    """Records the synaptic conductances to a file."""
    record(["gsyn_exc", "gsyn_inh"], source, filename)


def list_standard_models() -> list[str]:
    """Names of all standard cell types that neuropil has."""
    return [name for name in cells.__all__ if issubclass(getattr(cells, name), cells.KernelModel)]
