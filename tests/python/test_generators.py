# SPDX-License-Identifier: Apache-2.0
"""Every device recorded, and through plastic synapses: what is recorded is what drives them."""

import numpy as np
import pytest

import neuropil as npl
from thread_ranks import on_ranks, the_same

GIVEN = {
    "gamma_sup_generator": {"rate": 200.0},
    "inhomogeneous_poisson_generator": {"rate_times": [0.1, 50.0], "rate_values": [300.0, 50.0]},
    "mip_generator": {"rate": 200.0, "p_copy": 0.5},
    "poisson_generator": {"rate": 200.0},
    "poisson_generator_ps": {"rate": 200.0, "dead_time": 1.0},
    "ppd_sup_generator": {"rate": 10.0, "n_proc": 20},
    "pulsepacket_generator": {"pulse_times": [20.0, 60.0], "activity": 5, "sdev": 2.0},
    "sinusoidal_gamma_generator": {"rate": 200.0},
    "sinusoidal_poisson_generator": {"rate": 200.0},
    "spike_generator": {"spike_times": [1.0, 2.5, 70.0]},
    "weighted_spike_generator": {"spike_times": [1.0, 2.5, 70.0], "spike_weights": [1.0, -2.0, 3.0]},
}
CURRENTS = {
    "ac_generator": {"amplitude": 50.0, "frequency": 20.0},
    "dc_generator": {"amplitude": 50.0, "start": 3.0, "stop": 60.0},
    "noise_generator": {"mean": 10.0, "std": 50.0},
    "step_current_generator": {"amplitude_times": [5.0, 40.0], "amplitude_values": [30.0, -30.0]},
}
PLASTIC = {
    "stdp_synapse": {},
    "tsodyks2_synapse": {"U": 0.5},
    "tsodyks_synapse": {},
    "stdp_pl_synapse_hom": {},
    "vogels_sprekeler_synapse": {"Wmax": 100.0},
}
RULES = [
    npl.all_to_all(),
    npl.one_to_one(),
    npl.fixed_indegree(2),
    npl.fixed_outdegree(3),
    npl.fixed_total_number(9),
    npl.pairwise_bernoulli(0.7),
    npl.explicit([0, 2, 2], [1, 1, 0]),
]


def made(device, n=3, *, seed=4, **settings):
    net = npl.Network(seed=seed, **settings)
    return net, net.create(device, n, **GIVEN[device])


def bits(record):
    return record.times.tobytes(), record.gids.tobytes(), record.offsets.tobytes()


def test_the_lists_above_have_all_devices():
    assert {*GIVEN, *CURRENTS, "recorder", "step_rate_generator"} == {*npl.devices()}


@pytest.mark.parametrize("device", GIVEN)
def test_recorded_spikes_are_those_of_the_device_alone(device):
    """Not of when it is asked for, nor of connections, pieces of runs or other recorders."""
    net, gen = made(device, threads=1)
    record = net.record(gen)
    net.run(100.0)
    assert len(record) and set(record.gids) <= set(gen.gids)

    other, gen = made(device, threads=2)
    cells = other.create("iaf_psc_exp", 4)
    other.connect(gen, cells, weight=3.0)
    for piece in (0.3, 7.7, 42.0):
        other.run(piece)
    late, some = other.record(gen), other.record(gen[1:2])
    other.run(50.0)
    expected = record.select(start=50.0)
    assert bits(late.select()) == bits(expected)
    assert (some.times == expected.select(nodes=gen.gids[1:2]).times).all()


@pytest.mark.parametrize("device", GIVEN)
def test_recording_a_generator_changes_nothing(device):
    found = []
    for recorded in (False, True):
        net, gen = made(device)
        cells = net.create("iaf_psc_delta", 5, V_th=1e9)
        net.connect(gen, cells, weight=1.0)
        trace = net.record(cells, "V_m")
        if recorded:
            net.record(gen)
        net.run(60.0)
        found.append(trace.values.tobytes())
    assert found[0] == found[1]


def test_counts_are_poisson():
    net = npl.Network(seed=8)
    gen = net.create("poisson_generator", 200, rate=2000.0)
    record = net.record(gen)
    net.run(200.0)
    counts = np.bincount(record.gids, minlength=201)[1:]
    assert abs(counts.mean() - 400.0) < 4 * np.sqrt(400.0 / 200)
    assert 0.7 < counts.var() / counts.mean() < 1.35
    steps = np.bincount(record.steps, minlength=2001)[1:]
    assert 0.9 < steps[10:].var() / steps[10:].mean() < 1.1  # independent of one another, too


@pytest.mark.parametrize("device", ["poisson_generator", "gamma_sup_generator", "poisson_generator_ps"])
def test_settings_made_while_it_runs_hold_from_then_on(device):
    net, gen = made(device)
    record = net.record(gen)
    gen.rate = 0.0
    net.run(40.0)
    assert len(record) == 0
    gen.rate = 400.0
    net.run(40.0)
    assert len(record) and record.times.min() > 40.0
    gen.stop = 90.0
    net.run(40.0)
    assert 80.0 < record.times.max() <= 90.1  # sent in step 900, as in NEST


