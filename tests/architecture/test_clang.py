# SPDX-License-Identifier: Apache-2.0
"""clang 14 takes the kernel without a warning: it knows less of C++20 than gcc 12, with which all other tests are compiled."""

import shutil
import subprocess

import pytest

from architecture.sources import ROOT

MODULES = sorted(folder.name for folder in (ROOT / "cpp").iterdir() if any(folder.rglob("*.cpp")))
TOGETHER = 40  # files that CMakeLists.txt compiles together, so that their names differ
# As in CMakeLists.txt: of style only.
QUIET = ["missing-braces", "bitwise-conditional-parentheses", "bitwise-instead-of-logical", "pass-failed"]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_clang_reads_a_module(module, tmp_path):
    clang = next((found for name in ("clang++-14", "clang++") if (found := shutil.which(name))), None)
    if clang is None:
        pytest.skip("there is no clang++")
    files = sorted((ROOT / "cpp" / module).rglob("*.cpp"))
    options = [
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        *(f"-Wno-{name}" for name in QUIET),
        f"-I{ROOT / 'cpp'}",
        "-DNPL_ONLY_ISA=0",
    ]
    for k in range(0, len(files), TOGETHER):
        unit = tmp_path / f"unit{k}.cpp"
        unit.write_text("".join(f'#include "{file}"\n' for file in files[k : k + TOGETHER]))
        done = subprocess.run([clang, *options, unit], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr[:4000]
