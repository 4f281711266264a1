# SPDX-License-Identifier: Apache-2.0
"""Currents charge a passive membrane from the step after they begin."""

import numpy as np
import pytest

R, TAU = 20.0, 20.0  # MOhm, ms


def passive(sim, n=1):
    return sim.Population(n, sim.IF_curr_exp(tau_m=TAU, cm=TAU / R, v_rest=-65.0, v_thresh=1e3))


def potentials(sim, cells, duration):
    cells.record("v")
    sim.run(duration)
    signal = cells.get_data().segments[0].analogsignals[0]
    return signal.times.magnitude, signal.magnitude


def charged(current):
    """Exact integration of a current that is constant in each step."""
    v, decay = [-65.0], np.exp(-0.1 / TAU)
    for amplitude in current:
        v.append(-65.0 + (v[-1] + 65.0) * decay + R * amplitude * (1.0 - decay))
    return np.array(v)


def test_dc(sim):
    cells, source = passive(sim), sim.DCSource(amplitude=0.4, start=10.0, stop=25.0)
    cells.inject(source)
    source.record()
    t, v = potentials(sim, cells, 40.0)
    current = np.where((t > 10.0 - 0.05) & (t < 25.0 - 0.05), 0.4, 0.0)
    np.testing.assert_allclose(v[:, 0], charged(current[:-1]), atol=1e-9)
    np.testing.assert_array_equal(source.get_data().magnitude[:, 0], current)


def test_ac(sim):
    cells, source = passive(sim), sim.ACSource(amplitude=0.4, offset=0.1, frequency=50.0, phase=30.0, start=5.0, stop=35.0)
    source.inject_into(cells)
    t, v = potentials(sim, cells, 40.0)
    wave = 0.1 + 0.4 * np.sin(2e-3 * np.pi * 50.0 * (t - 5.0) + np.pi / 6.0)
    np.testing.assert_allclose(v[:, 0], charged(np.where((t > 4.95) & (t < 34.95), wave, 0.0)[:-1]), atol=1e-9)


def test_steps_that_change_in_a_run(sim):
    """What is changed at the time of now acts two steps later."""
    cells, source = passive(sim), sim.StepCurrentSource(times=[4.0, 4.02, 8.0], amplitudes=[9.0, 0.2, -0.1])
    cells[0].inject(source)
    np.testing.assert_allclose(source.times, [4.0, 8.0])
    cells.record("v")
    sim.run(20.0)
    source.set_parameters(times=[20.0, 22.0], amplitudes=[0.5, 0.0])
    t, v = potentials(sim, cells, 10.0)
    current = np.array([0.0, 0.2, -0.1, 0.5, 0.0])[np.searchsorted([3.95, 7.95, 20.15, 21.95], t, side="right")]
    np.testing.assert_allclose(v[:, 0], charged(current[:-1]), atol=1e-9)
    with pytest.raises(ValueError):
        sim.StepCurrentSource(times=[3.0, 1.0], amplitudes=[0.1, 0.1])


def test_noise(sim):
    cells, source = passive(sim, 3), sim.NoisyCurrentSource(mean=0.3, stdev=0.1, start=10.0, stop=210.0, dt=0.1)
    source.inject_into([cells[0], cells[2]])
    source.record()
    _, v = potentials(sim, cells, 210.0)
    current = source.get_data().magnitude[:, 0]
    assert (v[:, 1] == -65.0).all()
    assert (current[:100] == 0.0).all() and current[101:].std() == pytest.approx(0.1, rel=0.1)
    assert current[101:].mean() == pytest.approx(0.3, abs=5 * 0.1 / np.sqrt(2000))
    assert v[-1, 0] == pytest.approx(-65.0 + R * 0.3, abs=0.5)


def test_spike_sources_take_no_current(sim):
    with pytest.raises(TypeError):
        sim.DCSource(amplitude=1.0).inject_into(sim.Population(1, sim.SpikeSourcePoisson()))
