# SPDX-License-Identifier: Apache-2.0
"""Scaling of neuropil: the same microcircuit on 1, 2, ... threads, in turn, beside what the machine itself allows; the memory model beside
networks that are built and dry runs; figures of Jordan et al. (2018) with our sizes.

python -m bench.scaling [OUTPUT/scaling] puts tables and figures into docs/concepts/scaling.md, python -m bench.scaling_memory
OUTPUT/scaling/rates.json the measured rates of building into the package.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import programs, scaling_figures, scaling_memory
from bench.report import Row, Section, markdown_table
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
    model(section, settings)
    return section


BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"
FIGURES = ("weak.png", "filled.png", "size.png")


def model(section: Section, settings: Settings) -> None:
    """The memory model, measured and drawn."""
    folder = settings.output / "scaling"
    found = scaling_memory.measured(settings, section)
    section.rows += scaling_memory.rows(found)
    rows, tables = scaling_figures.run(settings, [r for r in found if r["ranks"] > 1])
    section.rows += rows
    section.tables += [scaling_memory.table(found), *tables]
    if (rates := scaling_memory.rates(found)) is not None:
        (folder / "rates.json").write_text(json.dumps(rates, indent=1) + "\n")
    write_tables(section, folder)


def write_tables(section: Section, folder: Path) -> None:
    """As they stand in docs/concepts/scaling.md."""
    machine, commit = programs.machine(), programs.versions()["commit"]
    lines = [
        f"Printed by `./run bench scaling` on {machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f} at the end, commit {commit}."
    ]
    values = [
        [row.quantity, f"{row.measured:.3g} {row.unit}", "" if row.goal is None else f"{row.sense} {row.goal:g}", row.note]
        for row in section.rows
        if row.measured is not None
    ]
    lines += ["", "**Numbers**", "", *markdown_table(["", "measured", "goal", ""], values)]
    for table in section.tables:
        lines += ["", f"**{table.title}**", "", *markdown_table(table.headers, table.texts()), *(f"\n{note}" for note in table.notes)]
    (folder / "scaling.md").write_text("\n".join(lines) + "\n")


def update_docs(folder: Path, page: Path = programs.ROOT / "docs" / "concepts" / "scaling.md") -> None:
    """Replaces what stands between the marks of the page, and its figures."""
    before, rest = page.read_text().split(BEGIN)
    page.write_text(before + BEGIN + "\n\n" + (folder / "scaling.md").read_text().strip() + "\n\n" + END + rest.split(END)[1])
    for name in FIGURES:
        shutil.copyfile(folder / name, page.parents[1] / "figures" / f"scaling_{name}")


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


if __name__ == "__main__":
    update_docs(Path(sys.argv[1] if len(sys.argv) > 1 else "out/bench/scaling"))
