# SPDX-License-Identifier: Apache-2.0
"""nest.spatial_distributions: profiles of Parameters, most often of distances. Only gamma is normalised. NEST counts all of them as spatial."""

from __future__ import annotations

from typing import Any

from ... import space
from ..errors import NESTErrors, translating
from .expression import Parameter, checked

__all__ = ["exponential", "gabor", "gamma", "gaussian", "gaussian2D"]


def exponential(x: Any, beta: float = 1.0) -> Parameter:
    """exp(-x / beta), beta > 0."""
    return _made(space.exponential_decay, {"x": x}, scale=beta)


def gaussian(x: Any, mean: float = 0.0, std: float = 1.0) -> Parameter:
    """exp(-(x - mean)^2 / (2 std^2)), std > 0."""
    return _made(space.gaussian, {"x": x}, mean=mean, std=std)


def gaussian2D(  # noqa: N802  (the name is NEST's)
    x: Any, y: Any, mean_x: float = 0.0, mean_y: float = 0.0, std_x: float = 1.0, std_y: float = 1.0, rho: float = 0.0
) -> Parameter:
    """exp(-(u^2 + v^2 - 2 rho u v) / (2 (1 - rho^2))) with u = (x - mean_x) / std_x, v = (y - mean_y) / std_y; -1 < rho < 1."""
    return _made(space.gaussian2d, {"x": x, "y": y}, mean_x=mean_x, mean_y=mean_y, std_x=std_x, std_y=std_y, rho=rho)


def gamma(x: Any, kappa: float = 1.0, theta: float = 1.0) -> Parameter:
    """x^(kappa - 1) exp(-x / theta) / (theta^kappa Gamma(kappa)); kappa, theta > 0."""
    return _made(space.gamma, {"x": x}, kappa=kappa, theta=theta)


def gabor(x: Any, y: Any, theta: float = 0.0, gamma: float = 1.0, std: float = 1.0, lam: float = 1.0, psi: float = 0.0) -> Parameter:
    """Positive part of cos(2 pi v / lam + psi), times exp(-(gamma^2 u^2 + v^2) / (2 std^2)), with (u, v) = (x, y) turned by -theta.

    theta, psi : degrees; gamma, std > 0
    """
    return _made(space.gabor, {"x": x, "y": y}, theta=theta, gamma=gamma, std=std, lam=lam, psi=psi)


def _made(profile: Any, of: dict[str, Any], **numbers: Any) -> Parameter:
    """Raises TypeMismatch for other than Parameters, BadProperty for numbers that are not allowed."""
    values = {name: checked(value, name, NESTErrors.TypeMismatch) for name, value in of.items()}
    plain = {name: float(value) for name, value in numbers.items()}
    with translating():
        return Parameter(profile(**values, **plain), spatial=True)
