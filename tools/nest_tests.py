# SPDX-License-Identifier: Apache-2.0
"""How many of NEST's own tests pass on neuropil.nest.

python tools/nest_tests.py --files 75
python tools/nest_tests.py --match "test_stdp*"

Fetches NEST's sources from PyPI into build/nest_tests and runs test files as they are, each in a process of its own (they are not read, and
nothing of them is kept here). Prints the tests that fail and the share that passes. All 375 files take about an hour on 2 cores.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

VERSION = "3.10.0"
HOME = Path(__file__).resolve().parents[1] / "build" / "nest_tests"
OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED) (.*)$", re.MULTILINE)
LIMIT = 200  # s, of one file


def suite() -> Path:
    """The folder of the tests, fetched the first time."""
    folder = HOME / f"nest_simulator-{VERSION}" / "testsuite" / "pytests"
    if not folder.exists():
        HOME.mkdir(parents=True, exist_ok=True)
        source = ["--no-deps", "--no-binary", "nest-simulator", f"nest-simulator=={VERSION}"]  # of the others wheels: pip needs cmake here
        fetch = ["-m", "pip", "download", "--quiet", *source, "--dest", str(HOME)]
        if not any(HOME.glob("*.tar.gz")):
            subprocess.run([sys.executable, *fetch], check=True)
        with tarfile.open(next(HOME.glob("*.tar.gz"))) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2, as Debian 12 has it, knows none
            archive.extractall(HOME)
        (HOME / "as_nest.py").write_text("from neuropil.nest_alias import install\n\ninstall()\n")
    return folder


def outcomes(file: Path, on: str) -> list[tuple[str, str]]:
    """(outcome, name and last line of the error) of the tests of a file."""
    plugin = [] if on == "nest" else ["-p", "as_nest"]
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", *plugin, str(file)]
    paths = os.pathsep.join(filter(None, (str(HOME), os.environ.get("PYTHONPATH"))))
    env = os.environ | {"PYTHONPATH": paths, "PYNEST_QUIET": "1", "MPLBACKEND": "agg", "PYTHONHASHSEED": "0", "COLUMNS": "240"}
    try:
        done = subprocess.run(command, cwd=file.parent, env=env, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return [("ERROR", f"{file.name}: longer than {LIMIT} s")]
    return OUTCOME.findall(done.stdout) or [("ERROR", f"{file.name}: ended with {done.returncode}")]


def main() -> None:
    """Runs the files, one after the other."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--files", type=int, help="so many files, drawn at random; all without")
    p.add_argument("--match", default="test_*.py", help="only files of such names")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--on", choices=("neuropil", "nest"), default="neuropil")
    args = p.parse_args()
    files = sorted(f for f in suite().rglob(args.match) if f.suffix == ".py")
    if args.files:
        files = sorted(random.Random(args.seed).sample(files, args.files))
    counts: Counter[str] = Counter()
    for file in files:
        for outcome, name in outcomes(file, args.on):
            counts[outcome] += 1
            if outcome in ("FAILED", "ERROR"):
                print(f"{outcome.lower()}: {name}", flush=True)
    ran = counts["PASSED"] + counts["FAILED"] + counts["ERROR"]
    print(
        f"{len(files)} files, {ran} tests on {args.on}: {counts['PASSED']} pass ({counts['PASSED'] / max(ran, 1):.1%}), {counts['SKIPPED']} skipped"
    )


if __name__ == "__main__":
    main()
