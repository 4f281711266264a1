# SPDX-License-Identifier: Apache-2.0
"""Programs on several ranks of this machine, each with a time limit after which all its ranks are ended; the program of communication alone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import programs

BUILD = Path(os.environ.get("NEUROPIL_BENCH_BUILD", programs.ROOT / "build" / "bench"))


def on_ranks(ranks: int, program: Sequence[str | Path], log: Path, limit: float) -> str:
    """Runs a program under mpiexec (alone, if ranks = 1); returns what it printed. Raises RunError."""
    from neuropil import _core
    from neuropil.parallel import launch

    command, env = launch.mpiexec_command(ranks, program) if ranks > 1 else ([str(word) for word in program], dict(os.environ))
    env = env | {"PYTHONPATH": str(programs.ROOT), "NEUROPIL_MPI_DIR": str(Path(str(_core.__file__)).parent)}
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as errors:
        job = subprocess.Popen(
            command, cwd=programs.ROOT, env=env, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        try:
            output = job.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            end(job)
            raise programs.RunError(f"{programs.shown(command)} took longer than {limit:g} s") from None
    if job.returncode:
        raise programs.RunError(f"{programs.shown(command)} gave {job.returncode}:\n" + "\n".join(log.read_text().splitlines()[-8:]))
    return output


def end(job: subprocess.Popen) -> None:
    """mpiexec ends its ranks when it is asked to; what is left of its session is killed."""
    job.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        job.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.communicate()


def run_cases(ranks: int, cases: list[dict], folder: Path, name: str, limit: float) -> list[dict]:
    """Networks of bench/exchange_worker.py, one after another in one start of all ranks."""
    folder.mkdir(parents=True, exist_ok=True)
    given, found = folder / f"{name}-cases.json", folder / f"{name}-results.json"
    given.write_text(json.dumps(cases))
    on_ranks(ranks, [sys.executable, "-m", "bench.exchange_worker", given, found], folder / f"{name}.log", limit)
    return json.loads(found.read_text())


def build_exchange_only(log: Path) -> Path:
    """Compiles bench/cpp/exchange_only.cpp in build/bench."""
    if not (BUILD / "CMakeCache.txt").exists():
        options = ["-G", "Ninja", "-DNEUROPIL_PYTHON=OFF", "-DNEUROPIL_BENCH=ON", "-DCMAKE_BUILD_TYPE=Release"]
        programs.execute(["cmake", "-S", ".", "-B", str(BUILD), *options], log.with_name("configure.log"))
    programs.execute(["cmake", "--build", str(BUILD), "-j", str(programs.cores()), "--target", "exchange_only"], log)
    return BUILD / "programs" / "exchange_only"


def run_exchange_only(program: Path, ranks: int, cases: list[tuple], folder: Path, limit: float) -> list[dict]:
    """One result per case (strategy, phases, fraction, size, partners, buffers, milliseconds)."""
    folder.mkdir(parents=True, exist_ok=True)
    given = folder / f"only-{ranks}.cases"
    given.write_text("".join(" ".join(map(str, case)) + "\n" for case in cases))
    output = on_ranks(ranks, [program, given], folder / f"only-{ranks}.log", limit)
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]
