# SPDX-License-Identifier: Apache-2.0
"""Synapses that decay by themselves and drive one variable.

The kernel follows them exactly, so that the solver may take whole time steps (cpp/nodes/whole_step.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .description import Description
from .expressions import Call, Expression, Name, Number, changed, names
from .linear import Algebra, NotLinear, Product, Row, Sum, inverse, times
from .rates import Rates
from .simplify import simplified, without_zeros

__all__ = ["Channels", "channels_of"]

ONE = Sum({(): 1.0})


@dataclass(frozen=True)
class Channels:
    """A current `gain` * (sum of g E - sum of g * V) into the membrane V; or, without conductances, `gain` * sum of sign g."""

    made: Description  # the variables of the channels follow the first one
    membrane: str
    feeders: Mapping[str, str]  # g -> what makes it rise, "" where it only decays
    rates: Mapping[str, Sum]
    gain: Sum
    reversal: Mapping[str, Sum]  # E; empty for currents
    signs: Mapping[str, float]
    rest: Description  # the equations without the channels, and without bounds of the membrane
    limits: tuple[Expression, ...]  # of the membrane, below which min(V, limit) is V
    algebra: Algebra  # knows the factors of the sums

    @property
    def variables(self) -> list[str]:
        """Of the channels, as they are in State."""
        return [name for g, feeder in self.feeders.items() for name in (g, feeder) if name]


def channels_of(given: Description) -> Channels | None:
    """None where equations have no such synapses, or use them in another way as well."""
    made, limits = without_limits(given)
    algebra = Algebra(made)
    rows = {v.name: row for v in made.variables if (row := row_of(algebra, v.name, v.slope))}
    feeders = rising(rows) or dict.fromkeys(decaying(rows), "")
    touched = touched_by_statements(made)
    feeders = {g: feeder for g, feeder in feeders.items() if not touched & {g, feeder}}
    targets = {g: targets_of(made, g) for g in feeders}
    feeders = {g: feeder for g, feeder in feeders.items() if targets[g]}
    used = {name for g, feeder in feeders.items() for name in (g, feeder) if name}
    membranes = {name for g in feeders for name in targets[g]}
    if len(membranes) != 1 or membranes & used or any(targets_of(made, f) != {g} for g, f in feeders.items() if f):
        return None
    membrane = membranes.pop()
    if membrane != made.variables[0].name:
        return None
    try:
        factors = {g: algebra.of(Rates(made, g).of(made.variables[0].slope) or Number(algebra.place, 0.0)) for g in feeders}
    except NotLinear:
        return None
    found = sorted_channels(algebra, membrane, feeders, rows, factors)
    return found and replace(found, made=in_order(given, found.variables), limits=limits)


def without_limits(made: Description) -> tuple[Description, tuple[Expression, ...]]:
    """The equations with V for min(V, limit) of the first variable V, and these limits, which follow from parameters."""
    V, limits = made.variables[0].name, dict[Expression, None]()

    def change(node: Expression) -> Expression | None:
        if not isinstance(node, Call) or node.function != "min":
            return None
        for one, other in (node.arguments, node.arguments[::-1]):
            if one == Name(one.place, V) and made.is_constant(other):
                limits[other] = None
                return one
        return None

    variables = tuple(replace(v, slope=changed(v.slope, change)) for v in made.variables)
    parts = tuple(replace(part, value=changed(part.value, change)) for part in made.parts)
    return replace(made, variables=variables, parts=parts), tuple(limits)


def row_of(algebra: Algebra, name: str, slope: Expression) -> Row | None:
    """The row of a linear equation."""
    try:
        return algebra.row(name, slope)
    except NotLinear:
        return None


def decaying(rows: Mapping[str, Row]) -> list[str]:
    """Variables that decay and do nothing else."""
    return [
        name for name, row in rows.items() if set(row.rates) == {name} and falls(row, name) and not row.constant.terms and not row.inputs
    ]


def falls(row: Row, name: str) -> bool:
    """Whether a variable decays with a rate that is one product."""
    single = row.rates.get(name, Sum()).single()
    return single is not None and single[1] < 0


def rising(rows: Mapping[str, Row]) -> dict[str, str]:
    """Variables with the shape of an alpha function -> what makes them rise."""
    found, decays = {}, decaying(rows)
    for name, row in rows.items():
        others = [other for other in row.rates if other != name]
        simple = len(others) == 1 and others[0] in decays and falls(row, name) and not row.constant.terms and not row.inputs
        if simple and row.rates[others[0]] == ONE:
            found[name] = others[0]
    return found


def targets_of(made: Description, name: str) -> set[str]:
    """Variables whose slopes use this one, itself left out."""
    return {v.name for v in made.variables if v.name != name and name in made.reached(names(v.slope))}


def touched_by_statements(made: Description) -> set[str]:
    """What threshold, reset or statements use, set or hold: synapses move by themselves, after threshold and reset."""
    assignments = [*made.reset, *made.after, *made.program.before, *made.program.after]
    trees = [a.value for a in assignments] + ([made.threshold] if made.threshold else [])
    return made.reached(set().union(*(names(tree) for tree in trees))) | {a.name for a in assignments} | set(made.all_held)


def sorted_channels(
    algebra: Algebra, membrane: str, feeders: Mapping[str, str], rows: Mapping[str, Row], factors: Mapping[str, Sum]
) -> Channels | None:
    """@param factors: of each channel in the slope of the membrane."""
    made = algebra.made
    parts = {g: by_potential(made, membrane, factor) for g, factor in factors.items()}
    if any(part is None for part in parts.values()):
        return None
    constant = {g: part[0] for g, part in parts.items() if part}
    slope = {g: part[1] for g, part in parts.items() if part}
    gains = list(slope.values() if any(s.terms for s in slope.values()) else constant.values())
    conducts = bool(slope[next(iter(slope))].terms)
    reference = times(gains[0], Sum({(): -1.0})) if conducts else gains[0]
    unit = inverse(reference)
    if unit is None:
        return None
    ratios = {g: times(constant[g], unit) for g in feeders}
    signs = {g: ratio.terms.get((), 0.0) if not conducts else 0.0 for g, ratio in ratios.items()}
    if conducts and any(s != gains[0] for s in slope.values()):
        return None
    if not conducts and any(ratio != Sum({(): signs[g]}) or abs(signs[g]) != 1.0 for g, ratio in ratios.items()):
        return None
    rates = {g: times(rows[g].rates[g], Sum({(): -1.0})) for g in feeders} | {
        f: times(rows[f].rates[f], Sum({(): -1.0})) for f in feeders.values() if f
    }
    found = Channels(made, membrane, feeders, rates, reference, ratios if conducts else {}, signs, made, (), algebra)
    return replace(found, made=in_order(made, found.variables), rest=without(made, found.variables))


def by_potential(made: Description, membrane: str, factor: Sum) -> tuple[Sum, Sum] | None:
    """The factor as a + b V, (a, b); None where it depends on more."""
    changing = made.changing
    constant: dict[Product, float] = {}
    slope: dict[Product, float] = {}
    for product, number in factor.terms.items():
        moving = [(name, n) for name, n in product if name in changing]
        if moving and moving != [(membrane, 1)]:
            return None
        (slope if moving else constant)[tuple(f for f in product if f not in moving)] = number
    return Sum(constant), Sum(slope)


def in_order(made: Description, channels: list[str]) -> Description:
    """The first variable, those of the channels, the others."""
    first, *others = made.variables
    by_name = {v.name: v for v in others}
    ordered = (first, *(by_name[name] for name in channels), *(v for v in others if v.name not in channels))
    return replace(made, variables=ordered)


def without(made: Description, channels: list[str]) -> Description:
    """The equations of the other variables, with 0 for the channels and for parts that are then 0."""
    zero = set(channels)

    def silent(tree: Expression) -> Expression:
        def change(node: Expression) -> Expression | None:
            return Number(node.place, 0.0) if isinstance(node, Name) and node.name in zero else None

        return without_zeros(simplified(changed(tree, change)))

    parts = []
    for part in made.parts:
        parts.append(replace(part, value=silent(part.value)))
        if parts[-1].value == Number(part.value.place, 0.0):
            zero.add(part.name)
    variables = tuple(replace(v, slope=silent(v.slope)) for v in made.variables if v.name not in channels)
    return replace(made, variables=variables, parts=tuple(parts))
