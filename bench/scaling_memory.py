# SPDX-License-Identifier: Apache-2.0
"""Part of ./run bench scaling: the memory model beside networks that are built, from 10^3 to 10^8 synapses, on one rank and as dry runs.

Also the rates of building that the model's times stand on: python -m bench.scaling_memory OUTPUT/scaling/rates.json puts them into the package.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from bench import programs
from bench.report import LOWER, Row, Section, Table
from bench.sides import Settings

# neurons per rank, in-degree, ranks, threads
SIZES = (
    (100, 10, 1, 1),
    (1000, 10, 1, 2),
    (1000, 100, 1, 2),
    (10_000, 100, 1, 2),
    (10_000, 1000, 1, 2),
    (25_000, 4000, 1, 2),
    (100, 1000, 82_944, 8),
    (1000, 1000, 8, 2),
    (5000, 2000, 64, 4),
    (2500, 4000, 1024, 8),
    (7000, 11_250, 28_672, 8),
    (18_205, 11_250, 82_944, 8),
)
BUILD = ("build_count", "build_place", "build_fill", "build_sort")
QUICK = 2_000_000  # synapses per rank
RATES = Path(__file__).resolve().parents[1] / "python" / "src" / "neuropil" / "plan" / "build_rates.json"


def measured(settings: Settings, section: Section) -> list[dict[str, Any]]:
    """One result per size; what fails is noted."""
    found = []
    for neurons, indegree, ranks, threads in SIZES:
        if settings.quick and neurons * indegree > QUICK:
            continue
        settings.say(
            f"scaling: model against {'dry run' if ranks > 1 else 'run'}, {ranks} ranks x {threads} threads, {neurons * indegree:.1e} synapses"
        )
        given = json.dumps({"neurons": neurons, "indegree": indegree, "ranks": ranks, "threads": threads})
        try:
            log = settings.output / "scaling" / f"memory-{ranks}-{neurons}.log"
            found.append(json.loads(programs.execute([sys.executable, "-m", "bench.scaling_worker", given], log)))
        except (programs.RunError, OSError, ValueError) as error:
            section.errors.append(str(error))
    section.runs["memory"] = found
    return found


def errors(result: dict[str, Any]) -> tuple[float, float, float]:
    """Model over measured - 1 of: what the kernel holds, the resident set once built, its peak."""
    model, start = result["model"], result["base"] - result["untouched"]
    kernel = model["total"] - model["terms"].get("buffers", 0.0)  # of strategies: told by the kernel from the first exchange on
    return (
        kernel / result["memory"]["total"] - 1,
        (start + model["total"]) / result["resident"] - 1,
        (start + model["peak"]) / result["peak_resident"] - 1,
    )


def rows(found: list[dict[str, Any]]) -> list[Row]:
    if not found:
        return []
    worst = [max(abs(errors(result)[k]) for result in found) for k in range(3)]
    names = ("bytes of the kernel", "resident set", "peak of the resident set")
    return [
        Row(f"memory model, largest error of {name}", "%", [100 * e], goal=5.0, sense=LOWER, note=f"{len(found)} networks")
        for name, e in zip(names, worst, strict=True)
    ]


def table(found: list[dict[str, Any]]) -> Table:
    lines: list[list[str | float]] = []
    for r in found:
        kind = "dry run" if r["ranks"] > 1 else "measured"
        lines.append([
            f"{r['ranks']} x {r['threads']}", kind, f"{r['synapses']:.3g}", (r["base"] - r["untouched"] + r["model"]["total"]) / 1e6, r["resident"] / 1e6, 100 * errors(r)[1],
            (r["base"] - r["untouched"] + r["model"]["peak"]) / 1e6, r["peak_resident"] / 1e6, sum(r["model"]["seconds"].values()), r["seconds"]["build"],
        ])  # fmt: skip
    headers = [
        "ranks x threads",
        "",
        "synapses per rank",
        "MB, model",
        "MB",
        "error %",
        "peak MB, model",
        "peak MB",
        "build s, model",
        "build s",
    ]
    note = "without the traces of plastic rows, whose pages become resident with the first spikes"
    return Table("The model (before anything is built) beside the resident set of the process, hpc_benchmark", headers, lines, 3, [note])


def rates(found: list[dict[str, Any]]) -> dict[str, Any] | None:
    """ns per unit of work, each from the network that has most of it; None without networks of more than 10^5 synapses."""
    large = [r for r in found if r["synapses"] > 1e5]
    if not large:
        return None
    known = json.loads(RATES.read_text())
    ns = dict(known["ns"])
    for work, phases, serial in (
        ("nodes", ("create",), False),
        ("links", ("build_devices",), False),
        ("edges", BUILD, False),
        ("sorted", BUILD, False),
        ("routes", ("build_route",), False),
        ("dense", ("build_route",), True),
    ):
        most = max(large, key=lambda r: r["model"]["work"].get(work, 0.0))
        if most["model"]["work"].get(work, 0.0) >= 1e4:
            seconds = sum(most["timers"].get(phase, 0.0) for phase in phases)
            ns[work] = 1e9 * seconds * (1 if serial else min(most["threads"], programs.cores())) / most["model"]["work"][work]
    machine = programs.machine()
    return known | {"machine": {"cpu": machine["cpu"], "cores": machine["cores"]}, "commit": programs.versions()["commit"], "ns": ns}


if __name__ == "__main__":
    shutil.copyfile(sys.argv[1], RATES)
