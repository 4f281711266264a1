# SPDX-License-Identifier: Apache-2.0
"""Strong scaling of neuropil: the same microcircuit on 1, 2, ... threads, in turn; beside it what the machine itself allows."""

from __future__ import annotations

import statistics
from concurrent.futures import ThreadPoolExecutor

from bench import programs
from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure


def run(settings: Settings) -> Section:
    scale, duration = (0.05, 500.0) if settings.quick else (1.0, 1000.0)
    section = Section("scaling", f"Strong scaling 1 to {settings.threads} threads, microcircuit at scale {scale:g}")
    options = {"scale": scale, "warmup": 100.0, "duration": duration, "seed": 1}
    sides = {f"threads-{t}": Side("microcircuit", options | {"threads": t}) for t in sorted({1, settings.threads})}
    runs = measure(section, settings, sides)
    one, all_ = runs["threads-1"], runs[f"threads-{settings.threads}"]
    goal = 1.8 if settings.threads == 2 and not settings.quick else None
    for name, fields in (("build", ("build_s",)), ("run", ("sim_s",))):
        section.rows.append(speed_up(f"speed-up of {name}", column(one, *fields), column(all_, *fields), goal))
    hashes = {run["spike_hash"] for run in one + all_}
    if one and all_:
        section.notes.append(f"spikes identical on 1 and {settings.threads} threads: {'yes' if len(hashes) == 1 else 'NO'}")
    if len(hashes) > 1:
        section.errors.append("different spikes on different numbers of threads (law 1)")
    if settings.threads > 1 and not section.errors:
        section.rows.append(machine_ceiling(section, settings))
    return section


def speed_up(name: str, one: list[float], many: list[float], goal: float | None) -> Row:
    pairs = [a / b for a, b in zip(one, many, strict=True)] if len(one) == len(many) else []
    note = f"1 thread {statistics.median(one):.2f} s, all threads {statistics.median(many):.2f} s" if one and many else ""
    return Row(name, "x", pairs, [], "value", goal, note=note)


def machine_ceiling(section: Section, settings: Settings) -> Row:
    """What perfect software would get here: `threads` independent runs of one thread at once, against one of them alone."""
    options = {"scale": 0.05, "warmup": 0.0, "duration": 1000.0, "threads": 1, "seed": 1}
    ratios = []

    def job(k: int) -> float:
        return programs.run_neuropil("microcircuit", options, settings.output / section.name / f"ceiling-{k}")["sim_s"]

    for _ in range(settings.repeats):
        alone = job(0)
        with ThreadPoolExecutor(settings.threads) as pool:
            together = list(pool.map(job, range(settings.threads)))
        ratios.append(settings.threads * alone / statistics.mean(together))
    return Row("ceiling of the machine (independent processes, run)", "x", ratios, note="microcircuit at scale 0.05 in each process")
