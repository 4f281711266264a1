# SPDX-License-Identifier: Apache-2.0
"""Tests under mpiexec; with both MPIs if both are installed. Skipped, with the reason, where there is none."""

import pytest

from mpi import jobs


@pytest.fixture(params=["ompi", "mpich"])
def kind(request) -> str:
    reason = jobs.why_not(request.param)
    if reason:
        pytest.skip(reason)
    return request.param
