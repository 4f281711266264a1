# SPDX-License-Identifier: Apache-2.0
"""The kernel status: every attribute by name, how it is read and set."""

from __future__ import annotations

import importlib.util
import math
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import build_info
from . import continuous, grid, growing, intervals, messages
from .connection_query import count_all
from .devices import back_ends
from .devices.meter import max_delay, min_delay
from .elements import CURVES
from .errors import NESTErrors, NotSupported
from .kernel import Session, session
from .node_values import too_large
from .simulate import simulated_spikes
from .specs import CONNECTION_RULES

_SHORTEST, _LONGEST = 1e-5, 1e3  # ms
_RNGS = ("Philox_32", "Philox_64", "Threefry_32", "Threefry_64", "mt19937", "mt19937_64")
Setter = Callable[[Session, Any], None]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One entry of the kernel status; `set` is None where it is read-only, `kind` the type that it takes."""

    doc: str
    get: Callable[[Session], Any]
    set: Setter | None = None
    kind: type = float


def _kept(name: str, default: Any, doc: str) -> Attribute:
    """A setting that is kept and shown; the kernel has no use for it."""

    def put(s: Session, value: Any) -> None:
        s.settings[name] = value

    return Attribute(doc, lambda s: s.settings.get(name, default), put, type(default))


def _fixed(name: str, default: Any, doc: str) -> Attribute:
    """A setting that can only have its default: the kernel lacks what it is for."""

    def put(s: Session, value: Any) -> None:
        if value != default:
            raise NotSupported(f"{name} other than {default!r}")

    return Attribute(doc, lambda s: default, put, type(default))


# --- setters with consequences


def _refuse_after_nodes(s: Session, what: str) -> None:
    if s.registry.size:
        raise NESTErrors.KernelException(f"Nodes have already been created: {what} cannot be changed.")
    if s.defaults_changed:
        raise NESTErrors.KernelException(f"Model defaults were modified: {what} cannot be changed.")


def _set_tics(s: Session, value: int) -> None:
    if value != s.tics:
        raise NESTErrors.KernelException("tics_per_ms can only be set together with resolution.")


def _set_time_grid(s: Session, tics: int, resolution: float) -> None:
    if (tics, resolution) == (s.tics, s.resolution):
        return
    _refuse_after_nodes(s, "time representation")
    if s.simulated or s.prepared or s.node_models.copies or s.synapse_models.copies:
        raise NESTErrors.KernelException(
            "The network has been simulated or models have been copied: time representation cannot be changed. Please call ResetKernel first."
        )
    if not 1 <= tics < 2**31:
        raise NESTErrors.KernelException(f"tics_per_ms = {tics}: must be a whole number from 1 to 2^31 - 1.")
    if not (math.isfinite(resolution) and resolution * tics >= 1.0 - 1e-9):
        raise NESTErrors.KernelException("Resolution must be greater than or equal to one tic.")
    if abs(round(resolution * tics) - resolution * tics) > 1e-9 * max(1.0, resolution * tics):
        raise NESTErrors.KernelException("Resolution must be a multiple of the tic length.")
    if not _SHORTEST <= resolution <= _LONGEST:
        raise NotSupported(f"resolution of {resolution:g} ms", f"from {_SHORTEST:g} to {_LONGEST:g} ms")
    s.tics, s.resolution = tics, round(resolution * tics) * (1.0 / tics)
    s.forget_network()
    s.node_models, s.synapse_models = grid.models(s)


def _set_threads(s: Session, value: int) -> None:
    if value == s.threads:
        return
    if s.registry.size or s.defaults_changed or s.delay_bounds is not None or s.simulated:
        why = "Nodes exist." if s.registry.size else "Model defaults, delay bounds or time were changed."
        raise NESTErrors.KernelException(f"Number of threads unchanged. Error conditions: {why}")
    if value < 1:
        raise NESTErrors.BadProperty("The number of threads must be at least 1.")
    s.threads = value
    s.forget_network()


def _set_vps(s: Session, value: int) -> None:
    if value % s.n_ranks:
        raise NESTErrors.BadProperty("Number of processes times threads: total_num_virtual_procs must be a multiple of num_processes.")
    _set_threads(s, value // s.n_ranks)


def _set_seed(s: Session, value: int) -> None:
    if not 0 < value < 2**32:
        raise NESTErrors.BadProperty("RNG seed must be in (0, 2^32-1).")
    if value == s.seed:
        return
    s.seed = value
    if s.registry.size:
        s.engine.reseed(value)
    else:
        s.forget_network()


def _set_rng(s: Session, value: str) -> None:
    if value not in _RNGS:
        raise NESTErrors.BadProperty(f"'{value}' is not a known RNG type. See nest.rng_types for available types.")
    s.settings["rng_type"] = value


def _set_time(s: Session, value: float) -> None:
    if value != 0.0:
        raise NESTErrors.BadProperty("The simulation time can only be set to 0.")
    if s.simulated:
        raise NotSupported("setting biological_time back to 0")


def set_delays(s: Session, low: float, high: float) -> None:
    """Bounds of all delays (ms), set together and before any connection."""
    if s.wires.any:
        raise NESTErrors.BadProperty("Connections already exist. Please call ResetKernel first")
    low, high = (float(grid.time(round_to(grid.steps(ms)))) for ms, round_to in ((low, math.floor), (high, math.ceil)))
    if low < s.resolution - 1e-12 or low > high:
        raise NESTErrors.BadDelay("min_delay must be at least the resolution, and at most max_delay")
    s.delay_bounds = (low, high)


# --- getters


def _off_grid(s: Session) -> bool:
    """Whether there are nodes of models of precise spikes."""
    return any(row.model.root.endswith(("_ps", "_ps_lossless")) for row in s.registry.rows)


_SKIPPED = ("skipped", "skipped_no_mpi", "skipped_have_mpi", "skipped_no_threading", "skipped_no_gsl", "skipped_no_music")
_ENDED = {
    "success": 0,
    "unknownerror": 10,
    "userabort": 15,
    "exception": 125,
    "scripterror": 126,
    "fatal": 127,
    "abort": 134,
    "segfault": 139,
}
_EXIT_CODES = dict(sorted((_ENDED | {name: 200 + k for k, name in enumerate(_SKIPPED)}).items()))  # of test scripts of NEST


def _build_info() -> dict[str, Any]:
    return dict(sorted((_fixed_info() | {"test_exitcodes": dict(_EXIT_CODES)}).items()))


@cache
def _fixed_info() -> dict[str, Any]:
    folder, here = Path(__file__).resolve().parent, build_info()
    found: dict[str, Any] = dict.fromkeys(("have_libneurosim", "have_music", "have_sionlib"), False)
    found |= dict.fromkeys(("have_boost", "have_gsl", "have_threads", "ndebug"), True)  # what needs Boost and GSL in NEST works here
    return found | {
        "built": time.strftime("%b %d %Y %H:%M:%S", time.localtime(folder.stat().st_mtime)),
        **dict.fromkeys(("datadir", "docdir"), str(folder)),
        "exitcode": 0,
        "have_mpi": here["mpi"],
        "neuropil_version": here["version"],
        "simd": here["simd"],
        "have_hdf5": importlib.util.find_spec("h5py") is not None,
        "host": f"{platform.machine()}-pc-{platform.system().lower()}",
        "hostcpu": platform.machine(),
        "hostos": platform.system().lower(),
        "hostvendor": "pc",
        "prefix": str(folder.parent),
        "simulator": "neuropil",
        "threads_model": "openmp",
        "version": "3.10.0",
    }


def _memory() -> int:
    try:
        with open("/proc/self/status") as status:  # noqa: PTH123
            return next(int(line.split()[1]) for line in status if line.startswith("VmSize:"))
    except (OSError, StopIteration):
        return -1


def _clock(name: str) -> Callable[[Session], float]:
    return lambda s: s.clocks.seconds[name]


def _timer(*phases: str) -> Callable[[Session], Any]:
    return lambda s: sum(s.network.timers.get(phase, 0.0) for phase in phases) if s.has_network else 0.0


_WITHOUT = "kept and shown; without effect in neuropil"

ATTRIBUTES: dict[str, Attribute] = {
    "T_max": Attribute("Largest time that can be told (ms)", lambda s: 2.0**62 * s.resolution),
    "T_min": Attribute("Smallest time that can be told (ms)", lambda s: -(2.0**62) * s.resolution),
    "adaptive_target_buffers": _kept("adaptive_target_buffers", True, f"Buffers of connections grow: {_WITHOUT}"),
    "biological_time": Attribute(
        "Simulated time (ms)", lambda s: float(grid.time(s.engine.kernel.step)) if s.has_network else 0.0, _set_time
    ),
    "buffer_size_spike_data": _kept("buffer_size_spike_data", 2, f"Size of spike buffers: {_WITHOUT}"),
    "buffer_size_target_data": _kept("buffer_size_target_data", 2, f"Size of connection buffers: {_WITHOUT}"),
    "build_info": Attribute("About this build", lambda s: _build_info()),
    "connection_rules": Attribute("Names of the connection rules", lambda s: list(CONNECTION_RULES)),
    "data_path": _kept("data_path", "", "Directory for files"),
    "data_prefix": _kept("data_prefix", "", "First part of the names of files"),
    "dict_miss_is_error": _kept("dict_miss_is_error", True, "Whether keys that nobody reads are errors"),
    **intervals.attributes(Attribute),
    "growth_curves": Attribute("Names of growth curves of structural plasticity", lambda s: [*CURVES]),
    "growth_factor_buffer_spike_data": _kept("growth_factor_buffer_spike_data", 1.5, f"Growth of spike buffers: {_WITHOUT}"),
    "growth_factor_buffer_target_data": _kept("growth_factor_buffer_target_data", 1.5, f"Growth of connection buffers: {_WITHOUT}"),
    "keep_source_table": _kept("keep_source_table", True, f"Sources are kept after building: {_WITHOUT}"),
    "local_num_threads": Attribute("Threads of a rank", lambda s: s.threads, _set_threads, int),
    "local_spike_counter": Attribute("Spikes of neurons in the last Run", simulated_spikes),
    "max_buffer_size_target_data": _kept("max_buffer_size_target_data", 16777216, f"Largest connection buffers: {_WITHOUT}"),
    "max_delay": Attribute("Longest delay (ms)", lambda s: max_delay(), lambda s, v: set_delays(s, min_delay(), v)),
    "max_num_syn_models": Attribute("Most synapse models", lambda s: 511),
    "max_update_time": Attribute("Longest time of a step (s): not measured", lambda s: -math.inf),
    "memory_size": Attribute("Virtual memory of this process (kB)", lambda s: _memory()),
    "min_delay": Attribute("Shortest delay (ms)", lambda s: min_delay(), lambda s, v: set_delays(s, v, max_delay())),
    "min_update_time": Attribute("Shortest time of a step (s): not measured", lambda s: math.inf),
    "modules": Attribute("Modules that were installed", lambda s: []),
    "mpi_rank": Attribute("Number of this rank", lambda s: s.rank),
    "ms_per_tic": Attribute("Length of a tic (ms)", lambda s: 1.0 / s.tics),
    "network_size": Attribute("Number of nodes", lambda s: s.registry.size),
    "node_models": Attribute("Names of the node models", lambda s: sorted(s.node_models)),
    "num_connections": Attribute("Number of connections", count_all),
    "num_processes": Attribute("Number of ranks", lambda s: s.n_ranks),
    "off_grid_spiking": Attribute("Whether spikes have times between steps", _off_grid),
    "overwrite_files": _kept("overwrite_files", False, "Whether files may be overwritten"),
    "prepared": Attribute("Whether Prepare was called", lambda s: s.prepared),
    "print_time": _kept("print_time", False, "Whether progress is shown"),
    "recording_backends": Attribute("Names of the recording back ends", lambda s: list(back_ends.NAMES)),
    "recv_buffer_size_secondary_events": Attribute("Size of buffers of secondary events (bytes)", lambda s: 0),
    "resolution": Attribute("Length of a step (ms)", lambda s: s.resolution, lambda s, v: _set_time_grid(s, s.tics, v)),
    "rng_seed": Attribute("Seed of all random numbers", lambda s: s.seed, _set_seed, int),
    "rng_type": Attribute(
        f"Name of the generator: {_WITHOUT}, which always uses Philox", lambda s: s.settings.get("rng_type", "mt19937_64"), _set_rng, str
    ),
    "rng_types": Attribute("Names of generators that NEST has", lambda s: list(_RNGS)),
    "send_buffer_size_secondary_events": Attribute("Size of buffers of secondary events (bytes)", lambda s: 0),
    "spike_buffer_grow_extra": _kept("spike_buffer_grow_extra", 0.5, f"Growth of spike buffers: {_WITHOUT}"),
    "spike_buffer_resize_log": Attribute(
        "Resizings of spike buffers", lambda s: {k: np.empty(0) for k in ("global_max_spikes_sent", "new_buffer_size", "times")}
    ),
    "spike_buffer_shrink_limit": _kept("spike_buffer_shrink_limit", 0.2, f"When spike buffers shrink: {_WITHOUT}"),
    "spike_buffer_shrink_spare": _kept("spike_buffer_shrink_spare", 0.1, f"How spike buffers shrink: {_WITHOUT}"),
    "stimulation_backends": Attribute("Names of the stimulation back ends", lambda s: []),
    "structural_plasticity_synapses": Attribute("Synapses that structural plasticity makes", growing.shown, growing.set_synapses, Mapping),
    "structural_plasticity_update_interval": Attribute(
        "Time between updates of the structure (ms)", lambda s: s.structure.interval, growing.set_interval
    ),
    "synapse_models": Attribute("Names of the synapse models", lambda s: sorted(s.synapse_models)),
    "tics_per_ms": Attribute("Tics of a ms", lambda s: float(s.tics), _set_tics, int),
    "tics_per_step": Attribute("Tics of a step", lambda s: s.tics_per_step),
    "time_communicate_prepare": Attribute("Time of routing (s)", _timer("build_route")),
    "time_communicate_spike_data": Attribute("Time of exchanging spikes (s)", _timer("run_exchange")),
    "time_collocate_spike_data": Attribute("Time of filling send buffers (s)", _timer("run_collocate")),
    "time_communicate_prepare_cpu": Attribute("Processor time of Prepare (s)", _clock("prepare_cpu")),
    "time_construction_connect_cpu": Attribute("Processor time of Connect (s)", _clock("connect_cpu")),
    "time_construction_create_cpu": Attribute("Processor time of Create (s)", _clock("create_cpu")),
    "time_simulate_cpu": Attribute("Processor time of Run (s)", _clock("simulate_cpu")),
    "time_construction_connect": Attribute("Time of Connect (s)", _clock("connect")),
    "time_construction_create": Attribute("Time of Create (s)", _clock("create")),
    "time_deliver_spike_data": Attribute("Time of delivering spikes (s)", _timer("run_deliver")),
    "time_gather_spike_data": Attribute("Time of collocating and exchanging spikes (s)", _timer("run_collocate", "run_exchange")),
    "time_simulate": Attribute("Time of Run (s)", _clock("simulate")),
    "time_update": Attribute("Time of updating neurons (s)", _timer("run_update")),
    "to_do": Attribute("Steps that remain of this Run", lambda s: 0),
    "total_num_virtual_procs": Attribute("Ranks times threads", lambda s: s.threads * s.n_ranks, _set_vps, int),
    "update_time_limit": _fixed("update_time_limit", math.inf, "Longest allowed time of a step (s)"),
    "use_compressed_spikes": _kept("use_compressed_spikes", True, f"One message per rank and spike: {_WITHOUT}"),
    "use_wfr": Attribute("Whether connections without delay are served by waveform relaxation", continuous.used, continuous.set_used, bool),
    "verbosity": Attribute("Which messages are shown", lambda s: messages.get_verbosity(), lambda s, v: messages.set_verbosity(v), int),
    "wfr_comm_interval": Attribute("Longest part of the time that is repeated (ms)", continuous.interval, continuous.set_interval),
    "wfr_interpolation_order": Attribute(
        "Polynomials that potentials follow within a step: 0, 1 or 3",
        lambda s: s.settings.get("wfr_interpolation_order", 3),
        continuous.set_order,
        int,
    ),
    "wfr_max_iterations": Attribute(
        "How often a part is simulated at most", lambda s: s.settings.get("wfr_max_iterations", 15), continuous.set_iterations, int
    ),
    "wfr_tol": Attribute(
        "Difference of values below which a part is not repeated", lambda s: s.settings.get("wfr_tol", 0.0001), continuous.set_tolerance
    ),
}


def GetKernelStatus(keys: Any = None) -> Any:  # noqa: N802
    """The kernel status: all as a dict, of one name its value, of several a tuple. Raises KeyError."""
    s = session()
    if keys is None:
        return {name: attribute.get(s) for name, attribute in ATTRIBUTES.items()}
    if isinstance(keys, str):
        return ATTRIBUTES[keys].get(s)
    if isinstance(keys, Iterable):
        return tuple(ATTRIBUTES[key].get(s) for key in keys)
    raise TypeError("keys should be either a string or an iterable")


def SetKernelStatus(params: Mapping[str, Any]) -> None:  # noqa: N802
    """Sets attributes of the kernel, all or none. Raises ValueError for unknown and read-only names, the errors of NEST for values."""
    if not isinstance(params, Mapping):
        raise TypeError("params must be a dict")
    if not session().settings.get("dict_miss_is_error", True):
        params = _settable(params)
    for name in params:
        if name not in ATTRIBUTES:
            raise ValueError(
                f"`{name}` is not a valid kernel parameter, valid parameters are: " + ", ".join(f"'{k}'" for k in sorted(ATTRIBUTES))
            )
        if ATTRIBUTES[name].set is None:
            raise ValueError(f"`{name}` is a readonly kernel parameter")
    fresh = {name: _typed(name, value) for name, value in params.items()}
    s = session()
    s.plans.clear()
    if len({"min_delay", "max_delay"} & set(fresh)) == 1:
        raise NESTErrors.BadProperty("Both min_delay and max_delay have to be specified")
    bounds = s.delay_bounds
    undo: list[Callable[[], None]] = []
    grid_before = {name: getattr(s, name) for name in ("tics", "resolution", "node_models", "synapse_models")}
    try:
        if "resolution" in fresh:
            _set_time_grid(s, fresh.pop("tics_per_ms", s.tics), fresh.pop("resolution"))
        together = {name: fresh.pop(name) for name in intervals.NAMES if name in fresh}
        if together:
            before = {name: ATTRIBUTES[name].get(s) for name in together}
            intervals.put(s, together)
            undo.append(partial(intervals.put, s, before))
        if "min_delay" in fresh:
            set_delays(s, fresh.pop("min_delay"), fresh.pop("max_delay"))
        for name in sorted(fresh, key=lambda key: key != "use_wfr"):
            back = partial(_put, s, name, ATTRIBUTES[name].get(s))
            _put(s, name, fresh[name])
            undo.append(back)
    except Exception:
        for each in reversed(undo):
            each()
        s.delay_bounds = bounds
        if grid_before["resolution"] != s.resolution or grid_before["tics"] != s.tics:
            for name, value in grid_before.items():
                setattr(s, name, value)
            s.forget_network()
        raise


def _put(s: Session, name: str, value: Any) -> None:
    put = ATTRIBUTES[name].set
    assert put is not None
    put(s, value)


def _settable(params: Mapping[str, Any]) -> dict[str, Any]:
    """What can be set; the rest is left out with a warning."""
    found = {name: value for name, value in params.items() if name in ATTRIBUTES and ATTRIBUTES[name].set is not None}
    for name in params.keys() - found.keys():
        warnings.warn(f"`{name}` cannot be set and has been ignored", stacklevel=4)
    return found


def _typed(name: str, value: Any) -> Any:
    """A value of the attribute's type. Raises TypeMismatch."""
    too_large(name, value)
    kind = ATTRIBUTES[name].kind
    fits = {
        float: isinstance(value, int | float | np.number) and not isinstance(value, bool),
        int: isinstance(value, int | np.integer) and not isinstance(value, bool),
        bool: isinstance(value, bool | np.bool_),
        str: isinstance(value, str),
    }.get(kind, isinstance(value, kind))
    if not fits:
        raise NESTErrors.TypeMismatch(f"Expected datatype: Failed to cast '{name}' from {type(value).__name__} to type {kind.__name__}")
    return kind(value) if kind in (float, int, bool, str) and name != "verbosity" else value


__all__ = ["ATTRIBUTES", "Attribute", "GetKernelStatus", "SetKernelStatus"]
