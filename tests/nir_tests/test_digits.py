# SPDX-License-Identifier: Apache-2.0
"""A trained network, digits.nir (made by train_digits.py), gives the outputs of its equations, and tells digits apart."""

from pathlib import Path

import numpy as np
import pytest

import neuropil as npl
from nir_tests import train_digits
from nir_tests.reference import Reference

nir = pytest.importorskip("nir")

FILE = Path(__file__).with_name("digits.nir")


@pytest.fixture(scope="module")
def network():
    return npl.nir.from_nir(FILE, train_digits.DT, threads=1)


def test_outputs_are_those_of_the_equations(network):
    reference = Reference(nir.read(FILE), train_digits.DT)
    x, _ = train_digits.samples(np.random.default_rng(5), 3)
    for each in x:
        expected = reference.run(each)
        assert np.ptp(expected) > 0.5
        np.testing.assert_allclose(network.run(each), expected, atol=1e-10)


@pytest.mark.parametrize("n", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_digits_are_told_apart(network, n):
    x, digits = train_digits.samples(np.random.default_rng(99), n)
    answers = [network.run(each).mean(axis=0).argmax() for each in x]
    assert (answers == digits).mean() >= 0.98 - 1.0 / n


@pytest.mark.slow
def test_training_gives_such_a_network():
    trained = train_digits.train(seed=2, rounds=800)
    x, digits = train_digits.samples(np.random.default_rng(98), 500)
    assert (train_digits.forward(trained, x)[0].argmax(axis=1) == digits).mean() > 0.95
