# SPDX-License-Identifier: Apache-2.0
"""Random calls of the extension with random, mostly bad, arguments. `python -m fuzz.hostile SEED CALLS` prints what came of them."""

import collections
import resource
import sys

import numpy as np

import neuropil
from lowlevel import connect, const, digest, floats, gids, kernel, rows
from neuropil import _core

# What a call may raise: errors of neuropil; Python's own for arguments of a wrong type; memory.
ALLOWED = (neuropil.errors.NeuropilError, TypeError, MemoryError, OverflowError)
NUMBERS = [
    0,
    1,
    2,
    3,
    -1,
    7,
    64,
    255,
    256,
    65535,
    65536,
    10**6,
    2**31 - 1,
    2**31,
    2**32,
    2**40,
    2**53,
    2**62,
    2**63 - 1,
    -(2**63),
    -(2**31),
]
REALS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    0.5,
    1e-300,
    5e-324,
    1e-9,
    1e9,
    1e38,
    3.5e38,
    1e300,
    -1e300,
    np.nan,
    np.inf,
    -np.inf,
    0.05,
    100.0,
    -55.0,
    6.5e3,
]


class Hostile:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.models = [m["name"] for m in _core.models()]
        self.devices = [d["name"] for d in _core.devices()]
        self.rules = [r["name"] for r in _core.rules()]
        self.synapses = [s["name"] for s in _core.synapses()]
        self.fields = sorted(
            {f[0] for e in (*_core.models(), *_core.devices(), *_core.synapses()) for f in [*e["parameters"], *e.get("state", [])]}
        )
        self.vectors = sorted({v[0] for d in _core.devices() for v in d["vectors"]})
        self.net = self.network()

    def network(self):
        net = kernel(threads=int(self.rng.integers(1, 4)), block_size=int(self.rng.choice([0, 0, 3])))
        net.create("iaf_psc_exp", 12, floats(I_e=500.0))
        net.create("poisson_generator", 2, floats(rate=1000.0))
        net.create("spike_generator", 2, {})
        net.create("parrot_neuron", 3, {})
        net.create("izhikevich", 4, {})
        connect(net, rows(1, 12), rows(1, 12), "fixed_indegree", indegree=3, weight=20.0, delay=1.0)
        connect(net, rows(1, 12), rows(1, 12), weight=20.0, delay=0.3, synapse="stdp_synapse")
        connect(net, rows(13), rows(1, 12), weight=20.0, delay=1.0)
        net.record_spikes(rows(1, 12), 0, 10**9)
        net.record_state(gids(1, 3), ["V_m"], 1, 0)
        return net

    # --- arguments

    def pick(self, options):
        return options[self.rng.integers(len(options))]

    def number(self):
        return self.pick(NUMBERS) if self.rng.random() < 0.5 else int(self.rng.integers(-3, 30))

    def real(self):
        return float(self.pick(REALS) if self.rng.random() < 0.6 else self.rng.normal(0, 50))

    def gid(self):
        return int(self.rng.integers(1, 24)) if self.rng.random() < 0.8 else self.number()

    def name(self, known):
        odd = ["", "V_m\0", "x" * 5000, "iaf_psc_exp ", "ü", "_h", "_free_at"]
        return self.pick(known) if self.rng.random() < 0.9 else self.pick(odd)

    def ints(self, make=None, dtype=np.int64):
        n = int(self.pick([0, 1, 1, 2, 3, 12, 40]))
        values = [(make or self.number)() for _ in range(n)]
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return self.odd_layout(np.array([min(max(v, low), high) for v in values], dtype))

    def reals(self, n=None):
        n = int(self.pick([0, 1, 1, 2, 3, 12, 144])) if n is None else n
        return self.odd_layout(np.array([self.real() for _ in range(n)], np.float64))

    def odd_layout(self, a):
        """Now and then not contiguous, of another byte order, kind or rank."""
        odd = self.rng.random()
        if odd < 0.03:
            return np.repeat(a, 2)[::2]
        if odd < 0.05:
            return a.astype(a.dtype.newbyteorder())
        if odd < 0.07:
            return a.reshape(1, -1)
        if odd < 0.08:
            return a.astype(np.complex128)
        return a

    def node_set(self):
        good = [rows(1, 12), rows(1), rows(2, 5, 2), rows(13, 2), rows(15, 2), rows(17, 3), rows(20, 4), rows(1, 23)]
        if self.rng.random() < 0.6:
            return self.pick(good)
        n = int(self.rng.integers(0, 4))
        return np.array([[self.gid(), self.number(), self.number()] for _ in range(n)], np.int64).reshape(-1, 3)

    def spec(self):
        if self.rng.random() < 0.4:
            return const(self.pick([1.0, 0.3, 20.0]))
        kind = self.name(["constant", "array", "uniform", "normal", "lognormal", "exponential", "uniform_int"])
        values = self.reals() if self.rng.random() < 0.5 else None
        bounds = (self.name(["none", "clip", "redraw"]), self.real(), self.real())
        moved = self.pick([(0.0, 1.0), (0.0, 1.0), (self.real(), self.real())])
        return (kind, self.real(), self.real(), *bounds, values, *moved, self.pick([0, 0, 0, 1, 12, 16, 17, -1]))

    def params(self, n=3):
        return {self.name(self.fields): self.reals() for _ in range(int(self.rng.integers(0, n)))}

    def rule_params(self):
        makers = {"p": self.real, "indegree": self.number, "outdegree": self.number, "N": self.number, "sources": self.ints, "targets": self.ints,
                  "allow_autapses": lambda: bool(self.rng.integers(2)), "allow_multapses": lambda: bool(self.rng.integers(2))}  # fmt: skip
        return {name: make() for name, make in makers.items() if self.rng.random() < 0.3}

    # --- calls

    def call(self):
        net, number = self.net, self.number
        return self.pick([
            lambda: net.create(self.name(self.models + self.devices), self.pick([1, 1, 2, 0, -1, 2**40, 2**62, -(2**63)]), self.params()),
            lambda: net.set(self.ints(self.gid), self.params()),
            lambda: net.get(self.ints(self.gid), self.name(self.fields)),
            lambda: net.set(np.array([self.gid()]), {}, {self.name(self.vectors): self.reals() for _ in range(self.rng.integers(3))}),
            lambda: net.get_vector(self.gid(), self.name(self.vectors)),
            lambda: net.model_of(self.gid()),
            lambda: net.undo_create(self.gid()),
            self.connect,
            self.connect,
            self.connect,
            lambda: net.record_spikes(self.node_set(), number(), number()),
            lambda: net.record_state(self.ints(self.gid), [self.name(["V_m", "I_syn_ex", "U_m", "I", "rate", *self.fields]) for _ in range(self.rng.integers(3))], number(), number()),
            lambda: net.spikes(self.small(), self.pick([True, False])),
            lambda: net.samples(self.small(), self.pick([True, False])),
            lambda: net.clear_spikes(self.small()),
            lambda: net.clear_samples(self.small()),
            lambda: net.connections(self.pick([None, self.node_set()]), self.pick([None, self.node_set()]), self.name(["", "", *self.synapses])),
            lambda: net.get_weights(self.ints(), self.ints(dtype=np.int32), self.ints()),
            lambda: net.edit(self.ints(), self.ints(dtype=np.int32), self.ints(), self.number(), weight=self.reals()),
            self.set_some_weights,
            lambda: net.run(self.pick([-1, 0, 1, 5, 20, 2**31, 2**40, 2**63 - 1, -(2**63)]), None),
            lambda: _core.Kernel(
                resolution=self.real(),
                seed=self.number(),
                threads=self.pick([0, -1, 1, 2, 2000, 2**40]),
                block_size=self.number(),
                layout=self.name(["auto", "runs", "words"]),
            ),
            lambda: _core.draw_values(self.spec(), abs(number()) % 2**63, abs(number()) % 2**63, self.ints()),
            lambda: (net.memory(), net.plan(), net.counters(), net.timers(), net.connection_count()),
        ])()  # fmt: skip

    def small(self):
        return int(np.clip(self.number(), -(2**31), 2**31 - 1))

    def connect(self):
        synapse = self.name(self.synapses)
        parameters = {self.name(self.fields): self.real() for _ in range(int(self.pick([0, 0, 0, 1, 2])))}
        receptor = int(self.pick([0, 0, 0, 1, -1, 2**31 - 1]))
        pre, post = self.node_set(), self.node_set()
        self.net.connect(
            pre=pre,
            post=post,
            rule=self.name(self.rules),
            rule_params=self.rule_params(),
            synapse=synapse,
            synapse_params=parameters,
            weight=self.spec(),
            delay=self.spec(),
            receptor=receptor,
            double_weights=bool(self.rng.integers(2)),
        )

    def set_some_weights(self):
        c = self.net.connections(None, None, "")
        if len(c["slice"]) == 0:
            return
        k = self.rng.integers(0, max(1, len(c["slice"])), int(self.rng.integers(0, 5)))
        self.net.edit(c["slice"][k], c["table"][k], c["position"][k], 0, weight=self.reals(int(self.pick([1, len(k), 9]))))


def untouched():
    """A small run whose result must not depend on what other networks of the process went through."""
    net = kernel(threads=2)
    net.create("iaf_psc_exp", 12, floats(I_e=500.0))
    connect(net, rows(1, 12), rows(1, 12), weight=20.0, delay=0.3, synapse="stdp_synapse")
    recorder = net.record_spikes(rows(1, 12), 0, 10**9)
    net.run(500, None)
    return digest(*net.spikes(recorder), net.connections(None, None, "")["weight"])


def main(seed, calls):
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))  # what asks for all the memory there is gets a MemoryError
    before = untouched()
    h, outcomes = Hostile(seed), collections.Counter()
    for k in range(calls):
        if k % 100 == 99:
            h.net = h.network()
        try:
            h.call()
            outcomes["fine"] += 1
        except ALLOWED as error:
            outcomes[type(error).__name__] += 1
    assert untouched() == before
    print(calls, "calls", dict(outcomes))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
