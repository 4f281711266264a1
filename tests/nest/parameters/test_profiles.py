# SPDX-License-Identifier: Apache-2.0
"""Spatial distributions against their formulas."""

import math as m

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.parameters import Constant, Context, random
from neuropil.nest.parameters import spatial_distributions as profiles

X, Y = 0.7, 0.3


def of(parameter):
    return float(parameter.evaluate(Context(1, 1, np.ones(1, np.int64)))[0])


def gabor(x, y, theta, gamma, std, lam, psi):
    c, s = m.cos(m.radians(theta)), m.sin(m.radians(theta))
    u, v = x * c + y * s, -x * s + y * c
    return max(m.cos(2 * m.pi * v / lam + m.radians(psi)), 0.0) * m.exp(-(gamma**2 * u * u + v * v) / (2 * std**2))


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (profiles.exponential(Constant(X), 0.2), m.exp(-3.5)),
        (profiles.gaussian(Constant(X), 0.2, 0.5), m.exp(-0.5)),
        (profiles.gaussian2D(Constant(X), Constant(Y), 0.1, 0.2, 0.5, 0.4, 0.3), 0.48352688936263566),  # 2026: as NEST 3.10
        (profiles.gamma(Constant(X), 2.0, 3.0), 0.06159141071508301),
        (profiles.gamma(Constant(0.0), 1.0, 1.0), 1.0),
        (profiles.gabor(Constant(X), Constant(Y), 30.0, 1.5, 0.5, 2.0, 20.0), gabor(X, Y, 30.0, 1.5, 0.5, 2.0, 20.0)),
        (profiles.gabor(Constant(0.1), Constant(Y), 70.0, 0.5, 0.5, 0.7, 120.0), 0.0),
    ],
)
def test_formulas(parameter, expected):
    assert of(parameter) == pytest.approx(expected, rel=1e-14)


def test_errors():
    p = random.uniform()
    for make in (
        lambda: profiles.exponential(p, 0.0),
        lambda: profiles.gaussian(p, 0.0, -1.0),
        lambda: profiles.gaussian2D(p, p, rho=1.0),
        lambda: profiles.gaussian2D(p, p, std_x=0.0),
        lambda: profiles.gamma(p, 0.0),
        lambda: profiles.gamma(p, 1.0, 0.0),
        lambda: profiles.gabor(p, p, std=0.0),
        lambda: profiles.gabor(p, p, gamma=-1.0),
    ):
        with pytest.raises(nest.NESTErrors.BadProperty):
            make()
    for make in (lambda: profiles.exponential(2.0), lambda: profiles.gaussian2D(p, 1)):
        with pytest.raises(nest.NESTErrors.TypeMismatch):
            make()
