# SPDX-License-Identifier: Apache-2.0
"""Precise spike times within some units in the last place of the end of a step. NEST 3.10 takes a time for the end of step k, computed as
k times the resolution, where it is at most that and less than 4 epsilon of the time before it.
"""

import numpy as np
import pytest

import neuropil.nest as nest

EPSILON = np.finfo(float).eps


@pytest.fixture(autouse=True)
def fresh_kernel():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def sent(time):
    """What is shown of a precise spike at a time (ms), the step in which a parrot repeats it after 1 ms, and the offset of that."""
    generator = nest.Create("spike_generator", params={"precise_times": True, "spike_times": [float(time)]})
    parrot, recorder = nest.Create("parrot_neuron_ps"), nest.Create("spike_recorder", params={"time_in_steps": True})
    nest.Connect(generator, parrot)
    nest.Connect(parrot, recorder)
    nest.Simulate(12.0)
    events = recorder.events
    return generator.spike_times[0], int(events["times"][0]), float(events["offsets"][0])


@pytest.mark.parametrize(
    ("time", "ulps", "shown", "step"),  # as observed in NEST 3.10
    [
        (0.3, 1, 0.3, 13),
        (0.3, 2, 0.3000000000000001, 14),
        (7.3, 1, 7.3, 83),
        (2.7, 1, 2.7000000000000006, 38),
        (5.0, 1, 5.000000000000001, 61),
        (1.0, 1, 1.0000000000000002, 21),
        (1.0, -3, 1.0, 20),
        (1.0, -4, 0.9999999999999991, 20),
        (7.3, -6, 7.3, 83),
        (7.3, -8, 7.299999999999993, 83),
    ],
)
def test_a_time_beside_the_end_of_a_step(time, ulps, shown, step):
    found = sent(time + ulps * np.spacing(time))
    assert found[:2] == (shown, step)
    assert found[2] == pytest.approx(
        0.0 if shown == time else 0.1 if step % 10 != round(10 * time) % 10 else time - shown, rel=0.2, abs=0.0
    )


@pytest.mark.parametrize("resolution", [0.1, 0.2, 0.25, 0.125, 0.05])
def test_times_on_the_grid_are_sent_at_their_step_however_they_were_rounded(resolution):
    nest.resolution = resolution
    at = np.unique(np.random.default_rng(3).integers(2, 3000, 300))
    product = at * nest.resolution
    times = np.stack([product, np.round(product, 6), np.nextafter(product, 0.0)], axis=1)
    parrot, recorder = nest.Create("parrot_neuron_ps"), nest.Create("spike_recorder", params={"time_in_steps": True})
    for column in times.T:
        nest.Connect(nest.Create("spike_generator", params={"precise_times": True, "spike_times": column}), parrot, syn_spec={"delay": 1.0})
    nest.Connect(parrot, recorder)
    nest.Simulate(3001 * nest.resolution)
    beyond = np.round(product, 6) > product  # where rounding moved the time behind the end of the step
    steps = np.sort(np.concatenate([at, at + beyond, at])) + round(1.0 / nest.resolution)
    assert np.sort(recorder.events["times"]).tolist() == steps[steps <= 3001].tolist()
