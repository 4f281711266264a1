# SPDX-License-Identifier: Apache-2.0
"""Hooks of all tests."""

from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401
from strays import pytest_sessionfinish, pytest_sessionstart  # noqa: F401
