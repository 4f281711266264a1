# SPDX-License-Identifier: Apache-2.0
"""Which of Brian2's own examples run on neuropil.brian2.

python tools/brian2_examples.py
python tools/brian2_examples.py --match "synapses/*" --limit 300

Fetches Brian2's sources, in the version that is installed, from PyPI into build/brian2_examples and runs its examples as they are, each in a
process of its own (nothing of them is kept here). The only difference is set_device("neuropil") before them. Prints what runs, what is refused
and why, and what fails; all hundred examples take about half an hour on 2 cores.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "build" / "brian2_examples"
RUN = """
import runpy, sys
import brian2, neuropil.brian2
brian2.prefs.codegen.target = "numpy"
brian2.set_device("neuropil")
runpy.run_path(sys.argv[1], run_name="__main__")
"""
OWN_DEVICE = "set_device("  # examples of Brian2's other devices


def examples() -> Path:
    """Their folder, fetched the first time."""
    made = version("brian2")
    folder = HOME / f"brian2-{made}" / "examples"
    if not folder.exists():
        HOME.mkdir(parents=True, exist_ok=True)
        fetch = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "brian2", f"brian2=={made}", "--dest", str(HOME)]
        subprocess.run([sys.executable, "-m", *fetch], check=True)
        with tarfile.open(next(HOME.glob("*.tar.gz"))) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2, as Debian 12 has it, knows none
            archive.extractall(HOME)
    return folder


def outcome(file: Path, limit: float) -> tuple[str, str]:
    """What became of an example, and why."""
    env = os.environ | {"MPLBACKEND": "agg"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(file)], cwd=file.parent, env=env, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return "longer", f"than {limit:.0f} s"
    if done.returncode == 0:
        return "runs", ""
    said = [line for line in done.stderr.splitlines() if line.strip()]
    refused = next((line for line in said if "NotSupported: " in line), None)
    return ("refused", refused.partition("NotSupported: ")[2]) if refused else ("fails", said[-1] if said else f"code {done.returncode}")


def main() -> None:
    """Runs the examples, one after the other."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--match", default="*", help="paths of examples, such as synapses/*")
    p.add_argument("--limit", type=float, default=120.0, help="s, of one example")
    args = p.parse_args()
    folder, counts = examples(), Counter[str]()
    for file in sorted(folder.rglob("*.py")):
        name = file.relative_to(folder)
        if not name.match(args.match):
            continue
        begin = time.perf_counter()
        found, why = ("other device", "") if OWN_DEVICE in file.read_text() else outcome(file, args.limit)
        counts[found] += 1
        print(f"{found:13} {time.perf_counter() - begin:6.1f} s  {name}{': ' if why else ''}{why}", flush=True)
    print(", ".join(f"{found}: {n}" for found, n in counts.most_common()))


if __name__ == "__main__":
    main()
