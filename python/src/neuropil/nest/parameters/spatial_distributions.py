# SPDX-License-Identifier: Apache-2.0
"""nest.spatial_distributions: profiles of Parameters, most often of distances. Only gamma is normalised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NESTErrors
from .code import Code
from .expression import Parameter, SpatialFunction, parameters_only

__all__ = ["exponential", "gabor", "gamma", "gaussian", "gaussian2D"]


def exponential(x: Any, beta: float = 1.0) -> Parameter:
    """exp(-x / beta), beta > 0."""
    scale = _positive("exponential", "beta", beta)

    def write(code: Code, x: int) -> int:
        return code("exponential", code("multiply", x, code.constant(-1.0 / scale)))

    return SpatialFunction(lambda x: np.exp(x * (-1.0 / scale)), *parameters_only(x=x), write=write)


def gaussian(x: Any, mean: float = 0.0, std: float = 1.0) -> Parameter:
    """exp(-(x - mean)^2 / (2 std^2)), std > 0."""
    centre, factor = float(mean), -0.5 / _positive("gaussian", "std", std) ** 2

    def write(code: Code, x: int) -> int:
        return code("exponential", code("multiply", code("square", code.shifted(x, centre)), code.constant(factor)))

    return SpatialFunction(lambda x: np.exp(factor * (x - centre) ** 2), *parameters_only(x=x), write=write)


def gaussian2D(  # noqa: N802  (the name is NEST's)
    x: Any, y: Any, mean_x: float = 0.0, mean_y: float = 0.0, std_x: float = 1.0, std_y: float = 1.0, rho: float = 0.0
) -> Parameter:
    """exp(-(u^2 + v^2 - 2 rho u v) / (2 (1 - rho^2))) with u = (x - mean_x) / std_x, v = (y - mean_y) / std_y; -1 < rho < 1."""
    centre, scale = (float(mean_x), float(mean_y)), (_positive("gaussian2D", "std_x", std_x), _positive("gaussian2D", "std_y", std_y))
    if not -1.0 < (r := float(rho)) < 1.0:
        raise NESTErrors.BadProperty(f"gaussian2D: -1 < rho < 1 required, got {r:g}")

    def profile(x: Any, y: Any) -> Any:
        u, v = (x - centre[0]) / scale[0], (y - centre[1]) / scale[1]
        return np.exp(-(u * u + v * v - 2.0 * r * u * v) / (2.0 * (1.0 - r * r)))

    def write(code: Code, x: int, y: int) -> int:
        u, v = (code("divide", code.shifted(z, centre[k]), code.constant(scale[k])) for k, z in enumerate((x, y)))
        squares = code("add", code("square", u), code("square", v))
        mixed = code("multiply", code("multiply", u, v), code.constant(-2.0 * r))
        return code("exponential", code("multiply", code("add", squares, mixed), code.constant(-0.5 / (1.0 - r * r))))

    return SpatialFunction(profile, *parameters_only(x=x, y=y), write=write)


def gamma(x: Any, kappa: float = 1.0, theta: float = 1.0) -> Parameter:
    """x^(kappa - 1) exp(-x / theta) / (theta^kappa Gamma(kappa)); kappa, theta > 0."""
    shape, scale = _positive("gamma", "kappa", kappa), _positive("gamma", "theta", theta)
    factor = 1.0 / (scale**shape * math.gamma(shape))

    def write(code: Code, x: int) -> int:
        tail = code("exponential", code("multiply", x, code.constant(-1.0 / scale)))
        return code("multiply", code("multiply", code("power", x, value=shape - 1.0), code.constant(factor)), tail)

    return SpatialFunction(lambda x: factor * x ** (shape - 1.0) * np.exp(-x / scale), *parameters_only(x=x), write=write)


def gabor(x: Any, y: Any, theta: float = 0.0, gamma: float = 1.0, std: float = 1.0, lam: float = 1.0, psi: float = 0.0) -> Parameter:
    """Positive part of cos(2 pi v / lam + psi), times exp(-(gamma^2 u^2 + v^2) / (2 std^2)), with (u, v) = (x, y) turned by -theta.

    theta, psi : degrees; gamma, std > 0
    """
    aspect, width = _positive("gabor", "gamma", gamma), _positive("gabor", "std", std)
    c, s, phase, wave = math.cos(math.radians(theta)), math.sin(math.radians(theta)), math.radians(psi), float(lam)

    def profile(x: Any, y: Any) -> Any:
        u, v = c * x + s * y, c * y - s * x
        stripes = np.maximum(np.cos(2.0 * math.pi * v / wave + phase), 0.0)
        return stripes * np.exp(-(aspect * aspect * u * u + v * v) / (2.0 * width * width))

    return SpatialFunction(profile, *parameters_only(x=x, y=y))


def _positive(function: str, name: str, value: Any) -> float:
    found = float(value)
    if not found > 0.0:
        raise NESTErrors.BadProperty(f"{function}: {name} > 0 required, got {found:g}")
    return found
