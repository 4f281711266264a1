# SPDX-License-Identifier: Apache-2.0
"""Threshold, reset and refractoriness of models that are looked at once in each time step."""

from __future__ import annotations

from .deferred import deferred_functions, free_when_deferred
from .frame import Frame, StateField, function
from .names import RATES, cpp_name
from .stepping import after_lines, before_lines, draw_lines, spikes_text
from .units import named

__all__ = ["HOLDS_NOTE", "fixed_step_functions", "free_line", "has_holding_loop"]

FREE_AT = StateField("free_at", "_free_at", "steps", "First step in which the neuron is not refractory")
ABOVE = StateField("above", "_above", "0 or 1", "The threshold was passed at the end of the last step")
HOLDS_NOTE = "the loop over neurons keeps it while the neuron is refractory"
UPDATE = ("State& s", "const Derived& d", "const Input<receptors>& in")


def splits(frame: Frame) -> bool:
    """Can crossing the threshold be told from state alone? Then neurons without a spike take a faster way."""
    made = frame.made
    if made.threshold is None or made.on_crossing or made.previous or made.deferred:
        return False
    return made.refractory is None or made.held is not None


def has_holding_loop(frame: Frame) -> bool:
    """Whether the loop over neurons may hold the variable."""
    return splits(frame) and frame.made.refractory is not None


def free_line(frame: Frame) -> list[str]:
    """Whether the neuron is not refractory."""
    if frame.made.deferred:
        return free_when_deferred(frame.made)
    return ["const bool free = static_cast<double>(in.step) >= s.free_at;"] if frame.made.refractory else []


def fixed_step_functions(frame: Frame, move: list[str], held_by_loop: bool) -> None:
    """Adds the functions around `move`, the lines that bring state to the end of the step, arrivals included."""
    made = frame.made
    if made.deferred:
        frame.functions += deferred_functions(frame, move)
        return
    if made.refractory:
        frame.hidden.append(FREE_AT)
    if splits(frame):
        frame.functions += split_functions(frame, move, held_by_loop)
    else:
        frame.functions += step_function(frame, move)


def split_functions(frame: Frame, move: list[str], held_by_loop: bool) -> list[str]:
    made = frame.made
    at = len(made.variables)
    assert made.threshold is not None
    if made.refractory:
        # Members of State that `advance` changes come first.
        frame.after_state.append(f"static constexpr std::size_t advanced = {at}{f', free_at = {at}' if held_by_loop else ''};")
        frame.headers.add("<cstddef>")
    frame.statics.append("static constexpr bool uniform_loop = true;")  # a loop of its own for equal parameters
    lines = ["/// State at the end of the step.", *function("NPL_INLINE static void advance", UPDATE, move)]
    if held_by_loop:
        lines += ["NPL_STEP static double held(double V) { return V; }"]
    crossed = [*frame.parts_for([made.threshold], local=False), f"return {frame.code(made.threshold, local=False)};"]
    lines += function("NPL_INLINE static bool crossed", ("const State& s", "const Derived& d"), crossed)
    fire = frame.reset_lines(None)
    if made.refractory:
        fire.append(f"s.free_at = static_cast<double>(in.step + 1) + {frame.refractory_steps()};")
    return [*lines, *function("NPL_STEP static double fire", UPDATE, [*fire, "return 1.0;"])]


def rate_step(frame: Frame, move: list[str]) -> list[str]:
    """The step of a rate neuron, which is one call of the kernel for each neuron (cpp/nodes/rate_step.hpp)."""
    made = frame.made
    k = [v.name for v in made.variables].index(str(made.rate))
    frame.runner, frame.macro = "nodes/rate_step.hpp", "NPL_RATE_NEURON"
    frame.headers |= {"<cmath>", '"model/rate.hpp"'}
    frame.constants.members["sigma"] = "1.0" if made.noise else "0.0"  # the kernel draws noise where it is not 0
    frame.hidden.append(StateField("sent", "_sent", named(made.variables[k].unit), f"{made.rate} before the last step"))
    inputs = [f"const double {name} = {RATES[name]};" for name in made.rate_inputs]
    arguments = ("State& s", "const Derived& d", "const rate::Drive& in", "double xi")
    sent = len(made.variables)
    return [
        f'static ContinuousInfo continuous() {{ return {{{{{{"rate", {sent}, {k}}}}}, {{{{"rate", 1, true}}}}}}; }}',
        "",
        "/// One time step; `in` has the sums of weight times rate over positive and over negative weights.",
        *function("NPL_STEP static void step", arguments, [f"s.sent = s.{cpp_name(str(made.rate))};", *inputs, *move]),
    ]


def step_function(frame: Frame, move: list[str]) -> list[str]:
    if frame.made.rate:
        return rate_step(frame, move)
    if frame.made.program.states or frame.made.program.trees:
        return program_step(frame, move)
    if frame.made.threshold is None:
        return function("NPL_INLINE static double step", UPDATE, [*move, "return 0.0;"])
    lines = [*frame.previous_lines(), "move(s, d, in);", *free_line(frame), *spike_lines(frame)]
    if frame.made.refractory:
        steps = frame.refractory_steps()
        lines.append(f"s.free_at = fired ? static_cast<double>(in.step + 1) + {steps} : s.free_at;")
    head = ["/// State at the end of the step.", *function("NPL_INLINE static void move", UPDATE, move)]
    return [*head, *function("NPL_INLINE static double step", UPDATE, [*lines, "return fired ? 1.0 : 0.0;"])]


def program_step(frame: Frame, move: list[str]) -> list[str]:
    """Statements, the move and statements; arrivals are in the move."""
    before, after = before_lines(frame), after_lines(frame)
    lines = [*draw_lines(frame), *before, *move, *after, f"return {spikes_text(frame)};"]
    return function("NPL_INLINE static double step", UPDATE, lines)


def spike_lines(frame: Frame) -> list[str]:
    """`fired`, and the reset. Adds the member `above` where spikes come when the threshold is passed."""
    made = frame.made
    assert made.threshold is not None
    parts = frame.parts_for([made.threshold, *(a.value for a in made.reset)], local=False)
    conditions = [frame.condition()] if not made.on_crossing else ["above", "(s.above == 0.0)"]
    fired = " & ".join([*(["free"] if made.refractory else []), *conditions])
    lines = [f"const bool fired = {fired};"]
    if made.on_crossing:
        frame.hidden.append(ABOVE)
        lines = [f"const bool above = {frame.condition()};", *lines, "s.above = above ? 1.0 : 0.0;"]
    return [*parts, *lines, *frame.reset_lines("fired")]
