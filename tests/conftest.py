# SPDX-License-Identifier: Apache-2.0
from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401
