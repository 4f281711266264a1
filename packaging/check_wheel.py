# SPDX-License-Identifier: Apache-2.0
"""Checks wheels before a release: `python packaging/check_wheel.py WHEEL...`. Prints what is wrong and ends with 1."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

MAX_BYTES = 15_000_000
NEEDED = (
    r"neuropil/_core\.[\w.-]+\.so",
    r"neuropil/_mpi_ompi\.so",
    r"neuropil/_mpi_mpich\.so",
    r"neuropil/mpi_source/plugin\.cpp",
    r"neuropil/mpi_source/worlds\.hpp",
    r"neuropil/mpi_source/collectives\.hpp",
    r"neuropil/mpi_source/comm/mpi_plugin\.h",
    r"neuropil/include/nodes/model\.hpp",
    r"neuropil/py\.typed",
    r"neuropil/_core\.pyi",
    r"pyNN/neuropil\.py",
    r"neuropil/serve/app\.py",
    r"neuropil-[^/]+\.dist-info/licenses/LICENSE",
)
FOREIGN = re.compile(r"libmpi|libfabric|(^|/)tests?/|\.o$|__pycache__")


def faults(wheel: Path) -> list[str]:
    """What is wrong with a wheel, one line each."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    found = [f"it has no {pattern}" for pattern in NEEDED if not any(re.fullmatch(pattern, name) for name in names)]
    found += [f"{name} does not belong there" for name in names if FOREIGN.search(name)]
    if len(kernels := [name for name in names if re.fullmatch(NEEDED[0], name)]) > 1:
        found.append(f"it has several kernels: {', '.join(kernels)}")
    size = wheel.stat().st_size
    if size > MAX_BYTES:
        found.append(f"it has {size / 1e6:.1f} MB; allowed: {MAX_BYTES / 1e6:.0f} MB")
    if "-linux_" in wheel.name:
        found.append("its platform is linux, which PyPI refuses: run auditwheel repair first")
    return found


def main() -> int:
    """Exit code."""
    wheels = [Path(word) for word in sys.argv[1:]]
    wrong = [f"{wheel.name}: {fault}" for wheel in wheels for fault in faults(wheel)]
    print("\n".join(wrong) if wrong else f"{len(wheels)} wheels: all well")
    return 1 if wrong or not wheels else 0


if __name__ == "__main__":
    sys.exit(main())
