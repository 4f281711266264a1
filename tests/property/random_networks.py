# SPDX-License-Identifier: Apache-2.0
"""Random small networks, described once, made twice: in the kernel and in the reference kernel."""

from dataclasses import dataclass

import numpy as np

from lowlevel import array, connect, const, drawn, floats, gids, kernel, rows
from neuropil import _core

RESOLUTION = 0.1
STATES = {"iaf_psc_exp": ["V_m", "I_syn_ex", "I_syn_in"], "iaf_psc_alpha": ["V_m", "I_syn_ex", "I_syn_in"], "iaf_psc_delta": ["V_m"]}


@dataclass
class Population:
    model: str
    size: int
    params: dict
    first: int = 0


@dataclass
class Projection:
    pre: int
    post: int
    rule: str
    rule_params: dict
    weight: tuple
    delay: tuple
    synapse: str
    synapse_params: dict


@dataclass
class Description:
    """Populations first, then generators with their trains (stamps), relays of Poisson trains, currents."""

    populations: list
    trains: list
    poisson_rates: list
    projections: list
    currents: list  # (population, amplitude, start, stop, delay) in steps
    threads: int
    block_size: int
    layout: str
    pieces: list
    seed: int

    @property
    def steps(self):
        return sum(self.pieces)


def description(seed: int) -> Description:
    """A random network; all of it follows from the seed."""
    rng = np.random.default_rng(seed)
    pops = [_population(rng) for _ in range(rng.integers(1, 4))]
    trains = [np.sort(rng.integers(1, 391, rng.integers(0, 26))) for _ in range(rng.integers(0, 4))]
    rates = [rng.choice([100.0, 2000.0]) for _ in range(rng.integers(0, 2))]
    synapses = _synapses(rng)
    wires = [_projection(rng, pops, len(trains) + len(rates), synapses) for _ in range(rng.integers(1, 7))]
    analog = [i for i, p in enumerate(pops) if p.model in STATES]
    currents = [_current(rng, analog) for _ in range(rng.integers(0, 3)) if analog]
    pieces = _choice(rng, [[400], [133, 133, 134], [1, 199, 200]])
    layout = str(rng.choice(["auto", "runs", "words", "sorted_auto", "sorted_words"]))
    return Description(
        pops, trains, rates, [w for w in wires if w], currents, int(rng.integers(1, 4)), int(rng.choice([0, 1, 3])), layout, pieces, seed
    )


def _choice(rng, options):
    return options[rng.integers(len(options))]


def _population(rng):
    model, size = _choice(rng, [*STATES, *STATES, "parrot_neuron"]), int(rng.integers(1, 6))
    if model == "parrot_neuron":
        return Population(model, size, {})

    def values(low, high):
        return rng.uniform(low, high, _choice(rng, [1, size]))

    params = {
        "tau_m": values(2.0, 20.0),
        "C_m": values(50.0, 400.0),
        "E_L": [-70.0],
        "V_th": values(-60.0, -50.0),
        "V_reset": [rng.choice([-70.0, -65.5])],
        "t_ref": [rng.integers(0, 31) * RESOLUTION],
        "I_e": values(0.0, 600.0),
        "V_m": values(-75.0, -61.0),
    }
    if model != "iaf_psc_delta":  # time constants that meet are the case where closed forms fail
        params["tau_syn_ex"] = params["tau_m"] if rng.random() < 0.3 else values(0.2, 6.0)
        params["tau_syn_in"] = values(0.2, 6.0)
    if model != "iaf_psc_exp" and rng.random() < 0.5:
        params["V_min"] = values(-90.0, -72.0)
    return Population(model, size, params)


def _synapses(rng):
    """Parameters by synapse model: one set per network, since connections tell their model and not their parameters."""

    def common():
        return {
            "tau_plus": rng.uniform(2, 30),
            "tau_minus": rng.uniform(2, 30),
            "alpha": rng.uniform(0.1, 2),
            "lambda": rng.uniform(0, 0.2),
        }

    mu = [0.0, 0.4, 1.0]
    guetig = common() | {"mu_plus": _choice(rng, mu), "mu_minus": _choice(rng, mu), "Wmax": _choice(rng, [600.0, 600.0, -600.0])}
    return {"static_synapse": {}, "stdp_synapse": guetig, "stdp_pl_synapse_hom": common() | {"mu": _choice(rng, mu)}}


def _projection(rng, pops, n_generators, synapses):
    """pre counts populations, then generators and relays; only populations receive."""
    pre, post = int(rng.integers(len(pops) + n_generators)), int(rng.integers(len(pops)))
    if pre < len(pops) and pops[pre].model == pops[post].model == "parrot_neuron":
        return None  # parrots that excite each other repeat for ever more
    n_pre, n_post = pops[pre].size if pre < len(pops) else 1, pops[post].size
    synapse = _choice(rng, ["static_synapse", *synapses])
    sign = {"static_synapse": _choice(rng, [1, 1, -1]), "stdp_synapse": np.sign(synapses["stdp_synapse"]["Wmax"])}.get(synapse, 1)
    n = int(rng.integers(0, 9))
    rule, rule_params, n_edges = _choice(rng, [
        ("all_to_all", {}, n_pre * n_post),
        ("fixed_indegree", {"indegree": n}, n * n_post),
        ("fixed_outdegree", {"outdegree": n}, n * n_pre),
        ("fixed_total_number", {"N": n}, None),
        ("pairwise_bernoulli", {"p": rng.random()}, None),
        ("explicit", {"sources": rng.integers(0, n_pre, n), "targets": rng.integers(0, n_post, n)}, n),
    ])  # fmt: skip
    low, high = sorted((0.37 * sign, 300.11 * sign))
    if synapse == "static_synapse" and rng.random() < 0.5:
        low, high = -300.0, 500.0  # both signs in one projection
    weight = [const(rng.uniform(low, high)), drawn("uniform", low, high), array(rng.uniform(low, high, n_edges or 0))]
    steps = rng.integers(1, 31, n_edges or 1)
    delay = [
        const(steps.min(initial=30) * RESOLUTION),
        drawn("normal", 1.0, 0.5, "clip", 0.1, 3.0),
        array(steps[: n_edges or 0] * RESOLUTION),
    ]
    kinds = 2 if n_edges is None else 3
    return Projection(pre, post, rule, rule_params, weight[rng.integers(kinds)], delay[rng.integers(kinds)], synapse, synapses[synapse])


