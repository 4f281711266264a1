# SPDX-License-Identifier: Apache-2.0
"""iaf_bw_2001_exact against its equations, solved by solve_ivp from spike to spike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import neuropil as npl

P = {
    "E_L": -70.0, "E_ex": 0.0, "E_in": -70.0, "C_m": 500.0, "g_L": 25.0, "tau_AMPA": 2.0, "tau_GABA": 5.0,
    "tau_rise_NMDA": 2.0, "tau_decay_NMDA": 100.0, "alpha": 0.5, "conc_Mg2": 1.0,
}  # fmt: skip
TRAINS = {1: ([4.0, 30.0], 5.0), 2: ([12.0, 13.0], 8.0), 3: ([5.0, 9.0, 9.5, 30.0], 2.0), 4: ([6.0, 20.0, 21.0], 3.0), 5: ([40.0], -1.0)}


def _solved(p: dict[str, float], current: float, h: float, until: float) -> np.ndarray:
    """V_m, sum of weighted gates; spikes arrive 1 ms after those of TRAINS. Rows every 0.5 ms."""
    weights = [TRAINS[k][1] for k in (3, 4, 5)]

    def slopes(_t: float, y: np.ndarray, current: float) -> np.ndarray:
        V, ampa, gaba, gates, rises = y[0], y[1], y[2], y[3:6], y[6:9]
        nmda = np.dot(weights, gates) / (1.0 + p["conc_Mg2"] / 3.57 * np.exp(-0.062 * V))
        flow = -p["g_L"] * (V - p["E_L"]) - (ampa + nmda) * (V - p["E_ex"]) - gaba * (V - p["E_in"]) + current
        opening = p["alpha"] * rises * (1.0 - gates) - gates / p["tau_decay_NMDA"]
        return np.array([flow / p["C_m"], -ampa / p["tau_AMPA"], -gaba / p["tau_GABA"], *opening, *(-rises / p["tau_rise_NMDA"])])

    y, rows = np.array([-70.0] + [0.0] * 8), []
    arrivals = {round((t + 1.0) / h): [] for times, _ in TRAINS.values() for t in times}
    for port, (times, _) in TRAINS.items():
        for t in times:
            arrivals[round((t + 1.0) / h)].append(port)
    for step in range(1, round(until / h) + 1):
        on = current if step > 2 else 0.0  # it comes after its delay, in the next step
        y = solve_ivp(slopes, (0.0, h), y, rtol=1e-10, atol=1e-12, args=(on,)).y[:, -1]
        for port in arrivals.get(step, []):
            if port <= 2:
                y[port] += TRAINS[port][1]
            else:
                y[port + 3] += 1.0
        if step % round(0.5 / h) == 0:
            rows.append([y[0], np.dot(weights, y[3:6])])
    return np.array(rows)


@pytest.mark.parametrize("other", [{}, {"alpha": 1.5, "tau_rise_NMDA": 4.0, "conc_Mg2": 0.5}])
@pytest.mark.parametrize("h", [0.1, 0.5])
def test_each_synapse_has_a_gate_of_its_own(h: float, other: dict[str, float]) -> None:
    net = npl.Network(resolution=h)
    cell = net.create("iaf_bw_2001_exact[3]", 1, V_th=1000.0, **other)
    net.connect(net.create("dc_generator", amplitude=100.0), cell, delay=h)
    for port, (times, weight) in TRAINS.items():
        net.connect(net.create("spike_generator", spike_times=times), cell, weight=weight, delay=1.0, receptor=port)
    trace = net.record(cell, ["V_m", "s_NMDA"], interval=0.5)
    net.run(60.0)
    found = np.array([trace[name][:, 0] for name in ("V_m", "s_NMDA")]).T
    np.testing.assert_allclose(found, _solved(P | other, 100.0, h, 60.0), rtol=1e-7, atol=1e-7)


def test_other_weights_than_before_are_an_error() -> None:
    net = npl.Network()
    cell = net.create("iaf_bw_2001_exact[1]")
    for time, weight in ((5.0, 2.0), (9.0, 3.0)):
        net.connect(net.create("spike_generator", spike_times=[time]), cell, weight=weight, delay=1.0, receptor=3)
    with pytest.raises(npl.errors.NumericalInstability, match="iaf_bw_2001_exact"):
        net.run(20.0)


def test_spikes_at_once_count_each() -> None:
    def gates(times: list[float]) -> float:
        net = npl.Network()
        cell = net.create("iaf_bw_2001_exact[1]", w_NMDA_1=2.0)
        net.connect(net.create("spike_generator", spike_times=times), cell, weight=2.0, delay=1.0, receptor=3)
        trace = net.record(cell, "s_NMDA", interval=1.0)
        net.run(20.0)
        return float(trace["s_NMDA"][-1, 0])

    assert gates([5.0, 5.0]) > 1.2 * gates([5.0])


def test_shapes_are_checked() -> None:
    net = npl.Network()
    for wrong in ("iaf_bw_2001_exact[x]", "iaf_bw_2001_exact[-1]", "iaf_bw_2001_exact[5000]"):
        with pytest.raises(npl.errors.BadParameter, match="shape"):
            net.create(wrong)
    cells = net.create("iaf_bw_2001_exact[2]", 2)
    with pytest.raises(npl.errors.BadParameter, match="receptor"):
        net.connect(cells, cells, receptor=5)
