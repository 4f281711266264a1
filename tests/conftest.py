# SPDX-License-Identifier: Apache-2.0
"""Hooks of all tests."""

import os

import pytest

from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401
from strays import pytest_sessionfinish, pytest_sessionstart  # noqa: F401

# What processes do while they start, and tests start hundreds. Threads of linear algebra: two workers of pytest and ranks of MPI have no cores for them.
# Transfers of Open MPI over libfabric: it sleeps for a second first, and ranks of one machine share memory.
STARTS = {"OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_btl": "^ofi"}
for name, value in STARTS.items():
    os.environ.setdefault(name, value)


@pytest.fixture(scope="session", autouse=True)
def many_slices():
    """Small networks on several threads have several slices, which they would not get: tests are of what slices have to do with each other."""
    from neuropil.model import network

    network.FEW_SLICES = False
