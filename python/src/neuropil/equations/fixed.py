# SPDX-License-Identifier: Apache-2.0
"""Models that are solved with the time step of the network: Euler, exponential Euler, the classical Runge-Kutta method (RK4)."""

from __future__ import annotations

from .description import Description
from .expressions import names
from .firing import fixed_step_functions, free_line
from .frame import Frame, function, noise_name
from .names import CURRENT, cpp_name
from .rates import rates_within
from .units import named

__all__ = ["fixed_step_file"]


def fixed_step_file(made: Description, method: str, how: str) -> str:
    """The C++ file. Raises NotLinear, for exponential_euler only."""
    frame = Frame(made, how)
    frame.constants.add("dt", "h")
    frame.statics.append(f"static constexpr std::size_t n_variables = {len(made.variables)};")
    frame.headers.add("<cstddef>")
    frame.after_state += [] if made.deferred else sane(made)  # a spike may begin its step with any potential, before its reset
    frame.functions += slopes(frame)
    move = [
        *free_line(frame),
        *frame.noise_lines(),
        *MOVES[method](frame),
        *frame.arrivals("free" if made.may_hold else None),
        *frame.after_lines(),
    ]
    fixed_step_functions(frame, move, held_by_loop=False)
    return frame.file()


def sane(made: Description) -> list[str]:
    """Potentials beyond these mean that the step is too long."""
    listed = ", ".join(f'SaneRange{{"{v.name}", sane_potential}}' for v in made.variables if named(v.unit) == "mV")
    return [f"static constexpr std::array sane{{{listed}}};"] if listed else []


def slopes(frame: Frame) -> list[str]:
    made = frame.made
    arguments = ["const Vars& y", "const State& s", "const Derived& d", "double current"]
    arguments += ["bool free"] if made.held else []
    arguments += [f"double {noise_name(name)}" for name in [*made.noise, *made.rate_inputs]]
    lines = [
        f"const auto [{', '.join(cpp_name(v.name) for v in made.variables)}] = y;",
        *frame.parts_for([v.slope for v in made.variables], local=True),
    ]
    lines += ["return {"]
    for v in made.variables:
        text = frame.code(v.slope, local=True)
        lines += [f"    // {made.lines[v.name]}", f"    {f'math::choose(free, {text}, 0.0)' if made.holds(v.name) else text},"]
    slopes = function("NPL_INLINE static Vars slopes", arguments, [*lines, "};"])
    return ["using Vars = std::array<double, n_variables>;", "/// Slopes of the variables, per ms.", *slopes, ""]


def call(frame: Frame, at: str) -> str:
    made = frame.made
    rest = ["s", "d", "0.0" if made.rate else "in.current", *(["free"] if made.held else [])]
    rest += [noise_name(name) for name in [*made.noise, *made.rate_inputs]]
    return f"slopes({', '.join([at, *rest])})"


def now(frame: Frame) -> str:
    return f"const Vars y{{{', '.join(f's.{cpp_name(v.name)}' for v in frame.made.variables)}}};"


def euler(frame: Frame) -> list[str]:
    lines = [now(frame), f"const Vars k1 = {call(frame, 'y')};"]
    return lines + [f"s.{cpp_name(v.name)} += d.dt * k1[{i}];" for i, v in enumerate(frame.made.variables)]


def rk4(frame: Frame) -> list[str]:
    frame.functions += [
        "/// y + h k.",
        "NPL_INLINE static Vars moved(const Vars& y, double h, const Vars& k) {",
        f"  return {{{', '.join(f'y[{i}] + h * k[{i}]' for i in range(len(frame.made.variables)))}}};",
        "}",
        "",
    ]
    sixth = frame.constants.add("dt_sixth", "h / 6.0")
    lines = [now(frame), f"const Vars k1 = {call(frame, 'y')};"]
    for k, h in ((2, "0.5 * d.dt"), (3, "0.5 * d.dt"), (4, "d.dt")):
        lines.append(f"const Vars k{k} = {call(frame, f'moved(y, {h}, k{k - 1})')};")
    return lines + [
        f"s.{cpp_name(v.name)} += {sixth} * ((k1[{i}] + k4[{i}]) + 2.0 * (k2[{i}] + k3[{i}]));" for i, v in enumerate(frame.made.variables)
    ]


def exponential_euler(frame: Frame) -> list[str]:
    """x += slope * (exp(rate h) - 1) / rate, where the slope is rate x + the rest."""
    made = frame.made
    rates = rates_within(made)
    lines = [now(frame), f"const Vars k1 = {call(frame, 'y')};"]
    moving = [rate for rate in rates.values() if not made.is_constant(rate)]
    if CURRENT in made.reached(set().union(*(names(rate) for rate in moving))):
        lines.append("const double current = in.current;")
    lines += frame.parts_for(moving, local=False)  # as they are at the beginning of the step
    moves = []
    for i, v in enumerate(made.variables):
        member, rate = cpp_name(v.name), rates[v.name]
        frame.printer.need("exprel")
        if made.is_constant(rate):
            gain = frame.constants.add(f"gain_{member}", f"h * exprel(h * ({frame.constants.in_derive(rate)}))")
        else:
            gain = frame.constants.namer.make(f"gain_{member}")
            lines.append(f"const double {gain} = d.dt * exprel(d.dt * ({frame.code(rate, local=False)}));")
        moves.append(f"s.{member} += {gain} * k1[{i}];")
    return lines + moves


MOVES = {"euler": euler, "rk4": rk4, "exponential_euler": exponential_euler}
