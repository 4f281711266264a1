# SPDX-License-Identifier: Apache-2.0
"""A random network wrapped in a class with methods calibrate, build, connect, run, as tutorials teach."""

import numpy as np

import nest


class Network:
    def __init__(self, g=5.0, eta=2.0, **more):
        self.g, self.eta, self.J, self.D, self.order = g, eta, 0.2, 1.5, 80
        self.epsilon, self.simtime, self.warmup = 0.1, 500.0, 100.0
        self.neuron = {"C_m": 1.0, "tau_m": 20.0, "t_ref": 2.0, "E_L": 0.0, "V_reset": 0.0, "V_m": 0.0, "V_th": 20.0}
        for key, value in more.items():
            setattr(self, key, value)
        self.built = self.connected = False

    def calibrate(self):
        self.NE, self.NI = 4 * self.order, self.order
        self.CE, self.CI = int(self.epsilon * self.NE), int(self.epsilon * self.NI)
        self.J_ex = self.J
        self.J_in = -self.g * self.J_ex
        nu_th = self.neuron["V_th"] / (self.J * self.CE * self.neuron["tau_m"])
        self.p_rate = 1000.0 * self.eta * nu_th * self.CE

    def build(self):
        nest.ResetKernel()
        nest.set(rng_seed=34, local_num_threads=1)
        self.calibrate()
        self.nodes = nest.Create("iaf_psc_delta", self.NE + self.NI, params=self.neuron)
        self.E, self.I = self.nodes[: self.NE], self.nodes[self.NE :]
        self.noise = nest.Create("poisson_generator", 1, {"rate": self.p_rate})
        self.spikes = nest.Create("spike_recorder", 2, params=[{"label": "E", "start": self.warmup}, {"label": "I", "start": self.warmup}])
        self.built = True

    def connect(self):
        if not self.built:
            self.build()
        nest.CopyModel("static_synapse_hom_w", "excitatory", {"weight": self.J_ex, "delay": self.D})
        nest.CopyModel("static_synapse_hom_w", "inhibitory", {"weight": self.J_in, "delay": self.D})
        nest.Connect(self.E, self.nodes, {"rule": "fixed_indegree", "indegree": self.CE}, "excitatory")
        nest.Connect(self.I, self.nodes, {"rule": "fixed_indegree", "indegree": self.CI}, "inhibitory")
        nest.Connect(self.noise, self.nodes, syn_spec="excitatory")
        nest.Connect(self.E, self.spikes[0])
        nest.Connect(self.I, self.spikes[1])
        self.connected = True

    def run(self):
        if not self.connected:
            self.connect()
        nest.Simulate(self.warmup)
        nest.Simulate(self.simtime)
        return [1000.0 * n / (self.simtime * size) for n, size in zip(self.spikes.n_events, (self.NE, self.NI), strict=True)]


nest.verbosity = nest.VerbosityLevel.QUIET
for g, eta in ((4.0, 1.5), (6.0, 2.0)):
    rates = Network(g=g, eta=eta).run()
    print(f"g = {g}, eta = {eta}: {np.mean(rates):.0f} spikes/s, {nest.num_connections} connections")