@pytest.mark.parametrize("device", [d for d in GIVEN if d != "weighted_spike_generator"])
def test_plastic_synapses_get_what_is_recorded(device):
    """What tsodyks2 sends at each spike is a function of all spikes before."""
    net, gen = made(device, 1)
    cell = net.create("iaf_psc_exp")
    weights = net.record_weights()
    net.connect(
        gen, cell, synapse=npl.synapse.tsodyks2_synapse(U=0.5, tau_rec=100.0, tau_fac=0.0), weight=1.0, delay=0.1, weight_recorder=weights
    )
    record = net.record(gen)
    net.run(100.0)
    steps = record.steps[record.steps < 1000]  # what was sent in the last step is on its way
    assert (np.round(weights.times * 10).astype(int) == steps).all() and len(steps)
    x, last, expected = 1.0, None, []
    for step in steps.tolist():
        if last is not None:
            x = 1.0 - (1.0 - x * (1.0 - 0.5)) * np.exp(-(step - last) * 0.1 / 100.0)
        last = step
        expected.append(0.5 * x)
    np.testing.assert_allclose(weights.weight, expected, rtol=1e-6)


@pytest.mark.parametrize("model", PLASTIC)
@pytest.mark.parametrize("device", ["poisson_generator", "mip_generator", "spike_generator"])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_rule_and_many_synapses(device, model, rule):
    net, gen = made(device)
    cells = net.create("iaf_psc_exp", 3, I_e=600.0)
    drive = net.connect(gen, cells, rule, synapse=npl.synapse(model, **PLASTIC[model]), weight=40.0)
    before = np.array(drive.weight)
    net.run(100.0)
    assert len(drive) == len(net.connections(gen, cells)) == len(before) > 0
    assert set(net.connections(gen).source) <= set(gen.gids)
    if "stdp" in model:
        assert (np.asarray(drive.weight) != before).any()


def test_static_connections_of_a_plastic_generator_have_trains_of_their_own():
    net, gen = made("poisson_generator", 1)
    relays = net.create("parrot_neuron", 2)
    cell = net.create("iaf_psc_exp")
    net.connect(gen, relays)
    drive = net.connect(gen, cell, synapse=npl.stdp())
    record, own = net.record(relays), net.record(gen)
    net.run(200.0)
    trains = [record.select(nodes=[gid]).steps.tolist() for gid in relays.gids] + [own.steps.tolist()]
    assert len(drive) == 1 and len(net.connections(gen)) == 1
    assert len({*map(tuple, trains)}) == 3


@pytest.mark.parametrize("device", CURRENTS)
def test_currents_are_sampled_as_they_are_sent(device):
    """In pieces as at once, at any interval; none before start and after stop."""
    net = npl.Network(seed=3)
    gen = net.create(device, 2, **CURRENTS[device])
    trace = net.record(gen, "I", interval=0.1)
    coarse = net.record(gen[:1], "I", interval=2.5, offset=0.5)
    net.run(30.0)
    net.run(50.0)
    values = trace["I"]
    assert values.shape == (800, 2) and trace.units == {"I": "pA"}
    assert (coarse["I"][:, 0] == values[4::25, 0]).all()
    assert values.std() > 0.0
    if device == "dc_generator":
        assert (values[:, 0] == np.where((trace.times > 3.0) & (trace.times < 60.0), 50.0, 0.0)).sum() >= 798
    if device == "noise_generator":
        assert (values[:, 0] != values[:, 1]).any()
        assert len(np.unique(values[:, 0])) in (80, 81)  # a new one every ms
    trace.clear()
    net.run(1.0)
    assert trace["I"].shape == (10, 2)


def test_nothing_sampled_of_devices_is_nothing():
    """Through the extension: an empty list of names once called a rate that there was not."""
    net = npl.Network(threads=1)
    gen = net.create("poisson_generator", 2, rate=100.0)
    recorder = net._kernel.record_state(gen.gids, [], 1, 0)
    net.run(1.0)
    assert net._kernel.samples(recorder)[1].shape == (10, 2, 0)


def test_rates_are_sampled():
    net = npl.Network()
    gen = net.create("inhomogeneous_poisson_generator", 1, **GIVEN["inhomogeneous_poisson_generator"])
    with pytest.raises(npl.errors.UnknownName):
        net.record(gen, "I")
    wave = net.create("sinusoidal_poisson_generator", 1, rate=100.0, amplitude=50.0, frequency=10.0)
    trace = net.record(wave, "rate", interval=1.0)
    net.run(100.0)
    np.testing.assert_allclose(trace["rate"][:, 0], 100.0 + 50.0 * np.sin(2 * np.pi * 10.0 * trace.times * 1e-3), atol=1e-9)


def test_a_recorded_rate_is_never_negative():
    net = npl.Network()
    wave = net.create("sinusoidal_poisson_generator", 1, rate=10.0, amplitude=50.0, frequency=10.0)
    trace = net.record(wave, "rate", interval=1.0)
    net.run(100.0)
    expected = 10.0 + 50.0 * np.sin(2 * np.pi * 10.0 * trace.times * 1e-3)
    assert expected.min() < -30.0
    np.testing.assert_allclose(trace["rate"][:, 0], np.maximum(expected, 0.0), atol=1e-9)


