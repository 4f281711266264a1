# SPDX-License-Identifier: Apache-2.0
"""The objects of a Brian2 network, by kind. What is not known is refused here."""

from __future__ import annotations

from typing import Any

from brian2.core.operations import NetworkOperation
from brian2.groups.group import CodeRunner
from brian2.groups.neurongroup import Resetter, StateUpdater, Thresholder
from brian2.groups.subgroup import Subgroup
from brian2.synapses.synapses import SynapticPathway

from brian2 import NeuronGroup, PoissonGroup, PoissonInput, PopulationRateMonitor, SpikeGeneratorGroup, SpikeMonitor, StateMonitor, Synapses

from .errors import refuse
from .pathways import base_of
from .units import scaled

__all__ = ["LATE", "Objects"]

# Kind -> where it belongs in a time step. None: anywhere around it.
SLOTS: dict[type, str | None] = {
    NeuronGroup: "start", Synapses: "start", StateUpdater: "groups", Thresholder: "thresholds", Resetter: "resets", SynapticPathway: "synapses",
    PoissonGroup: "thresholds", PoissonInput: "synapses", SpikeGeneratorGroup: "thresholds", SpikeMonitor: "thresholds", StateMonitor: "start",
    PopulationRateMonitor: "end", NetworkOperation: None, CodeRunner: None,
}  # fmt: skip
BEFORE = ("before_start", "start", "after_start", "before_groups")
AFTER = ("after_resets", "before_end", "end", "after_end")
LATE = ("after_groups", "before_thresholds", "thresholds", "after_thresholds", "before_synapses")  # the state has moved, no more
SCHEDULE = ["start", "groups", "thresholds", "synapses", "resets", "end"]


class Objects:
    """All of them, in the order in which Brian2 updates them."""

    def __init__(self, net: Any) -> None:
        if list(net.schedule) != SCHEDULE:
            refuse(net.name, f"the schedule {net.schedule} is not supported, only {SCHEDULE}")
        silent = (SpikeMonitor, StateMonitor, PopulationRateMonitor)
        self.all = [each for each in net.sorted_objects if type(each) is not Subgroup and (each.active or type(each) not in silent)]
        for each in self.all:
            self.check(each)
        self.neurons = self.of(NeuronGroup)
        self.synapses = self.of(Synapses)
        self.poisson_groups = self.of(PoissonGroup)
        self.generators = self.of(SpikeGeneratorGroup)
        self.inputs = self.of(PoissonInput)
        self.spike_monitors = self.of(SpikeMonitor)
        self.state_monitors = self.of(StateMonitor)
        self.rate_monitors = self.of(PopulationRateMonitor)
        self.operations = self.of(NetworkOperation) + self.of(CodeRunner)
        self.check_sources()
        self.clock = next((each.clock for each in [*self.neurons, *self.poisson_groups, *self.generators]), None) or self.all[0].clock
        self.dt: float = scaled(float(self.clock.dt), self.clock.dt.dim)
        for k, each in enumerate(self.all):
            self.check_clock(each)
            if each in self.operations and each.when in BEFORE and any(type(other) is StateMonitor for other in self.all[:k]):
                refuse(each.name, "an operation between a StateMonitor and the step is not supported: give it a name before the monitor's")

    def of(self, kind: type) -> list[Any]:
        """Those of one kind."""
        return [each for each in self.all if type(each) is kind]

    def check(self, each: Any) -> None:
        """Whether neuropil knows this object as it is."""
        if type(each) not in SLOTS:
            known = ", ".join(
                kind.__name__ for kind in SLOTS if kind not in (StateUpdater, Thresholder, Resetter, SynapticPathway, CodeRunner)
            )
            refuse(each.name, f"{type(each).__name__} is not supported; these are: {known}, run_regularly")
        if not each.active:
            refuse(each.name, "objects that are not active are not supported, but for monitors")
        slot = SLOTS[type(each)]
        late = LATE if type(each) is StateMonitor and not isinstance(each.source, Synapses) else ()
        if each.when not in (slot, *late) if slot else each.when not in BEFORE + AFTER:
            refuse(each.name, f"when={each.when!r} is not supported, only {slot or ', '.join(BEFORE + AFTER)}")
        if isinstance(each, NeuronGroup) and set(each.events) - {"spike"}:
            refuse(each.name, f"events other than 'spike' are not supported: {', '.join(set(each.events) - {'spike'})}")
        if isinstance(each, SpikeMonitor) and not isinstance(each.record, bool):
            refuse(each.name, f"record={each.record} is not supported, only True and False; a subgroup can be monitored")
        if isinstance(each, SpikeMonitor) and set(each.record_variables) - {"i", "t"}:
            refuse(each.name, f"variables={sorted(set(each.record_variables) - {'i', 't'})} are not supported: only i and t are")

    def check_sources(self) -> None:
        """What an object refers to is in the network."""
        names = {each.name for each in [*self.neurons, *self.poisson_groups, *self.generators, *self.synapses]}
        pairs = [(each, end) for each in self.synapses for end in (each.source, each.target)]
        pairs += [(each, each.source) for each in [*self.spike_monitors, *self.state_monitors, *self.rate_monitors]]
        pairs += [(each, each.group) for each in self.inputs]
        for each, end in pairs:
            if base_of(end)[0].name not in names:
                refuse(each.name, f"{base_of(end)[0].name} is no group of this network that neuropil has")
        for each in self.inputs:
            if each.group.name not in {group.name for group in self.neurons}:
                refuse(each.name, "a PoissonInput for a part of a group is not supported")

    def check_clock(self, each: Any) -> None:
        """All have one time step; monitors and operations may have multiples of it."""
        ratio = float(each.clock.dt) / float(self.clock.dt)
        multiple = type(each) in (StateMonitor, NetworkOperation, CodeRunner) and round(ratio) >= 1
        if abs(ratio - (round(ratio) if multiple else 1.0)) > 1e-6:
            refuse(each.name, f"dt={each.clock.dt} is not supported beside the time step {self.clock.dt}")

    def every(self, each: Any) -> int:
        """Steps between updates of an object."""
        return round(float(each.clock.dt) / float(self.clock.dt))

    def inputs_of(self, group: Any) -> list[Any]:
        """Its PoissonInputs."""
        return [each for each in self.inputs if each.group.name == group.name]

    def signature(self) -> tuple[Any, ...]:
        """What must not change after the first run."""
        return (self.dt, *((each.id, len(each) if type(each) is Synapses else 0) for each in self.all))
