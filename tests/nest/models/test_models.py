# SPDX-License-Identifier: Apache-2.0
"""Every neuron model against NEST 3.10 under the same currents and spikes; NEST's side is data (refresh.py makes it)."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.nest.models.protocols import CASES, INTERVAL, RESOLUTION, Case

import neuropil

DATA = Path(__file__).parent / "data"


def native(params: dict) -> dict[str, float]:
    """Parameters as the kernel names them: the entries of an array are name_1, name_2, ...; booleans are 0 and 1."""
    flat = {}
    for name, value in params.items():
        if isinstance(value, list):
            flat |= {f"{name}_{k + 1}": float(v) for k, v in enumerate(value)}
        else:
            flat[name] = float(value)
    return flat


def run(case: Case):
    """Trace and spike times of a case on neuropil."""
    net = neuropil.Network(resolution=RESOLUTION, threads=1)
    neuron = net.create(case.model, 1, **native(case.params))
    for times, weight, *receptor in case.trains:
        net.stimulate(neuron, neuropil.spike_train(times), weight=weight, delay=1.0, receptor=receptor[0] if receptor else 0)
    if case.current[0]:
        net.stimulate(neuron, neuropil.step_current(*case.current), delay=1.0)
    trace, spikes = net.record(neuron, case.record, interval=INTERVAL), net.record(neuron)
    net.run(case.duration)
    return trace, spikes.times


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_traces_and_spikes_are_those_of_nest(case):
    expected = json.loads((DATA / f"{case.name}.json").read_text())
    trace, spikes = run(case)
    np.testing.assert_allclose(spikes, expected["spikes"], rtol=0, atol=1e-9)
    assert bool(len(spikes)) == case.spikes
    n = len(expected["times"])  # NEST gives the last sample only with the next call
    np.testing.assert_allclose(trace.times[:n], expected["times"], rtol=0, atol=1e-9)
    for name in case.record:
        ours, theirs = trace[name][:n, 0], np.array(expected["traces"][name]) + case.shift.get(name, 0.0)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=case.tolerance * case.scale.get(name, 1.0), err_msg=name)
