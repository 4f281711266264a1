# SPDX-License-Identifier: Apache-2.0
"""PyNN, a peer that users install themselves: `import pyNN.neuropil`. Weekly, .ci/weekly installs it into a folder of its own."""

import importlib.util
from pathlib import Path

import pytest

HERE = importlib.util.find_spec("pyNN")
REASON = "PyNN is not here"


def pytest_ignore_collect(collection_path):
    """Without PyNN one test says why."""
    if HERE is None or HERE.origin is None:
        return True if collection_path.name.startswith("test_") and collection_path.name != "test_there.py" else None
    return None


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if (HERE is None or HERE.origin is None) and Path(item.fspath).parent == here:
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture
def sim():
    """The simulator, with time steps of 0.1 ms and one thread."""
    import neuropil.pynn as simulator

    simulator.setup(timestep=0.1, threads=1)
    yield simulator
    simulator.end()
