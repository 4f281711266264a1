# SPDX-License-Identifier: Apache-2.0
"""A network that is changed in all ways while spikes are in flight, and cut before and after each change."""

import hashlib

import numpy as np

import neuropil as npl
from lowlevel import const
from neuropil.model.journal import Journal, RememberingKernel
from snapshots import Saved


def cut(net, **settings):
    """The network goes on in a new kernel."""
    kernel = RememberingKernel(Journal(net._kernel.journal.settings | settings, 1e9))
    kernel.restore(Saved(net._kernel.snapshot()))
    net._kernel = kernel
    net._version += 1


class Edited:
    """Its steps are functions of `changes`, each followed by 1.7 ms."""

    def __init__(self, **settings):
        self.net = net = npl.Network(seed=4, **settings)
        self.cells = net.create("iaf_psc_exp", 50, V_m=npl.uniform(-68.0, -56.0), I_e=npl.uniform(350.0, 500.0), name="cells")
        self.precise = net.create("iaf_psc_exp_ps", 12, I_e=npl.uniform(400.0, 600.0), name="precise")
        self.ports = net.create("iaf_cond_exp", 10)
        self.parrots = net.create("parrot_neuron_ps", 6)
        self.noise = net.create("noise_generator", std=100.0, dt=0.7, std_mod=20.0, frequency=50.0)
        self.poisson = net.create("poisson_generator", rate=9000.0)
        self.gamma = net.create("gamma_sup_generator", rate=300.0, gamma_shape=3, n_proc=5)
        self.dead = net.create("poisson_generator_ps", rate=2000.0, dead_time=0.2)
        self.given = net.create("spike_generator", spike_times=np.arange(1.0, 60.0, 1.3))
        net.connect(self.noise, self.cells, weight=npl.uniform(0.5, 1.5), delay=npl.uniform(0.3, 2.0))
        net.connect(self.poisson, self.cells, weight=npl.normal(20.0, 5.0), delay=1.0)
        net.connect(self.gamma, self.cells, weight=15.0, delay=0.7)
        net.connect(self.dead, self.precise, weight=30.0, delay=0.9)
        net.connect(self.dead, self.parrots, delay=0.3)
        self.static = net.connect(
            self.cells, self.cells, npl.fixed_indegree(8), weight=npl.uniform(5.0, 30.0), delay=npl.uniform(0.3, 6.0), name="static"
        )
        self.learning = net.connect(
            self.cells,
            self.cells,
            npl.fixed_indegree(8),
            weight=npl.uniform(10.0, 30.0),
            delay=npl.uniform(0.3, 6.0),
            synapse=npl.stdp(),
            name="learning",
        )
        self.short = net.connect(
            self.cells,
            self.ports,
            npl.fixed_indegree(6),
            weight=3.0,
            delay=npl.uniform(0.5, 4.0),
            synapse=npl.synapse("tsodyks2_synapse", U=npl.uniform(0.2, 0.8), tau_rec=50.0),
            name="short",
        )
        self.chance = net.connect(
            self.cells, self.ports, npl.fixed_indegree(6), weight=3.0, delay=2.2, synapse=npl.synapse("bernoulli_synapse", p_transmit=0.5)
        )
        self.between = net.connect(self.precise, self.precise, npl.fixed_indegree(4), weight=20.0, delay=npl.uniform(1.0, 3.0))
        net.connect(self.parrots, self.precise, npl.fixed_indegree(2), weight=15.0, delay=2.0)
        net.connect(self.given, self.cells, weight=30.0, delay=3.1, synapse=npl.stdp(), name="of the generator")
        self.records = [
            net.record(self.cells + self.precise + self.ports + self.parrots),
            net.record(self.gamma),
            net.record(self.dead),
            net.record(self.given),
            net.record(self.cells[::7], "V_m", interval=0.3),
            net.record(self.noise, "I", interval=0.4),
        ]

    def changes(self):
        net = self.net
        yield lambda: None
        yield lambda: self.static.disconnect(np.arange(len(self.static)) % 3 == 0)
        yield lambda: self.learning.set(weight=25.0)
        yield lambda: self.static.delay.__setitem__(slice(None, None, 2), 2.5)
        yield lambda: self.learning.delay.__setitem__(slice(None, None, 3), 4.0)
        yield lambda: net._kernel.relink(1, const(35.0), const(2.3))  # the drive
        yield lambda: net._kernel.relink(3, const(25.0), const(0.4))  # of off-grid generators
        yield lambda: self.poisson.set(rate=4000.0)
        yield lambda: net.connect(self.cells, self.precise, npl.fixed_indegree(5), weight=18.0, delay=npl.uniform(0.5, 3.0))
        yield lambda: self.learning.disconnect(np.arange(len(self.learning)) % 5 == 1)
        yield lambda: net.connect(self.cells, self.cells, npl.fixed_indegree(3), weight=12.0, delay=1.4, synapse=npl.stdp())
        yield lambda: self.gamma.set(rate=500.0)
        yield lambda: self.noise.set(std=50.0)
        yield lambda: self.short.disconnect(np.arange(len(self.short)) % 4 == 1)
        yield lambda: self._grow()
        yield lambda: self.static.set(weight=9.0)
        yield lambda: self.chance.disconnect(np.arange(len(self.chance)) % 2 == 1)
        yield lambda: setattr(self.dead, "rate", 800.0)

    def _grow(self):
        new = self.net.create("iaf_psc_exp", 15, I_e=480.0, V_m=npl.uniform(-60.0, -55.5))
        self.net.connect(self.cells, new, npl.fixed_indegree(10), weight=25.0, delay=npl.uniform(0.5, 3.0))
        self.records.append(self.net.record(new))
        self.records.append(self.net.record(new[:3], "V_m", interval=0.1))

    def run(self, before=None, after=None):
        """`before`, `after`: settings by number of the change, of kernels that go on."""
        for k, change in enumerate(self.changes()):
            if before and k in before:
                cut(self.net, **before[k])
            change()
            if after and k in after:
                cut(self.net, **after[k])
            self.net.run(1.7)
        return self

    def hash(self):
        found = hashlib.sha256()
        for record in self.records:
            arrays = [record.times, record.values] if hasattr(record, "values") else [record.times, record.gids, record.offsets]
            assert len(arrays[0]), record
            for array in arrays:
                found.update(array.tobytes())
        c = self.net.connections()
        for array in (c.source, c.target, c.weight, c.delay):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()


N_CHANGES = 18
