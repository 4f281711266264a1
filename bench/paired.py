# SPDX-License-Identifier: Apache-2.0
"""python -m bench.paired OLD: an older checkout (set up there with `./run info`) against this one, in turn, each run in a process of its own. Prints
medians and their ratio; writes out/bench/paired.json."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from bench import programs
from bench.peers.mechanisms import CASES

JOBS = {
    "microcircuit": ["microcircuit", "--duration", "1000"],
    "microcircuit_0.2": ["microcircuit", "--scale", "0.2", "--duration", "1000"],
    "hpc_benchmark": ["hpc_benchmark", "--duration", "500"],
}
NETWORKS = ("sparse", "small")  # bench/paired_worker.py
SCRIPTS = {  # of this checkout, on neuropil.nest of both
    "pathways": ("many_pathways", {"network": "pathways", "duration": 500.0, "threads": 1}),
    "legs": ("many_pathways", {"network": "legs", "duration": 500.0, "threads": 1}),
    "populations_1": ("many_populations", {"populations": 64, "each": 160, "duration": 300.0, "threads": 1}),
    "models": ("every_model", {}),
    "populations_2": ("many_populations", {"populations": 200, "each": 60, "duration": 200.0, "threads": 2}),
}
SCRIPTS |= {f"mechanism_{name}": ("mechanisms", {"case": name, "threads": 2}) for name in CASES}
NUMBERS = ("build_s", "real_time_factor", "bytes_per_synapse")  # of jobs


def measure(root: Path, case: str) -> dict[str, float]:
    """One run."""
    tools = root / ".venv" / "bin"
    with tempfile.TemporaryDirectory() as folder:
        if case in NETWORKS:
            worker = programs.ROOT / "bench" / "paired_worker.py"
            return dict(
                json.loads(subprocess.run([tools / "python", worker, case], check=True, capture_output=True, text=True, cwd=folder).stdout)
            )
        if case in SCRIPTS:
            return script(tools / "python", *SCRIPTS[case], Path(folder))
        subprocess.run([tools / "neuropil", "run", *JOBS[case], "--output", folder], check=True, capture_output=True, cwd=folder)
        result = json.loads((Path(folder) / "result.json").read_text())
    return {name: result[name] for name in NUMBERS}


def script(python: Path, module: str, options: dict[str, object], folder: Path) -> dict[str, float]:
    """Seconds and bytes of a program of bench/peers on the neuropil.nest of this interpreter."""
    command = [python, *programs.layer_command(module, options)[1:]]
    environment = os.environ | {"PYTHONPATH": str(programs.ROOT)}
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=environment).stdout)
    return {name: float(found[name]) for name in found if name.endswith("_s") or name == "peak_rss_bytes"}


def compare(case: str, sides: dict[str, Path], repeats: int) -> dict[str, list[dict[str, float]]]:
    """Runs in turn; who begins changes."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for k in range(repeats):
        for name in list(sides)[:: 1 if k % 2 == 0 else -1]:
            runs[name].append(measure(sides[name], case))
    for number in runs["new"][0]:
        old, new = (statistics.median(run[number] for run in runs[name]) for name in ("old", "new"))
        print(f"{case:24} {number:18} old {old:10.4g}  new {new:10.4g}  new / old {new / old:.3f}", flush=True)
    return runs


def main() -> None:
    p = argparse.ArgumentParser(prog="python -m bench.paired", description=__doc__)
    p.add_argument("old", type=Path, help="root of the older checkout")
    known = [*JOBS, *NETWORKS, *SCRIPTS]
    p.add_argument("cases", nargs="*", metavar="CASE", help=f"which ones: {', '.join(known)} (default: all)")
    p.add_argument("--repeats", type=int, default=5)
    args = p.parse_args()
    if unknown := [case for case in args.cases if case not in known]:
        p.error(f"unknown case {unknown[0]}; allowed: {', '.join(known)}")
    sides = {"old": args.old.resolve(), "new": programs.ROOT}
    found = {case: compare(case, sides, args.repeats) for case in args.cases or known}
    output = programs.ROOT / "out" / "bench" / "paired.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"machine": programs.machine(), "versions": programs.versions(), "runs": found}, indent=1))


if __name__ == "__main__":
    main()
