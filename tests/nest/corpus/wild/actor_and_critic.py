# SPDX-License-Identifier: Apache-2.0
"""Two neuromodulators, two volume transmitters: an actor learns from one, a critic from the other; states walk along a line, reward at its end."""

import numpy as np

import nest

STATES, STEP = 3, 120.0


class Agent:
    def __init__(self):
        nest.ResetKernel()
        nest.verbosity = nest.VerbosityLevel.QUIET
        nest.resolution = 0.1
        self.states = [nest.Create("parrot_neuron", 4) for _ in range(STATES)]
        self.actor = nest.Create("iaf_psc_exp", 2, {"tau_syn_ex": 5.0, "tau_minus": 20.0})
        self.critic = nest.Create("iaf_psc_exp", 1, {"tau_syn_ex": 5.0})
        self.modulators = {name: nest.Create("parrot_neuron", 3) for name in ("dopamine", "serotonin")}
        self.inputs = [nest.Create("spike_generator") for _ in range(STATES)]
        self.bursts = {name: nest.Create("spike_generator") for name in self.modulators}
        for name, nodes in self.modulators.items():
            transmitter = nest.Create("volume_transmitter")
            nest.Connect(nodes, transmitter)
            nest.Connect(self.bursts[name], nodes)
            nest.CopyModel(
                "stdp_dopamine_synapse",
                f"by_{name}",
                {
                    "volume_transmitter": transmitter,
                    "tau_c": 200.0,
                    "tau_n": 50.0,
                    "A_plus": 1.5,
                    "A_minus": 0.5,
                    "Wmin": 0.0,
                    "Wmax": 400.0,
                    "b": 0.01,
                },
            )
        for source, pool in zip(self.inputs, self.states, strict=True):
            nest.Connect(source, pool)
            nest.Connect(pool, self.actor, syn_spec={"synapse_model": "by_dopamine", "weight": [[150.0] * 4, [158.0] * 4], "delay": 1.0})
            nest.Connect(pool, self.critic, syn_spec={"synapse_model": "by_serotonin", "weight": 140.0, "delay": 1.0})
        nest.Connect(self.actor, self.actor, {"rule": "all_to_all", "allow_autapses": False}, {"weight": -600.0, "delay": 0.5})
        self.spikes = nest.Create("spike_recorder", 2)
        nest.Connect(self.actor, self.spikes[0])
        nest.Connect(self.critic, self.spikes[1])

    def look(self, state):
        now = nest.biological_time
        self.inputs[state].spike_times = now + np.arange(5.0, 60.0, 7.0)
        self.spikes.n_events = 0
        nest.Simulate(0.6 * STEP)
        counts = [int(np.sum(self.spikes[0].events["senders"] == node)) for node in self.actor.tolist()]
        return counts, int(self.spikes[1].n_events)

    def reward(self, **given):
        now = nest.biological_time
        for name, number in given.items():
            self.bursts[name].spike_times = now + 2.0 + np.arange(number)
        nest.Simulate(0.4 * STEP)

    def weights(self, name, target):
        return [float(np.mean(nest.GetConnections(pool, target, f"by_{name}").weight)) for pool in self.states]


agent = Agent()
for episode in range(4):
    state, path = 0, []
    for _ in range(4):
        counts, value = agent.look(state)
        action = int(counts[1] > counts[0])
        path.append((state, action, tuple(counts), value))
        state = min(state + 1, STATES - 1) if action else max(state - 1, 0)
        agent.reward(dopamine=2 * action, serotonin=3 if state == STATES - 1 else 1)
    print(episode, path)
print("actor", [np.round(agent.weights("dopamine", node), 3).tolist() for node in agent.actor])
print(
    "critic",
    np.round(agent.weights("serotonin", agent.critic), 3).tolist(),
    nest.GetDefaults("by_serotonin", "volume_transmitter").tolist(),
)
