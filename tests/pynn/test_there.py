# SPDX-License-Identifier: Apache-2.0
"""The name pyNN.neuropil, and what is exported."""

import importlib
import subprocess
import sys

NAMES = [
    "setup",
    "end",
    "run",
    "run_until",
    "run_for",
    "reset",
    "initialize",
    "get_current_time",
    "get_time_step",
    "get_min_delay",
    "get_max_delay",
    "num_processes",
    "rank",
    "create",
    "connect",
    "record",
    "record_v",
    "record_gsyn",
    "list_standard_models",
    "Population",
    "PopulationView",
    "Assembly",
    "Projection",
]


def test_pynn_finds_it():
    """Where neuropil and PyNN lie in different folders, importing neuropil.pynn lets PyNN find it."""
    from neuropil import pynn

    assert importlib.import_module("pyNN.neuropil") is pynn
    assert importlib.import_module("pyNN.neuropil.cells") is importlib.import_module("neuropil.pynn.cells")
    assert [name for name in NAMES if not hasattr(pynn, name)] == []


def test_neuropil_does_not_import_it():
    text = "import sys, neuropil; print([name for name in sys.modules if name.split('.')[0] in ('pyNN', 'neo', 'quantities')])"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.strip() == "[]"
