# SPDX-License-Identifier: Apache-2.0
"""The hot loops of the kernel: builds bench/cpp (Google Benchmark), runs it, puts its counters beside the goals."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from bench import programs
from bench.report import HIGHER, LOWER, Row, Section
from bench.sides import Settings

FOLDER = programs.ROOT / "build" / "bench"
NS_PER_ITEM = ("ns", lambda entry: 1e9 / entry["items_per_second"])
ITEMS = ("M/s", lambda entry: entry["items_per_second"] * 1e-6)
# Pattern of the benchmark's name, what it is, unit and value, goal.
GOALS = (
    (r"^update/iaf_psc_exp$", "LIF update without input, per neuron-step", NS_PER_ITEM, 1.0, LOWER),
    (r"^update/", "update, per neuron-step", NS_PER_ITEM, None, LOWER),
    (r"^deliver_static/microcircuit", "static events, microcircuit", ITEMS, 200.0, HIGHER),
    (r"^deliver_static/one_delay", "static events, one delay", ITEMS, 400.0, HIGHER),
    (r"^stdp/", "STDP events", ITEMS, 50.0, HIGHER),
    (r"^look_up_source/", "look-up of a source", NS_PER_ITEM, None, LOWER),
    (r"^translate_address/", "look-up of an address", NS_PER_ITEM, None, LOWER),
    (r"^build_slice/", "synapses built", ITEMS, None, HIGHER),
    (r"^poisson_", "Poisson counts", ITEMS, None, HIGHER),
)


def build(log: Path) -> list[Path]:
    """Configures and compiles build/bench; the programs found there."""
    configure = ["cmake", "--preset", "bench"] if not (FOLDER / "CMakeCache.txt").exists() else ["cmake", "-S", ".", "-B", str(FOLDER)]
    programs.execute(configure, log.with_name("configure.log"))
    programs.execute(["cmake", "--build", str(FOLDER), "-j", str(programs.cores())], log.with_name("build.log"))
    found = (FOLDER / "bench").rglob("*")
    return sorted(path for path in found if path.is_file() and os.access(path, os.X_OK) and not path.suffix)


def run_program(path: Path, settings: Settings, only: str = ".", section: str = "cpp") -> list[dict]:
    """One entry per benchmark whose name has the pattern, and repetition."""
    least = "0.05" if settings.quick else "0.3"
    command = [
        str(path),
        "--benchmark_format=json",
        f"--benchmark_min_time={least}",
        f"--benchmark_repetitions={settings.repeats}",
        f"--benchmark_filter={only}",
    ]
    output = programs.execute(command, settings.output / section / f"{path.name}.log")
    return [b for b in json.loads(output)["benchmarks"] if b.get("run_type", "iteration") == "iteration" and "error_occurred" not in b]


def run(settings: Settings) -> Section:
    section = Section("cpp", "Hot loops on one core (bench/cpp)")
    if not (programs.ROOT / "bench" / "cpp" / "CMakeLists.txt").exists():
        section.errors.append("bench/cpp is not there")
        return section
    try:
        binaries = build(settings.output / "cpp" / "log")
        entries = [entry for path in binaries for entry in run_program(path, settings)]
    except (programs.RunError, OSError, subprocess.SubprocessError, ValueError) as error:
        section.errors.append(str(error))
        return section
    section.commands = [f"{path.relative_to(programs.ROOT)} --benchmark_format=json" for path in binaries]
    section.runs = {"cpp": entries}
    section.rows = rows(entries)
    return section


def rows(entries: list[dict]) -> list[Row]:
    """One row per benchmark that counts items, with a goal where there is one."""
    by_name: dict[str, list[dict]] = {}
    for entry in entries:
        by_name.setdefault(entry.get("run_name", entry["name"]), []).append(entry)
    found = []
    for name, same in by_name.items():
        if "items_per_second" not in same[0]:
            found.append(Row(name, same[0]["time_unit"], [b["real_time"] for b in same]))
            continue
        goal = next((g for g in GOALS if re.search(g[0], name)), None)
        _, quantity, (unit, value), limit, sense = goal or ("", "", ITEMS, None, HIGHER)
        found.append(Row(f"{quantity} [{name}]" if quantity else name, unit, [value(b) for b in same], [], "value", limit, sense))
    return found
