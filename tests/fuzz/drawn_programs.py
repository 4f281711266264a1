# SPDX-License-Identifier: Apache-2.0
"""Random programs of steps, all of them drawn from a seed.

A step is (name of a method of `performing.Performer`, its arguments), all plain values. Populations, projections and records are named by the number
of the step that made them: steps can be left out, and what then lacks something is left out as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import neuropil as npl

Step = tuple[str, dict[str, Any]]

CURRENT = [
    "iaf_psc_exp",
    "iaf_psc_alpha",
    "iaf_psc_delta",
    "aeif_psc_exp",
    "mat2_psc_exp",
    "gif_psc_exp",
    "iaf_tum_2000",
    "iaf_chs_2007",
    "pp_psc_delta",
]
PORTS = ["iaf_psc_exp_multisynapse", "glif_psc", "ht_neuron", "iaf_cond_alpha_mc", "gif_cond_exp_multisynapse", "iaf_bw_2001"]
CONDUCTANCE = [
    "iaf_cond_exp",
    "iaf_cond_alpha",
    "iaf_cond_beta",
    "aeif_cond_exp",
    "iaf_cond_exp_sfa_rr",
    "hh_cond_exp_traub",
    "iaf_chxk_2008",
]
PRECISE = ["iaf_psc_exp_ps", "iaf_psc_alpha_ps", "iaf_psc_delta_ps", "iaf_psc_exp_ps_lossless"]
BINARY = ["ginzburg_neuron", "mcculloch_pitts_neuron", "erfc_neuron"]
RATE = ["lin_rate_ipn", "tanh_rate_opn", "sigmoid_rate_ipn", "threshold_lin_rate_opn", "rate_transformer_tanh", "gauss_rate_ipn"]
RELAY = ["parrot_neuron", "parrot_neuron_ps", "volume_transmitter"]
GAP = ["hh_psc_alpha_gap", "hh_cond_beta_gap_traub"]
HISTORY = ["aeif_psc_delta_clopath", "hh_psc_alpha_clopath", "pp_cond_exp_mc_urbanczik"]
EPROP = ["eprop_iaf", "eprop_iaf_adapt", "eprop_readout", "eprop_iaf_bsshslm_2020", "eprop_readout_bsshslm_2020", "eprop_iaf_psc_delta"]
ASTRO = ["astrocyte_lr_1994", "aeif_cond_alpha_astro"]
OTHER = ["izhikevich", "ignore_and_fire", "interval_fire", "siegert_neuron", "volume_transmitter", "cm", "gif_pop_psc_exp"]
FAMILIES = [CURRENT, CURRENT, CURRENT, PORTS, CONDUCTANCE, PRECISE, BINARY, RATE, RELAY, GAP, HISTORY, EPROP, ASTRO, OTHER]

SPIKING = ["poisson_generator", "spike_generator", "gamma_sup_generator", "mip_generator", "poisson_generator_ps", "ppd_sup_generator",
           "pulsepacket_generator", "sinusoidal_gamma_generator", "sinusoidal_poisson_generator", "inhomogeneous_poisson_generator",
           "weighted_spike_generator"]  # fmt: skip
CURRENTS = ["dc_generator", "ac_generator", "noise_generator", "step_current_generator"]
DEVICES = [*SPIKING, *CURRENTS, "poisson_generator", "spike_generator", "step_rate_generator"]

PLAIN = ["static_synapse", "static_synapse", "static_synapse", "bernoulli_synapse", "cont_delay_synapse"]
SHORT_TERM = ["tsodyks_synapse", "tsodyks2_synapse", "quantal_stp_synapse", "ht_synapse"]
PLASTIC = ["stdp_synapse", "stdp_synapse", "stdp_triplet_synapse", "stdp_pl_synapse_hom", "stdp_nn_restr_synapse", "stdp_nn_symm_synapse",
           "stdp_nn_pre_centered_synapse", "jonke_synapse", "vogels_sprekeler_synapse", "calcium_synapse", "stdp_facetshw_synapse",
           "stdp_dopamine_synapse"]  # fmt: skip
SYNAPSES = [PLAIN, PLAIN, SHORT_TERM, PLASTIC, PLASTIC]
UNITS = {"pA": 150.0, "nS": 6.0, "mV": 3.0, "uS": 0.02}
ODD = [0.0, -1.0, float("nan"), float("inf"), 1e30, -1e-9]


def own_synapses(pre: str, post: str) -> list[str]:
    """Models of synapses that are of these models of nodes."""
    found = []
    if post.endswith("clopath"):
        found += ["clopath_synapse"] * 2
    if "urbanczik" in post:
        found += ["urbanczik_synapse"] * 2
    if post.startswith("eprop"):
        end = "_bsshslm_2020" if "bsshslm" in post else ""
        found += [f"eprop_learning_signal_connection{end}" if pre.startswith("eprop_readout") else f"eprop_synapse{end}"] * 3
    if pre in GAP and post == pre:
        found += ["gap_junction"] * 4
    if pre == "astrocyte_lr_1994" and post.endswith("astro"):
        found += ["sic_connection"] * 5
    if (post in RATE and pre in (*RATE, "step_rate_generator")) or post == pre == "siegert_neuron":
        kinds = ["diffusion_connection"] if post == "siegert_neuron" else ["rate_connection_delayed", "rate_connection_instantaneous"]
        found += kinds * 5
    if pre in BINARY:
        found += ["state_change_synapse"] * 2
    if "bw_2001" in post:
        found += ["nmda_synapse"]
    return found


class Drawing:
    """Draws the steps of one program."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.steps: list[Step] = []
        self.nodes: dict[int, tuple[str, int]] = {}  # by step: model and number
        self.projections: dict[int, str] = {}  # by step: synapse model
        self.records: list[int] = []
        self.resolution = float(self.pick([0.1, 0.1, 0.1, 0.2, 0.5, 1.0]))
        self.cuts = self.rng.random() < 0.5  # goes on from files; else copies, resets and stored states

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def number(self, low: float, high: float) -> float:
        return float(np.round(self.rng.uniform(low, high), 6))

    def add(self, step: str, **arguments: Any) -> int:
        self.steps.append((step, arguments))
        return len(self.steps) - 1

    def drawn(self) -> list[Step]:
        self.add("network", resolution=self.resolution, seed=int(self.rng.integers(1, 10**6)))
        self.add("record_weights")
        for _ in range(int(self.rng.integers(2, 5))):
            self.create()
        for _ in range(int(self.rng.integers(1, 4))):
            self.device()
        kinds = [self.connect] * 6 + [
            self.arrays,
            self.stimulate,
            self.stimulate,
            self.stimulate,
            self.record,
            self.record,
            self.record,
            self.create,
        ]
        for _ in range(int(self.rng.integers(6, 16))):
            self.pick(kinds)()
        if self.chance(0.2):
            self.grow()
        for _ in range(int(self.rng.integers(2, 6))):
            self.run()
            for _ in range(int(self.rng.integers(0, 4))):
                self.change()
        self.run()
        return self.steps

    # --- nodes

    def create(self) -> None:
        model, n = self.pick(self.pick(FAMILIES)), int(self.pick([1, 2, 3, 5, 8, 13, 24]))
        if model in ("volume_transmitter", "gif_pop_psc_exp"):
            n = 1
        params = {} if model == "cm" else self.node_params(model, n)
        if model in BINARY:
            params["tau_m"] = 3.0
        self.nodes[self.add("create", model=model, n=n, params=params)] = (model, n)

    def node_params(self, model: str, n: int) -> dict[str, Any]:
        entry = npl.describe(model)
        params = {name: self.near(p.default, n) for name, p in entry.parameters.items() if self.chance(1.5 / (2 + len(entry.parameters)))}
        if "I_e" in entry.parameters:
            strength = {"pA": 400.0, "nS": 500.0}.get(entry.weight_unit, 300.0)
            params["I_e"] = ("uniform", 0.0, 10.0 if model == "izhikevich" else strength)
        if "V_m" in entry.state and self.chance(0.3):
            rest = entry.state["V_m"].default
            params["V_m"] = ("uniform", rest, rest + 10.0)
        if "rate" in entry.parameters:
            params["rate"] = ("uniform", 20.0, 200.0)
        return params

    def near(self, default: float, n: int) -> Any:
        """A value near the default, of one of all kinds; at times a bad one."""
        if self.chance(0.04):
            return self.pick(ODD)
        if not np.isfinite(default) or abs(default) > 1e100:
            return default
        if float(default).is_integer() and 0 <= default <= 4:
            return float(self.pick([default, default, 0.0, 1.0, 2.0, 0.5]))
        low, high = sorted((0.8 * default, 1.25 * default))
        kind = self.rng.integers(4)
        if kind == 0:
            return ("uniform", low, high)
        if kind == 1 and n:
            return ("array", int(self.rng.integers(1000)), low, high)
        return self.number(low, high)

    def device(self) -> None:
        model = self.pick(DEVICES)
        n = int(self.pick([1, 1, 2, 4]))
        params: dict[str, Any] = {}
        names = npl.describe(model).parameters
        times = np.cumsum(np.round(self.rng.uniform(0.1, 5.0, 8), 0) + 1.0).tolist()
        if "rate" in names:
            params["rate"] = self.pick([100.0, 1000.0, 5000.0])
        if model in CURRENTS:
            main = {"noise_generator": "std", "step_current_generator": None}.get(model, "amplitude")
            params |= {main: self.number(0, 300)} if main else {}
        if "generator" in model and self.chance(0.2):
            params["start"], params["stop"] = 5.0, self.pick([7.0, 20.0, 1e4])
        vectors: dict[str, Any] = {
            "spike_generator": {"spike_times": times, **({"spike_multiplicities": [1.0, 2.0] * 4} if self.chance(0.2) else {})},
            "weighted_spike_generator": {"spike_times": times, "spike_weights": [1.0, -0.5] * 4},
            "step_current_generator": {"amplitude_times": times, "amplitude_values": [200.0, -50.0] * 4},
            "step_rate_generator": {"amplitude_times": times, "amplitude_values": [1.0, -0.5] * 4},
            "inhomogeneous_poisson_generator": {"rate_times": times, "rate_values": [2000.0, 10.0] * 4},
            "pulsepacket_generator": {"pulse_times": times, "activity": 5.0, "sdev": 0.7},
        }
        params |= vectors.get(model, {})
        params |= {name: self.near(p.default, n) for name, p in names.items() if name not in params and self.chance(0.1)}
        self.nodes[self.add("create", model=model, n=n, params=params)] = (model, n)

    def part(self, number: int) -> tuple[int, int, int, int]:
        """Some of the nodes of a step."""
        n = self.nodes[number][1]
        if self.chance(0.65) or n == 1:
            return number, 0, n, 1
        first = int(self.rng.integers(n))
        return number, first, int(self.rng.integers(first + 1, n + 1)), int(self.pick([1, 1, 2]))

    def neurons(self) -> list[int]:
        return [number for number, (model, _) in self.nodes.items() if model not in DEVICES]

    def transmitters(self) -> list[int]:
        return [number for number, (model, _) in self.nodes.items() if model == "volume_transmitter"]

    # --- connections

    def connect(self) -> None:
        pre, post = self.ends()
        made = self.connection(pre, post)
        self.projections[self.add("connect", **made)] = made["synapse"]

    def ends(self) -> tuple[int, int]:
        """What to connect. Relays send to later ones only: in a circle spikes would become ever more."""
        pre, post = self.pick(list(self.nodes)), self.pick(self.neurons())
        if self.chance(0.15):
            pre = post
        post_model = self.nodes[post][0]
        alike = next((family for family in (RATE, GAP, EPROP, ASTRO, ["siegert_neuron"]) if post_model in family), [])
        alike = [number for number, (model, _) in self.nodes.items() if model in alike]
        if alike and self.chance(0.6):
            pre = self.pick(alike)
        return (pre, post) if pre < post or not self.are_relays(pre, post) else self.ends()

    def are_relays(self, *numbers: int) -> bool:
        return all(self.nodes[number][0] in RELAY for number in numbers)

    def connection(self, pre: int, post: int) -> dict[str, Any]:
        pre_model, post_model = self.nodes[pre][0], self.nodes[post][0]
        synapse, own = self.pick(self.pick(SYNAPSES)), own_synapses(pre_model, post_model)
        if own and self.chance(0.8):
            synapse = self.pick(own)
        if synapse == "stdp_dopamine_synapse" and not self.transmitters() and self.chance(0.9):
            synapse = "stdp_synapse"
        if pre_model in (*CURRENTS, "weighted_spike_generator") and self.chance(0.9):
            synapse = "static_synapse"
        rule, arguments = self.rule(self.nodes[pre][1], self.nodes[post][1])
        if rule == "symmetric_pairwise_bernoulli" and self.are_relays(pre, post):
            rule, arguments = "all_to_all", {}  # a circle, too
        if synapse == "gap_junction":
            pre, rule, arguments = post, "all_to_all", {"autapses": False}
        whole = synapse == "gap_junction"
        return {
            "pre": (pre, 0, self.nodes[pre][1], 1) if whole else self.part(pre),
            "post": (post, 0, self.nodes[post][1], 1) if whole else self.part(post),
            "rule": rule,
            "arguments": arguments,
            "synapse": synapse,
            "params": self.synapse_params(synapse),
            **self.values(pre_model, post_model, synapse),
            **({} if npl.describe(synapse).delayed else {"delay": None}),
            "double": self.chance(0.15),
            "recorded": self.chance(0.15),
            "label": self.pick([*[""] * 6, *[f"own {len(self.steps)}"] * 3, "same"]),
            "growth": False,
        }

    def values(self, pre_model: str, post_model: str, synapse: str) -> dict[str, Any]:
        """Weight, delay and receptor."""
        scale = 1.0 if post_model == "cm" else UNITS.get(npl.describe(post_model).weight_unit, 0.5)
        if pre_model in CURRENTS or synapse in ("gap_junction", "sic_connection") or "rate_" in synapse:
            scale = 1.0
        plastic = "Wmax" in npl.describe(synapse).parameters
        sign = -1.0 if self.chance(0.02 if plastic else 0.15) else 1.0
        low, high = sorted((sign * 0.5 * scale, sign * 1.5 * scale))
        if self.chance(0.02 if plastic else 0.1):
            low, high = -abs(low), abs(low)
        receptor = 0
        if post_model in PORTS or post_model == "pp_cond_exp_mc_urbanczik":
            receptor = int(self.pick([1, 2, 3, 3]))
        elif self.chance(0.1):
            receptor = int(self.pick([1, 2, 7]))
        return {"weight": self.value(low, high), "delay": self.delay(), "receptor": receptor}

    def value(self, low: float, high: float) -> Any:
        return self.pick(
            [
                self.number(low, high),
                ("uniform", low, high),
                ("normal", (low + high) / 2, (high - low) / 4, low, high),
                ("coded", low, high),
                self.number(low, high),
            ]
        )

    def delay(self) -> Any:
        h, steps = self.resolution, int(self.pick([1, 2, 5, 10, 17, 40]))
        if self.chance(0.02):
            return self.pick([0.0, -1.0, h / 3])
        return self.pick([steps * h, steps * h, ("uniform", h, (1 + steps) * h), ("normal", 1.5 + h, 0.7, h, 6.0 + h)])

    def rule(self, n_pre: int, n_post: int) -> tuple[str, dict[str, Any]]:
        k = int(self.rng.integers(0, min(n_pre, n_post) + 2))
        autapses, multapses = ({} if self.chance(0.7) else {name: False} for name in ("autapses", "multapses"))
        return self.pick([
            ("all_to_all", autapses),
            ("one_to_one", {}),
            ("fixed_indegree", {"k": k} | autapses | multapses),
            ("fixed_indegree", {"k": k} | autapses | multapses),
            ("fixed_outdegree", {"k": k} | autapses | multapses),
            ("fixed_total_number", {"n": 4 * k} | autapses | multapses),
            ("pairwise_bernoulli", {"p": self.number(0, 1)} | autapses),
            ("pairwise_poisson", {"mean": self.number(0, 2)} | autapses),
            ("symmetric_pairwise_bernoulli", {"p": self.number(0, 1)}) if self.chance(0.3) else ("all_to_all", {}),
            ("small_world", {"k": 2, "p": 0.3}) if n_pre > 4 else ("all_to_all", {}),
        ])  # fmt: skip

    def synapse_params(self, synapse: str) -> dict[str, Any]:
        entry = npl.describe(synapse)
        found = {}
        for name, p in entry.parameters.items():
            if self.chance(1.5 / (2 + len(entry.parameters))) and not name.startswith(("lookup", "volume", "axonal")):
                found[name] = self.near(p.default, 0)
        if "lambda" in entry.parameters:
            found["lambda"] = 0.1
        if "Wmax" in entry.parameters and self.chance(0.8):
            found["Wmax"] = self.pick([500.0, 500.0, 240.0])
        elif "Wmax" in entry.parameters:
            found["Wmax"] = 1000.0
        if "axonal_delay" in entry.parameters and self.chance(0.1):
            found["axonal_delay"] = self.resolution
        if synapse == "stdp_dopamine_synapse":
            transmitters = self.transmitters()
            found["volume_transmitter"] = ("node", self.pick(transmitters)) if transmitters else 1.0
        return found

    def arrays(self) -> None:
        (pre, post), n = self.ends(), int(self.rng.integers(0, 12))
        made = self.connection(pre, post)
        synapse = made["synapse"]
        columns = {
            "sources": self.rng.integers(0, self.nodes[pre][1], n).tolist(),
            "targets": self.rng.integers(0, self.nodes[post][1], n).tolist(),
        }
        if self.chance(0.5) and not isinstance(made["weight"], tuple):
            made["weight"] = ("array", int(self.rng.integers(1000)), *sorted((0.5 * made["weight"], made["weight"])))
        given = {key: made[key] for key in ("synapse", "params", "weight", "delay", "receptor", "double", "recorded", "label")}
        self.projections[self.add("arrays", pre=pre, post=post, **columns, **given)] = synapse

    def stimulate(self) -> None:
        post = self.pick(self.neurons())
        device, params = self.pick([
            ("poisson_generator", {"rate": self.pick([2000.0, 8000.0])}), ("dc_generator", {"amplitude": self.number(0, 500)}),
            ("noise_generator", {"mean": 100.0, "std": self.number(0, 300), "dt": 1.0}), ("ac_generator", {"amplitude": 200.0, "frequency": 100.0}),
            ("poisson_generator", {"rate": 8000.0}),
        ])  # fmt: skip
        values = self.values(device, self.nodes[post][0], "static_synapse")
        number = self.add("stimulate", post=self.part(post), device=device, params=params, **values)
        self.nodes[number] = (device, 1)
        self.projections[number] = "static_synapse"

    def grow(self) -> None:
        some = [number for number in self.neurons() if self.nodes[number][0] not in RELAY][:2]
        for number in some:
            self.add("elements", nodes=self.part(number), rate=self.number(0.05, 0.5), z=("uniform", 0.0, 3.0))
        self.add(
            "grow",
            weight=self.value(10.0, 20.0),
            synapse=self.pick(["static_synapse", "stdp_synapse"]),
            delay=1.0,
            interval=self.pick([2.0, 5.0]),
        )
        if len(some) == 2 and self.chance(0.3):
            made = self.connection(some[0], some[1]) | {"growth": True, "synapse": "static_synapse", "params": {}}
            self.projections[self.add("connect", **made)] = "static_synapse"

    # --- records

    def record(self) -> None:
        number = self.pick(list(self.nodes))
        model, kind = self.nodes[number][0], int(self.rng.integers(5))
        interval = self.resolution * int(self.pick([1, 1, 3, 7]))
        if kind == 4 and self.projections:
            projection = self.pick(list(self.projections))
            names = ["weight", *self.pick([[], ["Kplus"], ["u", "x"]])]
            self.records.append(self.add("record_synapses", projection=projection, names=names, interval=10 * self.resolution))
        elif kind == 3:
            self.records.append(
                self.add("record_bins", nodes=self.part(number), kind="rate", bin=self.resolution * int(self.pick([1, 10, 20])))
            )
        elif kind == 2:
            names = ["V_m"] if model == "cm" else list(npl.describe(model).recordables)
            names = [name for name in names if self.chance(0.5)] or names[:1] or ["V_m"]
            self.records.append(self.add("record_states", nodes=self.part(number), names=names, interval=interval))
        else:
            window = {"start": 3.0 * self.resolution, "stop": 100.0 * self.resolution} if self.chance(0.2) else {}
            self.records.append(self.add("record_spikes", nodes=self.part(number), window=window))

    # --- runs, and what users do between

    def run(self) -> None:
        steps = int(self.pick([1, 1, 3, 10, 33, 77, 120, 160]))
        self.add("run", steps=max(1, int(steps * min(1.0, 0.2 / self.resolution))))

    def change(self) -> None:
        often = [
            self.set_nodes,
            self.set_nodes,
            self.set_projection,
            self.set_projection,
            self.set_projection,
            self.disconnect,
            self.disconnect,
        ]
        often += [self.connect, self.connect, self.create, self.device, self.arrays, self.stimulate, self.record, self.read, self.clear]
        whole = ["cut", "cut", "cut"] if self.cuts else ["copy", "clone", "store", "restore", "restore", "reset", "reseed"]
        kind = self.pick([*often, *whole, "growing"])
        if not isinstance(kind, str):
            kind()
        elif kind == "growing":
            self.add("growing", on=self.chance(0.5))
        else:
            self.add(kind)

    def set_nodes(self) -> None:
        number = self.pick(list(self.nodes))
        model, n = self.nodes[number]
        if model == "cm":
            return
        entry = npl.describe(model)
        names = [*entry.parameters, *(name for name in entry.state if not name.startswith("_"))]
        some = {str(self.pick(names)): 0.0 for _ in range(int(self.rng.integers(1, 3)))} if names else {}
        for name in some:
            default = (entry.parameters.get(name) or entry.state[name]).default
            some[name] = self.pick([500.0, 4000.0]) if name == "rate" and model.endswith("generator") else self.near(default, n)
        if model == "spike_generator" and self.chance(0.5):
            some = {"spike_times": np.arange(1.0, 200.0, 7.0).tolist()}
        self.add("set_nodes", nodes=self.part(number), params=some)

    def set_projection(self) -> None:
        if not self.projections:
            return
        number = self.pick(list(self.projections))
        entry = npl.describe(self.projections[number])
        kind, every = int(self.rng.integers(4)), int(self.pick([1, 1, 2, 3]))
        if kind == 0 and entry.parameters:
            name = str(self.pick(list(entry.parameters)))
            self.add("set_projection", projection=number, name=name, every=every, value=self.near(entry.parameters[name].default, 0))
        elif kind == 1:
            self.add("set_projection", projection=number, name="delay", every=every, value=self.delay())
        else:
            weight = next((step[1]["weight"] for step in [self.steps[number]] if "weight" in step[1]), 1.0)
            size = abs(weight if isinstance(weight, float) else weight[2])
            self.add("set_projection", projection=number, name="weight", every=every, value=self.value(0.3 * size, 1.2 * size))

    def disconnect(self) -> None:
        if self.projections:
            self.add(
                "disconnect",
                projection=self.pick(list(self.projections)),
                every=int(self.pick([1, 2, 2, 3, 5])),
                first=int(self.pick([0, 1])),
            )

    def read(self) -> None:
        self.add("read")

    def clear(self) -> None:
        if self.records:
            self.add("clear", record=self.pick(self.records))


def program(seed: int) -> list[Step]:
    """The steps that follow from a seed."""
    return Drawing(seed).drawn()
