# SPDX-License-Identifier: Apache-2.0
"""What equations of a synapse mean, event by event, in plain Python: one synapse, its spikes, every variable kept in one place."""

import math

from neuropil.equations.evaluating import value_of
from neuropil.equations.synapse_rule import WEIGHT


class Reference:
    """One synapse. Times in ms, as the target's spikes have them: those of the source are earlier by the delay, which is that of the dendrite."""

    def __init__(self, model, w, begin, **parameters):
        self.rule = model.rule
        self.values = model.parameters | parameters
        for part in self.rule.made.parts:
            if not part.changes:
                self.values[part.name] = float(value_of(part.value, self.values))
        self.now = begin
        self.values[WEIGHT] = w
        for v in self.rule.variables:
            self.values[v.name] = self.constant(v.initial)
        self.before = self.of_target()

    def constant(self, tree):
        return 0.0 if tree is None else float(value_of(tree, self.values))

    def of_target(self):
        return {v.name: self.values[v.name] for v in self.rule.of_kind("post")}

    def advance(self, time):
        """Variables decay. What on_pre sees of the target is without its spikes at this time."""
        if time == self.now:
            return
        for v in self.rule.variables:
            if v.tau is not None:
                factor = math.exp(-(time - self.now) / self.constant(v.tau))
                rest = self.constant(v.rest)
                self.values[v.name] = rest + (self.values[v.name] - rest) * factor
        self.now, self.before = time, self.of_target()

    def with_parts(self, values):
        values = dict(values)
        for part in self.rule.made.parts:
            if part.changes:
                needed = self.rule.made.reached([part.name])
                if needed <= set(values) | {p.name for p in self.rule.made.parts}:  # it may use values of the other handler
                    values[part.name] = float(value_of(part.value, values))
        return values

    def run(self, statements, seen):
        values = self.with_parts(self.values | seen)
        for each in statements:
            new = float(value_of(each.value, values))
            old = values.get(each.name)
            match each.operator:
                case "+=":
                    new = old + new
                case "-=":
                    new = old - new
                case "*=":
                    new = old * new
                case "/=":
                    new = old / new
            if each.name == WEIGHT:
                new = max(new, self.constant(self.rule.low)) if self.rule.low is not None else new
                new = min(new, self.constant(self.rule.high)) if self.rule.high is not None else new
            values[each.name] = new
        for name in (WEIGHT, *(v.name for v in self.rule.variables)):
            if name not in seen:
                self.values[name] = values[name]
        return {name: value for name, value in values.items() if not ((part := self.rule.made.part(name)) and part.changes)}

    def spike(self, time, of_source):
        """A spike: what it transmits, or None."""
        return self.pre(time) if of_source else self.post(time)

    def post(self, time):
        """A spike of the target."""
        self.advance(time)
        self.run(self.rule.on_post, {})

    def pre(self, time):
        """A spike of the source that reaches the synapse: what it transmits."""
        self.advance(time)
        values = self.run(self.rule.on_pre, self.before)
        return float(value_of(self.rule.transmit, self.with_parts(values)))


def transmitted(model, w, delay, pre, post, resolution=0.1, **parameters):
    """What spikes of the source transmit. pre, post, delay : whole steps of the resolution; ms where it is 1 and times are between grid points."""
    synapse = Reference(model, w, -delay * resolution, **parameters)
    events = sorted([(time, 0) for time in post] + [(time - delay, 1) for time in pre])  # at one time the target's spikes come first
    return [sent for time, of_source in events if (sent := synapse.spike(time * resolution, of_source)) is not None]
