# SPDX-License-Identifier: Apache-2.0
import os

import pytest
from hypothesis import settings

# A loaded machine is no reason to fail.
settings.register_profile("neuropil", deadline=None)
settings.load_profile("neuropil")
os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def net():
    import neuropil

    return neuropil.Network(resolution=0.1, seed=7, threads=2)
