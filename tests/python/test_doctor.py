# SPDX-License-Identifier: Apache-2.0
"""`neuropil doctor`: each fault is told with one command that mends it, and nothing else is."""

import numpy as np
import pytest

from neuropil import _core
from neuropil.base import paging
from neuropil.cli.commands import doctor
from neuropil.errors import MissingCompiler
from neuropil.own_models import compilers
from neuropil.parallel import launch, ranks

LEVELS = {"build": ["baseline"], "machine": ["baseline", "v3"]}


def lacks(module, name, value):
    """A change of what the doctor looks at."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, value)


def no_compiler():
    raise MissingCompiler("none")


def old_compiler():
    return compilers.Compiler(("g++",), "gcc", "g++ (Debian 10.2.1-6) 10.2.1 20210110")


def together(*changes):
    return lambda monkeypatch: [change(monkeypatch) for change in changes]


FAULTS = [
    ("kernel", lacks(doctor, "simulates", lambda: False), "install"),
    ("versions", lacks(np, "__version__", "1.25.3"), 'pip install "numpy>=1.26"'),
    ("instruction set", together(lacks(_core, "simd", lambda: "baseline"), lacks(_core, "simd_levels", lambda: LEVELS)), "--no-binary"),
    ("instruction set", lacks(_core, "simd", lambda: "none"), "unset NEUROPIL_SIMD"),
    ("cores", together(lacks(doctor, "cpu_limit", lambda: 1.5), lacks(ranks, "usable_cores", lambda: 8)), "--threads 1"),
    ("memory", lacks(_core, "available_memory", lambda: 500_000_000), "neuropil plan microcircuit --memory 0.5GB"),
    ("huge pages", lacks(paging, "huge_page_mode", lambda: "never"), "echo madvise | sudo tee /sys/kernel/mm/"),
    ("MPI", lacks(launch, "find_mpiexec", lambda: None), 'pip install "neuropil[mpi]"'),
    ("MPI", together(lacks(launch, "find_mpiexec", lambda: "/bin/mpiexec"), lacks(_core, "mpi", lambda: "none")), "neuropil build-mpi"),
    ("compiler", lacks(compilers, "compiler", no_compiler), 'pip install "neuropil[models]"'),
    ("compiler", lacks(compilers, "compiler", old_compiler), 'pip install "neuropil[models]"'),
    ("[sweep]", lacks(doctor, "_EXTRAS", {"sweep": (("no_such_package",), "sweeps")}), 'pip install "neuropil[sweep]"'),
]


@pytest.mark.parametrize(("what", "change", "command"), FAULTS)
def test_a_fault_is_told_with_the_command_that_mends_it(monkeypatch, what, change, command):
    monkeypatch.setattr(doctor, "clone", lambda: None)
    change(monkeypatch)
    found = {finding.what: finding for finding in doctor.examine()}[what]
    assert not found.well and command in found.mend and "\n" not in found.mend
    first, second = doctor.lines(found)
    assert first.startswith(f"--  {what} ") and second.strip() == f"$ {found.mend}"


def test_all_is_looked_at_and_what_is_well_needs_nothing():
    findings = list(doctor.examine())
    asked = {"kernel", "versions", "instruction set", "cores", "NUMA", "memory", "huge pages", "MPI", "compiler"}
    extras = ("plot", "circuit", "results", "analysis", "sonata", "nir", "serve", "desktop", "pynn", "sweep")
    assert asked | {f"[{extra}]" for extra in extras} == {f.what for f in findings}
    assert [f for f in findings if f.well is bool(f.mend) and f.what != "NUMA"] == []


def test_in_a_clone_the_kernel_is_compiled_again_there(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "clone", lambda: tmp_path)
    assert doctor.again("pip install neuropil", "./run info") == f"cd {tmp_path} && ./run info"


def test_one_rank_for_each_numa_node(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "SYSTEM", tmp_path)
    assert doctor._numa() == (True, "NUMA", "unknown", "")
    (tmp_path / "node").mkdir()
    (tmp_path / "node/online").write_text("0-2,5\n")
    assert doctor._numa().mend.startswith("mpiexec -n 4 --bind-to numa")


@pytest.mark.parametrize(("text", "cores"), [("max 100000", None), ("150000 100000", 1.5), ("", None)])
def test_the_limit_of_a_container(tmp_path, text, cores):
    (tmp_path / "cpu.max").write_text(text)
    assert doctor.cpu_limit(tmp_path) == cores


def test_libraries_are_listed_with_their_versions(monkeypatch):
    monkeypatch.setattr(doctor, "_EXTRAS", {"results": (("numpy", "no_such_package", "pytest"), "results as files and objects")})
    (found,) = (finding for finding in doctor.examine() if finding.what == "[results]")
    assert found.found == f"results as files and objects: numpy {np.__version__}, pytest {pytest.__version__}, without no_such_package"
