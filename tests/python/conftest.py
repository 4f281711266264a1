# SPDX-License-Identifier: Apache-2.0
import os

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def net():
    import neuropil

    return neuropil.Network(resolution=0.1, seed=7, threads=2)
