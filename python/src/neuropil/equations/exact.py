# SPDX-License-Identifier: Apache-2.0
"""Linear models, integrated exactly (Rotter & Diesmann 1999): input currents are constant during a step, spikes act at its end.

Where the equations are a membrane with currents that decay, exponentially or as an alpha function, the propagators have closed forms, as in
the models iaf_psc_*. Otherwise they are elements of a matrix exponential.
"""

from __future__ import annotations

from dataclasses import dataclass

from .closed_forms import Cascade, cascade_of
from .description import Description
from .firing import fixed_step_functions, free_line, has_holding_loop
from .frame import Frame, noise_name
from .linear import Algebra, Row, Sum, rows_of, times
from .names import CURRENT, cpp_name, is_noise

__all__ = ["exact_file", "is_cascade"]


def is_cascade(made: Description) -> bool:
    """Have the propagators closed forms? Raises NotLinear."""
    return closed_form(made, rows_of(made)[0]) is not None


def closed_form(made: Description, rows: dict[str, Row]) -> Cascade | None:
    """None where there is none, or where more than membranes is held."""
    cascade = cascade_of(made, rows)
    return cascade if cascade and set(made.all_held) <= set(cascade.membranes) else None


def exact_file(made: Description, how: str) -> str:
    """The C++ file. Raises NotLinear."""
    rows, algebra = rows_of(made)
    frame = Frame(made, how)
    cascade = closed_form(made, rows)
    if not made.variables:
        fixed_step_functions(frame, frame.arrivals(None), held_by_loop=False)
    elif cascade:
        cascade_step(frame, cascade, algebra)
    else:
        MatrixStep(frame, rows, algebra).write()
    return frame.file()


def text_of_sum(frame: Frame, algebra: Algebra, value: Sum) -> str:
    return frame.constants.in_derive(algebra.tree(value))


def input_text(frame: Frame, source: str) -> str:
    """What is constant during a step: noise, a state, or the current of devices."""
    if is_noise(source) or source in frame.made.rate_inputs:
        return noise_name(source)
    return "in.current" if source == CURRENT else f"s.{cpp_name(source)}"


# Closed forms


def cascade_step(frame: Frame, cascade: Cascade, algebra: Algebra) -> None:
    made = frame.made
    holds = has_holding_loop(frame) and len(made.all_held) == 1
    frame.not_zero |= cascade.divisors
    free = [] if holds else free_line(frame)
    lines = [*free, *frame.noise_lines()]
    own: set[str] = set()
    for name in cascade.membranes:
        lines += membrane_lines(frame, cascade, algebra, name, holds or not made.may_hold, own)
    for name, feeder in cascade.alphas.items():
        lines += alpha_lines(frame, cascade, algebra, name, feeder)
    lines += decay_lines(frame, cascade, algebra, own)
    lines += frame.arrivals(None if holds or not made.may_hold else "free", skip=own)
    fixed_step_functions(frame, lines, holds)


def propagator(frame: Frame, algebra: Algebra, kind: str, name: str, tau: Sum) -> str:
    return frame.constants.add(f"{'P' if kind == 'decay' else 'Q'}_{cpp_name(name)}", f"{kind}(h, {text_of_sum(frame, algebra, tau)})")


def membrane_lines(frame: Frame, cascade: Cascade, algebra: Algebra, name: str, free: bool, own: set[str]) -> list[str]:
    """V += (V_inf + I R - V) Q + synaptic currents + spikes."""
    made, row, tau, member = frame.made, cascade.rows[name], cascade.tau[name], cpp_name(name)
    towards = [*constant_target(frame, cascade, algebra, name)]
    for source, gain in row.inputs.items():
        resistance = frame.constants.add(
            f"R_{member}" if source == CURRENT else f"gain_{member}_{cpp_name(source)}", text_of_sum(frame, algebra, times(gain, tau))
        )
        towards.append(f"{input_text(frame, source)} * {resistance}")
    drive = f"{' + '.join(towards)} - s.{member}" if towards else f"-s.{member}"
    terms = [f"({drive}) * {propagator(frame, algebra, 'approach', name, tau)}"]
    currents = [current_term(frame, cascade, algebra, name, source) for source in row.rates if source != name]
    if currents:
        grouped = currents[0] if len(currents) == 1 else " + ".join(currents)
        terms.append(f"({grouped})")
    terms += direct_spikes(frame, name, own)
    change = " + ".join(terms)
    value = f"s.{member} += {change};" if free or not made.holds(name) else f"s.{member} += free ? {change} : 0.0;"
    return [f"// {made.lines[name]}", value]


def constant_target(frame: Frame, cascade: Cascade, algebra: Algebra, name: str) -> list[str]:
    """Where V goes without input: each constant over the rate."""
    row, tau = cascade.rows[name], cascade.tau[name]
    terms = [frame.constants.in_derive(algebra.target(product, number, tau)) for product, number in row.constant.terms.items()]
    return [frame.constants.add(f"{cpp_name(name)}_inf", " + ".join(terms))] if terms else []


def current_term(frame: Frame, cascade: Cascade, algebra: Algebra, name: str, source: str) -> str:
    """What a current adds to V."""
    capacitance = text_of_sum(frame, algebra, cascade.capacitance(name, source))
    tau_m, tau_s = text_of_sum(frame, algebra, cascade.tau[name]), text_of_sum(frame, algebra, cascade.tau[source])
    member = f"{cpp_name(name)}_{cpp_name(source)}"
    own = frame.constants.add(f"P_{member}", f"exp_propagator({tau_s}, {tau_m}, {capacitance}, h)")
    term = f"s.{cpp_name(source)} * {own}"
    feeder = cascade.alphas.get(source)
    if feeder is None:
        return term
    rise = text_of_sum(frame, algebra, cascade.rise_capacitance(name, source))
    rising = frame.constants.add(f"P_{cpp_name(name)}_{cpp_name(feeder)}", f"alpha_propagator({tau_s}, {tau_m}, {rise}, h)")
    term = f"{term} + s.{cpp_name(feeder)} * {rising}"
    return f"({term})" if len(cascade.rows[name].rates) > 2 else term


