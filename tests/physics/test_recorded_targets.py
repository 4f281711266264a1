# SPDX-License-Identifier: Apache-2.0
"""`record(generators, target=)`: what another target of a generator gets, by the equations of the generators."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl
from thread_ranks import on_ranks, the_same


def counts(record, steps):
    """Spikes per step of all recorded generators together."""
    return np.bincount(record.steps, minlength=steps + 1)[1:]


def trains(device, targets, ms, again=1, **given):
    """Spikes per step, int of shape (targets * again, steps): what several targets get, each `again` times."""
    net = npl.Network(seed=5)
    generator = net.create(device, 1, **given)
    nodes = net.create("recorder", targets)
    records = [net.record(generator, target=nodes[k : k + 1]) for k in range(targets) for _ in range(again)]
    own = net.record(generator)
    net.run(ms)
    steps = round(ms / 0.1)
    return np.array([counts(r, steps) for r in records]), counts(own, steps)


def test_poisson_trains_of_targets_are_independent():
    found, own = trains("poisson_generator", 8, 500.0, again=2, rate=4000.0)
    everything = np.vstack([found, own])
    low, high = stats.poisson.ppf([1e-5, 1 - 1e-5], 2000)
    assert (everything.sum(1) > low).all() and (everything.sum(1) < high).all()
    correlation = np.corrcoef(everything)[np.triu_indices(17, 1)]
    assert np.abs(correlation).max() < 5 / np.sqrt(5000)
    assert correlation.mean() == pytest.approx(0.0, abs=5 / np.sqrt(5000 * len(correlation)))


def test_targets_of_a_mother_train_have_copies_of_it():
    found, own = trains("mip_generator", 4, 400.0, rate=2e4, p_copy=0.3)
    assert found.mean() == pytest.approx(0.6, abs=5 * np.sqrt(0.6 / found.size * 3))
    assert np.corrcoef(np.vstack([found, own]))[np.triu_indices(5, 1)].mean() == pytest.approx(0.3, abs=0.05)


def test_currents_to_targets():
    net = npl.Network(seed=5)
    noise, wave = net.create("noise_generator", 1, mean=3.0, std=40.0), net.create("ac_generator", 1, amplitude=20.0, frequency=50.0)
    nodes = net.create("recorder", 3)
    noisy = [net.record(noise, "I", interval=0.1, target=node) for node in (nodes[:1], nodes[:1], nodes[1:2], nodes[2:])]
    waves = [net.record(wave, "I", interval=0.1, target=nodes[:1]), net.record(wave, "I", interval=0.1)]
    net.run(500.0)
    found = np.array([record["I"].ravel() for record in noisy])
    assert found.mean() == pytest.approx(3.0, abs=5 * 40.0 / np.sqrt(found.size / 10))  # a new value every ms
    assert found.std() == pytest.approx(40.0, rel=0.1)
    assert np.abs(np.corrcoef(found)[np.triu_indices(4, 1)]).max() < 5 / np.sqrt(500)
    assert (waves[0]["I"] == waves[1]["I"]).all()
    sent = 20.0 * np.sin(2 * np.pi * 50.0 * 1e-3 * waves[0].times)
    np.testing.assert_allclose(waves[0]["I"].ravel()[1:], sent[1:], atol=1e-9)


def test_only_what_is_sent_from_now_on_and_inside_the_window():
    net = npl.Network(seed=5)
    generator, node = net.create("poisson_generator", 2, rate=5000.0), net.create("recorder")
    net.run(10.0)
    late, windowed = net.record(generator, target=node), net.record(generator, start=15.0, stop=18.0, target=node)
    net.run(5.0)
    assert late.times.min() > 10.0 and not len(windowed)
    before = late.copy()
    late.clear()
    generator.rate = 0.0
    net.run(2.0)
    assert len(before) > 20 and not len(late) and not len(windowed)
    generator.rate = 5000.0
    net.run(5.0)
    assert late.times.min() > 17.0 and windowed.times.min() > 17.0 and windowed.times.max() <= 18.0
    assert set(late.gids) == set(generator.gids)


GIVEN = {
    "gamma_sup_generator": {"rate": 200.0, "gamma_shape": 3, "n_proc": 5},
    "poisson_generator_ps": {"rate": 400.0, "dead_time": 1.0},
    "sinusoidal_gamma_generator": {"rate": 200.0, "order": 2.0},
    "weighted_spike_generator": {"spike_times": [1.0, 2.5, 27.0], "spike_weights": [1.0, -2.0, 3.0]},
}


def recorded(comm=None, threads=1, file=None):
    net = npl.Network(seed=5, threads=threads, ranks=comm)
    nodes = net.create("recorder", 2)
    net.extra = {device: net.record(net.create(device, 3, **given), target=nodes[1:]) for device, given in GIVEN.items()}
    net.extra["noise"] = net.record(net.create("noise_generator", 3, std=50.0), "I", interval=0.5, target=nodes[:1])
    net.run(20.0)
    if file:
        net.save(file)
        net = npl.load(file, threads=3)
    net.run(20.0)
    *spikes, trace = net.extra.values()
    return [(r.times.tobytes(), r.gids.tobytes(), r.offsets.tobytes()) for r in spikes], trace.values.tobytes(), sum(map(len, spikes))


def test_the_same_for_any_threads_ranks_and_checkpoints(tmp_path):
    one = recorded()
    assert one[-1] > 50
    assert recorded(threads=3) == recorded(file=tmp_path / "run.npc") == one
    assert the_same(on_ranks(2, recorded)) == one


def test_streams_have_what_records_have(tmp_path):
    net = npl.Network(seed=5)
    generator, node = net.create("poisson_generator", 2, rate=500.0), net.create("recorder")
    other = npl.Network(seed=5)
    again = other.create("poisson_generator", 2, rate=500.0), other.create("recorder")
    record, stream = net.record(generator, target=node), other.record(again[0], target=again[1], to=tmp_path / "spikes", every=7.0)
    net.run(50.0), other.run(50.0)
    assert len(record) > 20 and stream.load().times.tolist() == record.times.tolist()


def test_bad_targets_are_refused():
    net = npl.Network(seed=5)
    cells, generator, node = net.create("iaf_psc_exp", 2), net.create("poisson_generator"), net.create("recorder")
    with pytest.raises(npl.errors.IllegalConnection, match="target: node 1 is a iaf_psc_exp"):
        net.record(generator, target=cells[:1])
    with pytest.raises(npl.errors.IllegalConnection, match="leave out the target"):
        net.record(cells, target=node)
    with pytest.raises(npl.errors.IllegalConnection, match="leave out the target"):
        net.record(generator + net.create("spike_generator"), target=node)
    with pytest.raises(npl.errors.IllegalConnection, match="leave out the target"):
        net.record(cells, "V_m", target=node)
    with pytest.raises(npl.errors.BadParameter, match="target"):
        net.record(generator, target=net.create("recorder", 2))
    with pytest.raises(npl.errors.BadParameter, match="target"):
        net.record(cells, "rate", bin=1.0, target=node)
    with pytest.raises(npl.errors.ForeignNodes):
        net.record(generator, target=npl.Network().create("recorder"))
