# SPDX-License-Identifier: Apache-2.0
"""Starts neuropil's jobs and the peer programs, each in a process of its own, and reads the JSON that they leave."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class RunError(Exception):
    """A program ended with an error; the message holds the command and the end of its output."""


def execute(command: list[str], log: Path, environment: dict[str, str] | None = None) -> str:
    """Runs a command, keeps stderr in `log`, returns stdout."""
    log.parent.mkdir(parents=True, exist_ok=True)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])} | (environment or {})
    with log.open("w") as errors:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, env=env, check=False)
    if done.returncode:
        tail = "\n".join((done.stdout + log.read_text()).splitlines()[-8:])
        raise RunError(f"{shown(command)} gave {done.returncode}:\n{tail}")
    return done.stdout


def shown(command: list[str]) -> str:
    """The command as a user would type it."""
    words = [Path(word).name if k == 0 else word for k, word in enumerate(command)]
    return " ".join(words)


def neuropil_command(job: str, options: dict, output: Path) -> list[str]:
    script = Path(sys.executable).with_name("neuropil")
    start = [str(script)] if script.exists() else [sys.executable, "-c", "from neuropil.cli import main; main()"]
    return [*start, "run", job, *arguments(options), "--output", str(output)]


def peer_command(module: str, options: dict) -> list[str]:
    return [sys.executable, "-m", f"bench.peers.{module}", *arguments(options)]


def layer_command(module: str, options: dict) -> list[str]:
    """The same program, unchanged, on neuropil.nest."""
    return [sys.executable, "-m", "neuropil.nest", str(ROOT / "bench" / "peers" / f"{module}.py"), *arguments(options)]


def arguments(options: dict) -> list[str]:
    return [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]


def run_neuropil(job: str, options: dict, output: Path) -> dict:
    execute(neuropil_command(job, options, output), output / "log.txt")
    return json.loads((output / "result.json").read_text())


def run_peer(module: str, options: dict, output: Path) -> dict:
    return json.loads(execute(peer_command(module, options), output / f"{module}.log"))


def run_layer(module: str, options: dict, output: Path) -> dict:
    return json.loads(execute(layer_command(module, options), output / f"{module}.log"))


def peer_available() -> bool:
    return importlib.util.find_spec("nest") is not None


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory() -> int:
    """Bytes that a new process may use without swapping."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def machine() -> dict:
    """Enough to judge the times: CPU, cores, caches, memory, load of others before the runs."""
    info = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.partition(":")[2].strip() for line in info if line.startswith("model name")), platform.machine())
    flags = next((line.split(":")[1].split() for line in info if line.startswith("flags")), [])
    caches = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        caches[f"L{level} {kind}"] = size
    return {
        "cpu": cpu,
        "cores": cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "caches": caches,
        "simd": [name for name in ("avx2", "avx512f", "avx512_vnni") if name in flags],
        "virtual": "hypervisor" in flags,
        "system": f"{platform.system()} {platform.release()}",
        "load": os.getloadavg()[0],
    }


def versions() -> dict:
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+changed"], capture_output=True, text=True, check=False
    )
    found = {"python": platform.python_version(), "commit": commit.stdout.strip() or None}
    from importlib import metadata

    for package in ("neuropil", "nest-simulator", "numpy"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = None
    return found
