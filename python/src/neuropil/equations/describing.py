# SPDX-License-Identifier: Apache-2.0
"""From what a user wrote to a Description: names, units, receptors, threshold and reset are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from ..errors import bad_parameter, nearest
from .description import Description, Part, Variable
from .errors import Place, UnitError, fail
from .expressions import FUNCTIONS, Call, Expression, Name, names, text_of, walk
from .inference import Units
from .names import CURRENT, RATES, STEP, forbidden, is_noise
from .parsing import RANDOM, Assignment, Line, read_assignments, read_expression, read_lines
from .programs import GivenProgram
from .reading import Reading, check_name, read_text, refuse_noise, variable_of
from .receptors import read_receptors
from .units import SYMBOLS, Unit, named, power, times, unknown
from .values import Value, add_parameter_line, add_parameters, add_refractory, check_all_used, known_unit, read_initial, read_parameters

__all__ = ["add_line", "check_equations", "describe", "line_text", "read_parts"]

_PER_MS = power(SYMBOLS["ms"][0], -1)


def describe(
    name: str,
    equations: str,
    threshold: str | None,
    reset: str | None,
    refractory: Value | None,
    parameters: Mapping[str, Value],
    initial: Mapping[str, Value],
    on_spike: Mapping[str, str],
    doc: str,
    units: Units | None = None,
    program: GivenProgram | None = None,
    rate: str | None = None,
) -> Description:
    """Reads a model. units: None: those that are checked. program: statements whose units are known to fit. Raises EquationError, UnitError, BadParameter, BadType."""
    check_name(name, "name")
    reading = Reading(name, units or Units())
    if program:
        program.introduce(reading)
    arrivals: dict[str, list[Assignment]] = {}
    add_lines(reading, read_lines(equations, arrivals=arrivals))
    add_parameters(reading, parameters)
    if rate is not None:
        add_rate(reading, rate, arrivals)
    if program:
        program.resolve(reading)
    check_names(reading)
    order = check_equations(reading)
    condition = checked_threshold(reading, threshold)
    assignments = checked_reset(reading, reset, condition)
    refractory = add_refractory(reading, refractory)
    check_refractory(reading, refractory, condition)
    receptors, spike_input = ((), "count") if rate else read_receptors(reading, on_spike, arrivals)
    check_all_used(reading, refractory)
    held = held_variable(reading, condition, assignments, order) if refractory else None
    plain = reading.plain
    variables = read_variables(reading, held, read_initial(reading, initial, assignments))
    parts = read_parts(reading, order, {variable.name for variable in variables} | {CURRENT, *reading.states, *reading.inputs})
    noise = tuple(sorted(name for name in reading.used if is_noise(name)))
    made = Description(
        name, variables, parts, (), receptors, spike_input, condition and plain(condition),
        tuple(replace(a, value=plain(a.value)) for a in assignments), refractory, held, doc, noise,
        CURRENT in reading.used or bool(reading.current_with), {name: line_text(line) for name, line in reading.lines.items()},
        draws=tuple(reading.draws),
    )  # fmt: skip
    refuse_current(made)
    if rate is not None:
        made = replace(made, rate=rate, rate_inputs=tuple(name for name in RATES if name in reading.used))
    if program:
        made = replace(made, program=program.read(reading))
    check_steps(made)
    made = replace(made, seen=reading.seen)
    return replace(made, parameters=read_parameters(reading, made))


def add_rate(reading: Reading, rate: str, arrivals: Mapping[str, list[Assignment]]) -> None:
    """The variable that is sent, and the input in its unit."""
    variables = [name for name, line in reading.lines.items() if line.derivative]
    if rate not in variables:
        raise bad_parameter("rate", rate, f"a variable with a derivative{nearest(rate, variables)}: {', '.join(variables)}")
    places = [line.place for line in reading.lines.values() if line.flags] + [each.place for added in arrivals.values() for each in added]
    if places:
        fail(places[0], "no spikes arrive at a rate neuron: its input is I_rate")
    if clash := sorted(RATES.keys() & {*reading.lines, *reading.values}):
        raise bad_parameter("parameters", clash[0], f"another name: {clash[0]} is the input of a rate neuron")
    reading.inputs = tuple(RATES)
    reading.units.of |= dict.fromkeys(RATES, reading.units.of[rate])


def check_steps(made: Description) -> None:
    """The number of steps in a time is computed once, for each set of parameters."""
    for tree in made.trees:
        for node in walk(tree):
            if isinstance(node, Call) and node.function == "steps" and not made.is_constant(node):
                fail(node.place, "the argument of steps must follow from parameters")


def refuse_current(made: Description) -> None:
    """Input is known while equations are solved, not when spikes come or arrive."""
    trees = [a.value for a in made.reset] + [e.factor for r in made.receptors for e in r.effects if e.factor is not None]
    for tree in [*([made.threshold] if made.threshold else []), *trees]:
        if CURRENT in made.reached(names(tree)):
            fail(tree.place, f"the current of devices ({CURRENT}, or I_e without it) may stand in differential equations only")


def line_text(line: Line) -> str:
    """The line as one would write it, without unit and flags."""
    return f"d{line.name}/dt = {text_of(line.value)}" if line.derivative else f"{line.name} = {text_of(line.value)}"


def add_line(reading: Reading, line: Line) -> None:
    """A variable, a part or a parameter."""
    if reason := forbidden(line.name):
        fail(line.place, f"'{line.name}' cannot be a name: {reason}")
    if line.name in reading.lines or line.name in reading.values:
        fail(line.place, f"'{line.name}' is defined twice")
    if "parameter" in line.flags:
        return add_parameter_line(reading, line)
    if line.factor != 1.0:
        fail(line.place, f"the unit of {line.name} must be made of mV, ms, pA, nS, pF, mM: others are for parameters only", UnitError)
    reading.lines[line.name] = line
    reading.units.of[line.name] = line.unit or unknown(line.name)


def add_lines(reading: Reading, lines: list[Line]) -> None:
    for given in lines:
        line = without_seen(reading, given)
        add_line(reading, line)
        if line.flags and not line.derivative and "parameter" not in line.flags:
            fail(line.place, f"{line.name} has no derivative, so no spikes arrive at it")
    if not any(line.derivative for line in lines) and not reading.states:
        place = Place("equations", 1, 1, "") if not lines else lines[0].place
        fail(place, "no differential equation: at least one line dx/dt = ... is needed")


def without_seen(reading: Reading, line: Line) -> Line:
    """The line without the flag (seen), which is noted."""
    if "seen" not in line.flags:
        return line
    if reading.seen or not line.derivative:
        why = f"{reading.seen} is (seen) already: synapses see one variable" if reading.seen else f"{line.name} has no derivative"
        fail(line.place, f"{line.name} cannot be (seen): {why}")
    reading.seen = line.name
    return replace(line, flags=tuple(flag for flag in line.flags if flag != "seen"))


def check_names(reading: Reading) -> None:
    reading.units.of[CURRENT] = SYMBOLS["pA"][0]
    reading.units.of[STEP] = SYMBOLS["ms"][0]
    for line in reading.lines.values():
        reading.resolve(line.value)


def check_equations(reading: Reading) -> list[str]:
    """Units of all lines; the order of the parts."""
    units = reading.units
    for line in reading.lines.values():
        if line.derivative:
            units.expect(line.value, times(units.of[line.name], _PER_MS), f"d{line.name}/dt")
        else:
            units.expect(line.value, units.of[line.name], line.name)
            for node in walk(line.value):
                if isinstance(node, Name) and is_noise(node.name):
                    fail(node.place, "white noise may stand in differential equations only, not in parts of them")
    if reading.current_with and not units.unify(units.of["I_e"], SYMBOLS["pA"][0]):
        raise bad_parameter("I_e", named(units["I_e"]), f"a current [pA], as the current of devices is added to it; or use {CURRENT}")
    graph = {name: names(line.value) & set(reading.lines) for name, line in reading.lines.items() if not line.derivative}
    try:
        ordered = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = error.args[1]
        fail(reading.lines[circle[0]].place, f"these lines depend on each other: {' -> '.join(circle)}")
    return [name for name in ordered if name in graph]


def checked_threshold(reading: Reading, text: str | None) -> Expression | None:
    if text is None:
        return None
    tree = read_text(text, "threshold", read_expression)
    reading.resolve(tree)
    refuse_noise(tree)
    reading.units.condition(tree)
    return tree


def checked_reset(reading: Reading, text: str | None, threshold: Expression | None) -> list[Assignment]:
    if text is None:
        return []
    found = reading.named(read_text(text, "reset", lambda given, part: read_assignments(given, part, FUNCTIONS | RANDOM)))
    if threshold is None:
        raise bad_parameter("reset", text, "left out where there is no threshold")
    for assignment in found:
        variable_of(reading, assignment)
        reading.resolve(assignment.value, tuple(reading.draws))
        refuse_noise(assignment.value)
        unit = Unit() if assignment.operator in ("*=", "/=") else reading.units.of[assignment.name]
        reading.units.expect(assignment.value, unit, assignment.name if assignment.operator == "=" else f"what {assignment.operator} takes")
    return found


def check_refractory(reading: Reading, name: str | None, threshold: Expression | None) -> None:
    if name is None:
        return
    if not isinstance(name, str) or name not in reading.values:
        raise bad_parameter(
            "refractory", name, f"the name of a parameter{nearest(name, reading.values)}, or a time such as 2.0 (ms) or '2 ms'"
        )
    if threshold is None:
        raise bad_parameter("refractory", name, "left out where there is no threshold")
    if name in reading.factors or not reading.units.unify(reading.units.of[name], SYMBOLS["ms"][0]):
        raise bad_parameter("refractory", name, f"a time [ms]; {name} has [{reading.shown.get(name) or named(reading.units[name])}]")


def held_variable(reading: Reading, threshold: Expression | None, reset: list[Assignment], order: list[str]) -> str | None:
    """The first variable of the threshold that the reset sets."""
    assigned = {a.name for a in reset}
    reached = names(threshold) if threshold else set()
    for name in reversed(order):
        if name in reached:
            reached |= names(reading.lines[name].value)
    return next((name for name in reading.lines if name in assigned & reached), None)


def read_variables(reading: Reading, held: str | None, initial: Mapping[str, float]) -> tuple[Variable, ...]:
    found = [
        Variable(name, reading.plain(line.value), known_unit(reading, name), initial.get(name, 0.0))
        for name, line in reading.lines.items()
        if line.derivative
    ]
    return tuple(sorted(found, key=lambda variable: variable.name != held))


def read_parts(reading: Reading, order: list[str], changing: set[str]) -> tuple[Part, ...]:
    """Parts in order. changing : names of what changes in time."""
    found = []
    for name in order:
        value = reading.plain(reading.lines[name].value)
        changes = bool(names(value) & changing)
        changing = changing | {name} if changes else changing
        found.append(Part(name, value, known_unit(reading, name), changes))
    return tuple(found)
