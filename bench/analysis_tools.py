# SPDX-License-Identifier: Apache-2.0
"""Spikes handed to pandas, xarray, Arrow, Neo and Elephant: seconds of CPU time, bytes kept and bytes at the peak, each in a process of its own."""

from __future__ import annotations

import importlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.programs import ROOT
from bench.report import Section, Table
from bench.sides import Settings

SPIKES, NEURONS, RATE = 10_000_000, 10_000, 10.0  # spikes/s

# What is handed over -> the verb, and its arguments.
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "pandas: a row per spike": ("to_pandas", {}),
    "Arrow: a row per spike": ("to_arrow", {}),
    "Neo: two arrays": ("to_neo", {}),
    "Neo: an object per neuron": ("to_neo", {"objects": True}),
    "Neo: 20 trains of the arrays": ("trains_of_arrays", {"first": 20}),
    "Elephant: sparse counts, 5 ms": ("to_elephant", {"width": 5.0}),
    "xarray: dense counts, 100 ms": ("to_xarray", {"width": 100.0}),
    "xarray: dense counts, 5 ms": ("to_xarray", {"width": 5.0}),
}
NEEDS = {
    "trains_of_arrays": "neo",
    "to_pandas": "pandas",
    "to_xarray": "xarray",
    "to_arrow": "pyarrow",
    "to_neo": "neo",
    "to_elephant": "elephant.conversion",
}


def run(settings: Settings) -> Section:
    n, neurons = (SPIKES // 100, NEURONS // 100) if settings.quick else (SPIKES, NEURONS)
    section = Section("analysis_tools", "Spikes handed to other tools", peer="")
    rows = []
    for title, (verb, options) in TOOLS.items():
        settings.say(f"analysis_tools: {title}")
        found = [_process(section, verb, n, neurons, options) for _ in range(settings.repeats)]
        runs = [each for each in found if each]
        section.runs[title] = runs
        rows.append([title, _call(verb, options), *(statistics.median(each[key] for each in runs) if runs else "-" for key in _COLUMNS)])
    headers = ["what", "call", *_COLUMNS.values()]
    scaled = [
        [*row[:2], *(value if isinstance(value, str) else value / scale for value, scale in zip(row[2:], _SCALES, strict=True))]
        for row in rows
    ]
    section.tables.append(Table(f"{n:.0e} spikes of {neurons:.0e} neurons ({16 * n / 1e6:g} MB as arrays)", headers, scaled, words=2))
    return section


_COLUMNS = {"seconds": "CPU s", "kept": "MB kept", "peak": "MB at the peak"}
_SCALES = (1.0, 1e6, 1e6)


def _call(verb: str, options: dict[str, Any]) -> str:
    return f"{verb}({', '.join(f'{name}={value}' for name, value in options.items())})"


def _process(section: Section, verb: str, n: int, neurons: int, options: dict[str, Any]) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.analysis_tools", verb, str(n), str(neurons), json.dumps(options)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        section.errors.append(done.stderr)
        return {}
    return dict(json.loads(done.stdout))


def measured(verb: str, n: int, neurons: int, **options: Any) -> dict[str, float]:
    """Seconds of CPU time of a call, bytes that its result takes beside the spikes, and bytes at the peak; the library is imported before."""
    importlib.import_module(NEEDS[verb])
    data = spikes(n, neurons)
    _handed(spikes(100, 10), verb, options)  # what is imported or compiled at the first call
    _forget_peak()
    before, begin = _status("VmRSS"), time.process_time()
    made = _handed(data, verb, options)
    seconds = time.process_time() - begin  # a shared machine lets it wait
    found = {"seconds": seconds, "kept": max(_status("VmRSS") - before, 0), "peak": max(_status("VmHWM") - before, 0)}
    del made
    return found


def _handed(data: Any, verb: str, options: dict[str, Any]) -> object:
    return trains_of_arrays(data, **options) if verb == "trains_of_arrays" else getattr(data, verb)(**options)


def trains_of_arrays(data: Any, first: int) -> list[object]:
    """The first trains that Neo makes of the two arrays that `to_neo` hands over."""
    import quantities as pq
    from neo.core.spiketrainlist import SpikeTrainList

    window = {"t_start": data.start * pq.ms, "t_stop": data.stop * pq.ms}
    arrays = data.times, data.gids
    return list(SpikeTrainList.from_spike_time_array(*arrays, all_channel_ids=data.watched[:first], units="ms", **window))


def spikes(n: int, neurons: int) -> Any:
    """Poisson spikes on the grid of 0.1 ms, as a network leaves them."""
    from neuropil.results import Spikes

    rng, steps = np.random.default_rng(1), int(1e4 * n / neurons / RATE)
    times = np.sort(rng.integers(1, steps + 1, n)) * 0.1
    return Spikes(times, rng.integers(1, neurons + 1, n), np.arange(1, neurons + 1), stop=0.1 * steps, resolution=0.1)


def _status(name: str) -> int:
    """Bytes of this process."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])


def _forget_peak() -> None:
    """VmHWM begins anew at the present size."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), **json.loads(sys.argv[4]))))
