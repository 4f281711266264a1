# SPDX-License-Identifier: Apache-2.0
"""iaf_psc_delta that spikes by a clock, against its equation; state that follows from other values as soon as these are set."""

import numpy as np
import pytest

import neuropil as npl

h, TAU, R = 0.1, 10.0, 10.0 / 250.0


def potential(steps, first, period, current, refractory):
    """V after each step and the steps with spikes: dV/dt = (E_L - V) / tau + I / C, set to V_reset by the clock and held there."""
    V, free, found, spikes = -70.0, 0, [], []
    for n in range(steps):
        if n >= free:
            V += (-70.0 + R * current - V) * -np.expm1(-h / TAU)
        if n + 1 >= first and (n + 1 - first) % period == 0:
            V, free = -70.0, n + 1 + refractory
            spikes.append((n + 1) * h)
        found.append(V)
    return np.array(found), np.array(spikes)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("offset", "interval"), [(1.0, 3.0), (0.04, 0.05), (1.04, 2.96)])
def test_clock(threads, offset, interval):
    net = npl.Network(resolution=h, threads=threads)
    clock = {"ignore_and_spike": 1.0, "ignore_and_spike_offset": offset, "ignore_and_spike_interval": interval}
    cells = net.create("iaf_psc_delta[clock]", 5, I_e=700.0, **clock)
    others = net.create("iaf_psc_delta[clock]", 2, I_e=700.0)
    plain = net.create("iaf_psc_delta", 2, I_e=700.0)
    spikes, trace = net.record(cells + others + plain), net.record(cells, "V_m", interval=h)
    net.run(40.0)
    first, period = (int(np.ceil(ms / h - 1e-9)) for ms in (offset, interval))
    V, times = potential(400, first, period, 700.0, 20)
    for gid in cells.gids:
        np.testing.assert_allclose(spikes.times[spikes.gids == gid], times, atol=1e-9)
        np.testing.assert_allclose(trace["V_m"][:, int(gid - cells.gids[0])], V, rtol=1e-12)
    for a, b in zip(others.gids, plain.gids, strict=True):
        assert len(spikes.times[spikes.gids == a]) > 2
        np.testing.assert_array_equal(spikes.times[spikes.gids == a], spikes.times[spikes.gids == b])


def test_clock_refuses():
    net = npl.Network()
    with pytest.raises(npl.errors.BadParameter, match="ignore_and_spike_interval"):
        net.create("iaf_psc_delta[clock]", ignore_and_spike_interval=0.0)
    with pytest.raises(npl.errors.BadParameter, match="ignore_and_spike"):
        net.create("iaf_psc_delta[clock]", ignore_and_spike=0.5)
    with pytest.raises(npl.errors.BadParameter, match="clock"):
        net.create("iaf_psc_delta[watch]")


@pytest.mark.parametrize("threads", [1, 3])
def test_thresholds_follow_what_is_set(threads):
    net = npl.Network(threads=threads)
    cells = net.create("amat2_psc_exp", 6, omega=-50.0, V_th_alpha_1=npl.uniform(0.0, 1.0), V_th_v=0.25)
    np.testing.assert_allclose(cells.get("V_th"), -49.75 + np.asarray(cells.get("V_th_alpha_1")), rtol=1e-14)
    cells[2:4].set(V_th_alpha_2=[2.0, 3.0])
    expected = -49.75 + np.asarray(cells.get("V_th_alpha_1")) + np.array([0, 0, 2.0, 3.0, 0, 0])
    np.testing.assert_allclose(cells.get("V_th"), expected, rtol=1e-14)
    cells.set(omega=-40.0)
    np.testing.assert_allclose(cells.get("V_th"), expected + 10.0, rtol=1e-14)
    precise = net.create("iaf_psc_exp_ps_lossless", 2, I_syn_ex=1.5)
    precise.set(I_syn_in=-0.5)
    np.testing.assert_array_equal(precise.get("I_syn"), [1.0, 1.0])
