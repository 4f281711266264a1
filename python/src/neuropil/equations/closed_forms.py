# SPDX-License-Identifier: Apache-2.0
"""Which linear models are membranes with currents that decay: their propagators have closed forms (cpp/model/propagators.hpp)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .description import Description
from .linear import Row, Sum, inverse, times

__all__ = ["Cascade", "cascade_of"]


@dataclass(frozen=True)
class Cascade:
    """Membranes, and the currents that drive them."""

    rows: Mapping[str, Row]
    tau: Mapping[str, Sum]  # time constant of each variable [ms]
    membranes: tuple[str, ...]  # driven by constants, input and currents
    alphas: Mapping[str, str]  # rising current -> what makes it rise
    decays: tuple[str, ...]  # of nothing but themselves

    @property
    def divisors(self) -> set[str]:
        """Factors of rates of membranes: time constants are divided by them."""
        return {factor for name in self.membranes for product in self.tau[name].terms for factor, n in product if n < 0}

    def capacitance(self, membrane: str, current: str) -> Sum:
        """C in dV/dt = current / C."""
        return inverse(self.rows[membrane].rates[current]) or Sum()

    def rise_capacitance(self, membrane: str, current: str) -> Sum:
        """The same for what makes a current rise."""
        gain = self.rows[current].rates[self.alphas[current]]
        return inverse(times(self.rows[membrane].rates[current], gain)) or Sum()


def cascade_of(made: Description, rows: Mapping[str, Row]) -> Cascade | None:
    """None where a variable is none of the three kinds."""
    tau = {}
    for name, row in rows.items():
        own = row.rates.get(name, Sum()).single()
        if own is None or not own[1] < 0:
            return None
        tau[name] = Sum({tuple((factor, -n) for factor, n in own[0]): -1.0 / own[1]})
    decays = tuple(name for name, row in rows.items() if set(row.rates) == {name} and not row.constant.terms and not row.inputs)
    alphas = {name: feeder for name, row in rows.items() if (feeder := alpha_feeder(name, row, tau, decays))}
    membranes = tuple(name for name in rows if name not in decays and name not in alphas)
    sources = {*decays, *alphas} - set(alphas.values())
    if any(not is_membrane(name, rows[name], sources) for name in membranes):
        return None
    if any(not rows[name].rates[feeder].single() for name, feeder in alphas.items()):
        return None
    found = Cascade(rows, tau, membranes, alphas, decays)
    zeros = {p.name for p in made.parameters if p.default == 0.0}
    return None if found.divisors & zeros else found


def alpha_feeder(name: str, row: Row, tau: Mapping[str, Sum], decays: tuple[str, ...]) -> str | None:
    others = [other for other in row.rates if other != name]
    simple = len(others) == 1 and others[0] in decays and not row.constant.terms and not row.inputs
    return others[0] if simple and tau[others[0]] == tau[name] else None


def is_membrane(name: str, row: Row, sources: set[str]) -> bool:
    return all(other == name or (other in sources and row.rates[other].single()) for other in row.rates)
