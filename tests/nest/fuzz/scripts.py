# SPDX-License-Identifier: Apache-2.0
"""Random scripts without random numbers of the simulator: `script(seed)` is a list of steps for runner.py, the same on every machine."""

from __future__ import annotations

import math
import random
from typing import Any

from tests.nest.corpus.neurons import NO_CURRENT, NO_METER
from tests.nest.fuzz.models import NOT_TRIED, exact, neuron, neuron_models, silent, synapse_models, tables
from tests.nest.fuzz.verdicts import SHIFTED

Step = dict[str, Any]
RESOLUTIONS = [0.1] * 10 + [0.05, 0.2, 0.125, 0.25, 0.5, 1.0]
EDGES = [0.0, 0.0, -1.0, -1.0, float("inf"), float("nan"), 1e-9, 1e6, -70.0, "text", 1, 3]
PRECISE = ("_ps", "_ps_lossless")
# What neuropil.nest refuses by name to change once connections have it: rarely tried, so that what follows is seen.
REFUSED_LATER = {
    "": ("tau_minus", "tau_minus_triplet"),
    "iaf_tum_2000": ("tau_minus", "tau_minus_triplet", "U", "u", "x", "y", "tau_psc", "tau_rec", "tau_fac"),
    "iaf_bw_2001": ("tau_minus", "tau_minus_triplet", "alpha", "tau_decay_NMDA", "tau_rise_NMDA"),
}
RELAYS = ("parrot_neuron", "parrot_neuron_ps")
TWO_PORTS = ("iaf_psc_exp", "iaf_psc_alpha", "iaf_cond_exp", "iaf_cond_alpha", "iaf_psc_delta", "aeif_cond_exp")


class Dice(random.Random):
    """Draws that give the same on every version of Python: made of random() alone."""

    def chance(self, p: float) -> bool:
        return self.random() < p

    def pick(self, options: Any) -> Any:
        return options[int(self.random() * len(options))]

    def whole(self, low: int, high: int) -> int:
        """low .. high, both included."""
        return low + int(self.random() * (high - low + 1))

    def number(self, low: float, high: float, digits: int = 3) -> float:
        return round(low + self.random() * (high - low), digits)

    def some(self, options: Any, p: float) -> list[Any]:
        return [option for option in options if self.random() < p]


