# SPDX-License-Identifier: Apache-2.0
"""`neuropil doctor`: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator

import typer

from neuropil.cli.json_output import Json, write

Finding = tuple[bool, str, str]  # whether it is well, what was looked at, what was found or what to do

# A package of each extra and what it is for.
_EXTRAS = {
    "plot": (("matplotlib",), "pictures"),
    "circuit": (("h5py", "libsonata", "morphio", "plotly"), "circuits from morphologies"),
    "results": (("h5py", "neo", "pandas", "pyarrow", "xarray"), "HDF5 and Parquet files, pandas, xarray, Neo"),
    "sweep": (("loky",), "sweeps over several processes"),
}


def main(as_json: Json = False) -> None:
    """Check what works on this machine, and what to do.

    Exit code 1 if something that was built does not work.
    """
    findings = list(examine())
    if as_json:
        write({what: {"ok": well, "text": text} for well, what, text in findings})
    else:
        typer.echo("\n".join(f"{'ok' if well else '--':3} {what:16} {text}" for well, what, text in findings))
    if not simulates():
        raise typer.Exit(1)


def examine() -> Iterator[Finding]:
    """What was found, in the order in which it is shown."""
    yield (
        simulates(),
        "kernel",
        "a neuron spikes as it must" if simulates() else "a neuron does not spike as it must: compile the kernel again",
    )
    yield _instruction_set()
    yield _mpi()
    yield _memory()
    yield _huge_pages()
    compiler = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    yield compiler is not None, "compiler", compiler or "none: `neuropil build-mpi` needs one"
    for extra, (packages, use) in _EXTRAS.items():
        missing = [name for name in packages if importlib.util.find_spec(name) is None]
        text = f"{use}: " + (f'without {", ".join(missing)}: pip install "neuropil[{extra}]"' if missing else "installed")
        yield not missing, f"[{extra}]", text


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


def _instruction_set() -> Finding:
    from neuropil import _core

    best, used = _core.simd_levels()["machine"][-1], _core.simd()
    return used == best, "instruction set", used if used == best else f"{used}, and this machine has {best}: compile the kernel here"


def _mpi() -> Finding:
    from neuropil import _core
    from neuropil.parallel.launch import find_mpiexec

    found, there = find_mpiexec(), _core.mpi()
    if found is None:
        return False, "MPI", 'no mpiexec: for several ranks pip install "neuropil[mpi]", or load the MPI of the cluster'
    if "plug-in" not in there:
        return False, "MPI", f"{found}, and no plug-in: ./run in a clone compiles one, else `neuropil build-mpi`"
    return True, "MPI", f"{found}; {there}"


def _memory() -> Finding:
    from neuropil import _core

    free = float(_core.available_memory())
    synapses = free / 8.0  # about 8 bytes each
    return free > 1e9, "memory", f"{free / 1e9:.1f} GB available, room for about {synapses / 1e9:.1f} thousand million static synapses"


def _huge_pages() -> Finding:
    from neuropil.base.paging import huge_page_mode

    mode = huge_page_mode()
    advice = (
        "" if mode in ("always", "madvise") else ": with `madvise` in /sys/kernel/mm/transparent_hugepage/enabled large networks run faster"
    )
    return not advice, "huge pages", f"{mode}{advice}"