def _current(rng, analog):
    window = sorted(rng.integers(0, 401, 2).tolist())
    return _choice(rng, analog), rng.uniform(-200, 600), window, int(rng.integers(1, 21))


class InKernel:
    """The network as the kernel makes and runs it."""

    def __init__(self, d: Description):
        self.d = d
        self.net = net = kernel(RESOLUTION, d.seed, d.threads, d.block_size, d.layout)
        for p in d.populations:
            p.first = net.create(p.model, p.size, floats(**p.params))
        self.generators = [net.create("spike_generator", 1, {}) for _ in d.trains]
        for gid, train in zip(self.generators, d.trains, strict=True):
            net.set(np.array([gid]), {}, {"spike_times": np.array(train) * RESOLUTION})
        self.relays = [self._relay(rate) for rate in d.poisson_rates]
        self.sources = [(p.first, p.size) for p in d.populations] + [(gid, 1) for gid in self.generators + self.relays]
        self.plastic = []
        for w in d.projections:
            post = d.populations[w.post]
            pre, onto = rows(*self.sources[w.pre]), rows(post.first, post.size)
            given = {"synapse": w.synapse, "synapse_params": w.synapse_params, "weight": w.weight, "delay": w.delay}
            connect(net, pre, onto, w.rule, **given, doubles=True, **w.rule_params)
        for post, amplitude, (start, stop), delay in d.currents:
            device = net.create("dc_generator", 1, floats(amplitude=amplitude, start=start * RESOLUTION, stop=stop * RESOLUTION))
            target = d.populations[post]
            connect(net, rows(device), rows(target.first, target.size), delay=delay * RESOLUTION)
        self.spike_recorder = net.record_spikes(np.concatenate([rows(*source) for source in self.sources]), 0, 10**9)
        self.state_recorders = {
            i: net.record_state(gids(p.first, p.size), STATES[p.model], 1, 0) for i, p in enumerate(d.populations) if p.model in STATES
        }
        net.build(None)
        self.edges = net.connections(None, None, "")
        for piece in d.pieces:
            net.run(piece, None)

    def _relay(self, rate):
        poisson, relay = self.net.create("poisson_generator", 1, floats(rate=rate)), self.net.create("parrot_neuron", 1, {})
        connect(self.net, rows(poisson), rows(relay), delay=0.1)
        return relay

    def spikes(self):
        return self.net.spikes(self.spike_recorder)[:2]

    def weights(self):
        return self.net.connections(None, None, "")["weight"]


class InReference:
    """The same network, from the connections that the kernel made and the Poisson trains that it drew."""

    def __init__(self, k: InKernel):
        self.ref = ref = _core.Reference(RESOLUTION)
        d = k.d
        for p in d.populations:
            ref.add_neurons(p.model, gids(p.first, p.size), floats(**p.params))
        for gid, train in zip(k.generators, d.trains, strict=True):
            ref.add_spikes(gid, np.array(train, np.int64))
        stamps, senders = k.spikes()
        for gid in k.relays:
            ref.add_spikes(gid, stamps[senders == gid])
        for post, amplitude, (start, stop), delay in d.currents:
            target = d.populations[post]
            for gid in range(target.first, target.first + target.size):
                ref.add_current(gid, max(start + delay, delay + 1), stop + delay - 1, amplitude)
        self.order = self._add_edges(k)
        self.records = [
            (i, g, v) for i in k.state_recorders for g in range(d.populations[i].size) for v in range(len(STATES[d.populations[i].model]))
        ]
        for i, g, v in self.records:
            ref.record(d.populations[i].first + g, STATES[d.populations[i].model][v])
        ref.run(d.steps)

    def _add_edges(self, k):
        """By projection, told apart by synapse parameters: the table spec is not visible, so each projection is identified by its synapse model."""
        e, names, order = k.edges, [s["name"] for s in _core.synapses()], []
        for name in sorted({w.synapse for w in k.d.projections}):
            params = next(w.synapse_params for w in k.d.projections if w.synapse == name)
            mine = np.flatnonzero(e["synapse"] == names.index(name))
            self.ref.add_edges(
                e["source"][mine], e["target"][mine], e["weight"][mine], e["delay_steps"][mine], e["receptor"][mine], name, params
            )
            order.append(mine)
        return np.concatenate([np.empty(0, np.int64), *order])

    def weights(self):
        out = np.empty(len(self.order))
        out[self.order] = self.ref.weights()
        return out
