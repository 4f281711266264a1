# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity against an accountant in Python: calcium and elements from the spikes, by quadrature; who may gain and lose synapses."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.integrate import quad

import neuropil as npl

CURVES = {
    "linear": lambda ca, eta, eps, psi: 1 - ca / eps,
    "gaussian": lambda ca, eta, eps, psi: 2 * np.exp(-(((ca - (eta + eps) / 2) * 2 * np.sqrt(np.log(2)) / (eps - eta)) ** 2)) - 1,
    "sigmoid": lambda ca, eta, eps, psi: 2 / (1 + np.exp((ca - eps) / psi)) - 1,
}


def firing(net, trains, **params):
    """Parrots that spike at these times (ms)."""
    cells = net.create("parrot_neuron", len(trains), **params)
    for cell, train in zip(cells, trains, strict=True):
        device = net.create("spike_generator", spike_times=np.asarray(train) - 1.0)
        net.connect(device, cell, delay=1.0)
    return cells


def calcium_of(train, until, tau, beta):
    return sum(beta * np.exp((t - until) / tau) for t in train if t <= until)


@pytest.mark.parametrize("curve", [*CURVES])
def test_calcium_and_elements(curve):
    rng = np.random.default_rng(5)
    trains = [np.unique(rng.integers(2, 900, n)).astype(float) for n in (0, 1, 7, 40)]
    eta, eps, psi, tau, beta = 0.05, 0.4, 0.12, 150.0, 0.08
    net = npl.Network(seed=1)
    elements = npl.synaptic_elements(curve, growth_rate=0.01, eta=eta, eps=eps, psi=psi, z=50.0)
    cells = firing(net, trains, tau_Ca=tau, beta_Ca=beta, synaptic_elements={"axon": elements})
    for stop in (0.1, 300.0, 333.3, 950.0):
        net.run(until=stop)
        for k, train in enumerate(trains):
            assert np.isclose(cells.Ca[k], calcium_of(train, stop, tau, beta), rtol=1e-12, atol=0)
            edges = [0.0, *[t for t in train if t <= stop], stop]
            grown = sum(
                quad(
                    lambda t, a=a, train=train: CURVES[curve](calcium_of(train, a, tau, beta) * np.exp((a - t) / tau), eta, eps, psi),
                    a,
                    b,
                    epsabs=1e-12,
                )[0]
                for a, b in itertools.pairwise(edges)
                if b > a
            )
            assert np.isclose(cells.synaptic_elements["axon"]["z"][k], 50.0 + 0.01 * grown, rtol=1e-10, atol=0)
            last = [t for t in train if t <= stop]
            assert cells.t_spike[k] == (last[-1] if last else -1.0)


class Accounts:
    """A network whose synapses are known by their weights, and what an update may do to them."""

    def __init__(self, rates, seed, *, autapses=True, multapses=True, n=12, **settings):
        rng = np.random.default_rng(seed)
        self.net = npl.Network(seed=seed, **settings)
        self.cells = self.net.create("iaf_psc_exp", n)
        self.rates = dict(zip(("axon", "dendrite"), rates, strict=True))
        self.cells.synaptic_elements = {
            name: npl.synaptic_elements("linear", growth_rate=rng.uniform(low, high, n), eps=1.0, z=rng.uniform(0, 9, n), tau_vacant=0.25)
            for name, (low, high) in self.rates.items()
        }
        self.growth = self.net.grow("axon", "dendrite", weight=npl.uniform(1e-6, 2e-6), delay=2.0, autapses=autapses, multapses=multapses)
        self.net.growth_interval = 10.0
        self.known = self.synapses()

    def synapses(self):
        c = self.growth.connections()
        return dict(zip(c.weight.tolist(), zip(c.source.tolist(), c.target.tolist(), strict=True), strict=True))

    def z(self):
        found = self.cells.synaptic_elements
        return {name: (np.asarray(found[name]["z"]), np.asarray(found[name]["z_connected"]).astype(int)) for name in found}

    def update(self):
        """Runs over one update; returns z before it, the synapses that went and that formed, and z a step after."""
        before, then = self.z(), self.known
        self.net.run(0.1)
        now, after = self.synapses(), self.z()
        gone = [pair for w, pair in then.items() if w not in now]
        formed = [pair for w, pair in now.items() if w not in then]
        self.known = now
        self.net.run(9.9)
        return before, gone, formed, after


def degrees(pairs, end, n):
    found = Counter(pair[end] for pair in pairs)
    return np.array([found[gid + 1] for gid in range(n)])


GROWS, SHRINKS, BOTH, STAYS = (0.05, 0.3), (-0.3, -0.05), (-0.2, 0.2), (0.0, 0.0)