class Script:
    """One script in the making: what it has created so far, and the dice."""

    def __init__(self, seed: int):
        self.dice = Dice(seed)
        self.steps: list[Step] = []
        self.groups: dict[str, tuple[str, int]] = {}  # name -> model, size
        self.trains: dict[str, list[float]] = {}
        self.currents: dict[str, str] = {}
        self.linked: list[tuple[str, str, Any]] = []  # sources, targets, name of the synapse model
        self.meters: list[str] = []
        self.copies: dict[str, str] = {}  # name -> model that it is a copy of
        self.now = 0.0
        self.h = 0.1
        self.delays: list[float] = []
        self.models = [self.dice.pick(neuron_models()) for _ in range(self.dice.whole(1, 3))]
        self.odd = self.dice.chance(0.1)  # scripts with one edge value, most of them refused

    def add(self, do: str, **values: Any) -> None:
        self.steps.append({"do": do} | values)

    def grid(self, low: float, high: float) -> float:
        """A time of the grid [ms]."""
        steps = self.dice.whole(int(low / self.h), max(int(high / self.h), int(low / self.h)))
        return round(max(steps, 1) * self.h, 6)

    def delay(self) -> float:
        """Off the grid now and then; after Simulate one that was there before, as the extremes cannot change in NEST."""
        if self.now and self.delays:
            return self.dice.pick(self.delays)
        found = self.grid(self.h, 4.0) if self.dice.chance(0.95) else self.dice.number(self.h, 5.0)
        self.delays.append(found)
        return found

    def base(self, model: str) -> str:
        return self.copies.get(model, model)

    # --- the parts of a script

    def build(self) -> list[Step]:
        self.set_kernel()
        for model in self.models:
            self.make_group(model)
        self.make_recorders()
        for name in list(self.groups):
            self.drive(name)
        for _ in range(self.dice.whole(0, 3)):
            self.link()
        self.simulate()
        for _ in range(self.dice.pick([0, 1, 1, 2, 3])):
            for _ in range(self.dice.whole(1, 3)):
                self.dice.pick(CHANGES)(self)
            self.simulate()
        self.ask()
        return self.steps

    def set_kernel(self) -> None:
        """Coarse steps for models that are integrated exactly, else NEST's solvers explode now and then."""
        self.h = self.dice.pick(RESOLUTIONS if all(map(exact, self.models)) else RESOLUTIONS[:11])
        values: Step = {} if self.h == 0.1 else {"resolution": self.h}
        if values:
            self.add("kernel", values=values)

    def make_group(self, model: str) -> None:
        dice = self.dice
        name = f"n{len(self.groups)}"
        size = dice.pick([1, 1, 2, 3])
        values: Any = self.parameters(model)
        if dice.chance(0.1):
            self.add("defaults", model=model, values=self.some_parameters(model))
        if dice.chance(0.1):
            copy = f"{model}_{name}"
            self.add("copy", model=model, name=copy, values=self.some_parameters(model) if dice.chance(0.7) else None)
            self.copies[copy] = model
            model = copy
        arrays = any(isinstance(value, list) for value in values.values())  # NEST takes any list for one value per node
        if size > 1 and dice.chance(0.3):
            values = [values | self.some_parameters(self.base(model)) for _ in range(size)]
        elif size > 1 and not arrays and dice.chance(0.4):
            scalars = [key for key, value in values.items() if type(value) is float and key not in silent(model)]
            values |= {key: [self.vary(self.base(model), key, values[key]) for _ in range(size)] for key in dice.some(scalars, 0.3)}
        self.add("create", name=name, model=model, n=size, values=values or None)
        self.groups[name] = (model, size)

    def parameters(self, model: str) -> Step:
        """What makes the model behave, and some random ones."""
        about = neuron(model)
        values: Step = dict(about.params if self.dice.chance(0.7) or model not in TWO_PORTS else {})
        values |= silent(model)
        return values | {
            k: v for k, v in self.some_parameters(model).items() if k not in silent(model) and not isinstance(values.get(k), list)
        }

    def some_parameters(self, model: str) -> Step:
        defaults = tables()["neurons"][model]["defaults"]
        keys = [key for key, value in defaults.items() if not isinstance(value, list) and key not in NOT_TRIED]
        chosen = self.dice.some(keys, min(1.0, 3.0 / max(len(keys), 1)))
        fixed = REFUSED_LATER.get(model, REFUSED_LATER[""]) if self.now and self.dice.chance(0.95) else ()
        fixed = (*fixed, "t_ref") if self.now and model.endswith(PRECISE) else fixed  # NEST's neurons do not find the end of a shorter one
        values = {key: self.vary(model, key, defaults[key]) for key in chosen if key not in (*silent(model), *fixed)}
        if self.odd and self.dice.chance(0.4) and keys:
            self.odd = False
            key = self.dice.pick(keys)
            values[key] = self.edge(key, model)
        return values

    def edge(self, key: str, model: str) -> Any:
        """An odd value; infinite only where it has a meaning, and no potentials of 1e6 mV for numerical solvers."""
        while True:
            value = self.dice.pick(EDGES)
            number = value if isinstance(value, (int, float)) else 0.0
            if (math.isfinite(number) or (key, number) == ("V_th", math.inf)) and not (number == 1e6 and key == "V_m" and not exact(model)):
                return value

    def vary(self, model: str, key: str, value: Any) -> Any:
        """A value near the default that the model most likely takes."""
        dice = self.dice
        if isinstance(value, bool):
            return dice.chance(0.5)
        if isinstance(value, int):
            return value
        if abs(value) > 1e300:
            return value
        if key == "I_e":
            return dice.number(0.0, 1.3 * neuron(model).strong)
        if key == "V_m":
            return round(value + dice.number(-5.0, 8.0), 3)
        if key.startswith(("V_", "E_", "U_")) and abs(value) > 2.0:
            return round(value + dice.number(-3.0, 3.0), 3)
        if key == "t_ref":
            return self.grid(0.0, 5.0)
        if value == 0.0:
            return dice.number(0.0, 1.0) if dice.chance(0.5) else 0.0
        return float(f"{value * dice.number(0.6, 1.6):.6g}")

    def make_recorders(self) -> None:
        """One spike recorder of all that spikes; multimeters of some."""
        self.add("create", name="sr", model="spike_recorder")
        for name, (model, size) in self.groups.items():
            self.add("connect", pre=name, post="sr")
            if self.base(model) in NO_METER or self.dice.chance(0.2):
                continue
            known = tables()["neurons"][self.base(model)]["recordables"]
            values: Step = {
                "record_from": self.dice.some(known, 0.6) or [known[0]],
                "interval": self.dice.pick([1.0, 1.0, 2.0, self.grid(0.5, 1.5)]),
            }
            if self.dice.chance(0.15):
                values |= {"start": self.grid(0.0, 10.0), "stop": self.grid(15.0, 50.0)}
            if self.dice.chance(0.1):
                values |= {"offset": self.grid(0.5, 2.0)}
            meter = f"m{len(self.meters)}"
            self.add("create", name=meter, model="multimeter", values=values)
            self.add("connect", pre=meter, post=name if size < 3 or self.dice.chance(0.5) else ["slice", name, 0, size, 2])
            self.meters.append(meter)

    def drive(self, name: str) -> None:
        """Spikes and currents from devices."""
        model = self.base(self.groups[name][0])
        for _ in range(self.dice.pick([0, 1, 1, 2])):
            self.drive_spikes(name, model)
        if model not in NO_CURRENT and self.dice.chance(0.5):
            self.drive_current(name, model)

    def spike_times(self, low: float, n: int) -> list[float]:
        return sorted({round(low + self.grid(self.h, 40.0), 6) for _ in range(n)})

    def drive_spikes(self, name: str, model: str) -> None:
        dice, about = self.dice, neuron(model)
        train = f"g{len(self.trains)}"
        times = self.spike_times(self.now, dice.pick([1, 3, 8, 20]))
        values: Step = {"spike_times": times}
        device, plastic = ("spike_generator", 0.03) if dice.chance(0.75) else ("spike_train_injector", 0.5)
        if device == "spike_train_injector":
            pass
        elif dice.chance(0.15):
            values["spike_weights"] = [dice.number(0.2, 2.0) for _ in times]
        elif dice.chance(0.1):
            values["spike_multiplicities"] = [dice.whole(0, 3) for _ in times]
        if len(values) == 1 and dice.chance(0.1):
            option = dice.pick(["precise_times", "allow_offgrid_times", "shift_now_spikes"])
            values[option] = True
            values["spike_times"] = [
                round(time + dice.number(-0.5 * self.h, 0.4 * self.h), 3) if option != "shift_now_spikes" else time for time in times
            ]
            values["spike_times"] = sorted(max(time, 0.001) for time in values["spike_times"])
        if dice.chance(0.1):
            values |= dice.pick([{"start": 10.0}, {"stop": 30.0}, {"origin": 2.0}, {"start": 5.0, "stop": 20.0}])
        self.add("create", name=train, model=device, values=values)
        self.trains[train] = times
        excites = dice.chance(0.75)
        port = about.ports[0 if excites else 1]
        weight = dice.pick([about.weight, about.push, round(about.push * dice.number(0.2, 1.5), 3)]) if excites else about.pull
        if not port and dice.chance(0.05):
            weight = -weight
        self.add("connect", pre=train, post=name, syn=self.synapse(weight, port, plastic if not model.endswith(PRECISE) else 0.0))
        if device == "spike_train_injector":
            self.add("connect", pre=train, post="sr")
        self.linked.append((train, name, self.steps[-1 - (device == "spike_train_injector")]["syn"].get("synapse_model")))

    def drive_current(self, name: str, model: str) -> None:
        dice, about = self.dice, neuron(model)
        device = f"c{len(self.currents)}"
        kind = dice.pick(["dc_generator", "step_current_generator", "step_current_generator", "ac_generator"])
        strength = dice.pick([about.weak, about.strong, round(about.strong * dice.number(-0.5, 1.5), 3)])
        if kind == "dc_generator":
            values: Step = {"amplitude": strength}
        elif kind == "ac_generator":
            values = {"amplitude": strength, "offset": about.weak, "frequency": dice.number(1.0, 200.0), "phase": dice.number(0.0, 360.0)}
        else:
            times = self.spike_times(self.now, 3)
            values = {"amplitude_times": times, "amplitude_values": [round(strength * dice.number(-0.5, 1.5), 3) for _ in times]}
        if dice.chance(0.25):
            start = self.grid(0.0, 20.0)
            values |= {"start": start, "stop": round(start + self.grid(1.0, 30.0), 6)}
        self.add("create", name=device, model=kind, values=values)
        weight = dice.pick([1.0, 1.0, dice.number(-1.0, 2.0)])
        self.add("connect", pre=device, post=name, syn={"weight": weight, "delay": self.delay(), "receptor_type": about.current_port})
        self.currents[device] = kind

    def synapse(self, weight: float, port: int, plastic: float) -> Any:
        """A syn_spec; with the chance `plastic` of another model than static_synapse, which is given some parameters."""
        dice = self.dice
        spec: Step = {"weight": weight, "delay": self.delay()}
        if port:
            spec["receptor_type"] = port
        if not dice.chance(plastic):
            return spec
        model = dice.pick(synapse_models())
        values = self.synapse_parameters(model, weight)
        common = model.endswith(("_hom", "_hom_w")) or model == "jonke_synapse"
        if common or dice.chance(0.2):
            copy = f"{model}_{len(self.copies)}"
            self.add("copy", model=model, name=copy, values=values | ({"weight": weight} if model == "static_synapse_hom_w" else {}))
            self.copies[copy] = model
            if model == "static_synapse_hom_w":
                del spec["weight"]
            return spec | {"synapse_model": copy}
        return spec | values | {"synapse_model": model}

    def synapse_parameters(self, model: str, weight: float) -> Step:
        dice = self.dice
        defaults = tables()["synapses"][model]
        varied = {key: float(f"{value * dice.number(0.6, 1.6):.6g}") for key, value in defaults.items() if dice.chance(0.4)}
        for key in ("U", "u", "x", "y", "P", "delta_P", "mu", "mu_plus", "mu_minus"):
            if key in varied:
                varied[key] = dice.number(0.0, 1.0)
        if "lambda" in varied:
            varied["lambda"] = dice.number(0.0, 0.2)
        if {"u", "x", "y"} & varied.keys() and dice.chance(0.8):
            varied = {key: value for key, value in varied.items() if key not in "uxy"}
        if "Wmax" in defaults:
            varied["Wmax"] = round((2.0 if weight >= 0 else -2.0) * max(abs(weight), 0.1), 6)
        if self.odd and dice.chance(0.3) and defaults:
            self.odd = False
            key = dice.pick(list(defaults))
            varied[key] = self.edge(key, "iaf_psc_exp")
        return varied

    def link(self) -> None:
        """Neurons to neurons; parrots only after others, as their spikes would grow without bound in a loop."""
        dice = self.dice
        pre, post = dice.pick(list(self.groups)), dice.pick(list(self.groups))
        if self.base(self.groups[post][0]) in RELAYS:
            return
        about = neuron(self.base(self.groups[post][0]))
        if dice.chance(0.7):
            weight, port = round(about.push * dice.number(0.3, 1.2), 3), about.ports[0]
        else:
            weight, port = about.pull, about.ports[1]
        if self.base(self.groups[pre][0]) == self.base(self.groups[post][0]) == "iaf_tum_2000":
            port = 1  # the only one that NEST allows between them
        if self.groups[pre][0].startswith("iaf_bw_2001") or self.groups[pre][0].startswith("iaf_tum"):
            weight = about.weight
        spec = self.synapse(weight, port, 0.5 if not any(model.endswith(PRECISE) for model, _ in self.groups.values()) else 0.02)
        if self.base(self.groups[pre][0]) == "iaf_tum_2000" and self.dice.chance(0.95):
            spec = {key: spec[key] for key in ("weight", "delay", "receptor_type") if key in spec} | {"weight": weight}
        alone = about.ports != (0, 0) or "iaf_tum_2000" in self.models
        sources, targets, rule = pre if alone else self.joined(pre), post if alone else self.joined(post), None
        n, m = self.size(sources), self.size(targets)
        if n == m == 1 and pre == post:
            return  # without autapses it makes none, and only ours counts its delay
        precise = any(self.groups[name][0].endswith(PRECISE) for name in self.groups if name in str(targets))
        if self.shifted(sources) and (precise or "cont_delay" in str(spec)):
            return  # what NEST's neurons send with a spike is taken for its time there
        kind = dice.whole(0, 7)
        if kind == 0 and n == m:
            rule = "one_to_one"
            if dice.chance(0.3) and "weight" in spec:
                spec["weight"] = [round(spec["weight"] * dice.number(0.5, 1.0), 4) for _ in range(n)]
        elif kind == 1:
            rule = {"rule": "pairwise_bernoulli", "p": 1.0, "allow_autapses": dice.chance(0.5)}
        elif kind == 2:
            rule = {"rule": "all_to_all", "allow_autapses": dice.chance(0.5)}
        elif kind == 3:
            rule = {"rule": "fixed_indegree", "indegree": n, "allow_multapses": False}
        elif kind == 4:
            rule = {"rule": "fixed_outdegree", "outdegree": m, "allow_multapses": False}
        elif kind == 5 and "weight" in spec:
            spec["weight"] = [[round(spec["weight"] * dice.number(0.5, 1.0), 4) for _ in range(n)] for _ in range(m)]
        elif kind == 6:
            rule = {"rule": "fixed_total_number", "N": n * m, "allow_multapses": False}
        self.add("connect", pre=sources, post=targets, rule=rule, syn=spec)
        self.linked.append((sources, targets, spec.get("synapse_model")))

    def joined(self, name: str) -> Any:
        """The group, a part of it, or the group and another one."""
        model, size = self.groups[name]
        if size > 1 and self.dice.chance(0.2):
            return ["slice", name, 0, size - 1, 1]
        if size > 2 and self.dice.chance(0.2):
            return ["pick", name, [0, 2]]
        others = [
            other
            for other, (kind, _) in self.groups.items()
            if other > name and self.base(kind) not in RELAYS and neuron(self.base(kind)).ports == (0, 0)
        ]
        if others and neuron(self.base(model)).ports == (0, 0) and self.dice.chance(0.25):
            return ["+", name, self.dice.pick(others)]
        return name

    def size(self, what: Any) -> int:
        if isinstance(what, str):
            return self.groups[what][1]
        if what[0] == "+":
            return self.size(what[1]) + self.size(what[2])
        return len(what[2]) if what[0] == "pick" else what[3] - what[2]

    def simulate(self) -> None:
        ms = self.grid(5.0, 40.0)
        self.add("simulate", ms=ms)
        self.now = round(self.now + ms, 6)

    # --- changes between calls of Simulate

    def change_neurons(self) -> None:
        name = self.dice.pick(list(self.groups))
        model, size = self.groups[name]
        values: Any = self.some_parameters(self.base(model))
        if size > 1 and self.dice.chance(0.2):
            values = [self.some_parameters(self.base(model)) for _ in range(size)]
        by = self.dice.pick(["set", "set", "SetStatus"] + ["attribute"] * isinstance(values, dict))
        if values:
            self.add("set", of=name, values=values, by=by)

    def change_train(self) -> None:
        if not self.trains:
            return
        train = self.dice.pick(list(self.trains))
        times = self.spike_times(self.now, self.dice.pick([1, 2, 5, 10]))
        values: Step = {"spike_times": times}
        if any(step.get("name") == train and "spike_multiplicities" in step["values"] for step in self.steps):
            values["spike_multiplicities"] = [self.dice.whole(0, 2) for _ in times]
        if self.weighted(train) or self.dice.chance(0.005):
            values["spike_weights"] = [self.dice.number(0.2, 2.0) for _ in times]
        self.add("set", of=train, values=values)

    def weighted(self, train: str) -> bool:
        return any(step.get("name") == train and "spike_weights" in step["values"] for step in self.steps)

    def change_current(self) -> None:
        if not self.currents:
            return
        device = self.dice.pick(list(self.currents))
        if self.currents[device] == "step_current_generator":
            times = self.spike_times(self.now, self.dice.whole(0, 3))
            values: Step = {"amplitude_times": times, "amplitude_values": [self.dice.number(-100.0, 300.0) for _ in times]}
        else:
            values = {"amplitude": self.dice.number(-100.0, 300.0)}
            if self.dice.chance(0.3):
                values["stop"] = round(self.now + self.grid(1.0, 20.0), 6)
        self.add("set", of=device, values=values)

    def change_connections(self) -> None:
        known = [linked for linked in self.linked if not self.shifted(linked[0])]
        if not known:
            return
        pre, post, model = self.dice.pick(known)
        what = self.dice.pick(["weight", "weight", "delay", "both"])
        values: Step = {}
        if what != "delay" and not (model or "").startswith("static_synapse_hom_w"):
            values["weight"] = self.dice.number(0.5, 20.0)
        if what != "weight":
            values["delay"] = self.delay()
        if values:
            self.add("set_connections", source=pre, target=post, model=model, values=values, quiet="sr")

    def change_network(self) -> None:
        """More nodes and connections after Simulate; spikes that NEST has not delivered yet would go astray."""
        if self.shifted(list(self.groups)):
            return
        before = len(self.steps)
        self.add("align")
        self.now = round(self.now + round(5.0 / self.h) * self.h, 6)  # no earlier time is given to generators
        if self.dice.chance(0.4):
            name = self.dice.pick(list(self.groups))
            self.drive(name)
        else:
            self.link()
        for step in self.steps[before:]:
            if step["do"] == "connect":
                step["quiet"] = "sr"

    def shifted(self, what: Any) -> bool:
        """Whether the times of spikes of some groups are not recorded as they are."""
        names = [name for name in self.groups if name in str(what)]
        return any(self.base(self.groups[name][0]) in SHIFTED for name in names)

    def alone(self) -> list[Any]:
        """What was connected once: of several connections of a pair, in large networks NEST removes any."""
        groups = [{name for name in (*self.groups, *self.trains) if name in str(pre)} for pre, _, _ in self.linked]
        posts = [{name for name in self.groups if name in str(post)} for _, post, _ in self.linked]
        return [
            linked
            for k, linked in enumerate(self.linked)
            if not any(
                j != k and groups[k] & groups[j] and posts[k] & posts[j] and linked[2] == self.linked[j][2] for j in range(len(groups))
            )
            and not self.shifted(linked[0])
        ]

    def cut(self) -> None:
        alone = self.alone()
        if alone:
            pre, post, model = self.dice.pick(alone)
            spec = {"synapse_model": model} if model else None
            self.add("disconnect", pre=pre, post=post, rule=self.dice.pick(["all_to_all", None]), syn=spec, quiet="sr")

    def ask_now(self) -> None:
        self.dice.pick([Script.ask_state, Script.ask_weights, Script.ask_spikes])(self)

    # --- queries

    def ask_state(self) -> None:
        self.add("state", of=self.dice.pick(list(self.groups)))

    def ask_weights(self) -> None:
        if self.dice.chance(0.2):
            pre, post = (self.dice.pick(list(self.groups)) for _ in range(2))
            self.add("weights", keys=["weight", "receptor"], busy="sr", source=pre, target=post)
        self.add("weights", keys=["weight"], busy="sr")

    def ask_spikes(self) -> None:
        self.add("spikes", of="sr")

    def ask(self) -> None:
        """What every script ends with."""
        self.ask_spikes()
        for meter in self.meters:
            self.add("traces", of=meter)
        self.ask_weights()
        if self.dice.chance(0.5):
            self.ask_state()
        if self.dice.chance(0.2):
            self.add("get_kernel", keys=["biological_time", "min_delay", "max_delay", "network_size", "num_connections", "resolution"])
        if self.dice.chance(0.2):
            self.add("describe", of=self.joined(self.dice.pick(list(self.groups))))
        if self.dice.chance(0.1):
            devices = [*(train for train in self.trains if not self.weighted(train)), *self.currents, *self.meters]
            if devices:
                self.add("state", of=self.dice.pick(devices))


CHANGES = [
    Script.change_neurons,
    Script.change_neurons,
    Script.change_neurons,
    Script.change_train,
    Script.change_train,
    Script.change_current,
    Script.change_connections,
    Script.change_network,
    Script.cut,
    Script.ask_now,
]


def script(seed: int) -> list[Step]:
    """The script of a seed."""
    return Script(seed).build()
