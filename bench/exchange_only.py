# SPDX-License-Identifier: Apache-2.0
"""Communication alone, after "Building Brain Circuits" (2020): fraction of partners, fixed or random, size, fresh or reused buffers."""

from __future__ import annotations

import math

from bench import exchange_jobs
from bench.sides import Settings

STRATEGIES = (
    ("allgather", 1), ("alltoall", 1), ("alltoallv", 1), ("neighbor", 1), ("persistent", 1),
    ("multisend", 1), ("multisend_aggregated", 1), ("nbx", 1), ("nbx", 2), ("shared", 1),
)  # fmt: skip
FRACTIONS = (0.05, 0.25, 0.5, 1.0)
KB, MB = 1024, 1 << 20
MOST_OF_MULTISEND = 4 * KB  # bytes; it sends a message per word of 8 bytes
BASE = {"fraction": 1.0, "size": 32 * KB, "partners": "fixed", "buffers": "reused"}


def cases(ranks: int, quick: bool) -> list[tuple]:
    """Cases of one start, see bench/cpp/exchange_only.cpp: fractions x sizes, and at one size random partners, to half also fresh buffers.

    What is compared (fixed, random, fresh) runs one after another, so that a machine that drifts treats all alike.
    """
    sizes = (KB, 32 * KB) if quick else (KB, 32 * KB, MB)
    budget = 10.0 if quick else 40.0
    found = []
    for fraction, size in ((f, size) for f in fractions(ranks) for size in sizes):
        kinds = [("fixed", "reused")]
        if size == BASE["size"]:
            kinds.append(("random", "reused"))
        if partners(fraction, ranks) == partners(0.5, ranks):
            kinds.append(("fixed", "fresh"))
        for name, phases in STRATEGIES:
            if name != "multisend" or size <= MOST_OF_MULTISEND:
                found += [(name, phases, fraction, size, *kind, budget) for kind in kinds]
    return found


def partners(fraction: float, ranks: int) -> int:
    """Of one rank; as in bench/cpp/exchange_only.cpp."""
    return max(math.ceil(fraction * (ranks - 1)), 1)


def fractions(ranks: int) -> list[float]:
    """Those that differ in the number of partners."""
    by_count = {partners(f, ranks): f for f in reversed(FRACTIONS)}
    return sorted(by_count.values())


def measure(settings: Settings) -> list[dict]:
    """All cases on 2, 4 and 8 ranks. Raises RunError."""
    folder = settings.output / "exchange" / "only"
    program = exchange_jobs.build_exchange_only(folder / "build.log")
    found: list[dict] = []
    for ranks in (2, 4) if settings.quick else (2, 4, 8):
        settings.say(f"communication alone, {ranks} ranks")
        found += exchange_jobs.run_exchange_only(program, ranks, cases(ranks, settings.quick), folder, 180.0)
    return found


def label(entry: dict) -> str:
    return entry["strategy"] + (", two phases" if entry["phases"] == 2 else "")


def chosen(found: list[dict], **wanted: object) -> dict[str, list[dict]]:
    """Entries with these values, by strategy."""
    by_name: dict[str, list[dict]] = {}
    for entry in found:
        if all(entry[key] == value for key, value in wanted.items()):
            by_name.setdefault(label(entry), []).append(entry)
    return by_name


def table(found: list[dict], ranks: int) -> tuple[list[str], list[list[str | float]]]:
    """Microseconds per exchange (median) on so many ranks."""
    of_ranks = [entry for entry in found if entry["ranks"] == ranks]
    most = max(entry["count"] for entry in of_ranks)
    half = partners(0.5, ranks)
    sizes = sorted({entry["size"] for entry in of_ranks})
    columns = {f"{size_name(s)} to all": {"count": most, "size": s, "partners": "fixed", "buffers": "reused"} for s in sizes}
    columns["32 kB to half"] = {"count": half, "size": BASE["size"], "partners": "fixed", "buffers": "reused"}
    columns["same, random"] = {"count": half, "size": BASE["size"], "partners": "random", "buffers": "reused"}
    columns["same, fresh buffers"] = {"count": half, "size": BASE["size"], "partners": "fixed", "buffers": "fresh"}
    rows: list[list[str | float]] = []
    for name in dict.fromkeys(label(entry) for entry in of_ranks):
        values = [chosen(of_ranks, **wanted).get(name) for wanted in columns.values()]
        first = chosen(of_ranks, count=half, size=KB, partners="fixed", buffers="reused")[name][0]
        times = [1e6 * value[0]["seconds"][1] if value else "-" for value in values]
        rows.append([name, *times, first["messages"], first["bytes"]])
    return ["strategy", *columns, "messages*", "bytes*"], rows


def size_name(size: int) -> str:
    return f"{size // MB} MB" if size >= MB else f"{size // KB} kB"


def fitted(found: list[dict], ranks: int = 2) -> tuple[float, float] | None:
    """Latency (s; of the smallest message) and bandwidth (bytes/s; largest against smallest) between two ranks here, by `persistent`."""
    entries = chosen(found, ranks=ranks, partners="fixed", buffers="reused", count=1).get("persistent", [])
    points = sorted((entry["bytes"] / ranks, entry["seconds"][1]) for entry in entries)
    if len(points) < 2 or points[-1][1] <= points[0][1]:
        return None
    (small, first), (large, last) = points[0], points[-1]
    return first, (large - small) / (last - first)
