# SPDX-License-Identifier: Apache-2.0
"""Hooks of all tests."""

import pytest

from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401
from strays import pytest_sessionfinish, pytest_sessionstart  # noqa: F401


@pytest.fixture(scope="session", autouse=True)
def many_slices():
    """Small networks on several threads have several slices, which they would not get: tests are of what slices have to do with each other."""
    from neuropil.model import network

    network.FEW_SLICES = False
