# SPDX-License-Identifier: Apache-2.0
"""From what a user wrote to a Rule: names, units, statements and dynamics of a synapse are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..errors import bad_parameter, bad_type, nearest
from .describing import add_line, check_equations, line_text, read_parts
from .description import Description, Variable
from .errors import Place, fail
from .evaluating import value_of
from .expressions import Binary, Expression, Name, Number, Unary, names, walk
from .inference import Units
from .linear import Algebra, NotLinear, Sum, inverse, times
from .names import forbidden, is_noise
from .parsing import SYNAPSE_FLAGS, Assignment, Line, read_assignments, read_expression, read_lines
from .reading import Reading, check_name, finite, read_text
from .synapse_rule import KINDS, WEIGHT, Dynamics, Rule
from .units import EXPRESSION_SYMBOLS, Unit, unknown
from .values import Value, add_parameters, check_all_used, known_unit, read_parameters

__all__ = ["describe_synapse"]

_TAKEN = {"axonal_delay": "the part of the delay that is axonal, which every rule has", WEIGHT: "the weight"}
_REFUSED = {  # what a rule cannot use -> models that can
    r"[vV](_m)?(_?(post|pre))?": "rules from equations cannot read potentials: clopath_synapse and urbanczik_synapse do",
    r"dopa\w*|reward\w*|third\w*|modulator\w*|n_dopa": "rules from equations have no third factor: stdp_dopamine_synapse and eprop_synapse do",
    r"rand\w*|uniform|random\w*|noise": "rules from equations draw no random numbers: bernoulli_synapse and quantal_stp_synapse do",
}


class SynapseReading(Reading):
    """All that is known while a synapse is read."""

    current_with = ""

    def known_names(self) -> list[str]:
        """Names that may stand in expressions; the weight is one of them in statements."""
        return [*self.lines, *self.values]

    def resolve(self, tree: Expression, extra: tuple[str, ...] = ()) -> None:
        """Every name must be known; what a rule cannot have is refused by name."""
        for node in walk(tree):
            if not isinstance(node, Name) or node.name in (*self.known_names(), *extra):
                continue
            if is_noise(node.name):
                fail(node.place, f"white noise ({node.name}): {_REFUSED[next(k for k in _REFUSED if k.startswith('rand'))]}")
            for pattern, reason in _REFUSED.items():
                if re.fullmatch(pattern, node.name):
                    fail(node.place, f"unknown name '{node.name}': {reason}")
            if node.name == WEIGHT:
                fail(node.place, "the weight w may stand in on_pre, on_post, transmit and parts, not in differential equations")
        super().resolve(tree, extra)

    @property
    def variables(self) -> list[str]:
        """Names of variables, in order."""
        return [name for name, line in self.lines.items() if line.derivative]


def describe_synapse(
    name: str,
    equations: str,
    on_pre: str,
    on_post: str,
    parameters: Mapping[str, Value],
    bounds: Sequence[Value | None] | None,
    transmit: str,
    initial: Mapping[str, Value],
    doc: str,
) -> Rule:
    """Reads a synapse. Raises EquationError, UnitError, BadParameter, BadType."""
    check_name(name, "name")
    reading = SynapseReading(name, Units())
    reading.units.of[WEIGHT] = Unit()
    add_synapse_lines(reading, read_text(equations, "equations", lambda text, part: read_lines(text, part, SYNAPSE_FLAGS)))
    add_parameters(reading, parameters)
    if taken := [n for n in reading.values if n in _TAKEN]:
        raise bad_parameter("parameters", taken[0], f"another name ({_TAKEN[taken[0]]})")
    check_lines(reading)
    order = check_equations(reading)
    before = checked_statements(reading, on_pre, "on_pre", transmit)
    after = checked_statements(reading, on_post, "on_post", None)
    sent = checked_value(reading, transmit, "transmit", WEIGHT, {a.name for a in before} - set(reading.lines))
    low, high = checked_bounds(reading, bounds)
    begin = {name: checked_initial(reading, name, value) for name, value in checked_mapping(initial).items()}
    default_units(reading)
    check_all_used(reading, None, "the equations, on_pre, on_post, transmit or bounds")
    return made_rule(reading, order, (before, after, sent, low, high), begin, doc)


def add_synapse_lines(reading: SynapseReading, lines: list[Line]) -> None:
    for line in lines:
        if line.name in _TAKEN:
            fail(line.place, f"'{line.name}' cannot be a name: it is {_TAKEN[line.name]}")
        add_line(reading, line)
        if "parameter" in line.flags:
            continue
        kinds = [flag for flag in line.flags if flag in KINDS]
        if line.derivative and len(kinds) != 1:
            fail(
                line.place,
                f"d{line.name}/dt needs one flag that says whose spikes change {line.name}: (pre), (post), or (synapse) for both",
            )
        if not line.derivative and kinds:
            fail(line.place, f"{line.name} has no derivative, so it is no variable: a variable that keeps its value is d{line.name}/dt = 0")


def check_lines(reading: SynapseReading) -> None:
    for line in reading.lines.values():
        reading.resolve(line.value, () if line.derivative else (WEIGHT,))


def checked_statements(reading: SynapseReading, text: str, part: str, transmit: str | None) -> list[Assignment]:
    """Statements at a spike. A name that is not known is a value within them, if something uses it. transmit : what may use it besides."""
    found = read_text(text, part, read_assignments)
    local: list[str] = []
    for each in found:
        check_target(reading, each, part, local)
        reading.resolve(each.value, (WEIGHT, *local))
        if each.name not in (*reading.lines, WEIGHT, *local):
            local.append(each.name)
            reading.units.of[each.name] = unknown(each.name)
        unit = Unit() if each.operator in ("*=", "/=") else reading.units.of[each.name]
        reading.units.expect(each.value, unit, each.name if each.operator == "=" else f"what {each.operator} takes")
    check_locals(reading, found, local, names(read_text(transmit, "transmit", read_expression)) if transmit is not None else set())
    return found


def check_target(reading: SynapseReading, each: Assignment, part: str, local: list[str]) -> None:
    """What a statement sets must be the weight, a variable that these spikes may change, or a new name."""
    name, place = each.name, each.place
    if name == WEIGHT or name in local:
        return
    if name in reading.values:
        fail(place, f"'{name}' is a parameter: only the weight w and variables change")
    line = reading.lines.get(name)
    if line is None:
        known = [WEIGHT, *reading.variables]
        if reason := forbidden(name):
            fail(place, f"'{name}' cannot be a name: {reason}")
        if each.operator != "=":
            fail(place, f"'{name}' is neither the weight w nor a variable{nearest(name, known)}; these are: {', '.join(known)}")
    elif not line.derivative:
        fail(place, f"'{name}' is a part of equations: only the weight w and variables change")
    elif {"on_pre": "post", "on_post": "pre"}[part] in line.flags:
        fail(place, f"'{name}' is ({line.flags[0]}), so {part} cannot change it: a variable that both change is (synapse)")


def check_locals(reading: SynapseReading, found: list[Assignment], local: list[str], sent: set[str]) -> None:
    """A value that nothing uses is a slip of the pen."""
    for name in local:
        at = next(k for k, each in enumerate(found) if each.name == name)
        if not any(name in names(each.value) for each in found[at + 1 :]) and name not in sent:
            known = [WEIGHT, *reading.variables]
            fail(found[at].place, f"'{name}' is no variable{nearest(name, known)}, and nothing uses it; variables: {', '.join(known)}")


def checked_value(reading: SynapseReading, text: str, part: str, like: str, extra: set[str]) -> Expression:
    """An expression with the unit of a name."""
    tree = read_text(text, part, read_expression)
    reading.resolve(tree, (WEIGHT, *sorted(extra)))
    reading.units.expect(tree, reading.units.of[like], part)
    return tree


def checked_bounds(reading: SynapseReading, bounds: Sequence[Value | None] | None) -> tuple[Expression | None, Expression | None]:
    if bounds is None:
        return None, None
    if isinstance(bounds, str) or not isinstance(bounds, Sequence) or len(bounds) != 2:
        raise bad_type("bounds", bounds, 'the least and the greatest weight, such as ("0", "Wmax"); None: no bound')
    low, high = (None if value is None else of_parameters(reading, value, "bounds", WEIGHT) for value in bounds)
    return low, high


def checked_mapping(initial: Mapping[str, Value]) -> Mapping[str, Value]:
    if not isinstance(initial, Mapping):
        raise bad_type("initial", initial, "a dict: variable -> number or expression of parameters")
    return initial


def checked_initial(reading: SynapseReading, name: str, value: Value) -> Expression:
    if name not in reading.variables:
        known = reading.variables
        raise bad_parameter("initial", name, f"a variable with a derivative{nearest(name, known)}: {', '.join(known)}")
    return of_parameters(reading, value, f"initial[{name!r}]", name)


def of_parameters(reading: SynapseReading, value: Value, what: str, like: str) -> Expression:
    """A number, or an expression of parameters with the unit of a name."""
    if not isinstance(value, str):
        return Number(Place(what, 1, 1, str(value)), finite(what, value))
    tree = read_expression(value, what)
    for node in walk(tree):
        if isinstance(node, Name) and node.name not in (*reading.values, *EXPRESSION_SYMBOLS):
            fail(node.place, f"'{node.name}' is no parameter{nearest(node.name, reading.values)}")
    reading.used |= names(tree)
    reading.units.expect(tree, reading.units.of[like], like)
    return tree


def default_units(reading: SynapseReading) -> None:
    """What nothing gives a unit is a number."""
    for name in reading.units.of:
        for left in reading.units[name].unknowns():
            reading.units.unify(Unit({left: 1}), Unit())


Trees = tuple[list[Assignment], list[Assignment], Expression, Expression | None, Expression | None]


def made_rule(reading: SynapseReading, order: list[str], trees: Trees, begin: Mapping[str, Expression], doc: str) -> Rule:
    plain = reading.plain
    before, after = (tuple(replace(a, value=plain(a.value)) for a in statements) for statements in trees[:2])
    sent, low, high = plain(trees[2]), *(bound and plain(bound) for bound in trees[3:])
    local = {a.name for a in (*before, *after)} - set(reading.lines)
    variables = tuple(Variable(name, plain(reading.lines[name].value), known_unit(reading, name)) for name in reading.variables)
    parts = read_parts(reading, order, {*reading.variables, *local, WEIGHT})
    others = tuple(Assignment(WEIGHT, "=", tree, tree.place) for tree in (sent, low, high, *map(plain, begin.values())) if tree)
    lines = {name: line_text(line) for name, line in reading.lines.items()}
    made = Description(reading.name, variables, parts, (), (), "", reset=(*before, *after, *others), doc=doc, lines=lines)
    made = replace(made, parameters=read_parameters(reading, made))
    check_order(made, low, high)
    first = {name: plain(tree) for name, tree in begin.items()}
    return Rule(made, tuple(dynamics(reading, made, v, first.get(v.name)) for v in variables), before, after, sent, low, high)


def check_order(made: Description, low: Expression | None, high: Expression | None) -> None:
    if low and high:
        least, most = (default_of(made, tree) for tree in (low, high))
        if not least < most:
            raise bad_parameter("bounds", f"{least:g} and {most:g}", "a least weight below the greatest one")


def default_of(made: Description, tree: Expression) -> float:
    """The value with the defaults of parameters."""
    values = {p.name: p.default for p in made.parameters}
    for part in made.parts:
        if not part.changes:
            values[part.name] = float(value_of(part.value, values))
    return float(value_of(tree, values))


def dynamics(reading: SynapseReading, made: Description, v: Variable, initial: Expression | None) -> Dynamics:
    """How a variable decays. Refuses what is not an exponential decay by itself."""
    line = reading.lines[v.name]
    if WEIGHT in made.reached(names(v.slope)):
        fail(v.slope.place, "the weight w may stand in on_pre, on_post, transmit and parts, not in differential equations")
    algebra = Algebra(made)
    try:
        row = algebra.row(v.name, v.slope)
    except NotLinear as why:
        fail(
            why.place or v.slope.place,
            f"{why.why or 'this term is not linear'}: variables of synapses decay, d{v.name}/dt = (a - {v.name})/tau",
        )
    if others := sorted(set(row.rates) - {v.name}):
        fail(v.slope.place, f"d{v.name}/dt depends on {others[0]}: a variable of a synapse may depend on itself only, between spikes")
    tau = time_constant(algebra, row.rates.get(v.name), v)
    rest = resting(algebra, row.rates.get(v.name), row.constant, v)
    if tau is not None and not default_of(made, tau) > 0.0:
        fail(v.slope.place, f"{v.name} grows: variables of synapses decay, d{v.name}/dt = (a - {v.name})/tau")
    kind = next(flag for flag in line.flags if flag in KINDS)
    return Dynamics(v.name, kind, tau, rest, None if is_zero(initial) else initial, v.unit)


def time_constant(algebra: Algebra, rate: Sum | None, v: Variable) -> Expression | None:
    """-1 / rate."""
    if rate is None:
        return None
    negative = times(rate, Sum({(): -1.0}))
    tau = inverse(negative)
    return algebra.tree(tau) if tau else Binary(v.slope.place, "/", Number(v.slope.place, 1.0), algebra.tree(negative))


def resting(algebra: Algebra, rate: Sum | None, constant: Sum, v: Variable) -> Expression | None:
    """-constant / rate."""
    if not constant.terms:
        return None
    if rate is None:
        fail(v.slope.place, f"{v.name} grows without end: variables of synapses decay, d{v.name}/dt = (a - {v.name})/tau, or stay, = 0")
    tau = inverse(times(rate, Sum({(): -1.0})))
    if tau:
        return algebra.tree(times(constant, tau))
    return Unary(v.slope.place, "negative", Binary(v.slope.place, "/", algebra.tree(constant), algebra.tree(rate)))


def is_zero(tree: Expression | None) -> bool:
    return tree is None or (isinstance(tree, Number) and tree.value == 0.0)
