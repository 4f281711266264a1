# SPDX-License-Identifier: Apache-2.0
"""Compiles the MPI plug-in with the MPI of this machine, e.g. of a cluster: `neuropil build-mpi`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .. import _core
from ..errors import MpiError


def package_directory() -> Path:
    """Where the extension and the plug-ins that came with it lie."""
    return Path(str(_core.__file__)).resolve().parent


def user_directory() -> Path:
    """Folder of this user's plug-ins, where the package cannot be written."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "neuropil"


def build(mpicxx: str = "mpicxx", directory: Path | None = None) -> Path:
    """Compiles the plug-in "site" and links it to the library of `mpicxx`. Returns its path. Raises MpiError with the compiler's words."""
    source = package_directory() / "mpi_source"
    if directory is None:
        directory = package_directory() if os.access(package_directory(), os.W_OK) else user_directory()
    directory.mkdir(parents=True, exist_ok=True)
    made = directory / "_mpi_site.so"
    flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    command = [mpicxx, *flags, f"-I{source}", str(source / "plugin.cpp"), "-o", str(made)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MpiError(
            f"{mpicxx} does not run ({error.strerror}): name the C++ compiler wrapper of your MPI, e.g. `neuropil build-mpi --mpicxx CC`"
        ) from error
    if done.returncode != 0:
        raise MpiError(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return made
