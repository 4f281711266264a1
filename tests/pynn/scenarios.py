# SPDX-License-Identifier: Apache-2.0
"""PyNN's own scenario tests, from its sources on PyPI, as they are: `python -m tests.pynn.scenarios [neuropil|nest] [arguments of pytest]`.

Those that PyNN runs on NEST or Brian2 are run on the simulator; exit code of pytest.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "build/pynn_sources"
VERSION = "0.13.0"


def fetched() -> Path:
    """The folder that holds the folder of scenario tests."""
    if not (SOURCES / "scenarios").exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            "pynn",
            "--dest",
            SOURCES,
            f"pynn=={VERSION}",
        ]
        subprocess.run(command, check=True)
        with tarfile.open(SOURCES / f"pynn-{VERSION}.tar.gz") as archive:
            inside = f"pynn-{VERSION}/test/system/scenarios/"
            for member in archive.getmembers():
                if member.name.startswith(inside) and member.isfile():
                    member.name = "scenarios/" + member.name.removeprefix(inside)
                    archive.extract(member, SOURCES, filter="data")
    return SOURCES


def main() -> int:
    simulator = sys.argv[1] if len(sys.argv) > 1 else "neuropil"
    folder = fetched()
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(ROOT), *map(os.path.abspath, given)]  # pytest runs in another folder
    environment = os.environ | {"PYNN_SIMULATOR": simulator, "PYNN_SCENARIOS": str(folder), "PYTHONPATH": os.pathsep.join(paths)}
    words = ["-q", "-p", "no:cacheprovider", "-p", "tests.pynn.one_simulator", "-c", os.devnull, "--rootdir", folder, "-W", "ignore"]
    command = [sys.executable, "-m", "pytest", *words, folder / "scenarios", *sys.argv[2:]]
    return subprocess.run(command, env=environment, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
