# SPDX-License-Identifier: Apache-2.0
"""Hot loops beside what the machine allows: the bytes that a loop must move for each item, the bandwidth of the cache that holds them, the fraction reached.

The loops of bench/cpp tell their bytes (bench/cpp/streams.hpp); bench/cpp/bench_memory.cpp measures the bandwidth by size of the array on the same core.
"""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import dataclass

from bench import cpp_loops, growth_limits, programs
from bench.report import Section, Table
from bench.sides import Settings

LOOPS = r"^(memory|update|deliver_static|stdp|build_slice|poisson_part)/"
Curves = dict[str, dict[int, float]]
"""[read, update or write][bytes of the array], bytes per second."""


@dataclass
class Stream:
    """Bytes per item of a loop that goes through `size` bytes again and again; way: read, write or update."""

    what: str
    way: str
    per_item: float
    size: float


def curves(entries: list[dict]) -> Curves:
    """Bandwidths: the median of the repetitions."""
    found: dict[str, dict[int, list[float]]] = {}
    for entry in entries:
        if match := re.fullmatch(r"memory/(\w+)/(\d+)", entry.get("run_name", entry["name"])):
            found.setdefault(match[1], {}).setdefault(int(match[2]), []).append(entry["bytes_per_second"])
    return {way: {size: statistics.median(values) for size, values in sorted(by_size.items())} for way, by_size in found.items()}


def bandwidth(curve: dict[int, float], size: float) -> float:
    """At a size between the measured ones by interpolation in the logarithm of the size."""
    sizes = sorted(curve)
    if size <= sizes[0] or size >= sizes[-1]:
        return curve[sizes[0] if size <= sizes[0] else sizes[-1]]
    above = next(s for s in sizes if s >= size)
    below = sizes[sizes.index(above) - 1]
    part = math.log(size / below) / math.log(above / below)
    return curve[below] + part * (curve[above] - curve[below])


def streams(entry: dict) -> list[Stream]:
    """What a loop says that it must move."""
    named = [key.split("/", 2)[1:] for key in entry if key.startswith("stream/")]
    return [Stream(what, way, entry[f"stream/{way}/{what}"], entry[f"set/{way}/{what}"]) for way, what in named]


def least_ns(moved: list[Stream], found: Curves) -> float:
    """Time of an item if nothing but the bytes took time, and no two streams overlapped."""
    return sum(1e9 * stream.per_item / bandwidth(found[stream.way], stream.size) for stream in moved)


def level(size: float) -> str:
    """The cache that an array of this size fits."""
    sizes = {"L1": growth_limits.cache_bytes(1), "L2": growth_limits.cache_bytes(2), "L3": growth_limits.cache_bytes(3)}
    return next((name for name, most in sizes.items() if size <= most), "memory")


def loop_rows(entries: list[dict], found: Curves) -> list[list[str | float]]:
    """A row per loop that tells its streams."""
    by_name: dict[str, list[dict]] = {}
    for entry in entries:
        if streams(entry):
            by_name.setdefault(entry.get("run_name", entry["name"]), []).append(entry)
    rows: list[list[str | float]] = []
    for name, same in by_name.items():
        moved = streams(same[0])
        measured = statistics.median(1e9 / entry["items_per_second"] for entry in same)
        least = least_ns(moved, found)
        parts = ", ".join(f"{s.what} {s.way} {s.per_item:.3g} ({level(s.size)})" for s in moved)
        rows.append(
            [re.sub("/min_time.*", "", name), parts, sum(s.per_item for s in moved), least, measured, f"{100 * least / measured:.0f} %"]
        )
    return rows


def memory_rows(found: Curves) -> list[list[str | float]]:
    """Bandwidths by size [GB/s]."""
    sizes = sorted({size for curve in found.values() for size in curve})
    return [
        [f"{size // 1024} KiB", level(size), *(found[way].get(size, math.nan) * 1e-9 for way in ("read", "update", "write"))]
        for size in sizes
    ]


def run(settings: Settings) -> Section:
    section = Section("limits", "Hot loops and what the machine allows (one core)")
    try:
        binaries = cpp_loops.build(settings.output / "limits" / "log")
        entries = [entry for path in binaries for entry in cpp_loops.run_program(path, settings, LOOPS, "limits")]
    except (programs.RunError, OSError, ValueError) as error:
        section.errors.append(str(error))
        return section
    found = curves(entries)
    section.commands = [f"{path.relative_to(programs.ROOT)} --benchmark_format=json --benchmark_filter='{LOOPS}'" for path in binaries]
    section.runs = {"limits": entries}
    section.tables = [
        Table("Bandwidth by size of the array [GB/s]", ["array", "fits", "read", "update", "write"], memory_rows(found), 2),
        Table("Loops", ["loop", "bytes per item", "all", "least ns", "measured ns", "reached"], loop_rows(entries, found), 2),
    ]
    section.notes = [
        "update: bytes that are read and written again count twice. least: the time of the bytes alone, at the bandwidth of arrays of this size.",
        "A loop far below 100 % is bound by what it computes, by single addresses instead of whole cache lines, or by what it waits for.",
    ]
    return section
