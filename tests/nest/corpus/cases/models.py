# SPDX-License-Identifier: Apache-2.0
"""Neuron models with two or more receptors under the same currents and spikes, below threshold and above: all that they record, sample by sample."""

import numpy as np
from tests.nest.corpus.protocols import CASES, INTERVAL, RESOLUTION
from tests.nest.corpus.values import near, spikes


def connected(nest, case):
    """Multimeter and spike recorder of a neuron with its input."""
    nest.resolution = RESOLUTION
    neuron = nest.Create(case.model, params=case.params)
    for times, weight, *receptor in case.trains:
        source = nest.Create("spike_generator", params={"spike_times": [round(t, 1) for t in times]})
        nest.Connect(source, neuron, syn_spec={"weight": weight, "delay": 1.0, "receptor_type": receptor[0] if receptor else 0})
    if case.current[0]:
        device = nest.Create("step_current_generator", params={"amplitude_times": case.current[0], "amplitude_values": case.current[1]})
        nest.Connect(device, neuron, syn_spec={"weight": 1.0, "delay": 1.0})
    meter = nest.Create("multimeter", params={"record_from": list(case.record), "interval": INTERVAL})
    recorder = nest.Create("spike_recorder")
    nest.Connect(meter, neuron)
    nest.Connect(neuron, recorder)
    return meter, recorder


def protocol(case):
    """What a case records, within its tolerance."""

    def run(nest):
        meter, recorder = connected(nest, case)
        nest.Simulate(case.duration)
        events, times = meter.events, np.sort(recorder.events["times"])
        assert bool(len(times)) == case.spikes
        first = {name: events[name][0] if name in case.relative else 0.0 for name in case.record}
        traces = {name: near(events[name] - first[name], case.tolerance * case.scale.get(name, 1.0), 1e-12) for name in case.record}
        return {"times": near(events["times"]), **traces, "spikes": spikes(times)}

    return run


for _case in CASES:
    globals()[f"case_{_case.name}"] = protocol(_case)
