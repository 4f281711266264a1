# SPDX-License-Identifier: Apache-2.0
"""`neuropil doctor`: what works on this machine, and for the rest the one command that mends it."""

from __future__ import annotations

import importlib.util
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import typer

from neuropil.base.libraries import pip_install
from neuropil.base.paging import text
from neuropil.cli.json_output import Json, write

SYSTEM = Path("/sys/devices/system")
CGROUP = Path("/sys/fs/cgroup")
LITTLE_MEMORY = 1e9  # bytes; less is told as a fault

# Packages of each extra and what they are for.
_EXTRAS = {
    "plot": (("matplotlib",), "pictures"),
    "circuit": (("h5py", "libsonata", "morphio", "plotly"), "circuits from morphologies"),
    "results": (("h5py", "neo", "pandas", "pyarrow", "xarray"), "results as files and objects"),
    "analysis": (("elephant", "scipy"), "binned spike trains"),
    "sonata": (("h5py", "libsonata"), "SONATA files"),
    "nir": (("nir",), "trained networks in NIR files"),
    "serve": (("fastapi", "uvicorn"), "NEST Server: `neuropil serve`"),
    "desktop": (("nest_desktop",), "NEST Desktop, a page of `neuropil serve`"),
    "pynn": (("pyNN",), "PyNN: `import pyNN.neuropil`"),
    "sweep": (("loky",), "sweeps over several processes"),
}


class Finding(NamedTuple):
    """One thing that was looked at. mend : a command that mends it, "" where there is nothing to mend."""

    well: bool
    what: str
    found: str
    mend: str = ""


def main(as_json: Json = False) -> None:
    """Check what works on this machine, and what to do.

    Exit code 1 if something that was built does not work.
    """
    findings = list(examine())
    if as_json:
        write({found.what: {"ok": found.well, "text": found.found, "command": found.mend} for found in findings})
    else:
        typer.echo("\n".join(line for found in findings for line in lines(found)))
    if not simulates():
        raise typer.Exit(1)


def lines(found: Finding) -> list[str]:
    """What is printed of a finding; its command is on a line of its own."""
    first = f"{'ok' if found.well else '--':3} {found.what:16} {found.found}"
    return [first, f"{'':20} $ {found.mend}"] if found.mend else [first]


def examine() -> Iterator[Finding]:
    """What was found, in the order in which it is shown."""
    yield _kernel()
    yield _versions()
    yield _instruction_set()
    yield _cores()
    yield _numa()
    yield _memory()
    yield _huge_pages()
    yield _mpi()
    yield _compiler()
    for extra, (packages, use) in _EXTRAS.items():
        missing = [name for name in packages if not _is_there(name)]
        there = [_with_version(name) for name in packages if name not in missing]
        found = f"{use}: {', '.join(there + [f'without {name}' for name in missing])}"
        yield Finding(not missing, f"[{extra}]", found, pip_install(f"neuropil[{extra}]") if missing else "")


def _is_there(package: str) -> bool:
    """Whether a package is installed. A folder without __init__.py is none: pyNN/neuropil.py comes with neuropil."""
    found = importlib.util.find_spec(package)
    return found is not None and found.origin is not None


def _with_version(package: str) -> str:
    """A package and its version, where the name under which it is installed is that of its import."""
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return package


def clone() -> Path | None:
    """The clone from which this package runs; None for an installed package."""
    return next((path for path in Path(__file__).resolve().parents if (path / "cpp").is_dir() and (path / "run").exists()), None)


def again(package: str, in_clone: str) -> str:
    """The command that installs, or in a clone compiles, neuropil again."""
    root = clone()
    return package if root is None else f"cd {root} && {in_clone}"


def simulates() -> bool:
    """A neuron with a constant current spikes first at the time that its equation gives."""
    from math import log

    from neuropil import Network

    net = Network(threads=1, seed=1, ranks=None)
    cell = net.create("iaf_psc_delta", 1, I_e=1000.0)
    spikes = net.record(cell)
    net.run(20.0)
    first = -10.0 * log(1.0 - 15.0 / 40.0)  # ms: tau_m, threshold, R I
    return len(spikes.times) > 0 and 0.0 <= spikes.times[0] - first <= 0.2


def _kernel() -> Finding:
    if simulates():
        return Finding(True, "kernel", "a neuron spikes as it must")
    mend = again("pip install --force-reinstall --no-cache-dir neuropil", "rm -rf .venv build && ./run info")
    return Finding(False, "kernel", "a neuron does not spike as it must: the package is damaged", mend)


