# SPDX-License-Identifier: Apache-2.0
"""Parameters: values that are computed or drawn, one per node or connection; written with numbers, functions and operators.

`Parameter.native()` is what the kernel can draw itself; `Parameter.evaluate(context)` computes any of them with numpy from keyed random numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ...space.engine import Context, Distance, EndPosition, NodePosition
from ..errors import NESTErrors, unaccessed
from . import random
from . import spatial_distributions as profiles
from .expression import Constant, Parameter, to_parameter, whole

__all__ = ["Constant", "Context", "CreateParameter", "Parameter", "to_parameter"]


def CreateParameter(parametertype: str, specs: Mapping[str, Any]) -> Parameter:  # noqa: N802  (the name is NEST's)
    """A Parameter by the name of its kind, such as CreateParameter("uniform", {"min": 0.0, "max": 2.0}).

    Kinds: constant, uniform, uniform_int, normal, lognormal, exponential, distance, position, exp_distribution, gaussian, gaussian2d, gamma, gabor.
    Raises UndefinedName for others, UnaccessedDictionaryEntry for keys they do not have, IndexError for those that are missing.
    """
    if not isinstance(parametertype, str):
        raise TypeError(f"parametertype must be a string, not {type(parametertype).__name__}")
    if parametertype not in _KINDS:
        raise NESTErrors.UndefinedName(f"there is no kind of Parameter called {parametertype}")
    make = _KINDS[parametertype]
    known = inspect.signature(make).parameters
    if missing := [key for key, one in known.items() if one.default is one.empty and key not in specs]:
        raise IndexError(f"{parametertype} needs {', '.join(missing)}")
    if unknown := [str(key) for key in specs if key not in known]:
        raise unaccessed("param", "create_parameter", unknown)
    return make(**specs)


def position(dimension: int = -1, synaptic_endpoint: int = 0) -> Parameter:
    """Coordinate of a node (endpoint 0), a source (1) or a target (2). Raises BadParameterValue."""
    number = whole("dimension", dimension)
    if number < 0 or synaptic_endpoint not in (0, 1, 2):
        raise NESTErrors.BadParameterValue(f"position: no coordinate {dimension} of endpoint {synaptic_endpoint}")
    return Parameter(EndPosition("source" if synaptic_endpoint == 1 else "target", number) if synaptic_endpoint else NodePosition(number))


def distance(dimension: int = 0) -> Parameter:
    """Distance (0) or its part along dimension 1, 2, 3. Raises BadParameterValue."""
    number = whole("dimension", dimension)
    if number < 0:
        raise NESTErrors.BadParameterValue(f"distance: no dimension {dimension}")
    return Parameter(Distance(number))


_KINDS: dict[str, Callable[..., Parameter]] = {
    "constant": lambda value: Constant(float(value)),
    "uniform": random.uniform,
    "uniform_int": random.uniform_int,
    "normal": random.normal,
    "lognormal": random.lognormal,
    "exponential": random.exponential,
    "distance": distance,
    "position": position,
    "exp_distribution": profiles.exponential,
    "gaussian": profiles.gaussian,
    "gaussian2d": profiles.gaussian2D,
    "gamma": profiles.gamma,
    "gabor": profiles.gabor,
}
