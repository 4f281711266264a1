# SPDX-License-Identifier: Apache-2.0
"""Spikes between grid points: who keeps their times, who drops them, and neurons that find their own."""

import numpy as np
from tests.nest.corpus.cases.synapses import COMMON, PLASTIC
from tests.nest.corpus.values import error, near, sample

NEURONS = ("iaf_psc_delta_ps", "iaf_psc_exp_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps_lossless")
TIMES = [1.04, 1.1, 2.0, 2.05, 2.05, 3.3333, 4.25, 6.0]
BETWEEN = (
    [5.03, 12.41, 20.0, 20.97, 33.55, 50.0, 52.48, 71.11, 90.02, 93.77],
    [8.21, 15.0, 19.13, 27.02, 34.51, 48.66, 55.0, 55.04, 72.37, 88.9, 97.98],
)  # sources and targets
WEIGHTS = {"iaf_psc_delta_ps": 6.0, "iaf_psc_exp_ps": 900.0, "iaf_psc_alpha_ps": 500.0, "iaf_psc_exp_ps_lossless": 900.0}


def source(nest, times=TIMES, **params):
    """A generator with times between grid points, through a parrot with delay 1 ms."""
    generator = nest.Create("spike_generator", params={"spike_times": times, "precise_times": True} | params)
    parrot = nest.Create("parrot_neuron_ps")
    nest.Connect(generator, parrot)
    return parrot


def recorder(nest, nodes, **params):
    found = nest.Create("spike_recorder", params=params)
    nest.Connect(nodes, found)
    return found


def times(found):
    """Spike times of all senders, one after the other."""
    events = found.events
    order = np.lexsort((events["times"], events["senders"]))
    return {"times": near(events["times"][order]), "senders": events["senders"][order].tolist()}


def ring(nest, model, n=12, **params):
    """Neurons that excite and inhibit each other, driven by constant currents."""
    cells = nest.Create(model, n, params)
    cells.set(I_e=[380.0 + 9.0 * k for k in range(n)])
    w = WEIGHTS[model]
    nest.Connect(cells[:9], cells, "all_to_all", {"weight": 0.05 * w, "delay": 1.5})
    nest.Connect(cells[9:], cells, "all_to_all", {"weight": -0.15 * w, "delay": 0.8})
    return cells


def of_ring(model):
    def case(nest):
        cells = ring(nest, model, t_ref=1.5)
        found = recorder(nest, cells)
        nest.Simulate(100.0)
        return times(found)

    return case


def of_input(model):
    def case(nest):
        """Spikes that come while the neuron is free and while it is refractory, and the trace."""
        cell = nest.Create(model, params={"t_ref": 1.0})
        nest.Connect(source(nest, np.cumsum([0.37, 0.91, 0.13, 1.7] * 8)), cell, syn_spec={"weight": WEIGHTS[model]})
        nest.Connect(source(nest, np.cumsum([1.11, 0.7] * 8)), cell, syn_spec={"weight": -0.4 * WEIGHTS[model], "delay": 0.3})
        found, meter = recorder(nest, cell), nest.Create("voltmeter", params={"interval": 0.1})
        nest.Connect(meter, cell)
        nest.Simulate(40.0)
        return times(found) | {"V_m": near(meter.events["V_m"][:350], 1e-9)}

    return case


for _model in NEURONS:
    globals()[f"case_{_model}_ring"] = of_ring(_model)
    globals()[f"case_{_model}_input"] = of_input(_model)


def plastic(model):
    def case(nest):
        """Weights sent between relays at times between grid points; NEST takes those of sources at the ends of their steps."""
        meter = nest.Create("weight_recorder")
        params, own = dict(PLASTIC[model]), {"weight": 20.0, "delay": 1.5, "receptor_type": 1}
        common = {key: params.pop(key) for key in COMMON.get(model, ())}
        nest.CopyModel(model, "mine", common | {"weight_recorder": meter})
        post = nest.Create("parrot_neuron_ps", params={"tau_minus": 25.0})
        nest.Connect(nest.Create("spike_generator", params={"spike_times": BETWEEN[1], "precise_times": True}), post)
        nest.Connect(source(nest, BETWEEN[0]), post, syn_spec={"synapse_model": "mine"} | own | params)
        nest.Simulate(120.0)
        return {"weights": near(meter.events["weights"], 1e-9, 1e-11), "times": near(meter.events["times"])}

    return case


for _model in PLASTIC:
    globals()[f"case_{_model}_between_grid_points"] = plastic(_model)


