# SPDX-License-Identifier: Apache-2.0
"""The kernel status: every attribute by name, how it is read and set."""

from __future__ import annotations

import importlib.util
import math
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import build_info
from . import attributes, grid, info
from .connection_query import count_all
from .devices.recorder import BACK_ENDS
from .elements import CURVES
from .errors import NESTErrors, NotSupported, expect, is_a
from .kernel import SETTINGS, WAVEFORMS, Session, session
from .node_values import too_large
from .simulate import simulated_spikes
from .specs import CONNECTION_RULES

_SHORTEST, _LONGEST = 1e-5, 1e3  # ms
_RNGS = ("Philox_32", "Philox_64", "Threefry_32", "Threefry_64", "mt19937", "mt19937_64")
Setter = Callable[[Session, Any], None]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One entry of the kernel status; `set` is None where it is read-only, `kind` the type that it takes."""

    get: Callable[[Session], Any]
    set: Setter | None = None
    kind: type = float


def _setting(name: str, set_one: Callable[[Session, str, Any], None]) -> Attribute:
    """A setting of the session. set_one : sets the one of a name."""
    return Attribute(lambda s: s.setting(name), lambda s, value: set_one(s, name, value), type(SETTINGS[name]))


# --- setters with consequences


def _set_tics(s: Session, value: int) -> None:
    if value != s.tics:
        raise NESTErrors.KernelException("tics_per_ms can only be set together with resolution.")


def _set_time_grid(s: Session, tics: int, resolution: float) -> None:
    if (tics, resolution) == (s.tics, s.resolution):
        return
    if s.registry.size or s.defaults_changed:
        why = "Nodes have already been created" if s.registry.size else "Model defaults were modified"
        raise NESTErrors.KernelException(f"{why}: time representation cannot be changed.")
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


def _keep(s: Session, name: str, value: Any) -> None:
    if name == "rng_type" and value not in _RNGS:
        raise NESTErrors.BadProperty(f"'{value}' is not a known RNG type. See nest.rng_types for available types.")
    s.settings[name] = value


def _set_time_limit(s: Session, value: float) -> None:
    if value != math.inf:
        raise NotSupported(f"update_time_limit other than {math.inf!r}")


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


@cache
def _build_info() -> dict[str, Any]:
    folder, here = Path(__file__).resolve().parent, build_info()
    found: dict[str, Any] = dict.fromkeys(("have_libneurosim", "have_music", "have_sionlib"), False)
    found |= dict.fromkeys(("have_boost", "have_gsl", "have_threads", "ndebug"), True)  # what needs Boost and GSL in NEST works here
    found |= {
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
        "test_exitcodes": _EXIT_CODES,
        "threads_model": "openmp",
        "version": "3.10.0",
    }
    return dict(sorted(found.items()))


def _memory() -> int:
    try:
        with open("/proc/self/status") as status:  # noqa: PTH123
            return next(int(line.split()[1]) for line in status if line.startswith("VmSize:"))
    except (OSError, StopIteration):
        return -1


_CONSTANT: dict[str, Any] = {
    "connection_rules": [*CONNECTION_RULES],
    "growth_curves": [*CURVES],
    "max_num_syn_models": 511,
    "max_update_time": -math.inf,  # not measured
    "min_update_time": math.inf,
    "recording_backends": [*BACK_ENDS],
    "recv_buffer_size_secondary_events": 0,
    "rng_types": [*_RNGS],
    "send_buffer_size_secondary_events": 0,
    "stimulation_backends": [],
    "to_do": 0,
}
_TIMERS = {  # parts of the time of Run and of routing (s)
    "time_collocate_spike_data": ("run_collocate",),
    "time_communicate_prepare": ("build_route",),
    "time_communicate_spike_data": ("run_exchange",),
    "time_deliver_spike_data": ("run_deliver",),
    "time_gather_spike_data": ("run_collocate", "run_exchange"),
    "time_update": ("run_update",),
}
_CLOCKS = {  # time of calls (s)
    "time_communicate_prepare_cpu": "prepare_cpu",
    "time_construction_connect": "connect",
    "time_construction_connect_cpu": "connect_cpu",
    "time_construction_create": "create",
    "time_construction_create_cpu": "create_cpu",
    "time_simulate": "simulate",
    "time_simulate_cpu": "simulate_cpu",
}


def _constant(value: Any) -> Attribute:
    return Attribute(lambda s: [*value] if isinstance(value, list) else value)


def _clock(name: str) -> Attribute:
    return Attribute(lambda s: s.clocks.seconds[name])


def _timer(phases: Iterable[str], s: Session) -> float:
    return sum(s.network.timers.get(phase, 0.0) for phase in phases) if s.has_network else 0.0


ATTRIBUTES: dict[str, Attribute] = {
    **{name: _setting(name, _keep) for name in SETTINGS},
    **{name: _setting(name, lambda s, name, value: attributes.set_intervals(s, {name: value})) for name in attributes.IN_INTERVALS},
    **{name: _setting(name, attributes.set_waveforms) for name in WAVEFORMS},
    **{name: _constant(value) for name, value in _CONSTANT.items()},
    **{name: Attribute(partial(_timer, phases)) for name, phases in _TIMERS.items()},
    **{name: _clock(clock) for name, clock in _CLOCKS.items()},
    "T_max": Attribute(lambda s: 2.0**62 * s.resolution),
    "T_min": Attribute(lambda s: -(2.0**62) * s.resolution),
    "biological_time": Attribute(lambda s: float(grid.time(s.engine.kernel.step)) if s.has_network else 0.0, _set_time),
    "build_info": Attribute(lambda s: deepcopy(_build_info())),
    "local_num_threads": Attribute(lambda s: s.threads, _set_threads, int),
    "local_spike_counter": Attribute(simulated_spikes),
    "max_delay": Attribute(lambda s: s.max_delay, lambda s, value: set_delays(s, s.min_delay, value)),
    "memory_size": Attribute(lambda s: _memory()),
    "min_delay": Attribute(lambda s: s.min_delay, lambda s, value: set_delays(s, value, s.max_delay)),
    "modules": Attribute(lambda s: list(s.modules)),
    "mpi_rank": Attribute(lambda s: s.rank),
    "ms_per_tic": Attribute(lambda s: 1.0 / s.tics),
    "network_size": Attribute(lambda s: s.registry.size),
    "node_models": Attribute(lambda s: sorted(s.node_models)),
    "num_connections": Attribute(count_all),
    "num_processes": Attribute(lambda s: s.n_ranks),
    "off_grid_spiking": Attribute(lambda s: any(row.model.root.endswith(("_ps", "_ps_lossless")) for row in s.registry.rows)),
    "prepared": Attribute(lambda s: s.prepared),
    "resolution": Attribute(lambda s: s.resolution, lambda s, value: _set_time_grid(s, s.tics, value)),
    "rng_seed": Attribute(lambda s: s.seed, _set_seed, int),
    "spike_buffer_resize_log": Attribute(lambda s: {name: np.empty(0) for name in ("global_max_spikes_sent", "new_buffer_size", "times")}),
    "structural_plasticity_synapses": Attribute(attributes.shown, attributes.set_synapses, Mapping),
    "structural_plasticity_update_interval": Attribute(lambda s: s.structure.interval, attributes.set_interval),
    "synapse_models": Attribute(lambda s: sorted(s.synapse_models)),
    "tics_per_ms": Attribute(lambda s: float(s.tics), _set_tics, int),
    "tics_per_step": Attribute(lambda s: s.tics_per_step),
    "total_num_virtual_procs": Attribute(lambda s: s.threads * s.n_ranks, _set_vps, int),
    "update_time_limit": Attribute(lambda s: math.inf, _set_time_limit),
    "verbosity": Attribute(lambda s: info.get_verbosity(), lambda s, value: info.set_verbosity(value), int),
    "wfr_comm_interval": Attribute(lambda s: s.waveform_interval, lambda s, value: attributes.set_waveforms(s, "wfr_comm_interval", value)),
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
    if not session().setting("dict_miss_is_error"):
        ignored = [name for name in params if name not in ATTRIBUTES or ATTRIBUTES[name].set is None]
        params = {name: value for name, value in params.items() if name not in ignored}
        for name in ignored:
            warnings.warn(f"`{name}` cannot be set and has been ignored", stacklevel=3)
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
    try:
        if "resolution" in fresh:
            undo.append(partial(_set_time_grid, s, s.tics, s.resolution))
            _set_time_grid(s, fresh.pop("tics_per_ms", s.tics), fresh.pop("resolution"))
        together = {name: fresh.pop(name) for name in attributes.IN_INTERVALS if name in fresh}
        if together:
            before = {name: ATTRIBUTES[name].get(s) for name in together}
            attributes.set_intervals(s, together)
            undo.append(partial(attributes.set_intervals, s, before))
        if "min_delay" in fresh:
            set_delays(s, fresh.pop("min_delay"), fresh.pop("max_delay"))
        for name in sorted(fresh, key=lambda key: key != "use_wfr"):
            back = partial(_put, s, name, ATTRIBUTES[name].get(s))
            _put(s, name, fresh[name])
            undo.append(back)
    except Exception:
        s.delay_bounds = bounds
        for each in reversed(undo):
            each()
        raise


def _put(s: Session, name: str, value: Any) -> None:
    put = ATTRIBUTES[name].set
    assert put is not None
    put(s, value)


def _typed(name: str, value: Any) -> Any:
    """A value of the attribute's type. Raises TypeMismatch."""
    too_large(name, value)
    kind = ATTRIBUTES[name].kind
    expect(is_a(kind, value), f"Failed to cast '{name}' from {type(value).__name__} to type {kind.__name__}")
    return kind(value) if kind in (float, int, bool, str) and name != "verbosity" else value
