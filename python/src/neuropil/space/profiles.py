# SPDX-License-Identifier: Apache-2.0
"""Profiles: functions of distances and displacements that fall off. Only gamma is normalised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.checks import to_number
from ..base.named import named_arguments
from ..errors import bad_parameter
from .code import Code
from .expression import Expression, Function, Term
from .functions import argument

__all__ = ["exponential_decay", "gabor", "gamma", "gaussian", "gaussian2d"]


@named_arguments
def exponential_decay(x: Any, scale: float = 1.0) -> Expression:
    """exp(-x / scale), scale > 0."""
    scale = _positive("scale", scale)

    def write(code: Code, x: int) -> int:
        return code("exponential", code("multiply", x, code.constant(-1.0 / scale)))

    return Function(lambda x: np.exp(x * (-1.0 / scale)), *_arguments(x=x), form=f"exponential_decay({{}}, {scale:g})", write=write)


@named_arguments
def gaussian(x: Any, mean: float = 0.0, std: float = 1.0) -> Expression:
    """exp(-(x - mean)^2 / (2 std^2)), std > 0."""
    centre, factor = to_number("mean", mean), -0.5 / _positive("std", std) ** 2

    def write(code: Code, x: int) -> int:
        return code("exponential", code("multiply", code("square", code.shifted(x, centre)), code.constant(factor)))

    return Function(
        lambda x: np.exp(factor * (x - centre) ** 2), *_arguments(x=x), form=f"gaussian({{}}, mean={mean:g}, std={std:g})", write=write
    )


@named_arguments
def gaussian2d(
    x: Any, y: Any, mean_x: float = 0.0, mean_y: float = 0.0, std_x: float = 1.0, std_y: float = 1.0, rho: float = 0.0
) -> Expression:
    """exp(-(u^2 + v^2 - 2 rho u v) / (2 (1 - rho^2))) with u = (x - mean_x) / std_x, v = (y - mean_y) / std_y; -1 < rho < 1."""
    centre, scale = (to_number("mean_x", mean_x), to_number("mean_y", mean_y)), (_positive("std_x", std_x), _positive("std_y", std_y))
    if not -1.0 < (r := to_number("rho", rho)) < 1.0:
        raise bad_parameter("rho", rho, "between -1 and 1")

    def profile(x: Any, y: Any) -> Any:
        u, v = (x - centre[0]) / scale[0], (y - centre[1]) / scale[1]
        return np.exp(-(u * u + v * v - 2.0 * r * u * v) / (2.0 * (1.0 - r * r)))

    def write(code: Code, x: int, y: int) -> int:
        u, v = (code("divide", code.shifted(z, centre[k]), code.constant(scale[k])) for k, z in enumerate((x, y)))
        squares = code("add", code("square", u), code("square", v))
        mixed = code("multiply", code("multiply", u, v), code.constant(-2.0 * r))
        return code("exponential", code("multiply", code("add", squares, mixed), code.constant(-0.5 / (1.0 - r * r))))

    return Function(profile, *_arguments(x=x, y=y), form="gaussian2d({}, {}, ...)", write=write)


@named_arguments
def gamma(x: Any, kappa: float = 1.0, theta: float = 1.0) -> Expression:
    """x^(kappa - 1) exp(-x / theta) / (theta^kappa Gamma(kappa)); kappa, theta > 0."""
    shape, scale = _positive("kappa", kappa), _positive("theta", theta)
    factor = 1.0 / (scale**shape * math.gamma(shape))

    def write(code: Code, x: int) -> int:
        tail = code("exponential", code("multiply", x, code.constant(-1.0 / scale)))
        return code("multiply", code("multiply", code("power", x, value=shape - 1.0), code.constant(factor)), tail)

    return Function(
        lambda x: factor * x ** (shape - 1.0) * np.exp(-x / scale), *_arguments(x=x), form=f"gamma({{}}, {shape:g}, {scale:g})", write=write
    )


@named_arguments
def gabor(x: Any, y: Any, theta: float = 0.0, gamma: float = 1.0, std: float = 1.0, lam: float = 1.0, psi: float = 0.0) -> Expression:
    """Positive part of cos(2 pi v / lam + psi), times exp(-(gamma^2 u^2 + v^2) / (2 std^2)), with (u, v) = (x, y) turned by -theta.

    theta, psi : degrees; gamma, std > 0
    """
    angle = to_number("theta", theta)
    aspect, width = _positive("gamma", gamma), _positive("std", std)
    c, s, phase, wave = (
        math.cos(math.radians(angle)),
        math.sin(math.radians(angle)),
        math.radians(to_number("psi", psi)),
        to_number("lam", lam),
    )

    def profile(x: Any, y: Any) -> Any:
        u, v = c * x + s * y, c * y - s * x
        stripes = np.maximum(np.cos(2.0 * math.pi * v / wave + phase), 0.0)
        return stripes * np.exp(-(aspect * aspect * u * u + v * v) / (2.0 * width * width))

    return Function(profile, *_arguments(x=x, y=y), form="gabor({}, {}, ...)")


def _arguments(**values: Any) -> list[Term]:
    return [argument(name, value) for name, value in values.items()]


def _positive(name: str, value: Any) -> float:
    if not (found := to_number(name, value)) > 0.0:
        raise bad_parameter(name, value, "> 0")
    return found
