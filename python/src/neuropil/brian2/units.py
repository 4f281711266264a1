# SPDX-License-Identifier: Apache-2.0
"""Values in Brian2's units (SI) and in those of neuropil: ms, mV, pA, mM and their products. Metres, kelvin and candela stay as they are."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["scale_of", "scaled", "unit_of", "values_in"]

# Powers of ten of one kg, s and A: so that volts are 1e3, siemens 1e9, farad 1e12; mol stay, as mol/m^3 are mM.
_TENS = {"kg": 24, "s": 3, "A": 12}


def exponent_of(dimension: Any) -> float:
    """A value of this dimension is 10 to this times larger here."""
    return sum(tens * float(dimension.get_dimension(base)) for base, tens in _TENS.items())


def scale_of(dimension: Any) -> float:
    """What one SI unit of this dimension is here."""
    exponent = exponent_of(dimension)
    return float(f"1e{int(exponent)}") if exponent == int(exponent) else float(10.0**exponent)


def scaled(value: Any, dimension: Any) -> Any:
    """A number or an array in SI units, in those used here. Of a number: what is nearest to the decimal number that it shows."""
    array = np.asarray(value, float)
    exponent = exponent_of(dimension)
    if array.ndim or exponent != int(exponent) or not np.isfinite(array):
        found: NDArray[np.float64] = array * scale_of(dimension)
        return found
    return float(Decimal(repr(float(array))).scaleb(int(exponent)))


def values_in(group: Any, name: str) -> NDArray[np.float64]:
    """Values of a variable of a group or of synapses, in the units used here."""
    variable = group.variables[name]
    return np.asarray(scaled(np.array(variable.get_value(), float), variable.dim))


def unit_of(dimension: Any) -> str:
    """Text of the unit in equations, "" where there is none: such values are plain numbers there."""
    metre, kg, second, ampere, mol = (float(dimension.get_dimension(base)) for base in ("m", "kg", "s", "A", "mol"))
    powers = {"mV": kg, "ms": second + 3 * kg, "pA": ampere + kg, "mM": mol}
    other = metre - 2 * kg + 3 * mol or dimension.get_dimension("K") or dimension.get_dimension("cd")
    if other or any(n != int(n) or abs(n) > 9 for n in powers.values()):
        return ""
    return "*".join(f"{unit}**{int(n)}" if n != 1 else unit for unit, n in powers.items() if n)
