# SPDX-License-Identifier: Apache-2.0
"""Synapses of Brian2 that change (STDP, short-term dynamics): on_pre and on_post become one settable model of `neuropil.synapse_model`.

A delay of n steps is n axonal steps and one dendritic step here: on_pre sees the spikes of the target in earlier steps, on_post those of the
source that arrive in the same step, too. Between runs all values are in Brian2's arrays: events that the kernel has not delivered are carried
out by numpy after each run.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
from brian2.equations.unitcheck import check_units_statements
from brian2.utils.stringtools import get_identifiers
from numpy.typing import NDArray

from ..equations import EquationError
from ..equations.engine import (
    EARLY,
    EPOCH,
    LAST,
    LATE,
    SETTLED,
    Events,
    Spikes,
    SynapseModel,
    Unchecked,
    after_events,
    describe_synapse,
    events_at,
    modelled,
    set_name,
    settable_rule,
    values_at,
)
from ..equations.expressions import text_of
from ..equations.parsing import Assignment
from ..errors import BadParameter
from .errors import refuse
from .pathways import Adding, Floats, Pathway
from .scope import own_name
from .translating import named, statements
from .units import scale_of

__all__ = ["Changing", "pathways_of"]


def called(name: str) -> str:
    """What a variable of a synapse is called in its model."""
    return own_name(f"own_{name}")


class Changing(Pathway):
    """on_pre and on_post of synapses that change. codes : of the pathways that Brian2 has."""

    called = staticmethod(called)

    def __init__(self, synapses: Any, codes: list[tuple[Any, str]], namespace: dict[str, Any], dt: float) -> None:
        pre, post = ([each for each in codes if each[0].prepost == part] for part in ("pre", "post"))
        if len(pre) != 1 or len(post) > 1:
            refuse(synapses.name, "synapses that change need one on_pre, and take one on_post at most")
        super().__init__(synapses, pre[0][0], namespace, dt)
        for pathway, code in post:
            if pathway.variables["delay"].get_value().any():
                refuse(synapses.name, "a delay of on_post is not supported", code)
            if pathway.order <= self.pathway.order:
                refuse(synapses.name, "another order than first on_pre, then on_post is not supported", code)
        on_pre, on_post = ([each for _, code in given for each in statements(synapses.name, code)] for given in (pre, post))
        driven = {name: line for name, line in (synapses.event_driven or {}).items() if line.type != "parameter"}
        self.last = synapses.variables["lastupdate"] if driven else None
        self.own = (self.own | driven.keys()) - {"lastupdate"}
        self.states = sorted(driven.keys() | {each.name for each in (*on_pre, *on_post) if each.name in self.own})
        for name in self.states:
            if synapses.variables[name].dtype != np.float64 or synapses.variables[name].scalar:
                refuse(synapses.name, f"'{name}' changes: only floating-point numbers that each synapse has may")
        lines = [f"d{called(name)}/dt = {self.slope(driven.get(name))} : 1 (synapse)" for name in self.states]
        before, after = ("\n".join(self.line_of(each, done is on_pre) for each in done) for done in (on_pre, on_post))
        if not self.variable:
            refuse(synapses.name, "on_pre that adds nothing to the target is not supported", pre[0][1])
        self.model = self.made("\n".join(lines), before, after)

    def name(self, name: str) -> Any:
        """The same for variables."""
        return named(called(name)) if name in self.states else super().name(name)

    def slope(self, line: Any) -> str:
        """Of a variable, from Brian2's equation."""
        if line and line.type != "differential equation":
            refuse(self.synapses.name, "subexpressions are not supported", str(line))
        return text_of(self.translator.code(line.expr.code, str(line))) if line else "0"

    def line_of(self, each: Assignment, is_pre: bool) -> str:
        """A statement."""
        if each.name in self.states:
            return f"{called(each.name)} {each.operator} {text_of(self.translator.value(each))}"
        if not is_pre:
            refuse(self.synapses.name, "on_post may change variables of the synapse only", each.place.text)
        operator = "+=" if self.variable else "="
        return f"transmitted {operator} {text_of(self.added(each))}"

    def made(self, lines: str, on_pre: str, on_post: str) -> SynapseModel:
        """As a model."""
        names = sorted({*map(called, self.used), *self.outside.constants})
        parameters = {name: f"{1 + k / 64} 1" for k, name in enumerate(names)}
        name = f"brian2_{hashlib.blake2s(repr((lines, on_pre, on_post, names)).encode()).hexdigest()[:12]}"
        try:
            rule = describe_synapse(
                name, lines, on_pre, on_post, parameters, None, "transmitted", {}, "Synapses of Brian2.", units=Unchecked()
            )
            return modelled(settable_rule(rule))
        except (EquationError, BadParameter) as error:
            refuse(self.synapses.name, str(error))

    # Values

    def given(self, step: int) -> dict[str, Floats]:
        """Parameters for a run that begins with this step: one value for each synapse, and the variables as they are."""
        found = self.parameters() | {set_name(called(name)): self.values_of(name) for name in self.states}
        found[set_name(LAST)] = 0.0 if self.last is None else self.last.get_value() * 1e3
        found |= {SETTLED: (step - 0.5) * self.dt, LATE: (self.delay - 1) * self.dt, EARLY: self.dt}
        return {name: np.array(np.broadcast_to(value, len(self)), float) for name, value in found.items()}

    def begin(self, given: dict[str, Floats]) -> dict[str, Floats]:
        """Parameters, and variables as they were set."""
        variables = {name: given[set_name(name)] for name in (*map(called, self.states), LAST)}
        return {name: value.copy() for name, value in (given | variables | {EPOCH: given[SETTLED]}).items()}

    def options(self) -> dict[str, Any]:
        """Of `connect`: what is sent at first, at least 10^-6, as the kernel adds up in 10^-13 of it. Times of last events number the synapses."""
        given, every = self.given(0), np.arange(len(self))
        sent, _ = after_events(self.model.rule, self.begin(given), Events(every, 0 * every, every >= 0), self.dt)
        rule = self.model(axonal_delay=self.delay * self.dt, **given | {set_name(LAST): every.astype(float)})
        return {"synapse": rule, "weight": max(float(np.max(np.abs(sent))) or 1.0, 1e-6)}

    def push(self, step: int) -> bool:
        """All that the script may have changed."""
        if not hasattr(self, "order"):
            self.order = np.asarray(self.projection[set_name(LAST)], int)
        self.now = self.given(step)
        self.projection.set(**{name: value[self.order] for name, value in self.now.items()})
        return True

    def pull(self, pre: Spikes, post: Spikes, begin: int, end: int) -> Floats:
        """Takes what the kernel has, and carries out what it has not delivered."""
        values, kept = self.begin(self.now), self.projection.connections()
        for name in (*map(called, self.states), LAST):
            values[name][self.order] = kept.state(name)
        hit = self.arriving(pre, end - 1)
        since = np.maximum(np.rint(values[LAST] / self.dt), begin)
        events = events_at((hit, np.full(len(hit), end - 1)), post.of(self.j, since))
        sent, _ = after_events(self.model.rule, values, events, self.dt)
        for name in self.states:
            variable = self.synapses.variables[name]
            variable.set_value(values[called(name)] / scale_of(variable.dim))
        if self.last is not None:
            self.last.set_value(values[LAST] * 1e-3)
        return np.asarray(np.bincount(self.j[events.synapse], sent, minlength=len(self.target)), float)

    def history(self, chosen: NDArray[np.int64], pre: Spikes, post: Spikes, steps: NDArray[np.int64]) -> dict[str, Floats]:
        """Variables of some synapses when steps of the last run began."""
        first = {name: value[chosen] for name, value in self.begin(self.now).items()}
        begin = round(float(self.now[SETTLED][0]) / self.dt + 0.5)
        delay = np.broadcast_to(self.delay, len(self))[chosen]
        which, sent = pre.of(self.i[chosen], begin - delay)
        events = events_at((which, sent + delay[which]), post.of(self.j[chosen], begin))
        _, after = after_events(self.model.rule, {name: value.copy() for name, value in first.items()}, events, self.dt)
        return {name: values_at(steps, first[called(name)], after[called(name)], events) for name in self.states}


def pathways_of(synapses: Any, namespace: dict[str, Any], dt: float) -> list[Adding] | list[Changing]:
    """One for each assignment of each on_pre; one for all where synapses change. Raises NotSupported."""
    for line in synapses.equations.values():
        if line.type != "parameter" or {"linked", "summed"} & set(line.flags):
            refuse(synapses.name, "this line is not supported: only parameters and event-driven variables are", str(line))
    found, changes = [], synapses.event_driven is not None
    codes = [(each, str(each.code)) for each in synapses.contained_objects if str(getattr(each, "code", None) or "").strip()]
    for each, code in codes:
        found += (made := [(each, statement) for statement in statements(synapses.name, code)])
        outside = get_identifiers(re.sub("#.*", "", code)) - ({statement.name for _, statement in made} - {*synapses.variables})
        check_units_statements(code, synapses.resolve_all(outside, namespace))
        changes |= each.prepost == "post"
    if changes or any(statement.name in synapses.equations for _, statement in found):
        return [Changing(synapses, codes, namespace, dt)]
    return [Adding(synapses, each, statement, namespace, dt) for each, statement in found]
