# SPDX-License-Identifier: Apache-2.0
"""NEUROPIL_NO_SKIPS: a skip that CI could have avoided fails, wherever it happens; C++ tests are never skipped."""

import os
import subprocess
import sys

import pytest

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


def outcome(folder, text: str, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (folder / "test_it.py").write_text(text)
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder, folder]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path, "NEUROPIL_NO_SKIPS": ci})


@pytest.mark.parametrize("text", TESTS.values(), ids=TESTS)
def test_a_skip_fails_in_ci(tmp_path, text):
    failed, skipped = outcome(tmp_path, text, "1"), outcome(tmp_path, text, "")
    assert failed.returncode != 0, failed.stdout
    assert "in CI nothing is skipped; " in failed.stdout
    assert skipped.returncode in (0, 5), skipped.stdout  # 5: no test was left


def test_what_a_machine_cannot_have_is_skipped_in_ci_too(tmp_path):
    done = outcome(tmp_path, INHERENT, "1")
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout


def test_no_cpp_test_is_skipped():
    """ctest counts a skipped test as passed: what a test does not hold for is left out of its parameters instead."""
    word = "GTEST_" + "SKIP"
    assert [relative(path) for path in (ROOT / "tests/cpp").rglob("*.?pp") if word in path.read_text()] == []


def test_ci_compares_all_levels_of_the_machine():
    have = _core.simd_levels()
    assert _core.simd() in have["build"]
    assert _core.simd() in have["machine"]
    if os.environ.get("NEUROPIL_NO_SKIPS"):
        assert set(have["machine"]) <= set(have["build"]), "build with NEUROPIL_ISA=all"
