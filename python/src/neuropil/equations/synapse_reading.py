# SPDX-License-Identifier: Apache-2.0
"""From what a user wrote to a Rule: names, units, statements and dynamics of a synapse are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..errors import bad_parameter, bad_type, nearest
from .describing import add_line, check_equations, line_text, read_parts
from .description import Description, Variable
from .errors import Place, fail
from .expressions import FUNCTIONS, Binary, Call, Expression, Name, Number, Unary, names, walk
from .inference import Units
from .linear import Algebra, NotLinear, Sum, inverse, times
from .names import forbidden, is_noise, usual_unit
from .parsing import RANDOM, SYNAPSE_FLAGS, Assignment, Line, read_assignments, read_expression, read_lines, read_quantity
from .reading import Reading, check_name, finite, is_number, read_text
from .synapse_rule import ELAPSED, KINDS, TIME, WEIGHT, Dynamics, Rule, default_of
from .units import EXPRESSION_SYMBOLS, SYMBOLS, Unit, unknown
from .values import Value, add_parameters, check_all_used, known_unit, read_parameters

__all__ = ["describe_synapse"]

_TAKEN = {
    "axonal_delay": "the part of the delay that is axonal, which every rule has",
    "volume_transmitter": "the node whose spikes change variables (third)",
    WEIGHT: "the weight",
    ELAPSED: "the time between two events, in between",
}
_REFUSED = {  # what a rule cannot use -> models that can
    r"[vV](_m)?(_?(post|pre))?": "the potential of the target is read by seen='V_m', in on_pre, on_post and transmit",
    r"dopa\w*|reward\w*|modulator\w*|n_dopa": "a third factor is a variable that spikes of a volume transmitter change, dn/dt = -n/tau_n (third)",
    r"rand\w*|uniform|normal|noise": "random numbers are random_uniform(low, high) and random_normal(mean, deviation), in on_pre and on_post",
}


class SynapseReading(Reading):
    """All that is known while a synapse is read."""

    current_with = ""

    def known_names(self) -> list[str]:
        """Names that may stand in expressions; the weight is one of them in statements."""
        return [*self.lines, *self.values]

    def resolve(self, tree: Expression, extra: tuple[str, ...] = ()) -> None:
        """Every name must be known; what a rule cannot have is refused by name."""
        refuse_steps(tree)
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

    def see(self, text: str) -> None:
        """The variable of the target, perhaps with its unit: "V_m : mV". Raises BadType, BadParameter, UnitError."""
        if not isinstance(text, str):
            raise bad_type("seen", text, "the name of a variable of the target, perhaps with its unit: 'V_m : mV'")
        name, _, unit = (part.strip() for part in text.partition(":"))
        check_name(name, "seen")
        if name in _TAKEN:
            raise bad_parameter("seen", name, f"another name ({_TAKEN[name]})")
        usual = usual_unit(name) or ("mV" if name.startswith("V") else "")
        self.seen = name
        self.units.of[name] = read_quantity(f"1 {unit or usual}", "seen")[1] if unit or usual else unknown(name)

    @property
    def seen_names(self) -> tuple[str, ...]:
        """The variable of the target, where statements may use it."""
        return (self.seen,) if self.seen else ()

    @property
    def variables(self) -> list[str]:
        """Names of variables, in order."""
        return [name for name, line in self.lines.items() if line.derivative]


def refuse_steps(tree: Expression) -> None:
    """Synapses have no time step."""
    for node in walk(tree):
        if isinstance(node, Call) and node.function == "steps":
            fail(node.place, "steps(...) is for neurons: times of synapses are in ms")


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
    on_third: str = "",
    between: str = "",
    seen: str | None = None,
    units: Units | None = None,
) -> Rule:
    """Reads a synapse. Raises EquationError, UnitError, BadParameter, BadType."""
    check_name(name, "name")
    reading = SynapseReading(name, units or Units())
    reading.units.of |= {WEIGHT: Unit(), TIME: SYMBOLS["ms"][0], ELAPSED: SYMBOLS["ms"][0]}
    if seen is not None:
        reading.see(seen)
    add_synapse_lines(reading, read_text(equations, "equations", lambda text, part: read_lines(text, part, SYNAPSE_FLAGS)))
    add_parameters(reading, parameters)
    if taken := [n for n in reading.values if n in _TAKEN]:
        raise bad_parameter("parameters", taken[0], f"another name ({_TAKEN[taken[0]]})")
    if reading.seen and (reading.seen in reading.lines or reading.seen in reading.values):
        raise bad_parameter("seen", reading.seen, "a name that the equations and parameters do not have")
    check_lines(reading)
    order = check_equations(reading)
    before = checked_statements(reading, on_pre, "on_pre", transmit)
    after, third, passing = (
        checked_statements(reading, text, part, None) for text, part in ((on_post, "on_post"), (on_third, "on_third"), (between, "between"))
    )
    sent = checked_value(reading, transmit, "transmit", WEIGHT, {a.name for a in before} - set(reading.lines))
    low, high = checked_bounds(reading, bounds)
    begin = {name: checked_initial(reading, name, value) for name, value in checked_mapping(initial).items()}
    default_units(reading)
    check_all_used(reading, None, "the equations, on_pre, on_post, transmit or bounds")
    return made_rule(reading, order, Trees(before, after, third, passing, sent, low, high), begin, doc)


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
                f"d{line.name}/dt needs one flag that says whose spikes change {line.name}: (pre), (post), (synapse) for both, or (third) for those of a volume transmitter",
            )
        if not line.derivative and kinds:
            fail(line.place, f"{line.name} has no derivative, so it is no variable: a variable that keeps its value is d{line.name}/dt = 0")


def check_lines(reading: SynapseReading) -> None:
    for line in reading.lines.values():
        reading.resolve(line.value, () if line.derivative else (WEIGHT,))


def checked_statements(reading: SynapseReading, text: str, part: str, transmit: str | None) -> list[Assignment]:
    """Statements at a spike. A name that is not known is a value within them, if something uses it. transmit : what may use it besides."""
    functions = FUNCTIONS | (RANDOM if part in ("on_pre", "on_post") else {})
    found = reading.named(read_text(text, part, lambda given, what: read_assignments(given, what, functions)))
    local: list[str] = []
    for each in found:
        check_target(reading, each, part, local)
        more = (ELAPSED,) if part == "between" else reading.seen_names
        reading.resolve(each.value, (WEIGHT, TIME, *local, *reading.draws, *more))
        if each.name not in (*reading.lines, WEIGHT, *local):
            local.append(each.name)
            reading.units.of[each.name] = unknown(each.name)
        unit = Unit() if each.operator in ("*=", "/=") else reading.units.of[each.name]
        reading.units.expect(each.value, unit, each.name if each.operator == "=" else f"what {each.operator} takes")
    check_locals(reading, found, local, names(read_sent(transmit)) if transmit is not None else set())
    return found


def read_sent(transmit: str) -> Expression:
    return read_text(transmit, "transmit", lambda text, part: read_expression(text, part, FUNCTIONS | RANDOM))


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
        if reason := forbidden(name) or _TAKEN.get(name, ""):
            fail(place, f"'{name}' cannot be a name: {reason}")
        if each.operator != "=":
            fail(place, f"'{name}' is neither the weight w nor a variable{nearest(name, known)}; these are: {', '.join(known)}")
    elif not line.derivative:
        fail(place, f"'{name}' is a part of equations: only the weight w and variables change")
    elif part == "on_third" and "third" not in line.flags:
        fail(place, f"'{name}' is ({line.flags[0]}): on_third changes variables (third)")
    elif part != "on_third" and not {"synapse", part.removeprefix("on_")} & {*line.flags}:
        more = ": a variable that both change is (synapse)" if part != "between" and "third" not in line.flags else ""
        fail(place, f"'{name}' is ({line.flags[0]}), so {part} cannot change it{more}")


def check_locals(reading: SynapseReading, found: list[Assignment], local: list[str], sent: set[str]) -> None:
    """A value that nothing uses is a slip of the pen."""
    for name in local:
        at = next(k for k, each in enumerate(found) if each.name == name)
        if not any(name in names(each.value) for each in found[at + 1 :]) and name not in sent:
            known = [WEIGHT, *reading.variables]
            fail(found[at].place, f"'{name}' is no variable{nearest(name, known)}, and nothing uses it; variables: {', '.join(known)}")


def checked_value(reading: SynapseReading, text: str, part: str, like: str, extra: set[str]) -> Expression:
    """An expression with the unit of a name."""
    tree = reading.with_draws(read_text(text, part, lambda given, _: read_sent(given)))
    reading.resolve(tree, (WEIGHT, TIME, *reading.draws, *reading.seen_names, *sorted(extra)))
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
    refuse_steps(tree)
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


class Trees(NamedTuple):
    """What a rule is made of, as it was read."""

    on_pre: list[Assignment]
    on_post: list[Assignment]
    on_third: list[Assignment]
    between: list[Assignment]
    sent: Expression
    low: Expression | None
    high: Expression | None


def made_rule(reading: SynapseReading, order: list[str], trees: Trees, begin: Mapping[str, Expression], doc: str) -> Rule:
    plain = reading.plain
    before, after, third, between = (tuple(replace(a, value=plain(a.value)) for a in statements) for statements in trees[:4])
    sent, low, high = plain(trees.sent), *(bound and plain(bound) for bound in trees[5:])
    local = {a.name for a in (*before, *after, *between)} - set(reading.lines)
    variables = tuple(Variable(name, plain(reading.lines[name].value), known_unit(reading, name)) for name in reading.variables)
    parts = read_parts(reading, order, {*reading.variables, *local, WEIGHT})
    others = tuple(Assignment(WEIGHT, "=", tree, tree.place) for tree in (sent, low, high, *map(plain, begin.values())) if tree)
    lines = {name: line_text(line) for name, line in reading.lines.items()}
    every = (*before, *after, *third, *between, *others)
    made = Description(reading.name, variables, parts, (), (), "", reset=every, doc=doc, lines=lines)
    made = replace(made, parameters=read_parameters(reading, made))
    check_order(made, low, high)
    first = {name: plain(tree) for name, tree in begin.items()}
    found = tuple(dynamics(reading, made, v, first.get(v.name)) for v in variables)
    rule = Rule(made, found, before, after, sent, low, high, third, between, reading.seen, tuple(reading.draws))
    check_third(rule)
    check_seen(rule)
    return rule


def check_seen(rule: Rule) -> None:
    """What the target shows is known where spikes are, and for its own name only."""
    if rule.seen is None:
        return
    if not rule.sees:
        raise bad_parameter("seen", rule.seen, "a name that on_pre, on_post or transmit use")
    if rule.is_followed:
        raise bad_parameter("seen", rule.seen, "left out in a rule with a third factor or `between`")


def check_third(rule: Rule) -> None:
    """The kernel keeps the concentration of one transmitter for all synapses."""
    found = rule.of_kind("third")
    for v in found:
        place = next(each.slope.place for each in rule.made.variables if each.name == v.name)
        if v is not found[0]:
            fail(place, f"{found[0].name} and {v.name} are (third): a rule has one variable that a volume transmitter changes")
        if v.tau is None or v.rest is not None or v.initial is not None:
            fail(place, f"d{v.name}/dt = -{v.name}/tau: a variable (third) decays to 0 and begins with 0")
        steps = rule.on_third
        if len(steps) != 1 or steps[0].operator != "+=" or not rule.is_constant(steps[0].value):
            fail(steps[-1].place if steps else place, f"on_third must be '{v.name} += ...', with an expression of parameters")
        if rule.draws:
            fail(place, "random numbers in a rule with a third factor are not supported: its weights are asked for between spikes, too")
    if rule.on_third and not found:
        fail(rule.on_third[0].place, "on_third needs a variable (third)")


def check_order(made: Description, low: Expression | None, high: Expression | None) -> None:
    if low and high:
        least, most = (default_of(made, tree) for tree in (low, high))
        if not least < most:
            raise bad_parameter("bounds", f"{least:g} and {most:g}", "a least weight below the greatest one")


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
    return tree is None or is_number(tree, 0.0)
