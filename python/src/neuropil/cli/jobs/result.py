# SPDX-License-Identifier: Apache-2.0
"""What a job leaves behind: result.json (schema in docs/concepts/results.md), the machine it ran on, the hash of its spikes."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from neuropil.base.paging import resident, text
from neuropil.parallel.ranks import usable_cores

SCHEMA_VERSION = 1

# Every result has these fields; a job may add others. docs/concepts/results.md describes them, a test compares the two.
FIELDS: dict[str, tuple[type, ...]] = {
    "schema": (int,),
    "job": (str,),
    "command": (list,),
    "parameters": (dict,),
    "versions": (dict,),
    "machine": (dict,),
    "seed": (int,),
    "threads": (int,),
    "ranks": (int,),
    "neurons": (int,),
    "synapses": (int,),
    "duration_ms": (float,),
    "build_s": (float,),
    "init_s": (float,),
    "sim_s": (float,),
    "real_time_factor": (float,),
    "bytes_per_synapse": (float,),
    "peak_rss_bytes": (int,),
    "memory": (dict,),
    "timers": (dict,),
    "counters": (dict,),
    "rates": (dict,),
    "spike_hash": (str,),
}


def spike_hash(stamps: np.ndarray, gids: np.ndarray) -> str:
    """SHA-256 of all (stamp [steps], gid) pairs as little-endian int64, in the order of (stamp, gid): equal hash, equal spikes."""
    order = np.lexsort((gids, stamps))
    pairs = np.empty((len(order), 2), dtype="<i8")
    pairs[:, 0] = np.asarray(stamps)[order]
    pairs[:, 1] = np.asarray(gids)[order]
    return hashlib.sha256(pairs.tobytes()).hexdigest()


def peak_rss() -> int:
    """Largest resident set of this process so far [bytes]. Not ru_maxrss: that one inherits the peak of the process that started us."""
    import resource

    return resident("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cpu_model() -> str:
    """Name of the processor."""
    lines = text(Path("/proc/cpuinfo")).splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> dict[str, Any]:
    """The machine of a run: enough to judge its times. `load`: 1-minute load average, now."""
    return {
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "load": os.getloadavg()[0],
    }


def git_commit() -> str | None:
    """The commit this package runs from, marked +changed when the tree differs; None when it is not a checkout."""
    here = Path(__file__).resolve().parent
    root = next((path for path in here.parents if (path / ".git").exists() and (path / "cpp").is_dir()), None)
    if root is None:
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty=+changed"], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


def versions() -> dict[str, str | None]:
    """Versions of the packages that a result depends on; None: not installed."""
    from neuropil import _core

    return {
        "neuropil": _core.version(),
        "commit": git_commit(),
        "simd": _core.simd(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def check(result: Mapping[str, Any]) -> None:
    """Raise ValueError that names every field that is missing or of another type than the schema says."""
    missing = [name for name in FIELDS if name not in result]
    wrong = [
        f"{name}: {type(result[name]).__name__} instead of {FIELDS[name][0].__name__}"
        for name in FIELDS
        if name in result and (not isinstance(result[name], FIELDS[name]) or isinstance(result[name], bool))
    ]
    if missing or wrong:
        raise ValueError(f"not a result: missing {missing}, wrong {wrong}")


def plain(value: Any) -> Any:
    """numpy values as what JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def write(directory: Path, result: Mapping[str, Any]) -> Path:
    """Check the result and write it as directory/result.json (in one piece: a reader never sees half of it)."""
    check(result)
    path = directory / "result.json"
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(result, indent=2, default=plain) + "\n")
    draft.replace(path)
    return path
