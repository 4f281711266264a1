# SPDX-License-Identifier: Apache-2.0
"""Two mechanisms at once: synapses that grow and go while they learn. A synapse learns from the spikes sent since it formed, and from all that its target has had."""

import numpy as np
import pytest

import neuropil as npl
from property.test_axonal import of_pairs
from property.test_dopamine_synapses import PLAIN, at_time
from property.test_growth import firing
from property.test_single_synapses import GUETIG
from thread_ranks import on_ranks, the_same

H = 0.1
N = 14
DELAY = 1.5
EVERY = 20.0  # ms between updates


def trains_of(rng, n, most):
    return [np.unique(rng.integers(20, 2400, rng.integers(5, most))) * H for _ in range(n)]


def grown(model, seed=2, **settings):
    """Parrots with forced spikes whose synapses form and go every 20 ms; the network, what grows, spikes of cells, and of the pool."""
    rng = np.random.default_rng(seed)
    cell_trains, pool_trains = trains_of(rng, N, 60), trains_of(rng, 3, 60)
    net = npl.Network(seed=seed, **settings)
    cells, pool = firing(net, cell_trains), firing(net, pool_trains)
    transmitter = net.create("volume_transmitter", 1)
    net.connect(pool, transmitter, npl.all_to_all(), weight=1.0, delay=2.0)
    kinds = {"axon": (-0.03, 0.05), "spine": (-0.03, 0.05)}
    cells.synaptic_elements = {
        name: npl.synaptic_elements("linear", growth_rate=rng.uniform(*rates, N), eps=1.0, z=rng.uniform(0, 5, N), tau_vacant=0.2)
        for name, rates in kinds.items()
    }
    if model == "stdp_dopamine_synapse":
        synapse = npl.synapse(model, volume_transmitter=transmitter, **PLAIN)
    else:
        synapse = npl.synapse(model, **GUETIG)
    growth = net.grow("axon", "spine", weight=5.0, delay=DELAY, synapse=synapse, receptor=1, double_weights=True, multapses=False)
    net.growth_interval = EVERY
    return net, growth, cell_trains, np.concatenate(pool_trains) + 2.0, cells


def known(growth):
    c = growth.connections()
    return list(zip(c.source.tolist(), c.target.tolist(), strict=True))


@pytest.mark.parametrize("model", ["stdp_synapse", "stdp_dopamine_synapse"])
def test_synapses_learn_from_when_they_form(model):
    net, growth, trains, heard, cells = grown(model)
    first, born, checked = int(cells.gids[0]), {}, 0
    for k in range(12):
        net.run(until=k * EVERY + H)  # just after an update, before any spike is sent
        there = known(growth)
        born = {pair: born.get(pair, k * EVERY) for pair in there}
        net.run(until=(k + 1) * EVERY - 0.3)
        assert known(growth) == there
        found = growth.connections().weight if model == "stdp_synapse" else growth.connections().state("weight")
        for (source, target), weight in zip(there, found.tolist(), strict=True):
            pre = trains[source - first][trains[source - first] > born[source, target] + H / 2]
            post = trains[target - first] + DELAY
            if model == "stdp_dopamine_synapse":
                expected = at_time(PLAIN, pre, post, heard, net.time, 5.0)[0] if (pre <= net.time).any() else 5.0
            else:
                expected, pre = 5.0, np.round(pre[pre + DELAY <= net.time + H / 2] / H)
                for i, now in enumerate(pre):
                    expected = of_pairs(GUETIG, expected, pre[:i], now, np.round(post / H))
            np.testing.assert_allclose(weight, expected, rtol=1e-9, atol=1e-9)
            checked += expected != 5.0
    assert checked > 100
    assert len(set(born.values())) > 3


@pytest.mark.parametrize("model", ["stdp_synapse", "stdp_dopamine_synapse"])
def test_the_same_on_ranks_and_threads(model):
    def result(**settings):
        net, growth, *_ = grown(model, **settings)
        net.run(130.0)
        c = growth.connections()
        return c.source.tolist(), c.target.tolist(), c.weight.tolist()

    expected = result()
    assert len(expected[0]) > 20
    assert result(threads=2, block_size=3) == expected
    assert the_same(on_ranks(2, lambda comm: result(ranks=comm, threads=2))) == expected


@pytest.mark.parametrize("model", ["stdp_synapse", "stdp_dopamine_synapse"])
def test_a_checkpoint_goes_on(model, tmp_path):
    net, growth, *_ = grown(model)
    net.run(77.7)
    net.save(tmp_path / "state.npc")
    net.run(90.0)
    again = npl.load(tmp_path / "state.npc")
    again.run(90.0)
    c, d = growth.connections(), again.growths["axon to spine"].connections()
    assert len(c) > 20
    for name in ("source", "target", "weight"):
        assert getattr(c, name).tolist() == getattr(d, name).tolist()
