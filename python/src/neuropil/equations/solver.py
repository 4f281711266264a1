# SPDX-License-Identifier: Apache-2.0
"""Models for the solver of the kernel, the Runge-Kutta-Fehlberg method with a step size per neuron (cpp/nodes/rkf45.hpp)."""

from __future__ import annotations

from .description import Description
from .firing import spike_lines
from .frame import Frame, StateField, function
from .names import cpp_name
from .printing import number

__all__ = ["rkf45_file"]

REFRACTORY = StateField("refractory", "_refractory", "steps", "Steps of refractoriness left")
SUBSTEP = StateField("h", "_h", "ms", "Next substep to try")


def rkf45_file(made: Description, tolerance: float, how: str) -> str:
    """The C++ file."""
    frame = Frame(made, how, runner="nodes/rkf45.hpp", macro="NPL_NEURON_RKF45")
    frame.headers.add("<cstddef>")
    frame.constants.add("dt", "h")
    if made.refractory:
        frame.hidden.append(REFRACTORY)
    functions = [*right_hand_side(frame, tolerance)]
    if made.threshold is not None and not made.on_crossing:
        functions += ["", *accepted(frame)]
    frame.functions = [*functions, "", *finish(frame)]
    frame.hidden.append(SUBSTEP)
    return frame.file()


def right_hand_side(frame: Frame, tolerance: float) -> list[str]:
    made = frame.made
    lines = [f"const auto [{', '.join(cpp_name(v.name) for v in made.variables)}] = y;"]
    if made.held and made.refractory:
        lines.append("const bool free = s.refractory <= 0.0;")
    lines += [*frame.parts_for([v.slope for v in made.variables], local=True), "return {"]
    for v in made.variables:
        text = frame.code(v.slope, local=True)
        held = made.refractory and v.name == made.held
        lines += [f"    // {made.lines[v.name]}", f"    {f'math::choose(free, {text}, 0.0)' if held else text},"]
    arguments = ("const Vars& y", "const State& s", "const Derived& d", "double current")
    return [
        f"static constexpr std::size_t n_ode = {len(made.variables)};",
        "using Vars = std::array<double, n_ode>;",
        f"NPL_INLINE static double tolerance(const Derived&) {{ return {number(tolerance)}; }}",
        "",
        "/// Slopes of the variables, per ms.",
        *function("NPL_INLINE static Vars rhs", arguments, [*lines, "};"]),
    ]


def accepted(frame: Frame) -> list[str]:
    """The threshold is looked at after each substep."""
    made = frame.made
    lines = ["const bool free = s.refractory <= 0.0;"] if made.refractory else []
    lines += spike_lines(frame)
    if made.refractory:
        steps = frame.refractory_steps()
        lines.append(f"s.refractory = fired & ({steps} > 0.0) ? {steps} + 1.0 : s.refractory;  // the rest of this step, too")
    lines.append("return fired ? 1.0 : 0.0;")
    text = function("NPL_INLINE static double accepted", ("State& s", "const Derived& d"), lines)
    return ["/// After each substep; returns the number of spikes.", *text]


def finish(frame: Frame) -> list[str]:
    """The end of the time step."""
    made, lines = frame.made, []
    if made.refractory:
        lines += ["const bool free = s.refractory <= 0.0;", "s.refractory = free ? 0.0 : s.refractory - 1.0;"]
    fired = "0.0"
    if made.on_crossing:
        lines += spike_lines(frame)
        if made.refractory:
            lines.append(f"s.refractory = fired ? {frame.refractory_steps()} : s.refractory;")
        fired = "fired ? 1.0 : 0.0"
    lines += [*frame.arrivals("free" if made.refractory else None), f"return {fired};"]
    arguments = ("State& s", "const Derived& d", "const Input<receptors>& in")
    text = function("NPL_INLINE static double finish", arguments, lines)
    return ["/// At the end of the time step, when spikes arrive; returns the number of spikes.", *text]