@pytest.mark.parametrize("rates", [(GROWS, GROWS), (SHRINKS, STAYS), (STAYS, SHRINKS), (GROWS, SHRINKS), (BOTH, BOTH)], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_accounts_of_every_update(rates, seed):
    book = Accounts(rates, seed)
    n = len(book.cells)
    total = Counter()
    for _ in range(12):
        before, gone, formed, after = book.update()
        whole = {name: np.floor(z).astype(int) for name, (z, _) in before.items()}
        deficit = {name: np.maximum(0, before[name][1] - whole[name]) for name in whole}
        lost = {name: degrees(gone, end, n) for end, name in enumerate(whole)}
        for name in whole:
            assert (lost[name] >= deficit[name]).all()  # nobody has more synapses than elements
        assert len(gone) <= deficit["axon"].sum() + deficit["dendrite"].sum()
        if not deficit["dendrite"].any():
            assert (lost["axon"] == deficit["axon"]).all()
        if not deficit["axon"].any():
            assert (lost["dendrite"] == deficit["dendrite"]).all()
        vacant = {name: whole[name] - (before[name][1] - lost[name]) for name in whole}
        assert len(formed) == min(v.sum() for v in vacant.values())
        for end, name in enumerate(whole):
            made = degrees(formed, end, n)
            assert (made <= vacant[name]).all()
            z, connected = after[name]
            assert (connected == degrees(book.known.values(), end, n)).all()
            grown = 0.1 * np.asarray(book.cells.synaptic_elements[name]["growth_rate"])  # nothing fires
            assert np.allclose(z, np.maximum(0.0, before[name][0] - 0.25 * (vacant[name] - made) + grown), rtol=0, atol=1e-9)
        total["gone"] += len(gone)
        total["formed"] += len(formed)
    assert total["formed"] > 0
    assert (total["gone"] > 0) == any(low < 0 for low, _ in rates)


@pytest.mark.parametrize(("autapses", "multapses"), [(False, True), (True, False), (False, False)])
def test_pairs_that_may_not_connect(autapses, multapses):
    book = Accounts((GROWS, GROWS), 3, autapses=autapses, multapses=multapses)
    for _ in range(8):
        before, _, formed, after = book.update()
        assert len(formed) <= min(np.floor(z).sum() - c.sum() for z, c in before.values())
    pairs = Counter(book.known.values())
    assert len(pairs) > 30
    assert autapses or all(source != target for source, target in pairs)
    assert multapses or max(pairs.values()) == 1
    assert (autapses and multapses) or after["axon"][1].sum() == len(book.known)


def test_who_loses_is_drawn_evenly():
    """A neuron that loses half of its synapses: which ones, over many seeds."""
    lost = np.zeros(8)
    for seed in range(200):
        net = npl.Network(seed=seed)
        one, others = net.create("iaf_psc_exp", 1), net.create("iaf_psc_exp", 8)
        one.synaptic_elements = {"axon": npl.synaptic_elements("linear", growth_rate=-0.4, eps=1.0, z=8.0)}
        others.synaptic_elements = {"dendrite": npl.synaptic_elements("linear", growth_rate=0.0, z=1.0)}
        growth = net.grow("axon", "dendrite")
        net.growth_interval = 10.0
        net.run(10.1)
        assert len(growth) == 4
        lost += ~np.isin(others.gids, growth.connections().target)
    assert (np.abs(lost - 100) < 5 * np.sqrt(200 / 4)).all()


def test_homeostasis():
    """Neurons that need input to fire grow it until calcium is at its target, of one value or another, also with threads."""
    net = npl.Network(seed=4, threads=2)
    cells = net.create("iaf_psc_alpha", 60)
    target = np.where(np.arange(60) < 30, 0.4, 0.8)
    drive = npl.synaptic_elements("linear", growth_rate=0.01, eps=target, tau_vacant=0.0)
    cells.set(tau_Ca=300.0, beta_Ca=0.1)
    sources = net.create("poisson_generator", rate=400.0)
    relay = net.create("parrot_neuron", 40)
    net.connect(sources, relay)
    relay.synaptic_elements = {"axon": npl.synaptic_elements("linear", growth_rate=0.0, z=100.0, tau_vacant=0.0)}
    cells.synaptic_elements = {"dendrite": drive}
    growth = net.grow("axon", "dendrite", weight=30.0, delay=1.0)
    net.growth_interval = 20.0
    net.run(3000.0)
    calcium = []
    for _ in range(20):
        net.run(100.0)
        calcium.append(cells.Ca)
    assert np.allclose(np.mean(calcium, 0)[:30].mean(), 0.4, atol=0.04)
    assert np.allclose(np.mean(calcium, 0)[30:].mean(), 0.8, atol=0.08)
    assert degrees(zip(growth.connections().source, growth.connections().target, strict=True), 1, 60)[30:].mean() > 5
