# SPDX-License-Identifier: Apache-2.0
"""A vehicle that finds the light (Braitenberg 1984): two eyes drive two populations, two motor populations drive its wheels.

    python examples/braitenberg.py [braitenberg.png]

Each eye injects a current into 50 neurons, which excite 50 motor neurons on the other side (crossed wiring: the vehicle turns to the
light) or on the same side (it turns away). The world is a function that `net.every` calls each 20 ms of biological time: it turns wheels by the
spikes of motor neurons since the last call, moves the vehicle and sets the currents of the eyes.
"""

from __future__ import annotations

import sys

import numpy as np

import neuropil as npl

INTERVAL = 20.0  # ms
LIGHT = np.array([0.0, 0.0])
START, HEADING = np.array([-1.2, -0.9]), 1.6  # m, rad: the light is ahead to the right
AXLE, EYES_APART = 0.1, 1.2  # m; angle between the eyes, rad
SPEED = 0.006  # m/s of a wheel, per spike/s of its motor neurons


class Vehicle:
    """Where it is, and what its eyes see."""

    def __init__(self) -> None:
        self.at, self.heading = START.copy(), HEADING
        self.path = [self.at.copy()]

    def brightness(self) -> np.ndarray:
        """Light on the left and on the right eye, 0 to 1: brighter near the light, and the more it is in front of the eye."""
        to_light = LIGHT - self.at
        distance = np.hypot(*to_light)
        angle = np.arctan2(to_light[1], to_light[0]) - self.heading - np.array([EYES_APART, -EYES_APART]) / 2.0
        return 0.5 * (1.0 + np.cos(angle)) / (1.0 + distance)

    def move(self, wheels: np.ndarray, ms: float) -> None:
        """Rolls with these speeds of the left and the right wheel (m/s)."""
        left, right = wheels * 1e-3 * ms
        self.heading += (right - left) / AXLE
        self.at = self.at + 0.5 * (left + right) * np.array([np.cos(self.heading), np.sin(self.heading)])
        self.path.append(self.at.copy())

    def distance(self) -> float:
        """From the light (m)."""
        return float(np.hypot(*(self.at - LIGHT)))


def drive(crossed: bool, duration: float = 8000.0) -> Vehicle:
    """A vehicle after so many ms of biological time."""
    net = npl.Network(seed=1, threads=1)
    eyes = [net.create("iaf_psc_exp", 50, name=f"eye {side}") for side in ("left", "right")]
    motors = [net.create("iaf_psc_exp", 50, name=f"motor {side}") for side in ("left", "right")]
    for k, eye in enumerate(eyes):
        net.connect(eye, motors[1 - k if crossed else k], npl.fixed_indegree(20), weight=45.0, delay=1.0)
    net.stimulate(motors[0] + motors[1], npl.poisson(rate=7000.0), weight=22.0)
    net.stimulate(eyes[0] + eyes[1], npl.poisson(rate=2000.0), weight=20.0)
    rates = [net.record(motor, "rate", bin=INTERVAL) for motor in motors]
    vehicle = Vehicle()

    def world(net: npl.Network) -> None:
        vehicle.move(SPEED * np.array([record.rate[-1] for record in rates]), INTERVAL)
        for eye, light in zip(eyes, vehicle.brightness(), strict=True):
            eye.I_e = 300.0 + 600.0 * light  # pA

    net.every(INTERVAL, world)
    net.run(duration)
    return vehicle


def main(picture: str = "braitenberg.png", duration: float = 8000.0) -> dict[str, float]:
    """Draws both paths; returns the distances from the light at the end (m)."""
    vehicles = {"crossed": drive(True, duration), "uncrossed": drive(False, duration)}
    draw(vehicles, picture)
    found = {name: vehicle.distance() for name, vehicle in vehicles.items()}
    for name, vehicle in vehicles.items():
        nearest = min(np.hypot(*(at - LIGHT)) for at in vehicle.path)
        print(f"{name}: {found[name]:.2f} m from the light after {duration / 1e3:g} s; nearest {nearest:.2f} m")
    return found


def draw(vehicles: dict[str, Vehicle], picture: str) -> None:
    """The paths from above."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    for (name, vehicle), colour in zip(vehicles.items(), ("C0", "C3"), strict=True):
        path = np.array(vehicle.path)
        ax.plot(*path.T, color=colour, label=f"{name} wiring")
        ax.plot(*path[-1], "o", color=colour)
    ax.plot(*START, "ks", label="start")
    ax.plot(*LIGHT, "*", color="gold", ms=15, mec="k", label="light")
    ax.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(picture, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
