# SPDX-License-Identifier: Apache-2.0
"""Brian2, a peer that users install themselves: its scripts run by its own numpy code and by neuropil."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
os.environ["NEUROPIL_CACHE"] = str(ROOT / "build/check/models")

try:
    import brian2
except Exception as error:  # Brian2 2.9 cannot be imported beside numpy 2.4
    brian2, REASON = None, f"Brian2 cannot be imported: {error}"


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if brian2 is None and Path(item.fspath).parent == here:
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture
def on():
    """Runs a script on a device: on("runtime", script) is Brian2 alone, on("neuropil", script) is neuropil."""
    import neuropil.brian2  # noqa: F401

    brian2.prefs.codegen.target = "numpy"

    def run(device, script, **options):
        brian2.set_device(device, **({"threads": 1} | options if device == "neuropil" else options))
        brian2.start_scope()
        brian2.seed(1)
        return script()

    yield run
    brian2.set_device("runtime")
