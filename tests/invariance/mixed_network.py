# SPDX-License-Identifier: Apache-2.0
"""One network with everything in it: all rules, models, devices, kinds of synapses, weights and delays, changed while it runs."""

import numpy as np

from lowlevel import array, connect, digest, drawn, floats, gids, kernel, rows
from neuropil import _core

DELAY = drawn("normal", 1.5, 0.7, "clip", 0.3, 4.0)
LONG = drawn("uniform", 0.4, 6.0)
STDP = {"lambda": 0.1, "Wmax": 120.0, "mu_plus": 0.4, "mu_minus": 0.7}
POWER_LAW = {"lambda": 0.2, "alpha": 0.1, "mu": 0.4}
SINGLE = [
    ("bernoulli_synapse", {"p_transmit": 0.6}, 20.0),
    ("quantal_stp_synapse", {"n": 4.0, "a": 3.0, "tau_rec": 20.0, "tau_fac": 10.0}, drawn("uniform", 1.0, 20.0)),
    ("stdp_triplet_synapse", {"Aplus": 0.5, "Aplus_triplet": 0.7, "Aminus": 0.6, "Aminus_triplet": 0.1}, 15.0),
    ("stdp_nn_pre_centered_synapse", {"lambda": 0.1}, drawn("uniform", 10.0, 60.0)),
    ("jonke_synapse", {"lambda": 0.5, "beta": 0.1, "mu_plus": -0.02}, 30.0),
    ("stdp_synapse", STDP, 20.0),
]
EVENTS = (150, 300)  # steps at which something is changed or added
STEPS = 450
AREAS = {"exp": "A", "relay": "A", "given": "A", "alpha": "B", "delta": "B", "late": "B", "hh": "B"}  # with the distribution by_area


