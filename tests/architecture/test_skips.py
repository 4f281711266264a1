# SPDX-License-Identifier: Apache-2.0
"""NEUROPIL_NO_SKIPS: a skip that CI could have avoided fails, wherever it happens; C++ tests are never skipped."""

import os
import subprocess
import sys
from pathlib import Path

from architecture.sources import ROOT, relative
from neuropil import _core

TESTS = {
    "test_in_a_test.py": "import pytest\ndef test(): pytest.skip('no cup here')\n",
    "test_by_mark.py": "import pytest\n@pytest.mark.skipif(True, reason='no cup here')\ndef test(): pass\n",
    "test_in_a_fixture.py": "import pytest\n@pytest.fixture\ndef cup(): pytest.skip('no cup here')\ndef test(cup): pass\n",
    "test_of_a_file.py": "import pytest\npytest.importorskip('no_cup_here')\ndef test(): pass\n",
    "test_excused.py": "import pytest\ndef test(): pytest.xfail('no cup here')\n",
}
INHERENT = "import pytest\ndef test(): pytest.skip('this machine lacks v4')\n"


def outcome(folder, ci: str) -> str:
    """What pytest prints of all of them."""
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    for name, text in (TESTS | {"test_inherent.py": INHERENT}).items():
        (folder / name).write_text(text)
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    command += ["-c", os.devnull, "--rootdir", folder, folder]
    environment = os.environ | {"PYTHONPATH": path, "NEUROPIL_NO_SKIPS": ci}
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


def test_a_skip_fails_in_ci(tmp_path):
    """But not for what a machine cannot have."""
    printed = outcome(tmp_path, "1")
    bad = {Path(line.split()[1].partition("::")[0]).name for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))}
    assert bad == set(TESTS), printed
    assert printed.count("in CI nothing is skipped; ") >= len(TESTS)
    assert "1 skipped" in printed


def test_elsewhere_a_skip_is_a_skip(tmp_path):
    assert f"{len(TESTS)} skipped, 1 xfailed" in outcome(tmp_path, "")


def test_no_cpp_test_is_skipped():
    """ctest counts a skipped test as passed: what a test does not hold for is left out of its parameters instead."""
    word = "GTEST_" + "SKIP"
    assert [relative(path) for path in (ROOT / "tests/cpp").rglob("*.?pp") if word in path.read_text()] == []


def test_ci_compares_all_levels_of_the_machine():
    have = _core.simd_levels()
    assert _core.simd() in have["build"]
    assert _core.simd() in have["machine"]
    if os.environ.get("NEUROPIL_NO_SKIPS"):
        assert set(have["machine"]) <= set(have["build"]), "build with NEUROPIL_ISA=machine"
