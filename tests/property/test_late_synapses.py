# SPDX-License-Identifier: Apache-2.0
"""Plastic synapses that are made during a simulation. The trace Kplus of their source has decayed since time 0, and their first spike pairs with the
postsynaptic ones since they were made: not with those before, of which more or fewer are still kept (law 1)."""

import numpy as np
import pytest

from lowlevel import array, connect, kernel, rows
from property.test_exact_plasticity import generators
from snapshots import continued

H, D = 0.1, 1.5  # ms
PAIRS = {"Wmax": 100.0, "lambda": 0.05, "Kplus": 1.0}
LATE = {
    "stdp_synapse": PAIRS,
    "stdp_nn_symm_synapse": PAIRS,
    "stdp_nn_restr_synapse": PAIRS,
    "stdp_nn_pre_centered_synapse": PAIRS,
    "stdp_pl_synapse_hom": {"lambda": 0.05, "Kplus": 1.0},
    "stdp_triplet_synapse": {"Wmax": 100.0, "Kplus": 1.0, "Kplus_triplet": 0.5},
    "jonke_synapse": {"Wmax": 100.0, "lambda": 0.05, "mu_plus": 0.1, "beta": 0.3, "Kplus": 1.0},
    "stdp_facetshw_synapse": {"a_causal": 0.5},
    "stdp_dopamine_synapse": {"A_plus": 2.0, "b": 0.0, "c": 0.7, "Kplus": 1.0, "Wmax": 200.0},
}
EXACT = [name for name in LATE if "facets" not in name and "dopamine" not in name]
CASES = [(name, kind) for name in LATE for kind in ("common", "varied", "exact", "exact varied")]
CASES = [(name, kind) for name, kind in CASES if kind == "common" or (name in EXACT and not (kind == "varied" and "facets" in name))]


def weights(name, kind, post, made, go_on=lambda net: net, **taus):
    """Of two synapses, or what they have in place of weights that learn, after spikes of their sources, which come after `made` [ms], as do those of dopamine."""
    exact, varied = kind.startswith("exact"), kind.endswith("varied")
    net = kernel(H)
    target, transmitter = net.create("parrot_neuron_ps" if exact else "parrot_neuron", 1, {}), net.create("volume_transmitter", 1, {})
    heard = net.create("parrot_neuron", 1, {})
    connect(net, rows(generators(net, [np.array(post) / H - 1], exact)), rows(target), delay=H)
    connect(net, rows(generators(net, [np.array([45.0, 52.0]) / H], False)), rows(heard), delay=H)
    connect(net, rows(heard), rows(transmitter), delay=H)
    sources = generators(net, [np.array([55.0, 58.0, 70.0]) / H, np.array([68.0, 90.0]) / H], exact)
    others = generators(net, [np.array([20.0]) / H], exact)
    p = LATE[name] | {key: tau for key, tau in taus.items() if "facets" not in name and (key == "tau_minus" or "triplet" in name)}
    if "dopamine" in name:
        p["volume_transmitter"] = transmitter
    own = {} if not varied else {"lambda": array([0.05, 0.02])} if "pl_" in name else {"tau_plus": array([17.0, 31.0])}
    call = {"weight": 5.0, "delay": D, "synapse": name, "doubles": True, "receptor": 1}  # not repeated
    connect(net, rows(others), rows(target), synapse_params=p, **call)
    if made:
        net.run(round(made / H), None)
        net = go_on(net)
    connect(net, rows(sources, 2), rows(target), synapse_params=p | own, **call)
    found = []
    for time in (60.0, 75.0, 100.0):
        net.run(round(time / H) - net.step, None)
        c = net.connections(rows(sources, 2), None, name)
        values = c["weight"] if "facets" not in name else net.get_state("a_causal", c["slice"], c["table"], c["position"])
        found.append(values[np.argsort(c["source"])])
    return np.array(found)


LATER = [44.0, 50.3, 57.0, 66.0]  # of the target


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_traces_have_decayed_since_time_0(name, kind):
    """A synapse made at 40 ms is one made at 0, when there was nothing to pair with."""
    expected = weights(name, kind, LATER, 0.0)
    np.testing.assert_allclose(weights(name, kind, LATER, 40.0), expected, rtol=1e-12)
    assert np.abs(expected[0] - 5.0).max() > 1e-3


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_spikes_before_the_synapse_was_made_are_not_met(name, kind):
    """But for what is left of their own trace, which is the target's."""
    before, short = [3.0, 11.0, 12.5], dict.fromkeys(("tau_minus", "tau_minus_triplet"), 0.5)
    found, alone = weights(name, kind, [*before, *LATER], 40.0, **short), weights(name, kind, LATER, 40.0, **short)
    met = weights(name, kind, [*before, *LATER], 0.0, **short)
    np.testing.assert_allclose(found, alone, rtol=1e-9)
    assert np.abs(found - met).max() > 1e-4


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_after_a_checkpoint(name, kind):
    post = [3.0, 11.0, *LATER]
    np.testing.assert_array_equal(
        weights(name, kind, post, 40.0, go_on=lambda net: continued(net, lambda: kernel(H), True)), weights(name, kind, post, 40.0)
    )
