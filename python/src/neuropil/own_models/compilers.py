# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler of this machine, and how it is called so that results have the bits of the kernel."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import _core
from ..base.libraries import pip_install
from ..errors import MissingCompiler

__all__ = ["Compiler", "compiler"]

_LEVELS = ("baseline", "v3", "v4")  # enum Isa of base/simd.hpp
# Contraction would make results depend on the instruction set (law 1).
_FLAGS = (
    "-std=c++20",
    "-O3",
    "-DNDEBUG",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-w",
)
# Without -fno-tree-pre, with which loops of synapses stay scalar.
_GCC = ("--param=ggc-min-heapsize=1048576", "-fira-region=one", "-fno-gcse-after-reload", "-fno-gcse", "-Wno-psabi")
_ZIG_CPU = {"baseline": "baseline", "v3": "x86_64_v3", "v4": "x86_64_v4"}  # it takes no notice of instruction sets of single functions


@dataclass(frozen=True)
class Compiler:
    """A compiler. command : what is called; kind : gcc, clang or zig; version : its first line about itself."""

    command: tuple[str, ...]
    kind: str
    version: str

    @property
    def precompiles(self) -> str:
        """Ending of the name of a precompiled header; "" where none is made."""
        return ".gch" if self.kind == "gcc" else ""

    def flags(self, level: str) -> list[str]:
        """For code that runs at this level of instruction sets."""
        of_zig = ("-fno-sanitize=undefined", f"-mcpu={_ZIG_CPU[level]}")
        more = {"gcc": _GCC, "clang": (), "zig": of_zig}[self.kind]
        return [*_FLAGS, *more, "-DNPL_LOADED_MODEL", f"-DNPL_ONLY_ISA={_LEVELS.index(level)}"]

    def run(self, arguments: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
        """Calls it in a folder."""
        return subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True, cwd=folder)


@cache
def compiler() -> Compiler:
    """The first that is there: NEUROPIL_CXX, CXX, g++, clang++, c++, ziglang from PyPI. Raises MissingCompiler."""
    for command in _candidates():
        if found := _asked(command):
            return found
    raise MissingCompiler(
        "no C++ compiler was found (g++ from 12, clang++ from 14); NEUROPIL_CXX names one that is not on the path. "
        f"To install one from PyPI: {pip_install('neuropil[models]')}"
    )


def level() -> str:
    """The level of instruction sets that the kernel uses now."""
    return _core.simd()


def _candidates() -> Iterator[tuple[str, ...]]:
    for variable in ("NEUROPIL_CXX", "CXX"):
        if named := os.environ.get(variable):
            yield tuple(shlex.split(named))
    yield from (("g++",), ("clang++",), ("c++",))
    if importlib.util.find_spec("ziglang"):
        yield (sys.executable, "-m", "ziglang", "c++")


def _asked(command: tuple[str, ...]) -> Compiler | None:
    """The compiler behind a command, None where there is none."""
    path = shutil.which(command[0])
    if path is None:
        return None
    try:
        done = subprocess.run([path, *command[1:], "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    kind = "zig" if "ziglang" in command or Path(path).name == "zig" else "clang" if "clang" in done.stdout else "gcc"
    return Compiler((path, *command[1:]), kind, done.stdout.partition("\n")[0])
