# SPDX-License-Identifier: Apache-2.0
"""What generators send, counted behind parrots with a delay of one step: when (as observed of NEST 3.10), how much, how correlated."""

import numpy as np
import pytest
from scipy import stats

import neuropil

H = 0.1  # ms


def sent(device: str, steps: int, n: int = 200, threads: int = 1, created: int = 0, seed: int = 1, **params) -> np.ndarray:
    """Spikes per target and stamp of the generator, int of shape (n, steps + 1)."""
    net = neuropil.Network(resolution=H, seed=seed, threads=threads)
    parrots = net.create("parrot_neuron", n)
    net.run(created * H)
    net.connect(net.create(device, 1, **params), parrots, delay=H)
    record = net.record(parrots)
    net.run((steps + 1 - created) * H)
    counts = np.zeros((n, steps + 1), int)
    np.add.at(counts, (record.gids - 1, record.steps - 1), 1)
    return counts


def intervals(counts: np.ndarray) -> np.ndarray:
    """Steps between spikes, all targets together."""
    return np.concatenate([np.diff(np.repeat(np.arange(row.size), row)) for row in counts])


def rate_in_phase(counts: np.ndarray, period: int) -> tuple[float, float]:
    """Relative amplitude and phase (rad) of the first harmonic of the mean count over stamps 1, 2, ...; whole periods."""
    rate = counts[:, 1:].mean(0)
    whole = rate[: rate.size // period * period]
    first = (whole * np.exp(-2j * np.pi * np.arange(1, whole.size + 1) / period)).mean() / whole.mean()
    return 2 * abs(first), np.angle(first * 1j)


BUSY = {
    "sinusoidal_poisson_generator": {"rate": 3e5},
    "inhomogeneous_poisson_generator": {"rate_times": [0.1], "rate_values": [3e5]},
    "mip_generator": {"rate": 6e5, "p_copy": 0.5},
    "gamma_sup_generator": {"rate": 3e3, "gamma_shape": 3, "n_proc": 100},
    "ppd_sup_generator": {"rate": 3e3, "n_proc": 100},
    "sinusoidal_gamma_generator": {"rate": 9.9e3},
}
EARLY = {"sinusoidal_poisson_generator"}  # sends one step earlier, in NEST too


@pytest.mark.parametrize("device", BUSY)
def test_active_window(device):
    shift = 0 if device in EARLY else 2
    stamps = np.flatnonzero(sent(device, 30, start=1.0, stop=1.5, **BUSY[device]).sum(0))
    assert stamps.tolist() == list(range(10 + shift, 15 + shift))
    shifted = np.flatnonzero(sent(device, 30, start=0.4, stop=0.9, origin=0.6, **BUSY[device]).sum(0))
    assert shifted.tolist() == stamps.tolist()
    assert np.flatnonzero(sent(device, 30, **BUSY[device]).sum(0))[0] == (1 if device in EARLY else 2)


@pytest.mark.parametrize("device", [*BUSY, "pulsepacket_generator"])
def test_results_do_not_depend_on_threads_and_groups(device):
    params = BUSY.get(device, {"pulse_times": [1.0], "activity": 20, "sdev": 0.3})
    alone = sent(device, 25, n=40, **params)
    assert (alone == sent(device, 25, n=40, threads=3, **params)).all()
    assert alone.sum() and (alone != sent(device, 25, n=40, seed=2, **params)).any()


def test_ac_generator_is_a_sine_at_the_time_of_sending():
    net = neuropil.Network(resolution=H, threads=1)
    neuron = net.create("iaf_psc_delta", 1, E_L=0.0, V_m=0.0, V_th=1e9, tau_m=1e12, C_m=0.1)  # V grows by the current of each step
    net.connect(
        net.create("ac_generator", 1, amplitude=10.0, frequency=50.0, phase=30.0, offset=3.0, start=1.0, stop=2.0), neuron, delay=0.3
    )
    trace = net.record(neuron, "V_m", interval=H)
    net.run(5.0)
    current = np.diff(trace["V_m"][:, 0], prepend=0.0)
    acting = np.arange(13, 23)  # sent in step n, a current acts in step n + delay + 1
    expected = np.zeros(50)
    expected[acting] = 3 + 10 * np.sin(2 * np.pi * 0.05 * (acting - 3) * H + np.pi / 6)
    np.testing.assert_allclose(current, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("shared", [False, True])
def test_sinusoidal_poisson(shared):
    n = 1 if shared else 300
    params = {"rate": 2e4, "amplitude": 1e4, "frequency": 100.0, "phase": 90.0, "individual_spike_trains": float(not shared)}
    counts = sent("sinusoidal_poisson_generator", 20_000 if shared else 2000, n=n, **params)
    total, expected = counts.sum(), 2.0 * counts[:, 1:].size
    assert abs(total - expected) < 5 * np.sqrt(expected)
    amplitude, phase = rate_in_phase(counts, 100)
    assert amplitude == pytest.approx(0.5, abs=5 * np.sqrt(2 / total))
    assert phase == pytest.approx(np.pi / 2, abs=10 * np.sqrt(2 / total))


def test_one_train_for_all():
    for device, more in (("sinusoidal_poisson_generator", {"rate": 1e4}), ("sinusoidal_gamma_generator", {"rate": 2e3, "order": 2.0})):
        same = sent(device, 500, n=5, individual_spike_trains=0.0, **more)
        assert same.sum() and (same == same[0]).all()
        own = sent(device, 500, n=5, **more)
        assert not (own == own[0]).all()


def test_inhomogeneous_poisson_rate_changes_with_the_stamp():
    counts = sent("inhomogeneous_poisson_generator", 30, n=2000, rate_times=[0.5, 1.0, 1.7], rate_values=[1e4, 5e4, 0.0])
    expected = np.zeros(31)
    expected[5:10], expected[10:17] = 1.0, 5.0
    np.testing.assert_allclose(counts.mean(0), expected, atol=5 * np.sqrt(5 / 2000), rtol=0)
    assert not counts[:, 17:].any()
    assert counts[:, 10:17].var() == pytest.approx(5.0, rel=0.1)


def test_mip_copies_of_one_train():
    counts = sent("mip_generator", 4000, n=6, rate=2e4, p_copy=0.3)[:, 2:]
    assert counts.mean() == pytest.approx(0.6, abs=5 * np.sqrt(0.6 / counts.size * 3))
    assert counts.var() == pytest.approx(0.6, rel=0.05)
    correlation = np.corrcoef(counts)[np.triu_indices(6, 1)]
    assert correlation.mean() == pytest.approx(0.3, abs=0.03)
    everything = sent("mip_generator", 300, n=4, rate=2e4)
    assert everything.sum() and (everything == everything[0]).all()


@pytest.mark.parametrize("shape", [1, 3])
def test_gamma_superposition(shape):
    rate, steps = 500.0, 4000
    counts = sent("gamma_sup_generator", steps, n=300, rate=rate, gamma_shape=shape)
    p = rate * shape * H * 1e-3  # each stage lasts a geometric number of steps
    found = intervals(counts)
    expected = stats.nbinom(shape, p)
    assert found.min() >= shape
    assert found.mean() == pytest.approx(1 / (rate * H * 1e-3), rel=0.03)
    bins = np.arange(shape, 40)
    observed = np.array([(found == k).mean() for k in bins])
    np.testing.assert_allclose(observed, expected.pmf(bins - shape), atol=6 * np.sqrt(0.1 / found.size), rtol=0)
    early = sent("gamma_sup_generator", 3, n=100, rate=rate, gamma_shape=shape, n_proc=1000)[:, 2]
    assert early.mean() == pytest.approx(1000 * rate * H * 1e-3, rel=0.05)  # in equilibrium from the start


def test_dead_times():
    rate, dead = 1000.0, 3
    found = intervals(sent("ppd_sup_generator", 4000, n=300, rate=rate, dead_time=dead * H))
    assert found.min() == dead + 1
    p = 1 / (1000 / rate / H - dead)
    bins = np.arange(dead + 1, 40)
    np.testing.assert_allclose(
        [(found == k).mean() for k in bins], p * (1 - p) ** (bins - dead - 1), atol=6 * np.sqrt(0.15 / found.size), rtol=0
    )
    many = sent("ppd_sup_generator", 2000, n=20, rate=rate, dead_time=dead * H, n_proc=500)
    assert many[:, 2:].mean() == pytest.approx(500 * rate * H * 1e-3, rel=0.01)
    assert many[:, 2:6].mean() == pytest.approx(500 * rate * H * 1e-3, rel=0.05)
    waves = sent("ppd_sup_generator", 4000, n=50, rate=200.0, n_proc=300, frequency=100.0, relative_amplitude=0.6)
    amplitude, _ = rate_in_phase(waves, 100)
    assert amplitude == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize("order", [1.0, 2.5, 4.0])
def test_gamma_process_with_constant_rate(order):
    rate = 100.0
    found = intervals(sent("sinusoidal_gamma_generator", 20_000, n=60, rate=rate, order=order)) * H
    # spikes end their step and hazards are taken at its end, so times are half a step off on average
    assert found.mean() == pytest.approx(1000 / rate, rel=0.02)
    assert found.std() / found.mean() == pytest.approx(1 / np.sqrt(order), rel=0.03)
    assert stats.kstest(found - 0.05, stats.gamma(order, scale=1000 / rate / order).cdf).statistic < 0.02


def test_modulated_gamma_process():
    counts = sent("sinusoidal_gamma_generator", 40_000, n=100, rate=200.0, amplitude=150.0, frequency=20.0, phase=45.0, order=1.0)
    amplitude, phase = rate_in_phase(counts, 500)
    assert amplitude == pytest.approx(0.75, abs=0.03)
    assert phase == pytest.approx(np.pi / 4, abs=0.05)


def test_pulse_packets():
    counts = sent("pulsepacket_generator", 400, n=3, pulse_times=[20.0, 30.04], activity=1000, sdev=0.5)
    assert (counts == counts[0]).all() and counts[0].sum() == 2000
    first = np.repeat(np.arange(401), counts[0])[:1000] * H
    assert first.mean() == pytest.approx(20.0 + 1.5 * H, abs=5 * 0.5 / np.sqrt(1000))  # rounded up, and a step late
    assert first.std() == pytest.approx(0.5, rel=0.15)
    sharp = sent("pulsepacket_generator", 400, n=1, pulse_times=[20.0, 30.04], activity=7)
    assert np.flatnonzero(sharp[0]).tolist() == [201, 302] and sharp.max() == 7
    assert sent("pulsepacket_generator", 400, n=1, pulse_times=[20.0], activity=7, stop=20.1).sum() == 0


@pytest.mark.parametrize(
    ("device", "bad"),
    [
        ("sinusoidal_gamma_generator", {"rate": 1.0, "amplitude": 2.0}),
        ("sinusoidal_poisson_generator", {"individual_spike_trains": 0.5}),
        ("mip_generator", {"p_copy": 1.5}),
        ("gamma_sup_generator", {"rate": 9e3, "gamma_shape": 3}),
        ("gamma_sup_generator", {"gamma_shape": 1.5}),
        ("ppd_sup_generator", {"rate": 1e3, "dead_time": 1.0}),
        ("ppd_sup_generator", {"relative_amplitude": 1.5}),
        ("sinusoidal_gamma_generator", {"order": 0.5}),
        ("pulsepacket_generator", {"activity": 1.5}),
        ("pulsepacket_generator", {"activity": 1e7, "pulse_times": [1.0, 2.0]}),
        ("inhomogeneous_poisson_generator", {"rate_times": [0.1], "rate_values": [-1.0]}),
    ],
)
def test_bad_values_are_refused(device, bad):
    with pytest.raises(neuropil.errors.BadParameter):
        neuropil.Network().create(device, 1, **bad)
