# SPDX-License-Identifier: Apache-2.0
"""A closed loop: a point mass on a track is steered by two motor neurons, its place is fed back as currents; Prepare, Run and Cleanup around the body's steps."""

import numpy as np

import nest


class Body:
    """A mass with friction that is pushed by spikes."""

    def __init__(self, place=0.8):
        self.place, self.speed = place, 0.0

    def step(self, left, right, dt=0.02):
        force = 4.0 * (right - left)
        self.speed += dt * (force - 4.0 * self.speed)
        self.place += dt * self.speed
        return self.place


class Brain:
    STEP = 20.0

    def __init__(self):
        nest.ResetKernel()
        nest.set(resolution=0.1, verbosity=nest.VerbosityLevel.QUIET)
        self.senses = nest.Create("step_current_generator", 2)
        self.sensory = nest.Create("iaf_psc_exp", 2, {"tau_m": 20.0, "E_L": -65.0, "V_m": -65.0})
        self.motor = nest.Create("iaf_psc_exp", 2, params={"tau_syn_ex": 5.0, "tau_m": 12.0})
        self.counter = nest.Create("spike_recorder", 2)
        nest.Connect(self.senses, self.sensory, "one_to_one", {"delay": 1.0})
        nest.Connect(self.sensory, self.motor, "one_to_one", {"weight": 900.0, "delay": 1.0})
        nest.Connect(self.motor[0], self.motor[1], syn_spec={"weight": -300.0})
        nest.Connect(self.motor[1], self.motor[0], syn_spec={"weight": -300.0})
        nest.Connect(self.motor, self.counter, "one_to_one")
        self.before = np.zeros(2, int)

    def __enter__(self):
        nest.Prepare()
        return self

    def __exit__(self, *why):
        nest.Cleanup()

    def step(self, place):
        now = nest.biological_time
        for generator, error in zip(self.senses, (place, -place), strict=True):
            generator.set({"amplitude_times": [now + 0.1], "amplitude_values": [340.0 + 1500.0 * max(error, 0.0)]})
        nest.Run(self.STEP)
        counts = np.array(self.counter.n_events)
        fresh, self.before = counts - self.before, counts
        return fresh


body, brain = Body(), Brain()
track = [body.place]
with brain:
    for k in range(90):
        left, right = brain.step(track[-1])
        track.append(body.step(left, right))
        if k % 15 == 14:
            print(f"{nest.biological_time:6.1f} ms: place {track[-1]:+.5f}, speed {body.speed:+.5f}, pushes {left} {right}")
print("steered to the middle:", abs(np.mean(track[-10:])) < 0.3, "spikes", brain.counter.n_events, "steps", len(track) - 1)
with nest.RunManager():
    for _ in range(3):
        nest.Run(10.0)
print(nest.biological_time)
for wrong in (lambda: nest.Run(10.0), nest.Cleanup, lambda: nest.Simulate(-1.0)):
    try:
        wrong()
        print("taken")
    except nest.NESTError as problem:
        print(type(problem).__name__)
