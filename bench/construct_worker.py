# SPDX-License-Identifier: Apache-2.0
"""Builds one network and runs its first 10 ms, as a process of its own: python -m bench.construct_worker --neurons 25000 --indegree 2500

Prints one JSON object: times, timers of the phases, memory while and after building, allocations (under bench/cpp/count_allocations.c), pages.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from pathlib import Path

from bench.peers import common

INIT = 10.0  # ms


def reset_peak() -> bool:
    """Makes VmHWM start anew from what is resident now; False where the system forbids it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def allocations() -> int | None:
    """Calls of the allocator and of mmap so far; None where nobody counts."""
    counter = getattr(ctypes.CDLL(None), "npl_allocations", None)
    if counter is None:
        return None
    counter.restype = ctypes.c_ulong
    return int(counter())


def run(args: argparse.Namespace) -> dict:
    import neuropil
    from neuropil.cli.jobs import hpc_benchmark as job

    plan = job.plan(args.neurons, args.indegree, not args.static)
    phases = common.Phases()
    net = neuropil.Network(threads=args.threads, seed=1, resolution=job.RESOLUTION)
    before, peak_known = common.current_rss(), reset_peak()
    with phases("describe_s"):
        populations = job.build(net, plan)
    counted = allocations()
    with phases("tables_s"):
        net.build()
    during = None if counted is None else allocations() - counted
    peak, built = common.peak_rss(), common.current_rss()
    pages = neuropil.parallel.pages()
    record = net.record(populations["E"] + populations["I"])
    start = time.perf_counter()
    net.run(INIT)
    init = time.perf_counter() - start
    timers = net.timers
    return {
        "neurons": args.neurons, "indegree": args.indegree, "synapses": args.neurons * args.indegree, "threads": args.threads,
        "build_s": phases.seconds["describe_s"] + phases.seconds["tables_s"], "init_s": init, "timers": timers, "spikes": len(record.times),
        "rss_before": before, "rss_peak": peak if peak_known else None, "rss_built": built, "rss_run": common.current_rss(),
        "allocations": during, "memory": net.memory,
        "pages": {"resident": pages.resident, "anonymous": pages.anonymous, "huge": pages.huge, "nodes": pages.nodes},
    }  # fmt: skip


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description="construction of the hpc benchmark")
    p.add_argument("--neurons", type=int, required=True)
    p.add_argument("--indegree", type=int, required=True)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--static", action="store_true", help="no plastic synapses")
    return p


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    with common.stdout_for_json() as out:
        common.write_json(out, run(args))


if __name__ == "__main__":
    main()
