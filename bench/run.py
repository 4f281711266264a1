# SPDX-License-Identifier: Apache-2.0
"""Measure neuropil and its peers in turn. Prints a table per section and writes DIR/bench.json.

All sections take about 50 minutes on 2 cores (half of it growth) and 17 GB of free memory, most of it for NEST.
Pages with all values: docs/benchmarks.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bench import (
    analysis_tools,
    balanced,
    brian2,
    busy,
    checkpoint,
    closed_loop,
    construct,
    cpp_loops,
    exchange,
    expressions,
    felt,
    field_potentials,
    growth,
    hpc_benchmark,
    limits,
    mechanisms,
    microcircuit,
    models,
    nest_layer,
    own_models,
    pathways,
    populations,
    programs,
    pynn,
    race,
    report,
    rounds,
    scaling,
    scripts,
    simulated,
    small,
    sonata,
    touch,
)
from bench.sides import Settings

SECTIONS = {
    "microcircuit": microcircuit.run, "microcircuit_fifth": microcircuit.run_fifth, "hpc_benchmark": hpc_benchmark.run, "construct": construct.run, "scaling": scaling.run, "exchange": exchange.run,
    "touch": touch.run, "nest": nest_layer.run, "cpp": cpp_loops.run, "limits": limits.run, "rounds": rounds.run, "small": small.run, "felt": felt.run, "busy": busy.run,
    "models": models.run, "own_models": own_models.run, "brian2": brian2.run, "pynn": pynn.run, "populations": populations.run, "pathways": pathways.run, "balanced": balanced.run, "expressions": expressions.run, "growth": growth.run, "checkpoint": checkpoint.run, "closed_loop": closed_loop.run, "mechanisms": mechanisms.run, "scripts": scripts.run, "simulated": simulated.run, "sonata": sonata.run, "race": race.run,
    "analysis_tools": analysis_tools.run, "field_potentials": field_potentials.run,
}  # fmt: skip


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="./run bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sections", nargs="*", metavar="SECTION", help=f"sections to run: {', '.join(SECTIONS)} (default: all)")
    p.add_argument("--quick", action="store_true", help="small networks, one repetition, about 2 minutes")
    p.add_argument("--repeats", type=int, help="repetitions of every run (default 3; with --quick 1)")
    p.add_argument("--threads", type=int, default=programs.cores(), help="threads of neuropil (default: all cores)")
    p.add_argument("--no-peers", action="store_true", help="measure neuropil alone")
    p.add_argument("--resume", action="store_true", help="growth: keep what an interrupted run left in DIR and measure the rest")
    p.add_argument("--measure", action="store_true", help="race: also run the full-scale microcircuit on this machine")
    p.add_argument("--output", type=Path, default=Path("out/bench"), metavar="DIR", help="folder for results (default: out/bench)")
    return p


def main(argv: list[str] | None = None) -> int:
    """0: everything ran. 1: a run failed. Goals that are missed are printed, they are no failure."""
    p = parser()
    args = p.parse_args(argv)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as on a user's machine: modules are compiled once, not at each start of a program
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        p.error(f"unknown section {unknown[0]}; allowed: {', '.join(SECTIONS)}")
    if args.threads < 1 or (args.repeats is not None and args.repeats < 1):
        p.error("--threads and --repeats must be at least 1")
    peers = not args.no_peers and programs.peer_available()
    if not peers and not args.no_peers:
        print("NEST is not installed (pip install nest-simulator==3.10.0): neuropil is measured alone")
    settings = Settings(
        args.output.resolve(),
        args.quick,
        args.repeats or (1 if args.quick else 3),
        args.threads,
        peers,
        not args.no_peers,
        say=lambda text: print(f"  {text}", file=sys.stderr, flush=True),
        resume=args.resume,
        measure=args.measure,
    )
    machine, versions = programs.machine(), programs.versions()
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, load {machine['load']:.2f}")
    if machine["load"] > 0.5:
        print("other processes use this machine: times mean little, and ratios less than on a quiet machine")
    done = []
    for name in args.sections or SECTIONS:
        done.append(SECTIONS[name](settings))
        report.print_section(done[-1])
        report.write(
            settings.output / "bench.json", done, machine, versions, ["./run", "bench", *(argv if argv is not None else sys.argv[1:])]
        )
    print(f"written: {settings.output / 'bench.json'}")
    return int(any(section.errors for section in done))


if __name__ == "__main__":
    sys.exit(main())
