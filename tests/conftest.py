# SPDX-License-Identifier: Apache-2.0
"""Hooks of all tests."""

import os
from pathlib import Path

import pytest

from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401
from strays import pytest_sessionfinish, pytest_sessionstart  # noqa: F401

# Threads of linear algebra, which every process starts that imports numpy: two workers of pytest and ranks of MPI have no cores for them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Compiled models are kept in the build folder, not in the home of who runs the tests.
os.environ["NEUROPIL_CACHE"] = str(Path(__file__).resolve().parents[1] / "build/check/models")
# Weekly, models are compiled as users compile them; tests/own_models/test_twins.py always does.
if "NEUROPIL_EVERY_CASE" not in os.environ:
    os.environ.setdefault("NEUROPIL_CXX", str(Path(__file__).with_name("quick_cxx")))


@pytest.fixture(scope="session", autouse=True)
def many_slices():
    """Small networks on several threads have several slices, which they would not get: tests are of what slices have to do with each other."""
    from neuropil.model import network

    network.FEW_SLICES = False
