# SPDX-License-Identifier: Apache-2.0
"""Units, and what they must be. All are products of powers of mV, ms, pA and mM: nS = pA/mV, pF = pA*ms/mV.

Units of parameters need not be given: they are unknowns, which equations determine (Kennedy 1996, Relational parametricity and units of
measure; over rational exponents it is linear algebra).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

__all__ = ["EXPRESSION_SYMBOLS", "SYMBOLS", "Solver", "Unit", "named", "power", "times", "unknown"]


class Unit:
    """Powers of mV, ms, pA, mM and of unknown units, whose names begin with "?"."""

    __slots__ = ("powers",)

    def __init__(self, powers: Mapping[str, Fraction | int] | None = None) -> None:
        self.powers = {name: Fraction(n) for name, n in (powers or {}).items() if n}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.powers == other.powers

    def __hash__(self) -> int:
        return hash(frozenset(self.powers.items()))

    def __repr__(self) -> str:
        return f"Unit({named(self)})"

    def unknowns(self) -> list[str]:
        """Names of unknown units."""
        return sorted(name for name in self.powers if name.startswith("?"))


def times(a: Unit, b: Unit) -> Unit:
    """The product."""
    return Unit({name: a.powers.get(name, 0) + b.powers.get(name, 0) for name in {*a.powers, *b.powers}})


def power(a: Unit, n: Fraction | int) -> Unit:
    """The unit to the n."""
    return Unit({name: exponent * n for name, exponent in a.powers.items()})


def unknown(name: str) -> Unit:
    """The unit of `name`, to be found."""
    return Unit({f"?{name}": 1})


_MV, _MS, _PA, _MM = Unit({"mV": 1}), Unit({"ms": 1}), Unit({"pA": 1}), Unit({"mM": 1})
_NS = times(_PA, power(_MV, -1))
_PF = times(_NS, _MS)
# What one of a unit is in mV, ms, pA and mM. Others than 1 are allowed for parameters, whose values are converted.
SYMBOLS: dict[str, tuple[Unit, float]] = {
    "mV": (_MV, 1.0),
    "ms": (_MS, 1.0),
    "pA": (_PA, 1.0),
    "nS": (_NS, 1.0),
    "pF": (_PF, 1.0),
    "GOhm": (power(_NS, -1), 1.0),
    "fC": (times(_PA, _MS), 1.0),
    "mM": (_MM, 1.0),
    "kHz": (power(_MS, -1), 1.0),
    "Hz": (power(_MS, -1), 1e-3),
    "s": (_MS, 1e3),
    "nA": (_PA, 1e3),
    "uS": (_NS, 1e3),
    "nF": (_PF, 1e3),
    "MOhm": (power(_NS, -1), 1e-3),
}
# Those that stand for a number in expressions, such as 140*mV; s is too often the name of a variable.
EXPRESSION_SYMBOLS = tuple(name for name in SYMBOLS if name != "s")
_ONES = {name: unit for name, (unit, factor) in SYMBOLS.items() if factor == 1.0 and name != "kHz"}


def named(unit: Unit) -> str:
    """The text of a unit, as in tables of models: "" for numbers, "mV", "1/ms", "pA/ms"."""
    if not unit.powers:
        return ""
    for name, known in _ONES.items():
        if unit == known:
            return name
    for name, known in _ONES.items():
        if unit == power(known, -1):
            return f"1/{name}"
    for name, known in _ONES.items():
        for divisor in ("ms", "mV"):
            if unit == times(known, power(_ONES[divisor], -1)):
                return f"{name}/{divisor}"
    return _fraction(unit)


def _fraction(unit: Unit) -> str:
    above = [_factor(name, n) for name, n in sorted(unit.powers.items()) if n > 0]
    below = [_factor(name, -n) for name, n in sorted(unit.powers.items()) if n < 0]
    divisor = "*".join(below)
    return ("*".join(above) or "1") + (f"/({divisor})" if len(below) > 1 else f"/{divisor}" if below else "")


def _factor(name: str, n: Fraction) -> str:
    shown = f"(unit of {name[1:]})" if name.startswith("?") else name
    return shown if n == 1 else f"{shown}**({n})" if n.denominator > 2 else f"{shown}**{n if n.denominator == 1 else float(n)}"


class Solver:
    """Units that are still unknown, and those found so far."""

    def __init__(self) -> None:
        self._found: dict[str, Unit] = {}

    def resolved(self, unit: Unit) -> Unit:
        """With what has been found; unknowns that are left have names that begin with "?"."""
        result = Unit()
        for name, n in unit.powers.items():
            inner = self.resolved(self._found[name]) if name in self._found else Unit({name: 1})
            result = times(result, power(inner, n))
        return result

    def same(self, a: Unit, b: Unit) -> bool:
        """Makes two units one, by what is unknown in them; False where they differ."""
        ratio = self.resolved(times(a, power(b, -1)))
        unknowns = ratio.unknowns()
        if not unknowns:
            return not ratio.powers
        name = unknowns[0]
        rest = Unit({other: n for other, n in ratio.powers.items() if other != name})
        self._found[name] = power(rest, -1 / ratio.powers[name])
        return True
