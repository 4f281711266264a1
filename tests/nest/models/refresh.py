# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on NEST and writes data/*.json: `python -m tests.nest.models.refresh [NAME...]`. Needs nest-simulator 3.10."""

import json
import sys
from pathlib import Path

from tests.nest.models.protocols import CASES, INTERVAL, RESOLUTION, Case

import nest

DATA = Path(__file__).parent / "data"


def run(case: Case) -> dict:
    """Samples and spike times of a case on NEST."""
    nest.ResetKernel()
    nest.resolution = RESOLUTION
    neuron = nest.Create(case.model, params=case.params)
    for times, weight, *receptor in case.trains:
        source = nest.Create("spike_generator", params={"spike_times": [round(t, 1) for t in times]})
        nest.Connect(source, neuron, syn_spec={"weight": weight, "delay": 1.0, "receptor_type": receptor[0] if receptor else 0})
    if case.current[0]:
        device = nest.Create("step_current_generator", params={"amplitude_times": case.current[0], "amplitude_values": case.current[1]})
        nest.Connect(device, neuron, syn_spec={"weight": 1.0, "delay": 1.0})
    meter = nest.Create("multimeter", params={"record_from": list(case.record), "interval": INTERVAL})
    nest.Connect(meter, neuron)
    recorder = nest.Create("spike_recorder")
    nest.Connect(neuron, recorder)
    nest.Simulate(case.duration)
    traces = {name: [float(f"{v:.13g}") for v in meter.events[name]] for name in case.record}
    return {
        "times": [round(t, 1) for t in meter.events["times"]],
        "traces": traces,
        "spikes": [round(t, 1) for t in recorder.events["times"]],
    }


def main() -> None:
    nest.verbosity = nest.VerbosityLevel.ERROR
    for case in CASES:
        if sys.argv[1:] and not any(case.name.startswith(name) for name in sys.argv[1:]):
            continue
        (DATA / f"{case.name}.json").write_text(json.dumps(run(case)) + "\n")
        print(case.name)


if __name__ == "__main__":
    main()
