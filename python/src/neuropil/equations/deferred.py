# SPDX-License-Identifier: Apache-2.0
"""Steps that begin with what the last step left: spikes that arrived, then the reset (`Deferred`).

A simulator may move the state, look at the threshold, let spikes arrive and reset, in this order. Its steps are cut before the third of these
here: the order of all events is the same, and a spike without delay arrives one step later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .carrying_out import carried_out
from .description import Deferred, Description, Parameter
from .frame import Frame, StateField, function
from .names import cpp_name
from .units import named

__all__ = ["LAST", "SETTLED_AT", "WAITING", "after_step", "deferred_functions", "free_when_deferred", "parameters_of", "sample_name"]

# Names of fields that who runs the network reads and sets.
LAST, WAITING, SETTLED_AT = "last_spike", "waiting", "settled_at"
LAST_FIELD = StateField(LAST, LAST, "steps", "Step of the last spike", -1e9)
WAITING_FIELD = StateField(WAITING, WAITING, "", "Refractory until the condition is false")
STEP = ("State& s", "const Derived& d", "const Input<receptors>& in")
NOW = "static_cast<double>(in.step)"
KICK_ID = 0x6B690000  # "ki": no other use of Purpose::model begins so


def sample_name(variable: str) -> str:
    """The recordable with the value of a variable when the step begins."""
    return f"{variable}_at_start"


def parameters_of(deferred: Deferred) -> list[Parameter]:
    """Parameters that such a model has beside those of the user.

    `settled_at` is the step before which the state was set as it is after both. Poisson input is the sum of `number` sources that each spike
    with `probability` in a step.
    """
    found = [Parameter(SETTLED_AT, -1.0, "steps")]
    for _, name in deferred.kicks:
        found += [
            Parameter(f"{name}_weight", 0.0, ""),
            Parameter(f"{name}_number", 0.0, "", "non_negative"),
            Parameter(f"{name}_probability", 0.0, "", "non_negative"),
        ]
    return found


def free_when_deferred(made: Description) -> list[str]:
    """Whether the neuron is not refractory."""
    if not made.may_hold:
        return []
    return [f"const bool free = {f'{NOW} - s.{LAST} >= d.refractory_steps' if made.refractory else f's.{WAITING} == 0.0'};"]


def deferred_functions(frame: Frame, move: list[str]) -> list[str]:
    """`move` brings the state to the end of the step, without arrivals."""
    made = frame.made
    if made.refractory:
        frame.refractory_steps()
    steps = ["begin(s, d, in);", "move(s, d, in);", *kicks(frame)]
    lines = [
        "/// What the last step left: spikes that arrived, then the reset.",
        *function("NPL_INLINE static void begin", STEP, begin(frame)),
    ]
    lines += ["/// State at the end of the step.", *function("NPL_INLINE static void move", STEP, move)]
    if made.threshold is None:
        return [*lines, *function("NPL_INLINE static double step", STEP, [*steps, "return 0.0;"])]
    frame.headers.add("<cstddef>")
    frame.statics.append("static constexpr bool uniform_loop = true;")  # a loop of its own for equal parameters
    frame.after_state.append(f"static constexpr std::size_t advanced = {len(made.variables) + len(frame.hidden)};")
    frame.hidden.append(LAST_FIELD)  # only a spike changes it, so it comes last
    crossed = [*frame.parts_for([made.threshold], local=False), f"return {frame.code(made.threshold, local=False)};"]
    lines += function("NPL_INLINE static void advance", STEP, steps)
    lines += function("NPL_INLINE static bool crossed", ("const State& s", "const Derived& d"), crossed)
    return [*lines, *function("NPL_STEP static double fire", STEP, fire(made))]


def fire(made: Description) -> list[str]:
    """Neurons beyond their threshold that are not refractory send a spike. Their reset comes when the next step begins."""
    lines = [*free_when_deferred(made), "if (!free) return 0.0;"] if made.may_hold else []
    lines.append(f"s.{LAST} = {NOW};")
    return [*lines, *([f"s.{WAITING} = 1.0;"] if made.may_hold and not made.refractory else []), "return 1.0;"]


def kicks(frame: Frame) -> list[str]:
    """Poisson input of this step, which arrives with its spikes."""
    assert frame.made.deferred is not None
    lines = []
    for k, (_, name) in enumerate(frame.made.deferred.kicks):
        frame.printer.need("binomial_of_step")
        frame.headers |= {"<cstdint>", '"model/random_step.hpp"'}
        frame.hidden.append(StateField(name, name, "", "Poisson input of the last step"))
        weight, n, p = (f"p.{name}_{what}" for what in ("weight", "number", "probability"))
        odds = frame.constants.add(f"{name}_odds", f"{p} / (1.0 - {p})")
        none = frame.constants.add(f"{name}_none", f"math::exp({n} * math::log1p(-{p}))")
        size, number = frame.constants.add(f"{name}_weight", weight), frame.constants.add(f"{name}_number", n)
        lines.append(f"s.{name} = {size} * binomial_of_step(in, {KICK_ID + k:#x}u, {number}, {odds}, {none});")
    return lines


def begin(frame: Frame) -> list[str]:
    """Lines of the beginning of a step."""
    made = frame.made
    settled = frame.constants.add(SETTLED_AT, f"p.{cpp_name(SETTLED_AT)}")
    lines = [f"const bool due = {NOW} != {settled};  // else the state was set as it is after both"]
    if made.threshold is not None:
        lines.append(f"const bool fired = due & (s.{LAST} == {NOW} - 1.0);")
    if made.may_hold:
        was_free = f"({NOW} - s.{LAST} > d.refractory_steps)" if made.refractory else f"(s.{WAITING} == 0.0)"
        lines.append(f"const bool takes = due & !fired & {was_free};")
    lines += arrivals(frame)
    if made.reset:
        lines += [*frame.parts_for([a.value for a in made.reset], local=False), *frame.reset_lines("fired")]
    return lines + samples(frame) + waiting(frame)


def arrivals(frame: Frame) -> list[str]:
    """Variables that are held take no spikes while the neuron is refractory."""
    made = frame.made
    assert made.deferred is not None
    added = [(e.variable, frame.added(r, e)) for r, receptor in enumerate(made.receptors) for e in receptor.effects]
    added += [(variable, f"s.{name}") for variable, name in made.deferred.kicks]
    return [f"s.{cpp_name(name)} += {'takes' if made.holds(name) else 'due'} ? {value} : 0.0;" for name, value in added]


def samples(frame: Frame) -> list[str]:
    """Values that can be recorded."""
    assert frame.made.deferred is not None
    lines = []
    for name in frame.made.deferred.sampled:
        member = cpp_name(sample_name(name))
        frame.hidden.append(StateField(member, sample_name(name), named(frame.unit_of(name)), f"{name} when the last step began"))
        lines.append(f"s.{member} = s.{cpp_name(name)};")
    return lines


def waiting(frame: Frame) -> list[str]:
    """Neurons that are refractory until a condition is false."""
    assert frame.made.deferred is not None
    until = frame.made.deferred.until
    if until is None:
        return []
    frame.hidden.append(WAITING_FIELD)
    lines = [*frame.parts_for([until], local=False), f"s.{WAITING} = {frame.code(until, local=False)} ? s.{WAITING} : 0.0;"]
    return ["{", *(f"  {line}" for line in lines), "}"]  # parts have other values than in the reset


def after_step(made: Description, values: Mapping[str, Any], added: Mapping[str, Any], step: int, dt: float) -> dict[str, NDArray[Any]]:
    """By numpy, what the next step begins with: variables after arrivals and reset of a step, and "free", whether neurons are not refractory.

    values : variables and parameters as the step left them; added : to each variable; step : counts from 0; dt : ms
    """
    now = dict(values)
    last = now.get(LAST, np.full(1, -1e9))
    fired = last == step
    free = ~fired
    if made.may_hold:
        free &= (step - last >= np.rint(now[made.refractory] / dt)) if made.refractory else (now[WAITING] == 0.0)
    for name, value in added.items():
        now[name] = now[name] + (np.where(free, value, 0.0) if made.holds(name) else value)
    now = carried_out(made.reset, now, fired)
    return {v.name: now[v.name] for v in made.variables} | {"free": free}