def _versions() -> Finding:
    import numpy

    from neuropil import _core

    found = f"neuropil {_core.version()}, Python {platform.python_version()}, numpy {numpy.__version__}"
    system = f"{platform.system()} {platform.release()} {platform.machine()}, {' '.join(platform.libc_ver()) or 'another libc'}"
    if tuple(map(int, numpy.__version__.split(".")[:2])) < (1, 26):
        return Finding(False, "versions", f"{found}; numpy must be 1.26 or newer", pip_install("numpy>=1.26"))
    return Finding(True, "versions", f"{found}, {system}")


def _instruction_set() -> Finding:
    from neuropil import _core

    levels, used = _core.simd_levels(), _core.simd()
    best = levels["machine"][-1]
    if used == best:
        return Finding(True, "instruction set", f"{used}, the best of this machine")
    if best in levels["build"]:
        return Finding(False, "instruction set", f"{used}, as NEUROPIL_SIMD says, and this machine has {best}", "unset NEUROPIL_SIMD")
    mend = again("pip install --force-reinstall --no-cache-dir --no-binary neuropil neuropil", "NEUROPIL_ISA=all ./run info")
    return Finding(False, "instruction set", f"{used}, and this machine has {best}, which was not compiled", mend)


def _cores() -> Finding:
    from neuropil.parallel.ranks import usable_cores

    usable, there = usable_cores(), len(_numbers(text(SYSTEM / "cpu/online")))
    limit = cpu_limit()
    found = f"{usable} of {max(there, usable)} may be used"
    if limit is not None and limit < usable:
        threads = max(1, int(limit))
        mend = f"neuropil job microcircuit --threads {threads}"
        return Finding(False, "cores", f"{found}, but the container has the time of {limit:g}: use {threads} threads", mend)
    return Finding(True, "cores", found)


def _numa() -> Finding:
    """More than one NUMA node is no fault: one rank on each keeps threads and memory together."""
    nodes = len(_numbers(text(SYSTEM / "node/online")))
    if nodes < 2:
        return Finding(True, "NUMA", "1 node" if nodes else "unknown")
    return Finding(True, "NUMA", f"{nodes} nodes: run one rank on each", f"mpiexec -n {nodes} --bind-to numa python model.py")


def _memory() -> Finding:
    from neuropil import _core

    free = float(_core.available_memory())
    synapses = free / 8.0  # about 8 bytes each
    found = f"{free / 1e9:.1f} GB available, room for about {synapses / 1e9:.1f} thousand million static synapses"
    if free < LITTLE_MEMORY:
        return Finding(False, "memory", found, f"neuropil plan microcircuit --memory {free / 1e9:.1f}GB")
    return Finding(True, "memory", found)


def _huge_pages() -> Finding:
    from neuropil.base.paging import HUGE_PAGES, huge_page_mode

    mode = huge_page_mode()
    if mode in ("always", "madvise"):
        return Finding(True, "huge pages", mode)
    if mode == "-":
        return Finding(True, "huge pages", "this system does not tell")
    return Finding(False, "huge pages", f"{mode}: large networks run faster with them", f"echo madvise | sudo tee {HUGE_PAGES}")


def _mpi() -> Finding:
    from neuropil import _core
    from neuropil.parallel.launch import find_mpiexec

    found, there = find_mpiexec(), _core.mpi()
    if found is None:
        return Finding(False, "MPI", "there is no mpiexec, so runs have one rank", pip_install("neuropil[mpi]"))
    if "plug-in" not in there:
        return Finding(False, "MPI", f"{found}, and no plug-in for it", again("neuropil build-mpi", "./run info"))
    return Finding(True, "MPI", f"{found}; {there}")


def _compiler() -> Finding:
    from neuropil.errors import MissingCompiler
    from neuropil.own_models.compilers import compiler

    try:
        found = compiler()
    except MissingCompiler:
        return Finding(False, "compiler", "none, so own models cannot be compiled", pip_install("neuropil[models]"))
    old = found.kind == "gcc" and re.search(r"\) (\d+)\.", found.version)
    if old and int(old[1]) < 12:
        return Finding(False, "compiler", f"{found.version}: g++ must be 12 or newer", pip_install("neuropil[models]"))
    return Finding(True, "compiler", f"{' '.join(found.command)}: {found.version}")


def cpu_limit(group: Path = CGROUP) -> float | None:
    """Cores whose time this container has, by cgroup version 2; None where it has no limit."""
    quota, _, period = text(group / "cpu.max").strip().partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _numbers(listed: str) -> list[int]:
    """The numbers in "0-3,8", as Linux lists processors and NUMA nodes."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed):
        found += range(int(first), int(last or first) + 1)
    return found