class Mixed:
    def __init__(self, threads=1, block_size=0, layout="auto", doubles=False, seed=12, **settings):
        self.net = kernel(0.1, seed=seed, threads=threads, block_size=block_size, layout=layout, **settings)
        self.doubles = doubles
        self.spike_records, self.state_records = [], []
        self.nodes = {}
        self.areas = AREAS if "areas" in settings else {}
        self._populations()
        self._devices()
        self._synapses()
        self._records()

    def _create(self, key, model, n, **params):
        self.nodes[key] = (self.net.create(model, n, floats(**params), area=self.areas.get(key, "")), n)

    def _at(self, key):
        return rows(*self.nodes[key])

    def _gids(self, key):
        return gids(*self.nodes[key])

    def _populations(self):
        rng = np.random.default_rng(5)
        self._create("exp", "iaf_psc_exp", 97, V_m=rng.uniform(-70, -56, 97), I_e=350.0)
        self._create("poisson", "poisson_generator", 2, rate=[3000.0, 8000.0])
        self._create("delta", "iaf_psc_delta", 41, tau_m=rng.uniform(5, 20, 41), I_e=300.0)
        self._create("alpha", "iaf_psc_alpha", 53, V_m=rng.uniform(-70, -56, 53), V_min=-80.0)
        self._create("relay", "parrot_neuron", 7)
        self._create("cond", "iaf_cond_exp", 13, I_e=rng.uniform(200, 400, 13))
        self._create("adapting", "aeif_cond_exp", 5, I_e=900.0)
        self._create("izhikevich", "izhikevich", 11, I_e=rng.uniform(2, 15, 11))
        self._create("hh", "hh_psc_alpha", 3, I_e=900.0)
        self._create("regular", "ignore_and_fire", 5, rate=rng.uniform(50, 200, 5), phase=0.5)
        self._create("hines", "interval_fire", 9, interval_min=3.0, interval_max=9.0)

    def _devices(self):
        self._create("dc", "dc_generator", 1, amplitude=120.0, start=5.0, stop=30.0)
        self._create("noise", "noise_generator", 1, std=200.0, dt=0.5)
        self._create("steps", "step_current_generator", 1)
        self.net.set(
            np.array([self.nodes["steps"][0]]),
            {},
            {"amplitude_times": np.array([3.0, 12.0]), "amplitude_values": np.array([300.0, -100.0])},
        )
        self._create("given", "spike_generator", 2)
        self.net.set(
            np.array([self.nodes["given"][0]]),
            {},
            {"spike_times": np.array([2.0, 2.0, 9.9, 20.0]), "spike_multiplicities": np.array([1.0, 2.0, 1.0, 3.0])},
        )
        self.net.set(np.array([self.nodes["given"][0] + 1]), {}, {"spike_times": np.array([1.0, 30.0])})
        for device, target, weight, delay in [
            ("poisson", "exp", 30.0, 0.3), ("poisson", "relay", 1.0, 0.5), ("dc", "exp", drawn("uniform", 0.5, 1.5), 1.0),
            ("noise", "alpha", 1.0, 0.3), ("steps", "delta", 1.0, drawn("uniform", 0.3, 2.0)), ("poisson", "izhikevich", drawn("normal", 0.0, 0.3), 0.5),
        ]:  # fmt: skip
            connect(self.net, self._at(device), self._at(target), weight=weight, delay=delay)

    def _synapses(self):
        net, at = self.net, self._at
        everyone = np.concatenate([at("exp"), at("alpha"), at("cond")])
        w = {"doubles": self.doubles}
        connect(
            net, at("exp"), everyone, "fixed_indegree", indegree=20, weight=drawn("normal", 20.0, 4.0, "redraw", 0.0, 1e3), delay=DELAY, **w
        )
        connect(
            net,
            at("exp"),
            at("exp"),
            "fixed_indegree",
            indegree=15,
            weight=drawn("normal", 0.0, 30.0),
            delay=DELAY,
            allow_autapses=False,
            **w,
        )
        connect(net, at("alpha"), everyone, "pairwise_bernoulli", p=0.1, weight=-60.0, delay=LONG, allow_autapses=False, **w)
        connect(
            net,
            at("delta"),
            at("delta"),
            "fixed_outdegree",
            outdegree=8,
            weight=drawn("uniform", -1.0, 1.5),
            delay=0.7,
            allow_multapses=False,
            **w,
        )
        connect(net, at("relay"), at("delta"), "fixed_total_number", N=100, weight=drawn("lognormal", -0.5, 0.5), delay=LONG, **w)
        connect(net, at("given"), everyone, "all_to_all", weight=55.0, delay=drawn("exponential", 1.0, 0.0, "clip", 0.3, 8.0), **w)
        connect(
            net,
            at("regular"),
            rows(self.nodes["hines"][0], 5),
            "one_to_one",
            weight=array([0.1, 0.2, -0.3, 0.4, 0.5]),
            delay=array([0.3, 0.4, 1.1, 2.0, 5.0]),
            **w,
        )
        connect(net, at("hines"), at("izhikevich"), weight=1.5, delay=DELAY, **w)
        connect(net, at("izhikevich"), np.concatenate([at("adapting"), at("hh")]), "fixed_indegree", indegree=4, weight=2.0, delay=1.0, **w)
        rng = np.random.default_rng(6)
        listed = {"sources": rng.integers(0, 97, 500), "targets": rng.integers(0, 166, 500)}
        connect(
            net,
            at("exp"),
            everyone[:2],
            "explicit",
            weight=array(rng.normal(0, 25.0, 500).clip(-50)),
            delay=DELAY,
            **(listed | {"targets": listed["targets"] % 150}),
            **w,
        )
        self._plastic()
        self._single()

    def _plastic(self):
        net, at = self.net, self._at
        plastic = {"doubles": self.doubles, "synapse": "stdp_synapse", "synapse_params": STDP}
        connect(net, at("exp"), at("exp"), "fixed_indegree", indegree=12, weight=drawn("uniform", 10.0, 60.0), delay=LONG, **plastic)
        connect(net, at("given"), at("exp"), weight=33.3, delay=DELAY, **plastic)
        plastic = {"doubles": self.doubles, "synapse": "stdp_pl_synapse_hom", "synapse_params": POWER_LAW}
        connect(
            net,
            np.concatenate([at("exp"), at("relay")]),
            at("alpha"),
            "pairwise_bernoulli",
            p=0.3,
            weight=drawn("normal", 20.0, 5.0, "clip", 0.0, 99.0),
            delay=DELAY,
            **plastic,
        )
        connect(net, at("alpha"), at("relay"), "fixed_total_number", N=30, weight=7.0, delay=1.0, **plastic)

    def _single(self):
        """Synapses with state or random numbers of their own, and recorded ones."""
        few = rows(self.nodes["alpha"][0], 12)
        self.recorder = self.net.record_weights(
            None, np.concatenate([rows(self.nodes["delta"][0] + 7, 3), rows(self.nodes["alpha"][0], 6)])
        )
        for synapse, params, weight in SINGLE:
            record = {"recorder": self.recorder} if synapse != "jonke_synapse" else {}
            connect(
                self.net,
                self._at("exp"),
                few,
                "fixed_indegree",
                indegree=3,
                weight=weight,
                delay=DELAY,
                doubles=self.doubles,
                synapse=synapse,
                synapse_params=params,
                **record,
            )
        connect(self.net, self._at("relay"), rows(self.nodes["delta"][0] + 5, 6), weight=0.1, delay=DELAY, recorder=self.recorder)

    def _records(self):
        spiking = np.concatenate([self._at(k) for k in self.nodes if k not in ("poisson", "dc", "noise", "steps")])
        self.spike_records += [self.net.record_spikes(spiking, 0, 10**9), self.net.record_spikes(rows(2, 40, 2), 33, 301)]
        visible = {m["name"]: [s[0] for s in m["state"]] for m in _core.models()}  # hidden state too
        for key, model in [("exp", "iaf_psc_exp"), ("delta", "iaf_psc_delta"), ("alpha", "iaf_psc_alpha"), ("cond", "iaf_cond_exp"), ("adapting", "aeif_cond_exp"),
                           ("izhikevich", "izhikevich"), ("hh", "hh_psc_alpha"), ("hines", "interval_fire")]:  # fmt: skip
            self.state_records.append(self.net.record_state(self._gids(key), visible[model], 7, 0))
        self.state_records.append(self.net.record_state(self._gids("exp")[[5, 2, 96]], ["V_m"], 1, 0))

    def _event(self, step):
        net = self.net
        if step == EVENTS[0]:
            net.set(self._gids("poisson"), floats(rate=[9000.0, 100.0]))
            net.set(self._gids("exp")[10:40], floats(I_e=600.0, V_m=-58.0))
            net.set(np.array([self.nodes["given"][0] + 1]), {}, {"spike_times": np.array([17.0, 30.0, 44.0])})
        else:
            self._create("late", "iaf_psc_exp", 19, I_e=500.0)
            self._create("late dc", "dc_generator", 1, amplitude=90.0)
            connect(net, self._at("late dc"), self._at("late"), weight=1.0, delay=0.5)
            connect(
                net,
                self._at("exp"),
                self._at("late"),
                "fixed_indegree",
                indegree=10,
                weight=drawn("normal", 0.0, 60.0),
                delay=DELAY,
                doubles=self.doubles,
            )
            connect(
                net,
                self._at("late"),
                self._at("exp"),
                "fixed_indegree",
                indegree=3,
                weight=40.0,
                delay=0.4,
                synapse="stdp_synapse",
                synapse_params=STDP,
            )
            self.spike_records.append(net.record_spikes(self._at("late"), 0, 10**9))
            self.state_records.append(net.record_state(self._gids("late"), ["V_m"], 3, 1))
            c = net.connections(self._at("alpha"), self._at("exp"), "static_synapse")
            net.edit(c["slice"], c["table"], c["position"], 0, weight=np.linspace(-80, -20, len(c["source"])))

    def run(self, pieces=(STEPS,), cuts=None, until=STEPS):
        """Runs to STEPS in pieces, which are split further where something is changed; `until`: only so far, and changes nothing then.

        cuts: {step: function}, which is given the kernel and returns the one that goes on.
        """
        cuts = cuts or {}
        stops = sorted({*np.cumsum(pieces).tolist(), *EVENTS, STEPS, *cuts, until})
        for stop in [stop for stop in stops if self.net.step <= stop <= until]:
            self.net.run(stop - self.net.step, None)
            if stop == until < STEPS:
                break
            if stop in cuts:
                self.net = cuts[stop](self.net)
            if stop in EVENTS:
                self._event(stop)
        return self

    def hash(self):
        """Of all spikes, traces, weights and connections."""
        c = self.net.connections(None, None, "")
        parts = [c[k] for k in ("source", "target", "weight", "delay_steps", "synapse", "receptor")]
        for r in self.spike_records:
            parts += self.net.spikes(r)
        for r in self.state_records:
            parts += self.net.samples(r)
        few = np.isin(c["target"], np.arange(12) + self.nodes["alpha"][0])
        parts += [
            self.net.get_state(name, *(c[k][few] for k in ("slice", "table", "position")))
            for name in ("u", "a", "x", "Kplus", "Kplus_triplet")
        ]
        sent = self.net.sent_weights(self.recorder)
        parts += [sent[k] for k in ("steps", "source", "target", "weight", "delay_steps", "receptor")]
        return digest(*parts)


def hash_of(pieces=(STEPS,), cuts=None, **settings):
    return Mixed(**settings).run(pieces, cuts).hash()