def released(model, **params):
    def case(nest):
        meter = nest.Create("weight_recorder")
        nest.CopyModel(model, "mine", {"weight_recorder": meter})
        cell = nest.Create("iaf_psc_delta_ps", params={"V_th": 1e6})
        nest.Connect(source(nest, BETWEEN[0]), cell, syn_spec={"synapse_model": "mine", "weight": 5.0} | params)
        voltmeter = nest.Create("voltmeter", params={"interval": 0.5})
        nest.Connect(voltmeter, cell)
        nest.Simulate(120.0)
        return {"weights": near(meter.events["weights"], 1e-9), "V_m": near(voltmeter.events["V_m"][:200], 1e-9)}

    return case


case_tsodyks_between_grid_points = released("tsodyks_synapse", tau_rec=50.0, tau_fac=30.0)
case_tsodyks2_between_grid_points = released("tsodyks2_synapse", tau_rec=50.0, tau_fac=30.0)
case_ht_between_grid_points = released("ht_synapse", tau_P=40.0)


def case_stdp_between_precise_neurons(nest):
    """A network whose neurons find their own times."""
    cells = nest.Create("iaf_psc_exp_ps", 10, {"tau_minus": 25.0})
    cells.set(I_e=[380.0 + 9.0 * k for k in range(10)])
    nest.Connect(cells, cells, "all_to_all", {"synapse_model": "stdp_synapse", "weight": 30.0, "delay": 1.5, "lambda": 0.05})
    found = recorder(nest, cells)
    nest.Simulate(150.0)
    made = nest.GetConnections(cells, cells).get(["source", "target", "weight"])
    order = np.lexsort((made["target"], made["source"]))
    return times(found) | {"weights": near(np.array(made["weight"])[order], 1e-7)}


def case_parrots_pass_times_on(nest):
    first, second = source(nest), nest.Create("parrot_neuron_ps")
    grid = nest.Create("parrot_neuron")
    nest.Connect(first, second, syn_spec={"delay": 2.0})
    nest.Connect(second, grid)
    nest.Connect(first, grid, syn_spec={"delay": 0.7})
    found = recorder(nest, first + second + grid)
    nest.Simulate(15.0)
    return times(found)


def case_offsets_of_a_recorder(nest):
    found = recorder(nest, source(nest), time_in_steps=True)
    nest.Simulate(10.0)
    return {"times": found.events["times"].tolist(), "offsets": near(found.events["offsets"])}


def case_precise_onto_grid(nest):
    cell = nest.Create("iaf_psc_delta")
    nest.Connect(source(nest), cell, syn_spec={"weight": 1.5})
    meter = nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(meter, cell)
    nest.Simulate(12.0)
    return {"V_m": near(meter.events["V_m"][:100])}


def case_grid_onto_precise(nest):
    generator, grid, cell = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 1.3, 2.9]}),
        nest.Create("parrot_neuron"),
        ring(nest, "iaf_psc_delta_ps", 10),
    )
    nest.Connect(generator, grid)
    nest.Connect(grid, cell, syn_spec={"weight": 7.0})
    found = recorder(nest, cell)
    nest.Simulate(30.0)
    return times(found)


def case_current_onto_precise(nest):
    cells, direct = (
        nest.Create("iaf_psc_exp_ps", 2, [{"I_e": 0.0}, {"I_e": 300.0}]),
        nest.Create("dc_generator", params={"amplitude": 500.0, "start": 2.0, "stop": 30.0}),
    )
    nest.Connect(direct, cells)
    found = recorder(nest, cells)
    nest.Simulate(50.0)
    return times(found)


def case_windows_and_multiplicities(nest):
    found = recorder(nest, source(nest, [1.04, 1.94, 2.0, 2.04], start=1.1, stop=2.0, spike_multiplicities=[1, 2, 3, 1]))
    nest.Simulate(6.0)
    return times(found)


def case_options_are_refused(nest):
    def raised(**params):
        return error(lambda: nest.Create("spike_generator", params=params))

    kept = nest.Create("spike_generator", params={"spike_times": TIMES, "precise_times": True})
    return {
        "times": near(kept.spike_times),
        "flag": kept.precise_times,
        "zero": raised(spike_times=[0.0], precise_times=True),
        "unsorted": raised(spike_times=[2.3, 1.1], precise_times=True),
        "shift": raised(spike_times=[1.04], precise_times=True, shift_now_spikes=True),
        "t_ref": error(lambda: nest.Create("iaf_psc_exp_ps", params={"t_ref": 0.0})),
        "V_reset": error(lambda: nest.Create("iaf_psc_exp_ps", params={"V_reset": -50.0})),
        "V_min": error(lambda: nest.Create("iaf_psc_alpha_ps", params={"V_min": -60.0})),
        "lossless tau": error(lambda: nest.Create("iaf_psc_exp_ps_lossless", params={"tau_syn_ex": 1.0})),
        "lossless equal": error(lambda: nest.Create("iaf_psc_exp_ps_lossless", params={"tau_m": 2.0})),
        "dead time": error(lambda: nest.Create("poisson_generator_ps", params={"rate": 1000.0, "dead_time": 1.1})),
    }


