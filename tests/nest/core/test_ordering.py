# SPDX-License-Identifier: Apache-2.0
"""GetConnections lists connections by model, then of neurons, to devices, from devices, by source, as they were made; ports do not depend on filters."""

import numpy as np
import pytest

import neuropil.nest as nest


@pytest.fixture(autouse=True)
def fresh_kernel():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def connected(seed, calls=12):
    """Random calls of Connect; each connection as (model id, group, source, number of the call, target, weight) in the order of creation."""
    rng = np.random.default_rng(seed)
    neurons, recorder = nest.Create("iaf_psc_exp", 6), nest.Create("spike_recorder")
    emitter, noise = nest.Create("spike_generator"), nest.Create("poisson_generator")
    made = []
    for call in range(calls):
        weight = float(call + 1)
        model = str(rng.choice(["static_synapse", "stdp_synapse"]))
        number = nest.GetDefaults(model, "synapse_modelid")
        kind = rng.integers(0, 6)
        some = np.sort(rng.choice(6, size=rng.integers(1, 5), replace=False)).tolist()
        others = np.sort(rng.choice(6, size=len(some), replace=False)).tolist()
        plain = nest.GetDefaults("static_synapse", "synapse_modelid")
        if kind < 2:
            nest.Connect(neurons[some], neurons[others], "all_to_all", {"synapse_model": model, "weight": weight})
            made += [(number, 0, a + 1, call, b + 1, weight) for b in others for a in some]
        elif kind == 2:
            nest.Connect(neurons[some], neurons[others], "one_to_one", {"synapse_model": model, "weight": weight})
            made += [(number, 0, a + 1, call, b + 1, weight) for a, b in zip(some, others, strict=True)]
        elif kind == 3:
            nest.Connect(neurons[some[0]], neurons[others[0]], syn_spec={"synapse_model": model, "weight": weight})
            made.append((number, 0, some[0] + 1, call, others[0] + 1, weight))
        elif kind == 4:
            nest.Connect(neurons[some], recorder, syn_spec={"weight": weight})
            made += [(plain, 1, a + 1, call, 7, weight) for a in some]
        else:
            device = (emitter, noise)[int(rng.integers(2))]
            nest.Connect(device, neurons[others], syn_spec={"weight": weight})
            made += [(plain, 2, device.global_id, call, b + 1, weight) for b in others]
    return neurons, made


@pytest.mark.parametrize("seed", range(25))
def test_the_order_is_that_of_creation(seed):
    _, made = connected(seed)
    found = nest.GetConnections()
    wanted = sorted(made, key=lambda c: c[:3])  # stable
    assert list(zip(found.synapse_id, found.source, found.target, found.weight, strict=True)) == [(c[0], c[2], c[4], c[5]) for c in wanted]


@pytest.mark.parametrize("seed", range(8))
def test_ports_do_not_depend_on_the_filter(seed):
    neurons, _ = connected(seed)
    every = nest.GetConnections()

    def names(c):
        return list(zip(c.synapse_id, c.source, c.target, c.weight, c.port, strict=True))

    known = set(names(every))
    assert len(known) == len(every)
    for some in (
        every[::3],
        nest.GetConnections(neurons[2:]),
        nest.GetConnections(None, neurons[:3]),
        nest.GetConnections(synapse_model="stdp_synapse"),
    ):
        if len(some) > 1:
            assert set(names(some)) <= known


def test_ports_of_single_connections_are_those_among_all():
    """Also after others were made and removed, in the kernel and to devices."""
    a, b = nest.Create("iaf_psc_alpha", 4), nest.Create("iaf_psc_alpha", 3)
    drive, recorder = nest.Create("spike_generator"), nest.Create("spike_recorder")

    def check():
        everyone = nest.GetConnections()
        ports = everyone.port
        assert [c.port for c in everyone] == ports
        assert everyone[2:7].port == ports[2:7]
        assert sorted(nest.GetConnections(target=b).port) == sorted(p for p, t in zip(ports, everyone.target, strict=True) if t in b)
        return ports

    nest.Connect(a, b, syn_spec={"synapse_model": "stdp_synapse"})
    found = [check()]
    nest.Connect(a, recorder)
    nest.Connect(drive, a + b)
    found.append(check())
    nest.Connect(b, a)
    found.append(check())
    nest.GetConnections(a[1], b)[0].delay = 2.0
    found.append(check())
    nest.Disconnect(a[:3], b, conn_spec="one_to_one", syn_spec={"synapse_model": "stdp_synapse"})
    found.append(check())
    assert [len(ports) for ports in found] == [12, 23, 35, 35, 32]


@pytest.mark.parametrize("model", ["static_synapse", "stdp_synapse"])
@pytest.mark.parametrize("seed", range(10))
def test_connections_of_a_pair_are_as_they_were_made_whatever_their_delays(seed, model):
    rng = np.random.default_rng(seed)
    cells = nest.Create("parrot_neuron", 3)
    made = []
    for call in range(8):
        delay = float(rng.integers(1, 5)) / 2
        some = cells if rng.random() < 0.5 else cells[int(rng.integers(3))]
        rule = "one_to_one" if rng.random() < 0.5 else "all_to_all"
        nest.Connect(some, some, rule, {"synapse_model": model, "weight": call + 1.0, "delay": delay})
        ids = some.tolist()
        pairs = zip(ids, ids, strict=True) if rule == "one_to_one" else ((a, b) for b in ids for a in ids)
        made += [(a, b, call + 1.0, delay) for a, b in pairs]
    found = nest.GetConnections()
    shown = list(zip(found.source, found.target, found.weight, found.delay, strict=True))
    assert shown == sorted(made, key=lambda row: row[0])  # stable
    found.delay = 2.0
    changed = nest.GetConnections()
    assert sorted(zip(changed.source, changed.target, changed.weight, strict=True)) == sorted(row[:3] for row in made)


def test_ports_after_connections_of_devices_alone():
    """Ports that were asked for when only devices were connected are counted again."""
    neurons, noise = nest.Create("iaf_psc_alpha", 2), nest.Create("poisson_generator")
    nest.Connect(noise, neurons)
    assert nest.GetConnections().port == [0, 1]
    nest.Connect(neurons, neurons)
    assert nest.GetConnections(neurons).port == [0, 1, 2, 3]
