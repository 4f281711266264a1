# SPDX-License-Identifier: Apache-2.0
"""Gap junctions against the coupled equations: in closed form where cells are passive, else integrated finely as one system."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from lowlevel import array, connect, floats, gids, kernel, rows

H = 0.1
PASSIVE = {"g_Na": 0.0, "g_Kv1": 0.0, "g_Kv3": 0.0, "C_m": 40.0, "g_L": 10.0, "E_L": -70.0}


def coupled(pairs, model="hh_psc_alpha_gap", n=2, waveform=(True, 1e-8, 1.0, 50, 3), settings=None, h=H, **values):
    """A network with gap junctions (one, other, conductance), both ways. Returns it, its first node and a recorder of V_m."""
    net = kernel(h, **(settings or {}))
    net.set_waveform(*waveform)
    first = net.create(model, n, floats(**values))
    one, other, g = map(np.array, zip(*pairs, strict=True))
    connect(
        net, rows(first, n), rows(first, n), "explicit", sources=np.r_[one, other].astype(np.int64), targets=np.r_[other, one].astype(np.int64),
        weight=array(np.r_[g, g]), delay=h, synapse="gap_junction",
    )  # fmt: skip
    return net, first, net.record_state(gids(first, n), ["V_m"], 1, 0)


def courses(net, recorder, n):
    return np.asarray(net.samples(recorder)[1]).reshape(-1, n)


PAIRS = [(0, 1, 7.0), (1, 2, 3.0), (0, 2, 1.5), (2, 3, 20.0)]


@pytest.mark.parametrize("settings", [{}, {"threads": 2, "block_size": 1}], ids=str)
def test_passive_cells_in_closed_form(settings):
    """C V' = -g_L (V - E_L) + sum of g (V_j - V)."""
    start = np.array([-20.0, -70.0, -55.0, -90.0])
    net, _, at = coupled(PAIRS, n=4, settings=settings, V_m=start, **PASSIVE)
    net.run(60, None)
    A = -np.eye(4) * PASSIVE["g_L"]
    for i, j, g in PAIRS:
        A[i, j] += g
        A[j, i] += g
        A[i, i] -= g
        A[j, j] -= g
    E = np.full(4, PASSIVE["E_L"])
    expected = [E + expm(A / PASSIVE["C_m"] * (k + 1) * H) @ (start - E) for k in range(60)]
    np.testing.assert_allclose(courses(net, at, 4), expected, atol=2e-6)


@pytest.mark.parametrize(("order", "error"), [(0, 1.0), (1, 5e-3), (3, 2e-6)])
def test_orders_of_interpolation(order, error):
    net, _, at = coupled([(0, 1, 7.0)], waveform=(True, 1e-8, 1.0, 50, order), V_m=[-20.0, -70.0], **PASSIVE)
    net.run(40, None)
    A = np.array([[-17.0, 7.0], [7.0, -17.0]]) / 40.0
    expected = np.array([-70.0 + expm(A * (k + 1) * H) @ [50.0, 0.0] for k in range(40)])
    found = np.abs(courses(net, at, 2) - expected).max()
    assert error / 300 < found < error


def fast_spiking(V, m, h, n, p):
    """Slopes of the gates, and the current of the channels of Mancilla et al. 2007."""
    e = np.exp
    rates = {
        "m": (40.0 * (V - 75.5) / (1.0 - e(-(V - 75.5) / 13.5)), 1.2262 / e(V / 42.248)),
        "h": (0.0035 / e(V / 24.186), -0.017 * (51.25 + V) / (e(-(51.25 + V) / 5.2) - 1.0)),
        "n": (-0.014 * (44.0 + V) / (e(-(44.0 + V) / 2.3) - 1.0), 0.0043 / e((44.0 + V) / 34.0)),
        "p": ((95.0 - V) / (e((95.0 - V) / 11.8) - 1.0), 0.025 / e(V / 22.222)),
    }
    current = -10.0 * (V + 70.0) - 4500.0 * m**3 * h * (V - 74.0) - (9.0 * n**4 + 9000.0 * p**2) * (V + 90.0)
    return [a * (1.0 - x) - b * x for (a, b), x in zip(rates.values(), (m, h, n, p), strict=True)], current


GATES = [0.019198766985083732, 0.868462041294399, 0.0005741576228359767, 0.0002511318227150632]


def test_fast_spiking_cells_as_one_system():
    g, drive, V = 30.0, (200.0, 0.0), (-40.0, -69.60401191631222)

    def slopes(_, y):
        cells = y.reshape(2, 5)
        out = []
        for k, (V, *gates) in enumerate(cells):
            of_gates, current = fast_spiking(V, *gates)
            out += [(current + drive[k] + g * (cells[1 - k][0] - V)) / 40.0, *of_gates]
        return out

    times = np.arange(1, 21) * 0.5
    whole = solve_ivp(slopes, (0.0, 10.0), [V[0], *GATES, V[1], *GATES], t_eval=times, rtol=1e-10, atol=1e-10, method="LSODA")
    assert whole.y[0].max() > 0.0  # a spike
    errors = []
    for h in (0.02, 0.01):
        net, _, at = coupled([(0, 1, g)], h=h, V_m=V, I_e=drive)
        net.run(round(10.0 / h), None)
        errors.append(np.abs(courses(net, at, 2)[round(0.5 / h) - 1 :: round(0.5 / h)] - whole.y[[0, 5]].T).max())
    assert errors[1] < 2e-3
    assert errors[1] < errors[0] / 8  # of fourth order but for the spikes
