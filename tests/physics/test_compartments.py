# SPDX-License-Identifier: Apache-2.0
"""cm_default against closed forms and independent solutions: cables by a linear solve and a matrix exponential, gates by solve_ivp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import neuropil as npl

H = 0.1
PARENTS = [-1, 0, 0, 2, 2, 1, 3]
C_M = [2.0, 1.0, 1.5, 0.7, 0.8, 1.2, 0.5]
G_C = [0.3, 0.9, 0.2, 1.1, 0.4, 0.05, 0.6]
G_L = [0.2, 0.1, 0.05, 0.3, 0.12, 0.07, 0.2]
E_L = [-70.0, -65.0, -72.0, -60.0, -75.0, -70.0, -68.0]


def _cable() -> list[dict[str, float]]:
    columns = zip(PARENTS, C_M, G_C, G_L, E_L, strict=True)
    return [{"parent": p, "C_m": c, "g_C": g, "g_L": leak, "e_L": e} for p, c, g, leak, e in columns]


def _matrix() -> NDArray[np.float64]:
    """G of C dv/dt = -G v + b."""
    G = np.diag(G_L)
    for i, p in enumerate(PARENTS[1:], 1):
        G[i, i] += G_C[i]
        G[p, p] += G_C[i]
        G[i, p] -= G_C[i]
        G[p, i] -= G_C[i]
    return G


def _traced(net: npl.Network, cell: npl.Nodes, names: Sequence[str], ms: float) -> NDArray[np.float64]:
    trace = net.record(cell, list(names), interval=net.resolution)
    net.run(ms)
    return np.array([trace[name][:, 0] for name in names]).T


def test_a_passive_tree_is_the_trapezoidal_rule_on_its_matrix() -> None:
    net = npl.Network(resolution=H)
    cell = net.create(npl.tree(_cable()), 1, v_comp3=-20.0)
    for where, amplitude in ((0, 1.0), (4, 3.0), (6, -2.0)):
        net.stimulate(cell, npl.dc(amplitude=amplitude), receptor=where)
    v = _traced(net, cell, [f"v_comp{k}" for k in range(7)], 20.0)
    G, C = _matrix(), np.diag(C_M)
    b = np.array(G_L) * E_L + [1.0, 0, 0, 0, 3.0, 0, -2.0]
    first = 30  # the currents have begun
    at = v[first]
    for seen in v[first + 1 :]:
        at = np.linalg.solve(C / H + G / 2, (C / H - G / 2) @ at + b)
        assert seen == pytest.approx(at, abs=1e-10)


def test_a_passive_tree_converges_to_the_matrix_exponential() -> None:
    G, C = _matrix(), np.diag(C_M)
    rest = np.linalg.solve(G, np.array(G_L) * E_L)
    start = np.add(E_L, [5.0, -3.0, 10.0, 0.0, 7.0, 1.0, 2.0])
    exact = rest + expm(-np.linalg.solve(C, G) * 8.0) @ (start - rest)
    errors = []
    for h in (0.1, 0.05):
        net = npl.Network(resolution=h)
        cell = net.create(npl.tree(_cable()), 1, **{f"v_comp{k}": v for k, v in enumerate(start)})
        v = _traced(net, cell, [f"v_comp{k}" for k in range(7)], 8.0)
        errors.append(np.abs(v[-1] - exact).max())
    assert errors[0] < 1e-2
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)  # second order


def _ramp(v: float, middle: float, rate: float, width: float) -> float:
    return rate * width if v == middle else rate * (v - middle) / (1.0 - np.exp(-(v - middle) / width))


def _rates(v: float) -> dict[str, tuple[float, float]]:
    """Where each gate goes, and how fast [1/ms]: Mainen & Sejnowski (1996) at 36 degrees."""
    m = _ramp(v, -35.013, 0.182, 9.0), _ramp(-v, 35.013, 0.124, 9.0)
    h = _ramp(v, -50.013, 0.024, 5.0) + _ramp(-v, 75.013, 0.0091, 5.0)
    n = _ramp(v, 25.0, 0.02, 9.0), _ramp(-v, -25.0, 0.002, 9.0)
    return {
        "m": (m[0] / sum(m), 3.21 * sum(m)),
        "h": (1.0 / (1.0 + np.exp((v + 65.0) / 6.2)), 3.21 * h),
        "n": (n[0] / sum(n), 3.21 * sum(n)),
    }


@pytest.mark.parametrize("v", [-90.0, -50.013, -35.013, 0.0, 25.0, 60.0])
def test_gates_relax_exponentially_at_a_constant_potential(v: float) -> None:
    net = npl.Network(resolution=H)
    cell = net.create(
        npl.tree([{"C_m": 1e12, "e_L": v, "v_comp": v, "gbar_Na": 1e-3, "gbar_K": 1e-3}]), 1, m_Na_0=0.5, h_Na_0=0.5, n_K_0=0.5
    )
    seen = _traced(net, cell, ["m_Na_0", "h_Na_0", "n_K_0"], 3.0)
    steps = np.arange(1, len(seen) + 1) * H
    for column, name in zip(seen.T, "mhn", strict=True):
        target, rate = _rates(v)[name]
        assert column == pytest.approx(target + (0.5 - target) * np.exp(-rate * steps), abs=1e-9)


def test_an_action_potential_converges_to_that_of_solve_ivp() -> None:
    g = {"C_m": 1.0, "g_L": 0.1, "e_L": -70.0, "gbar_Na": 60.0, "gbar_K": 10.0}

    def slope(_: float, y: NDArray[np.float64]) -> list[float]:
        v, m, h, n = y
        rates = _rates(v)
        current = g["g_L"] * (g["e_L"] - v) + g["gbar_Na"] * m**3 * h * (50.0 - v) + g["gbar_K"] * n * (-85.0 - v)
        return [current / g["C_m"], *((rates[k][0] - x) * rates[k][1] for k, x in zip("mhn", (m, h, n), strict=True))]

    start = [-45.0, *(_rates(-45.0)[k][0] for k in "mhn")]
    exact = solve_ivp(slope, (0.0, 4.0), start, rtol=1e-10, atol=1e-12, t_eval=[1.0, 2.0, 4.0]).y
    errors = []
    for h in (0.01, 0.005):
        net = npl.Network(resolution=h)
        cell = net.create(npl.tree([{**g, "v_comp": -45.0}]), 1)
        seen = _traced(net, cell, ["v_comp0", "m_Na_0", "h_Na_0", "n_K_0"], 4.0)
        errors.append(np.abs(seen[[round(t / h) - 1 for t in (1.0, 2.0, 4.0)]].T - exact).max(axis=1))
    assert exact[0].max() > -30.0
    assert np.all(errors[0] < [0.5, 0.02, 0.02, 0.02])
    assert np.all(errors[1] < 0.65 * errors[0])


def _synapse(weights: dict[int, float], taus: tuple[float, float], n: int) -> NDArray[np.float64]:
    """Conductance after each step, with the weights that arrive at the ends of steps."""
    rise, decay = taus
    peak = rise * decay / (decay - rise) * np.log(decay / rise)
    norm = 1.0 / (np.exp(-peak / decay) - np.exp(-peak / rise))
    t = np.arange(1, n + 1)
    return sum(w * norm * np.where(t >= at, np.exp(-(t - at) * H / decay) - np.exp(-(t - at) * H / rise), 0.0) for at, w in weights.items())


@pytest.mark.parametrize("kind", ["AMPA", "GABA", "NMDA", "AMPA_NMDA"])
def test_receptors_are_brute_force_in_numpy(kind: str) -> None:
    passive = {"C_m": 1.0, "g_L": 0.1, "e_L": -65.0, "v_comp": -65.0}
    taus: Any = {"AMPA": (0.3, 4.0), "GABA": (0.5, 9.0), "NMDA": (1.0, 40.0)}
    e = -80.0 if kind == "GABA" else 5.0
    used = ["AMPA", "NMDA"] if kind == "AMPA_NMDA" else [kind]
    parameters = {f"tau_{end}_{k}": taus[k][end == "d"] for k in used for end in "rd"} | {f"e_{kind}": e}
    net = npl.Network(resolution=H)
    cell = net.create(npl.tree([passive, {"parent": 0, "g_C": 0.5, **passive}], [{"compartment": 1, "kind": kind, **parameters}]))
    source = net.create("spike_generator", spike_times=[1.0, 3.5])
    net.connect(source, cell, weight=0.4, delay=1.0, receptor=1)
    v = _traced(net, cell, ["v_comp0", "v_comp1"], 30.0)
    g = [_synapse({20: 0.4, 45: 0.4}, taus[k], len(v)) for k in used]
    at = np.array([-65.0, -65.0])
    base = np.array([[0.6, -0.5], [-0.5, 0.6]])
    for k, seen in enumerate(v):
        current, slope = 0.0, 0.0
        for name, each in zip(used, g, strict=True):
            free = 1.0 / (1.0 + 0.3 * np.exp(-0.1 * at[1])) if name == "NMDA" else 1.0
            turn = 0.03 * np.exp(-0.1 * at[1]) * free**2 if name == "NMDA" else 0.0
            factor = 2.0 if kind == "AMPA_NMDA" and name == "NMDA" else 1.0
            current += factor * each[k] * free * (e - at[1])
            slope += factor * each[k] * (turn * (e - at[1]) - free)
        rest = -base @ (at + 65.0) + [0.0, current]
        at = at + np.linalg.solve(np.eye(2) / H + (base - np.diag([0.0, slope])) / 2.0, rest)
        assert seen == pytest.approx(at, abs=1e-9)


def test_a_spike_is_a_crossing_of_the_root_from_below() -> None:
    net = npl.Network(resolution=H)
    cells = net.create(npl.tree([{}]), 3, v_comp0=[-70.0, -50.0, -70.0], V_th=[-60.0, -60.0, 0.0])
    net.stimulate(cells, npl.dc(amplitude=2.0))
    spikes, trace = net.record(cells), net.record(cells, "v_comp0", interval=H)
    net.run(30.0)
    v = trace["v_comp0"][:, 0]
    crossing = int(np.argmax(v >= -60.0))
    assert spikes.times[spikes.gids == cells.gids[0]] == pytest.approx([trace.times[crossing]])
    assert set(spikes.gids) == {cells.gids[0]}


def test_refused() -> None:
    with pytest.raises(npl.errors.BadParameter, match="parent"):
        npl.tree([{}, {"parent": 1}])
    with pytest.raises(npl.errors.UnknownName, match="AMPAA"):
        npl.tree([{}], [{"kind": "AMPAA"}])
    with pytest.raises(npl.errors.UnknownName, match="g_X"):
        npl.tree([{"g_X": 1.0}])
    net = npl.Network()
    with pytest.raises(npl.errors.BadParameter, match="tau_r_AMPA_0"):
        net.create(npl.tree([{}], [{"kind": "AMPA", "tau_r_AMPA": 3.0}]))
    with pytest.raises(npl.errors.BadParameter, match="C_m_1"):
        net.create(npl.tree([{}, {"parent": 0, "C_m": 0.0}]))
    for shape in ("", "0;", "-1,1;", "-1;1:AMPA", "-1;0:X", "-1;0", "-1,x;"):
        with pytest.raises(npl.errors.BadParameter, match="shape"):
            net.create(f"cm_default[{shape}]")
    with pytest.raises(npl.errors.UnknownName):
        net.create("parrot_neuron[3]")
    cell = net.create(npl.tree([{}, {"parent": 0}], [{"kind": "AMPA"}]))
    for receptor in (0, 2):
        with pytest.raises(npl.errors.BadParameter, match="receptor"):
            net.connect(net.create("parrot_neuron"), cell, receptor=receptor)
    with pytest.raises(npl.errors.BadParameter, match="compartment"):
        net.stimulate(cell, npl.dc(amplitude=1.0), receptor=2)
