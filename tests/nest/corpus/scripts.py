# SPDX-License-Identifier: Apache-2.0
"""The scripts of the corpus, examples/nest and wild/, on both simulators: what they print is the same, words exactly, numbers exactly or, where random, within a tolerance."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = (ROOT / "examples" / "nest", Path(__file__).resolve().parent / "wild")
FILES = sorted((path for folder in FOLDERS for path in folder.glob("*.py")), key=lambda path: path.stem)
DATA = Path(__file__).resolve().parent / "data" / "scripts.json"

# Of numbers that depend on random ones: relative and absolute tolerance, about five standard deviations of the difference over 8 seeds. Not listed: equal.
TOLERANCE = {
    "balanced_network": (0.15, 0.0),
    "binary_spins": (0.2, 0.02),
    "brunel_as_a_class": (0.08, 0.0),
    "brunel_receptors": (0.12, 0.0),
    "clopath_small_network": (0.6, 0.5),
    "clustered_network": (0.25, 0.0),
    "column_in_space": (0.09, 1.0),
    "conductances": (0.02, 3.5),
    "escape_noise_populations": (0.12, 1.0),
    "gap_junctions_inhibitory_network": (0.15, 0.0),
    "generators": (0.12, 0.35),
    "growth_with_calcium": (0.0, 0.04),
    "hpc_benchmark_small": (0.28, 0.0),
    "lin_rate_ipn_network": (0.0, 0.15),
    "microcircuit_from_dicts": (0.28, 0.0),
    "microcircuit_small": (0.5, 0.3),
    "noise_statistics": (0.15, 0.12),
    "parameters_that_are_drawn": (0.06, 0.2),
    "perturbed_network": (0.12, 0.0),
    "phase_plane": (0.002, 0.06),
    "poisson_statistics": (0.62, 0.01),
    "pulse_packets": (0.05, 0.0),
    "random_parameters": (0.05, 0.06),
    "rate_neuron_dm": (0.3, 0.0),
    "seeds_and_trials": (0.02, 0.0),
    "sine_modulated_input": (0.1, 0.1),
    "spatial_free": (0.0, 0.07),
    "spatial_gaussian": (0.06, 0.0),
    "spike_response_fit": (0.1, 1.4),
    "tripartite": (0.0, 0.06),
    "tuning_curves": (0.09, 0.0),
    "urbanczik_prediction": (0.3, 2.0),
}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def run(simulator: str, folder: Path) -> dict[str, Any]:
    """What each script printed on "nest" or "neuropil", in a process of its own that works in `folder`; name -> printed, seconds, perhaps raised."""
    runner = [str(Path(__file__).parent / "run_scripts.py"), *map(str, FILES)]
    command = [sys.executable, "-W", "ignore", *(["-m", "neuropil.nest"] if simulator == "neuropil" else []), *runner]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYNEST_QUIET": "1"}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return json.loads(done.stdout.splitlines()[-1])


def store(folder: Path, check: bool) -> list[str]:
    """Runs the scripts on NEST and stores, or with `check` compares, what they print; returns what went wrong."""
    found = run("nest", folder)
    wrong = [f"{name}: {entry['raised']}" for name, entry in found["scripts"].items() if "raised" in entry]
    printed = {name: entry["printed"] for name, entry in found["scripts"].items()}
    if check:
        return wrong + [line for name in printed for line in differences(name, printed[name], stored()[name])]
    if not wrong:
        DATA.write_text(json.dumps({"nest": found["nest"], "printed": printed}, indent=1) + "\n")
    return wrong


def stored() -> dict[str, list[str]]:
    return json.loads(DATA.read_text())["printed"]


def differences(name: str, ours: list[str], theirs: list[str]) -> list[str]:
    """Lines in which two outputs of a script disagree."""
    if len(ours) != len(theirs):
        return [f"{name}: {len(ours)} lines, NEST prints {len(theirs)}"]
    return [
        f"{name}: {a!r}, NEST prints {b!r}" for a, b in zip(ours, theirs, strict=True) if not alike(a, b, *TOLERANCE.get(name, (0.0, 0.0)))
    ]


def alike(a: str, b: str, rtol: float, atol: float) -> bool:
    if not rtol and not atol:
        return a == b
    if NUMBER.sub(" # ", a).split() != NUMBER.sub(" # ", b).split():
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)), strict=True)
    return all(abs(x - y) <= atol + rtol * abs(y) for x, y in pairs)