def direct_spikes(frame: Frame, name: str, own: set[str]) -> list[str]:
    """Spikes that arrive at a membrane itself."""
    found = [(r, e) for r, receptor in enumerate(frame.made.receptors) for e in receptor.effects if e.variable == name]
    if not found or frame.made.deferred or any(e.factor is not None or e.sign < 0 for _, e in found):
        return []
    own.add(name)
    return [frame.added(r, e) for r, e in found]


def alpha_lines(frame: Frame, cascade: Cascade, algebra: Algebra, name: str, feeder: str) -> list[str]:
    member, decays = cpp_name(name), propagator(frame, algebra, "decay", name, cascade.tau[name])
    gain = cascade.rows[name].rates[feeder]
    h = (
        frame.constants.add("dt", "h")
        if gain == Sum({(): 1.0})
        else frame.constants.add(f"rise_{member}", f"h * ({text_of_sum(frame, algebra, gain)})")
    )
    return [f"// {frame.made.lines[name]}", f"s.{member} = (s.{member} + s.{cpp_name(feeder)} * {h}) * {decays};"]


def decay_lines(frame: Frame, cascade: Cascade, algebra: Algebra, own: set[str]) -> list[str]:
    lines = []
    for name in cascade.decays:
        factor = propagator(frame, algebra, "decay", name, cascade.tau[name])
        terms = [f"s.{cpp_name(name)} * {factor}", *direct_spikes(frame, name, own)]
        lines += [f"// {frame.made.lines[name]}", f"s.{cpp_name(name)} = {' + '.join(terms)};"]
    return lines


# Matrix exponential


@dataclass
class MatrixStep:
    frame: Frame
    rows: dict[str, Row]
    algebra: Algebra

    def __post_init__(self) -> None:
        self.names = list(self.rows)
        sources = dict.fromkeys(source for row in self.rows.values() for source in row.inputs)
        self.columns = [*self.names, "", *sources]  # "": what is constant
        self.reach = {name: reached(self.rows, name) for name in self.names}

    def depends(self, name: str, column: str) -> bool:
        """Whether the variable follows, in the end, from this column."""
        if column in self.rows:
            return column in self.reach[name]
        return any(bool(self.rows[n].constant.terms) if column == "" else column in self.rows[n].inputs for n in self.reach[name])

    def write(self) -> None:
        made, frame = self.frame.made, self.frame
        held = made.all_held
        others = [name for name in self.names if name not in held and self.reach[name] & set(held)]
        by_loop = has_holding_loop(frame) and not others and len(held) == 1
        frame.headers |= {'"model/matrix_exponential.hpp"'}
        self.derive_lines(held if others else ())
        lines = [*([] if by_loop else free_line(frame)), *frame.noise_lines()]
        for name in self.names:
            value = self.combined(name, "P")
            if not by_loop and name in held:
                value = f"free ? {value} : s.{cpp_name(name)}"
            if name in others:
                value = f"math::choose(free, {value}, {self.combined(name, 'held')})"
            lines += [f"// {made.lines[name]}", f"const double {cpp_name(name)} = {value};"]
        lines += [f"s.{cpp_name(name)} = {cpp_name(name)};" for name in self.names]
        lines += frame.arrivals(None if by_loop or not made.may_hold else "free")
        fixed_step_functions(frame, lines, by_loop)

    def derive_lines(self, held: tuple[str, ...]) -> None:
        n, lines = len(self.columns), self.frame.derive_lines
        lines += [
            "// Slopes: of the variables, then of a constant 1 and of input, which do not change within a step.",
            f"Matrix<{n}> rates{{}};",
        ]
        for i, name in enumerate(self.names):
            for j, column in enumerate(self.columns):
                if terms := self.entry(name, column):
                    lines.append(f"rates[{i}][{j}] = {text_of_sum(self.frame, self.algebra, terms)};")
        lines.append("const Matrix P = exponential(rates, h);")
        if held:
            lines += [f"rates[{self.names.index(name)}] = {{}};  // while {name} is held" for name in held]
            lines.append("const Matrix held = exponential(rates, h);")

    def entry(self, name: str, column: str) -> Sum | None:
        row = self.rows[name]
        found = row.constant if column == "" else row.rates.get(column) or row.inputs.get(column)
        return found if found and found.terms else None

    def combined(self, name: str, matrix: str) -> str:
        """The variable at the end of the step."""
        i, terms = self.names.index(name), []
        for j, column in enumerate(self.columns):
            if self.depends(name, column):
                wish = f"{matrix}_{cpp_name(name)}_{cpp_name(column) if column else '1'}"
                factor = self.frame.constants.add(wish, f"{matrix}[{i}][{j}]")
                source = self.source(column)
                terms.append(f"{factor} * {source}" if source else factor)
        return " + ".join(terms) or "0.0"

    def source(self, column: str) -> str:
        if column in self.rows:
            return f"s.{cpp_name(column)}"
        return input_text(self.frame, column) if column else ""


def reached(rows: dict[str, Row], start: str) -> set[str]:
    """Variables that this one follows from, itself among them."""
    found, left = {start}, [start]
    while left:
        new = set(rows[left.pop()].rates) - found
        found |= new
        left += new
    return found
