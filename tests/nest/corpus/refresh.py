# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on real NEST and stores what it gives: python -m tests.nest.corpus.refresh [--check] [--scripts] [THEME ...]

Each theme runs in a process of its own. With --check nothing is written: what NEST gives now is compared with what is stored (the weekly job).
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from tests.nest.corpus import collect, scripts, store
from tests.nest.corpus.values import differences

ROOT = Path(__file__).resolve().parents[3]


def run_here(theme: str, folder: Path) -> int:
    """Runs one theme on NEST in this process; returns how many cases failed."""
    nest = importlib.import_module("nest")
    results: dict[str, Any] = {}
    failed = 0
    for name, case in collect.cases(theme).items():
        begin = time.perf_counter()
        print(f"{theme}/{name}", file=sys.stderr, flush=True)  # the last line of a crash
        try:
            results[name] = collect.run(nest, case)
        except Exception:
            failed += 1
            print(f"{theme}/{name} failed on NEST", file=sys.stderr)
            traceback.print_exc()
        if (took := time.perf_counter() - begin) > 1.0:
            print(f"{theme}/{name}: {took:.1f} s")
    store.save(theme, nest.__version__, results, folder)
    return failed


def run_apart(theme: str, folder: Path) -> bool:
    """Runs one theme in a new process, in an empty working folder, one thread for numpy; true if every case went well."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "PYNEST_QUIET": "1",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "tests.nest.corpus.refresh", "--here", str(folder), theme]
        done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if line.startswith(f"{theme}/")]
    print(f"{theme}: {'ok' if done.returncode == 0 else 'FAILED'}", *said, sep="\n  ")
    if done.returncode:
        print(done.stderr[-4000:])
    return done.returncode == 0


def disagreement(theme: str, folder: Path) -> list[str]:
    """Where what NEST gave in `folder` is not what is stored."""
    stored, found = store.load(theme), store.load(theme, folder)
    if stored.keys() != found.keys():
        return [f"{theme}: cases {sorted(stored.keys() ^ found.keys())} on one side only"]
    return [f"{theme}/{case}: {line}" for case in stored for line in differences(found[case], stored[case])]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("themes", nargs="*")
    parser.add_argument("--scripts", action="store_true", help="only the scripts, and the themes named")
    parser.add_argument("--check", action="store_true", help="compare with what is stored, write nothing")
    parser.add_argument("--here", metavar="FOLDER", help="run in this process and write into FOLDER")
    options = parser.parse_args(arguments)
    themes = options.themes or ([] if options.scripts else collect.themes())
    if options.here:
        return sum(run_here(theme, Path(options.here)) for theme in themes)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if options.check else store.DATA
        good = [run_apart(theme, folder) for theme in themes]
        lines = [line for theme in themes for line in disagreement(theme, folder)] if options.check else []
        lines += scripts.store(Path(scratch), options.check) if not options.themes or options.scripts else []
    print(*lines, sep="\n")
    return int(not all(good) or bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
