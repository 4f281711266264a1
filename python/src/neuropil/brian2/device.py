# SPDX-License-Identifier: Apache-2.0
"""The device: Brian2 makes all objects and evaluates strings as usual, by numpy; only the run of a network is neuropil's."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from brian2.core.namespace import get_local_namespace
from brian2.devices.device import RuntimeDevice, all_devices
from brian2.units import second

from ..errors import UnknownArgument
from .errors import refuse
from .objects import AFTER, BEFORE, Objects
from .simulation import Simulation

__all__ = ["NeuropilDevice", "register"]


class NeuropilDevice(RuntimeDevice):  # type: ignore[misc]  # Brian2 has no types
    """`set_device("neuropil", threads=2)`. threads : as of `neuropil.Network`."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: int | None = None
        self.given_seed: int | None = None
        self.simulations: WeakKeyDictionary[Any, Simulation] = WeakKeyDictionary()  # by the network of Brian2

    def activate(self, build_on_run: bool = True, threads: int | None = None, **more: Any) -> None:
        """Called by set_device. Raises UnknownArgument."""
        for name in more:
            raise UnknownArgument(f"unknown argument {name!r} of set_device for neuropil; known: threads", "argument", name)
        self.threads = threads
        super().activate(build_on_run=build_on_run)

    def seed(self, seed: int | None = None) -> None:
        """Of Brian2's random numbers, and of those in a run."""
        super().seed(seed)
        self.given_seed = seed

    def code_object_class(self, codeobj_class: Any = None, fallback_pref: str = "codegen.target") -> Any:
        """Strings are evaluated by numpy: nothing is compiled for what is done once."""
        return super().code_object_class(codeobj_class, fallback_pref="codegen.string_expression_target")

    def network_run(
        self, net: Any, duration: Any, report: Any = None, report_period: Any = 0, namespace: Any = None, profile: Any = 0, level: int = 0
    ) -> None:
        """`Network.run` calls it. Raises NotSupported before anything is run."""
        if namespace is None:
            namespace = get_local_namespace(level=level + 2)
        if profile:
            refuse(net.name, "profile=True is not supported")
        objects = Objects(net)
        simulation = self.simulation(net, objects, namespace)
        begin, end = float(net.t_), float(net.t_) + float(duration)
        clocks = {each.clock for each in objects.all}
        for clock in clocks:
            clock.set_interval(begin * second, end * second)
        first = int(objects.clock.variables["timestep"].get_value()[0])
        if first != simulation.steps:
            refuse(net.name, f"the time is step {first}, not {simulation.steps}: restore() of a later state is not supported")
        if not Pieces(net, objects, simulation, namespace, clocks).run(objects.clock._i_end, report is not None):
            end = simulation.steps * float(objects.clock.dt)
        for clock in clocks:
            clock.set_interval(end * second, end * second)
        net.t_ = end

    def reinit(self) -> None:
        """Forgets all networks."""
        super().reinit()
        self.simulations.clear()

    def simulation(self, net: Any, objects: Objects, namespace: dict[str, Any]) -> Simulation:
        """That of earlier runs; a new one at time 0."""
        if float(net.t_) == 0.0:
            seed = self.given_seed if self.given_seed is not None else int(np.random.randint(2**31))  # noqa: NPY002  (Brian2 draws from it)
            self.simulations[net] = Simulation(objects, namespace, seed, self.threads)
        found = self.simulations.get(net)
        if found is None:
            refuse(net.name, "this network was run by another device before")
        if found.signature != objects.signature():
            refuse(net.name, "objects and synapses cannot be added or removed, and the time step cannot change, after the first run")
        found.use(namespace)
        return found


class Pieces:
    """A run, interrupted where Brian2's operations (network_operation, run_regularly) are due."""

    def __init__(self, net: Any, objects: Objects, simulation: Simulation, namespace: dict[str, Any], clocks: set[Any]) -> None:
        self.net, self.objects, self.simulation, self.clocks = net, objects, simulation, clocks
        net._stopped = type(net)._globally_stopped = False
        for each in objects.operations:
            each.before_run(namespace)

    def run(self, last: int, progress: bool) -> bool:
        """Until this step; False where an operation has called stop(), which ends the run after the present step."""
        while self.simulation.steps < last:
            now = self.simulation.steps
            self.call(BEFORE, now)
            self.simulation.run(1 if self.stopped() else self.next(now, last) - now, progress)
            self.call(AFTER, self.simulation.steps - 1)
            if self.stopped():
                return False
        return True

    def stopped(self) -> bool:
        """Whether stop() was called."""
        return bool(self.net._stopped or self.net._globally_stopped)

    def next(self, now: int, last: int) -> int:
        """The end of the piece."""
        ends = [last]
        for each in self.objects.operations:
            every = self.objects.every(each)
            ends.append(now - now % every + every if each.when in BEFORE else now - now % -every + 1)
        return min(ends)

    def call(self, slots: tuple[str, ...], step: int) -> None:
        """The operations of this step."""
        due = [each for each in self.objects.all if each in self.objects.operations and each.when in slots]
        for each in due:
            if step % self.objects.every(each) == 0:
                self.set_time(step)
                each.run()

    def set_time(self, step: int) -> None:
        """Of Brian2's network and clocks."""
        self.net.t_ = time = step * float(self.objects.clock.dt)
        for clock in self.clocks:
            clock.variables["t"].set_value(time)
            clock.variables["timestep"].set_value(round(time / float(clock.dt)))


def register() -> None:
    """Makes the device known to Brian2's set_device."""
    all_devices.setdefault("neuropil", NeuropilDevice())
