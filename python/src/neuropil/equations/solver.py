# SPDX-License-Identifier: Apache-2.0
"""Models for the solver of the kernel, the Runge-Kutta-Fehlberg method with a step size per neuron (cpp/nodes/rkf45.hpp)."""

from __future__ import annotations

from .channels import channels_of
from .description import Description
from .firing import spike_lines
from .frame import Frame, StateField, function
from .names import cpp_name
from .printing import number
from .stepping import after_lines, before_lines, draw_lines, spikes_text, store_values
from .whole_steps import exactly, free_line

__all__ = ["rkf45_file"]

REFRACTORY = StateField("refractory", "_refractory", "steps", "Steps of refractoriness left")
SUBSTEP = StateField("h", "_h", "ms", "Next substep to try")


def rkf45_file(given: Description, tolerance: float, how: str) -> str:
    """The C++ file."""
    channels = channels_of(given) if begins_without_parameters(given) else None
    made = channels.made if channels else given
    frame = Frame(made, how, runner="nodes/rkf45.hpp", macro="NPL_NEURON_RKF45")
    frame.headers.add("<cstddef>")
    frame.constants.add("dt", "h")
    if made.refractory:
        frame.hidden.append(REFRACTORY)
    if made.program.trees:
        store_values(frame)
    functions = right_hand_side(frame, tolerance)
    if made.program.before:
        functions += ["", *begin(frame)]
    if channels:
        functions += ["", *exactly(frame, channels)]
    if made.threshold is not None and not spikes_at_end(made):
        functions += ["", *accepted(frame)]
    frame.functions = [*functions, "", *finish(frame)]
    frame.hidden.append(SUBSTEP)
    return frame.file()


def right_hand_side(frame: Frame, tolerance: float) -> list[str]:
    made = frame.made
    lines = [f"const auto [{', '.join(cpp_name(v.name) for v in made.variables)}] = y;"]
    if made.all_held:
        lines += free_line(frame)
    lines += [*frame.parts_for([v.slope for v in made.variables], local=True), "return {"]
    for v in made.variables:
        text = frame.code(v.slope, local=True)
        lines += [f"    // {made.lines[v.name]}", f"    {f'math::choose(free, {text}, 0.0)' if made.holds(v.name) else text},"]
    arguments = ("const Vars& y", "const State& s", "const Derived& d", "double current")
    return [
        f"static constexpr std::size_t n_ode = {len(made.variables)};",
        "using Vars = std::array<double, n_ode>;",
        f"NPL_INLINE static double tolerance(const Derived&) {{ return {number(tolerance)}; }}",
        "",
        "/// Slopes of the variables, per ms.",
        *function("NPL_INLINE static Vars rhs", arguments, [*lines, "};"]),
    ]


def begins_without_parameters(made: Description) -> bool:
    """Whether statements before the variables move can be done in a whole time step, where only state is known (cpp/nodes/whole_step.hpp)."""
    frame = Frame(made, "")
    store_values(frame)
    return "d." not in "".join(before_lines(frame))


def begin(frame: Frame) -> list[str]:
    """Statements before the variables move."""
    lines = before_lines(frame)
    arguments = ("State& s", "const Derived& d") if "d." in "".join(lines) else ("State& s",)
    return ["/// Before the first substep of a time step.", *function("NPL_INLINE static void begin", arguments, lines)]


def accepted(frame: Frame) -> list[str]:
    """The threshold is looked at after each substep."""
    made = frame.made
    lines = [*free_line(frame), *spike_lines(frame)]
    if made.refractory:
        steps = frame.refractory_steps()
        lines.append(f"s.refractory = fired & ({steps} > 0.0) ? {steps} + 1.0 : s.refractory;  // the rest of this step, too")
    lines.append("return fired ? 1.0 : 0.0;")
    text = function("NPL_INLINE static double accepted", ("State& s", "const Derived& d"), lines)
    return ["/// After each substep; returns the number of spikes.", *text]


def spikes_at_end(made: Description) -> bool:
    """Whether the threshold is looked at once, at the end of the time step."""
    return made.on_crossing or bool(made.previous)


def finish(frame: Frame) -> list[str]:
    """The end of the time step."""
    made, lines = frame.made, []
    if made.program.trees:
        return finish_program(frame)
    if made.refractory:
        lines += ["const bool free = s.refractory <= 0.0;", "s.refractory = free ? 0.0 : s.refractory - 1.0;"]
    fired = "0.0"
    if spikes_at_end(made):
        lines += spike_lines(frame)
        if made.refractory:
            lines.append(f"s.refractory = fired ? {frame.refractory_steps()} : s.refractory;")
        fired = "fired ? 1.0 : 0.0"
    lines += [*frame.arrivals("free" if made.refractory else None), *frame.after_lines(), *frame.previous_lines(), f"return {fired};"]
    arguments = ("State& s", "const Derived& d", "const Input<receptors>& in")
    text = function("NPL_INLINE static double finish", arguments, lines)
    return ["/// At the end of the time step, when spikes arrive; returns the number of spikes.", *text]


def finish_program(frame: Frame) -> list[str]:
    """Spikes arrive, then the other statements. Random numbers that the next step needs at its beginning are drawn now."""
    arrivals = frame.arrivals("free" if frame.made.all_held else None)
    free = free_line(frame) if any("free ?" in line for line in arrivals) else []
    draws = draw_lines(frame)
    now, later = [line for line in draws if line.startswith("const")], [line for line in draws if not line.startswith("const")]
    lines = [*free, *arrivals, *now, *after_lines(frame), *later, f"return {spikes_text(frame)};"]
    text = function("NPL_INLINE static double finish", ("State& s", "const Derived& d", "const Input<receptors>& in"), lines)
    return ["/// At the end of the time step, when spikes arrive; returns the number of spikes.", *text]
