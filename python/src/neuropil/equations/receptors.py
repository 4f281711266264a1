# SPDX-License-Identifier: Apache-2.0
"""Where spikes arrive: flags of variables, and what `on_spike` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..errors import bad_parameter, bad_type, nearest
from .description import Effect, Receptor
from .errors import UnitError, fail
from .expressions import Binary, Expression, Name, Number, Unary, names
from .names import forbidden
from .parsing import Assignment, Line, read_assignments
from .reading import Reading, read_text, refuse_noise, variable_of
from .units import SYMBOLS, named, unknown

__all__ = ["read_receptors"]

_SIGNS = ("excitatory", "inhibitory")


Added = str | list[Assignment]


def read_receptors(reading: Reading, given: Mapping[str, str], lines: Mapping[str, list[Assignment]]) -> tuple[tuple[Receptor, ...], str]:
    """Receptors in order of their lines, those of on_spike alone behind them; none where no spikes can arrive.

    given : the argument on_spike; lines : those of the equations that say on_spike(receptor)
    """
    if not isinstance(given, Mapping):
        raise bad_type("on_spike", given, "a dict: receptor -> assignments")
    if both := sorted(given.keys() & lines.keys()):
        raise bad_parameter("on_spike", both[0], f"left out, as the equations have a line on_spike({both[0]})")
    on_spike: dict[str, Added] = {**given, **lines}
    flagged = {name: line for name, line in reading.lines.items() if line.flags}
    kinds = {flag for line in flagged.values() for flag in line.flags}
    if any(len(line.flags) > 1 for line in flagged.values()) or ("receptor" in kinds and len(kinds) > 1):
        line = next(line for line in reversed(flagged.values()))
        fail(line.place, "a line has one of the flags receptor, excitatory, inhibitory; receptor cannot be mixed with the other two")
    if kinds - {"receptor"} or (not kinds and set(on_spike) & set(_SIGNS)):
        return signed_receptors(reading, flagged, on_spike), "by_sign"
    rest = [name for name in on_spike if name not in flagged]
    for name in rest:
        if not isinstance(name, str) or (reason := forbidden(name)):
            raise bad_parameter(
                "on_spike", name, f"the name of a receptor{nearest(name, flagged)}{f' ({reason})' if isinstance(name, str) else ''}"
            )
        if name in reading.values:
            raise bad_parameter("on_spike", name, "a name that no parameter has")
    found = tuple(receptor(reading, name, [name] if name in flagged else [], on_spike.get(name)) for name in [*flagged, *rest])
    return found, "ports" if len(found) > 1 else "single"


def signed_receptors(reading: Reading, flagged: dict[str, Line], on_spike: Mapping[str, Added]) -> tuple[Receptor, ...]:
    for name in on_spike:
        if name not in _SIGNS:
            raise bad_parameter("on_spike", name, "'excitatory' or 'inhibitory', as the flags of the variables")
    found = []
    for sign in _SIGNS:
        variables = [name for name, line in flagged.items() if line.flags == (sign,)]
        if not variables and sign not in on_spike:
            line = next(iter((flagged or reading.lines).values()))
            fail(
                line.place,
                f"no line has the flag ({sign}), so weights of this sign would have no effect; use (receptor) for one of any sign",
            )
        found.append(receptor(reading, sign, variables, on_spike.get(sign)))
    if not reading.units.unify(*(reading.units.of[f"weight of {sign}"] for sign in _SIGNS)):
        line = next(reversed((flagged or reading.lines).values()))
        fail(line.place, "weights of both signs need the same unit", UnitError)
    return tuple(replace(each, unit=named(reading.units[f"weight of {each.name}"])) for each in found)


def receptor(reading: Reading, name: str, variables: list[str], added: Added | None) -> Receptor:
    unit = reading.units.of[f"weight of {name}"] = unknown(f"weight of {name}")
    if added is not None:
        assignments = added if isinstance(added, list) else read_text(added, f"on_spike[{name!r}]", read_assignments)
        effects = tuple(effect(reading, name, each) for each in assignments)
    else:
        for variable in variables:
            if not reading.units.unify(unit, reading.units.of[variable]):
                fail(
                    reading.lines[variable].place,
                    f"variables at which the same spikes arrive need the same unit: {', '.join(variables)}",
                    UnitError,
                )
        effects = tuple(Effect(each, None, added_sign(reading, name, each)) for each in variables)
    return Receptor(name, named(reading.units[f"weight of {name}"]), effects)


def added_sign(reading: Reading, receptor: str, variable: str) -> int:
    """Weights of inhibitory spikes are negative: conductances grow by their size."""
    return -1 if receptor == "inhibitory" and reading.units[variable] == SYMBOLS["nS"][0] else 1


def effect(reading: Reading, receptor: str, assignment: Assignment) -> Effect:
    """x += weight * factor."""
    variable_of(reading, assignment)
    value = assignment.value
    reading.resolve(value, extra=("weight",))
    refuse_noise(value)
    if assignment.operator not in ("+=", "-="):
        fail(assignment.place, f"spikes can add to a variable: '+=' or '-=' is needed, not '{assignment.operator}'")
    reading.units.of["weight"] = reading.units.of[f"weight of {receptor}"]
    reading.units.expect(value, reading.units.of[assignment.name], f"what is added to {assignment.name}")
    factor = factor_of_weight(value)
    if factor is None:
        fail(value.place, "what a spike adds must be proportional to weight: the kernel sums the weights of the spikes of a step")
    plain = reading.plain(factor)
    return Effect(assignment.name, None if plain == Number(plain.place, 1.0) else plain, 1 if assignment.operator == "+=" else -1)


def factor_of_weight(tree: Expression) -> Expression | None:
    """f where the tree is weight * f; None where it is not."""
    if tree == Name(tree.place, "weight"):
        return Number(tree.place, 1.0)
    match tree:
        case Unary(operator="negative"):
            inner = factor_of_weight(tree.operand)
            return inner and Unary(tree.place, "negative", inner)
        case Binary(operator="*" | "/"):
            left = factor_of_weight(tree.left)
            if left is not None and "weight" not in names(tree.right):
                return Binary(tree.place, tree.operator, left, tree.right)
            right = factor_of_weight(tree.right) if tree.operator == "*" and "weight" not in names(tree.left) else None
            return right and Binary(tree.place, "*", tree.left, right)
        case Binary(operator="+" | "-"):
            left, right = factor_of_weight(tree.left), factor_of_weight(tree.right)
            return left and right and Binary(tree.place, tree.operator, left, right)
    return None
