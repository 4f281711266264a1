# SPDX-License-Identifier: Apache-2.0
"""Runs an ordinary script and counts only the time in Simulate, Run and Prepare. `--factor` multiplies each duration that the script simulates."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.peers.common import stdout_for_json, write_json


class Clock:
    """Wall time in the functions that it wraps [s] and biological time that they simulate [ms]. Functions that call each other count once."""

    def __init__(self, factor: int):
        self.factor = factor
        self.seconds = self.simulated = 0.0
        self.calls = self._depth = 0

    def timed(self, function: Callable) -> Callable:
        def call(*args, **named):
            if self._depth:
                return function(*args, **named)
            if args or named:
                time_ms = args[0] if args else named["t"]
                args, named = (time_ms * self.factor,), {}
                self.simulated += args[0]
            self.calls += 1
            self._depth += 1
            begin = time.perf_counter()
            try:
                return function(*args, **named)
            finally:
                self.seconds += time.perf_counter() - begin
                self._depth -= 1

        return call


def run(script: Path, factor: int) -> dict:
    os.environ.setdefault("PYNEST_QUIET", "1")
    os.environ["MPLBACKEND"] = "agg"
    import nest

    clock = Clock(factor)
    for name in ("Simulate", "Run", "Prepare"):
        vars(nest)[name] = clock.timed(getattr(nest, name))  # setattr refuses names of functions
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.argv = [str(script)]
        sys.path.insert(0, str(script.parent))
        runpy.run_path(str(script), run_name="__main__")
        os.chdir(script.parent)
    return {"seconds": clock.seconds, "simulated": clock.simulated, "calls": clock.calls}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--factor", type=int, default=1)
    given = parser.parse_args()
    with stdout_for_json() as out:
        write_json(out, run(given.script.resolve(), given.factor))


if __name__ == "__main__":
    main()
