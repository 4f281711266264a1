# SPDX-License-Identifier: Apache-2.0
"""The stored data are what NEST gives today, and its STDP is the pair rule by brute force."""

import numpy as np
import pytest

from peers import protocols, stdp_rule
from peers.stored import stored


@pytest.mark.parametrize("name", protocols.ALL)
def test_stored_data_are_those_of_nest(name):
    pytest.importorskip("nest")
    from peers.simulators import Nest

    found, expected = protocols.ALL[name](Nest), stored(name)
    assert found.keys() == expected.keys()
    for key, value in found.items():
        np.testing.assert_allclose(value, expected[key], rtol=1e-13, atol=1e-13, err_msg=key)


@pytest.mark.parametrize("kind", ["random", "dense", "edges"])
@pytest.mark.parametrize("label", protocols.PLASTIC)
def test_nest_follows_the_pair_rule(label, kind):
    data = stored(f"stdp/{kind}")
    synapse, params, weight = protocols.PLASTIC[label]
    for delay in protocols.STDP_DELAYS:
        expected = stdp_rule.weights_after(synapse, params, weight, delay, data["pre"], data["post"])
        np.testing.assert_allclose(data[f"{label}/{delay:g}"], expected, rtol=1e-12, atol=1e-12)
        assert len(set(np.round(expected, 6))) > 10, "the protocol has to move the weight"
