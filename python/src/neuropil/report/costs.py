# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of what a job took: time by phase and rank, memory by kind, load of the ranks, and what was run where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .charts import Chart, bars, stacked

__all__ = ["costs", "facts"]

MOST_RANKS = 64  # in charts; of more ranks every n-th is drawn


def costs(result: Mapping[str, Any]) -> Iterator[tuple[str, Chart]]:
    """(section, chart) of time, memory and load."""
    if not result:
        return
    timers = result.get("timers_by_rank") or {name: [seconds] for name, seconds in result.get("timers", {}).items()}
    for stage in ("build", "run"):
        if chart := _phases(stage, timers):
            yield "Time", chart
    if memory := {name: size / 1e6 for name, size in result.get("memory", {}).items() if name != "total" and size}:
        yield "Memory", bars("Memory of the network by kind, all ranks", "MB", memory)
    loads = result.get("loads") or {}
    if loads and len(next(iter(loads.values()))) > 1:
        yield from (("Ranks", chart) for chart in _loads(loads))


def _phases(stage: str, timers: Mapping[str, Sequence[float]]) -> Chart | None:
    """Seconds of the phases of a stage, a bar per rank."""
    parts = {name.partition("_")[2]: seconds for name, seconds in timers.items() if name.startswith(f"{stage}_") and max(seconds) > 0}
    if not parts:
        return None
    shown = _shown(len(next(iter(parts.values()))))
    title = {"build": "Building", "run": "Running"}[stage]
    return stacked(title, "s", [f"rank {k}" for k in shown], {name: [values[k] for k in shown] for name, values in parts.items()})


def _loads(loads: Mapping[str, Sequence[float]]) -> Iterator[Chart]:
    """Largest load over the mean, and each rank's load over the mean."""
    means = {name: sum(values) / len(values) for name, values in loads.items() if sum(values) > 0}
    yield bars("Imbalance: largest load over mean", "1 is even", {name: max(loads[name]) / mean for name, mean in means.items()})
    shown = _shown(len(next(iter(loads.values()))))
    for name in ("synapses", "events", "compute"):
        if name in means:
            yield bars(f"Load: {name}, over the mean", "load / mean", {f"rank {k}": loads[name][k] / means[name] for k in shown})


def _shown(ranks: int) -> range:
    return range(0, ranks, -(-ranks // MOST_RANKS))


def facts(result: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Tables of the page: title -> rows."""
    if not result:
        return {}
    numbers = {
        "neurons": f"{result['neurons']:,}",
        "synapses": f"{result['synapses']:,}",
        "biological time": f"{result['duration_ms']:g} ms, after {result.get('warmup_ms', 0.0):g} ms of warm-up",
        "real-time factor": f"{result['real_time_factor']:.3g} (below 1: faster than real time)",
        "time to build, warm up, simulate": f"{result['build_s']:.3g} s, {result['init_s']:.3g} s, {result['sim_s']:.3g} s",
        "memory of the processes": f"{result['peak_rss_bytes'] / 1e9:.3g} GB, {result['bytes_per_synapse']:.3g} bytes per synapse",
        "spikes, synaptic events": f"{result['counters'].get('spikes', 0):,}, {result['counters'].get('events', 0):,}",
    }
    machine, versions = result["machine"], result["versions"]
    made = {
        "command": shlex.join(map(str, result["command"])),
        "parameters": ", ".join(f"{name} {_short(value)}" for name, value in result["parameters"].items()),
        "seed": str(result["seed"]),
        "ranks, threads of each": f"{result['ranks']}, {result['threads']}",
        "exchange, distribution": f"{result.get('exchange', '-')}, {result.get('distribution', '-')}",
        "versions": ", ".join(f"{name} {value}" for name, value in versions.items() if value),
        "processor": f"{machine['cpu']}, {machine['cores']} cores usable, load {machine.get('load', 0.0):.2f} at the start",
        "system": f"{machine['system']}, {machine['architecture']}, {machine['memory_bytes'] / 1e9:.1f} GB",
        "hash of the spikes": str(result["spike_hash"]),
    }
    return {"In short": numbers, "How it was made": made}


def _short(value: Any) -> str:
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    return "-" if value in ("", None) else str(value)