@pytest.mark.parametrize("device", [*CURRENTS, "weighted_spike_generator", "recorder"])
def test_what_has_no_train_of_equal_spikes_is_refused(device):
    net = npl.Network()
    gen = net.create(device, 1, **{**CURRENTS, **GIVEN}.get(device, {}))
    cells = net.create("iaf_psc_exp", 2)
    with pytest.raises(npl.errors.IllegalConnection, match=device):
        net.connect(gen, cells, synapse=npl.stdp())
    if device != "weighted_spike_generator":
        with pytest.raises(npl.errors.IllegalConnection, match=device):
            net.record(gen)
    assert net.n_connections == 0 and len(net.projections) == 0


@pytest.mark.parametrize("ranks", [1, 2])
def test_streams_of_devices_are_records(tmp_path, ranks):
    def streamed(comm):
        net, gen = made("poisson_generator_ps", 5, ranks=comm, threads=1)
        noise = net.create("noise_generator", 3, std=50.0)
        spikes, currents = net.record(gen), net.record(noise, "I", interval=0.5)
        to = net.record(gen, to=tmp_path / "spikes", every=7.0), net.record(noise, "I", interval=0.5, to=tmp_path / "currents", every=7.0)
        net.run(30.0)
        net.run(20.0)
        found = bits(spikes.select()), currents.values.tobytes()
        return [found, currents.view(gather=False).values.shape[1], to[1].most_held]

    found = on_ranks(ranks, streamed) if ranks > 1 else [streamed(None)]
    for part in found:
        if isinstance(part, BaseException):
            raise part
    assert sum(own for _, own, _ in found) == 3 and found[0][2] <= 14
    assert bits(npl.results.load_spikes(tmp_path / "spikes").select()) == found[0][0][0]
    assert npl.results.load_trace(tmp_path / "currents").values.tobytes() == found[0][0][1]


def test_connections_of_generators_are_edited_like_others():
    net, gen = made("poisson_generator", 4)
    cells = net.create("iaf_psc_exp", 6, I_e=400.0)
    drive = net.connect(gen, cells, npl.fixed_indegree(3), synapse=npl.stdp(), weight=30.0)
    net.run(20.0)
    drive.disconnect(np.asarray(drive.connections().source) == gen.gids[0])
    drive.set(weight=40.0, delay=2.0)
    assert set(net.connections(gen).source) <= set(gen.gids[1:]) and (np.asarray(drive.weight) == 40.0).all()
    net.run(100.0)
    assert (np.asarray(drive.weight) != 40.0).any()
    with pytest.raises(npl.errors.IllegalConnection, match="one by one"):
        net.connect(gen, cells).connections()


def program(comm=None, threads=1):
    net = npl.Network(seed=5, threads=threads, ranks=comm)
    cells = net.create("iaf_psc_exp", 30, V_m=npl.normal(-60.0, 4.0))
    records = []
    for device, given in GIVEN.items():
        gen = net.create(device, 2, **given)
        if device != "weighted_spike_generator":
            net.connect(gen, cells, npl.fixed_indegree(2), synapse=npl.stdp(Wmax=1000.0), weight=200.0)
        records.append(net.record(gen))
    traces = [net.record(net.create(device, 2, **given), "I", interval=0.5) for device, given in CURRENTS.items()]
    out, weights = net.record(cells), net.projections[0]
    net.run(50.0)
    return (
        [bits(r) for r in records],
        bits(out),
        np.asarray(weights.weight).tobytes(),
        [t.values.tobytes() for t in traces],
        len(out),
    )


def test_the_same_for_any_threads_and_ranks():
    one = program()
    assert one[-1] > 10
    assert program(threads=3) == one
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: program(comm))) == one


@pytest.mark.parametrize("rule", [npl.fixed_indegree(0), npl.fixed_outdegree(0), npl.fixed_total_number(0), npl.pairwise_bernoulli(0.0)])
def test_a_rule_that_draws_no_connection_of_a_generator(rule):
    """It failed with an IndexError."""
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 3)
    inputs, packets = net.create("poisson_generator", 2, rate=1e4), net.create("pulsepacket_generator")
    full = net.connect(inputs, cells, weight=50.0)
    none = net.connect(inputs, cells, rule, weight=2.0, delay=npl.uniform(1.0, 2.0))
    mixed = net.connect(inputs + packets, cells, rule, synapse=npl.synapse.tsodyks2_synapse())
    for made in (none, mixed):
        assert (len(made), len(made.weight), len(made.delay)) == (0, 0, 0)
        made.weight = 3.0
    assert full.weight.tolist() == [50.0] * 6
    net.run(5.0)
    current = net.create("dc_generator")
    with pytest.raises(npl.errors.IllegalConnection):
        net.connect(current, cells, rule, synapse=npl.synapse.tsodyks2_synapse())
    assert (len(none), len(mixed), len(net.projections)) == (0, 0, 3)
