# SPDX-License-Identifier: Apache-2.0
"""A plug-in of pytest: scenario tests of PyNN that are for NEST or Brian2 run on the simulator that PYNN_SIMULATOR names, others not at all."""

import importlib
import os
import sys

import pytest


def pytest_configure(config):
    import neuropil.pynn  # noqa: F401  (so that PyNN finds it in another folder)

    sys.path.insert(0, os.environ["PYNN_SCENARIOS"])
    fixtures = importlib.import_module("scenarios.fixtures")
    name = os.environ["PYNN_SIMULATOR"]

    def run_with_simulators(*wanted):
        chosen = [pytest.param(fixtures.LazySimulator(name), id=name)] if {"nest", "brian2"} & set(wanted) else []
        return pytest.mark.parametrize("sim", chosen)

    fixtures.run_with_simulators = run_with_simulators