def intervals(nest, **params):
    """Intervals of 20 trains, none touching the next."""
    generator, relays = nest.Create("poisson_generator_ps", params=params), nest.Create("parrot_neuron_ps", 20)
    nest.Connect(generator, relays)
    found = recorder(nest, relays)
    nest.Simulate(100.0)
    events = found.events
    trains = [np.sort(events["times"][events["senders"] == gid]) for gid in relays.tolist()]
    return {"intervals": sample(np.concatenate([np.diff(t) for t in trains])), "first": sample(np.array([t[0] for t in trains]))}


def case_poisson_generator_ps(nest):
    return intervals(nest, rate=300.0, start=10.0)


def case_poisson_generator_ps_dead_time(nest):
    return intervals(nest, rate=300.0, dead_time=2.0)


def case_delays_between_grid_points(nest):
    """Those of a model's defaults; onto precise and onto grid neurons."""
    found = {}
    for delay in (1.04, 2.75, 1.0):
        nest.ResetKernel()
        nest.CopyModel("cont_delay_synapse", "fine", {"delay": delay})
        parrots = nest.Create("parrot_neuron_ps") + nest.Create("parrot_neuron")
        first = source(nest, [2.0, 3.05, 4.01])
        for parrot in parrots:
            nest.Connect(first, parrot, syn_spec="fine")
        train = recorder(nest, parrots)
        nest.Simulate(10.0)
        here = times(train) | {"delays": near(nest.GetConnections(first, parrots, "fine").delay)}
        found |= {f"{key} {delay}": value for key, value in here.items()}
    return found


def case_delays_set_later(nest):
    parrots = nest.Create("parrot_neuron_ps", 2)
    first = source(nest, [2.0, 3.05, 4.01])
    nest.Connect(first, parrots[0], syn_spec={"synapse_model": "cont_delay_synapse", "delay": 2.0})
    nest.Connect(first, parrots[1], syn_spec={"delay": 1.0})
    nest.GetConnections(first, parrots[0]).delay = 1.04
    train = recorder(nest, parrots)
    nest.Simulate(10.0)
    return times(train) | {"delays": near(nest.GetConnections(first, parrots[0]).delay)}


def case_spikes_on_their_way_when_disconnected(nest):
    """What was sent before arrives at its time."""
    parrots = nest.Create("parrot_neuron_ps", 3)
    first = source(nest, [2.04, 2.56, 3.97, 6.5])
    nest.Connect(first, parrots, syn_spec={"delay": 3.0})
    train = recorder(nest, parrots)
    nest.Simulate(5.0)
    nest.Disconnect(first, parrots[:1])
    nest.Simulate(10.0)
    return times(train)


def case_weight_recorder(nest):
    """It notes steps: of targets with times between grid points, of sources with them, and of delays between grid points."""
    rows = []
    for number, (base, delays) in enumerate({"static_synapse": (1.0, 2.5), "cont_delay_synapse": (1.0, 1.25, 1.28)}.items()):
        recorder_of_weights = nest.Create("weight_recorder")
        nest.CopyModel(base, f"watched {base}", {"weight_recorder": recorder_of_weights})
        for delay in delays:
            targets = nest.Create("parrot_neuron_ps") + nest.Create("iaf_psc_exp_ps") + nest.Create("iaf_psc_exp")
            relay = nest.Create("parrot_neuron")
            nest.Connect(nest.Create("spike_generator", params={"spike_times": [2.0, 5.1]}), relay)
            for pre in (source(nest, [2.03, 5.0, 7.99, 9.0011]), relay):
                spec = {"synapse_model": f"watched {base}", "weight": 3.0 + number, "delay": 1.0}
                nest.Connect(pre, targets, syn_spec=spec)
                nest.GetConnections(pre, targets).delay = delay
        nest.Simulate(20.0)
        events = recorder_of_weights.events
        rows.append(sorted(zip(*(events[key].tolist() for key in ("times", "senders", "targets", "weights", "receptors")), strict=True)))
    return {"rows": rows}


def case_poisson_generator_ps_recorded(nest):
    generator = nest.Create("poisson_generator_ps", params={"rate": 500.0})
    found = recorder(nest, generator)
    nest.Simulate(400.0)
    return {"intervals": sample(np.diff(np.sort(found.events["times"])))}
