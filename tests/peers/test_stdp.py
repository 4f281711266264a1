# SPDX-License-Identifier: Apache-2.0
"""Plastic weights after each presynaptic spike: as NEST's, to 1e-9."""

import numpy as np
import pytest

from peers import protocols
from peers.simulators import Neuropil
from peers.stored import stored


@pytest.mark.parametrize("name", protocols.STDP)
def test_double_weights_are_those_of_nest(name):
    found, expected = protocols.ALL[name](Neuropil), stored(name)
    assert found.keys() == expected.keys()
    for key in found:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-9, atol=1e-9, err_msg=key)
