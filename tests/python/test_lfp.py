# SPDX-License-Identifier: Apache-2.0
"""Local field potentials: cables, line sources and kernels beside conservation laws, other integrals and simulations of every cell."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm

import neuropil as npl
from neuropil.analysis import lfp

DT = 0.1


@pytest.fixture(scope="module")
def cell():
    return lfp.ball_and_stick(soma=20.0, apical=400.0, basal=100.0, step=50.0)


@pytest.fixture(scope="module")
def branched():
    """A soma with two dendrites, one of which branches; no two compartments alike."""
    start = np.array([[0, 0, -10], [0, 0, 10], [0, 0, 110], [0, 0, 110], [10, 0, 0]], float)
    end = np.array([[0, 0, 10], [0, 0, 110], [60, 0, 180], [-30, 40, 170], [90, 20, -30]], float)
    return lfp.Cell(start, end, np.array([20, 4, 2, 1.5, 2.5]), np.array([-1, 0, 1, 1, 0]), capacitance=0.8, tau_m=15.0, resistivity=120.0)


def responses(cell, tau_syn, where, lags):
    """Currents through membranes of all compartments (n_lags, n), after an exponential current of 1 pA into some of them."""
    modes, synapses = cell.modes(), lfp.Synapses(1.0, 1.0, tau_syn, 0.0)
    return (synapses.waveforms(modes.rates, lags) * (modes.into @ where)) @ modes.out.T


@pytest.mark.parametrize("which", ["cell", "branched"])
@pytest.mark.parametrize(
    "tau_syn", [0.5, 10.0, 15.0]
)  # 10 and 15 ms: the time constants of the membranes, where the closed form is a limit
def test_the_cable_is_that_of_the_matrix_exponential(which, tau_syn, request):
    cell = request.getfixturevalue(which)
    n, lags = len(cell.diameter), 0.5 * np.arange(40)
    where = np.zeros(n)
    where[-1], where[1] = 0.7, 0.3
    capacitances, axial = cell.capacitances, cell.axial()
    system = np.zeros((n + 1, n + 1))  # potentials, and the current of the synapses
    system[:n, :n] = -(axial + np.diag(capacitances / cell.tau_m)) / capacitances[:, None]
    system[:n, n], system[n, n] = where / capacitances, -1.0 / tau_syn
    states = np.array([expm(system * t)[:, n] for t in lags])
    expected = -states[:, :n] @ axial
    found = responses(cell, tau_syn, where, lags)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12) and np.abs(expected).max() > 0.01


def test_axial_conductance_and_input_resistance():
    """Steady state of a cable with a sealed end: input resistance sqrt(R_m R_i) coth(l), decay cosh(l - x) / cosh(l) in length constants (Rall 1959)."""
    cable = lfp.ball_and_stick(soma=1e-3, apical=3000.0, diameter=2.0, step=5.0, tau_m=20.0, resistivity=100.0)
    conductance = cable.axial() + np.diag(cable.capacitances / cable.tau_m)
    current = np.zeros(len(cable.diameter))
    current[1] = 1.0
    potential = np.linalg.solve(conductance, current)
    per_length = np.pi * 2.0 * 0.01 / 20.0, 1e-5 * 100.0 / np.pi  # nS/µm, 1/(nS µm)
    length = 1.0 / np.sqrt(per_length[0] * per_length[1])
    assert potential[1] == pytest.approx(np.sqrt(per_length[1] / per_length[0]) / np.tanh(3000.0 / length), rel=5e-3)
    assert potential[1 + 100] / potential[1] == pytest.approx(np.cosh(2500.0 / length) / np.cosh(3000.0 / length), rel=1e-4)


@pytest.mark.parametrize("which", ["cell", "branched"])
def test_no_charge_leaves_a_cell(which, request):
    cell = request.getfixturevalue(which)
    for k in range(len(cell.diameter)):
        where = np.eye(len(cell.diameter))[k]
        currents = responses(cell, 2.0, where, DT * np.arange(500))
        assert np.abs(currents.sum(axis=1)).max() < 1e-12 * np.abs(currents).max() * len(where)
    assert np.abs(cell.axial().sum(axis=1)).max() < 1e-12 * cell.axial().max() and np.array_equal(cell.axial(), cell.axial().T)


def test_a_line_is_many_points():
    start, end = np.array([[3.0, -20.0, 10.0]]), np.array([[43.0, 25.0, 90.0]])
    points = np.array([[0, 0, 0], [100, 20, 40], [-300, 500, 200], [83, 70, 170], [23, 5, 49.0]])  # the last but one: on its axis
    length = np.linalg.norm(end - start)
    for point, found in zip(points, lfp.line_source(start, end, points, conductivity=0.4)[:, 0], strict=True):
        brute, _ = quad(lambda s, p=point: 1.0 / np.linalg.norm(start[0] + s * (end[0] - start[0]) - p), 0.0, 1.0, epsabs=1e-13, limit=200)
        assert found == pytest.approx(brute / (4.0 * np.pi * 0.4), rel=1e-9)
    on_membrane = lfp.line_source(start, end, [(start + end)[0] / 2.0], radius=1.5)[0, 0]
    assert on_membrane == pytest.approx(2.0 * np.arcsinh(length / 3.0) / length / (4.0 * np.pi * 0.3))


def test_far_away_a_cell_is_a_dipole(cell):
    where = lfp.Synapses(1.0, 1.0, places=[(300.0, 500.0, 1.0)]).shares(cell, 0.0)
    currents = responses(cell, 2.0, where, np.array([3.0]))[0]
    dipole = currents @ (0.5 * (cell.start + cell.end))  # pA µm
    for direction in ([0.0, 0.0, 1.0], [0.0, 0.6, 0.8]):
        far = np.array([direction]) * np.array([[2e4], [4e4], [8e4]])
        potentials = lfp.line_source(cell.start, cell.end, far, cell.diameter / 2.0) @ currents
        expected = far @ dipole / (4.0 * np.pi * 0.3 * np.linalg.norm(far, axis=1) ** 3)
        assert np.allclose(potentials, expected, rtol=0.03)
        assert np.allclose(potentials[:-1] / potentials[1:], 4.0, rtol=0.03)
        assert abs(potentials[-1] / expected[-1] - 1.0) < abs(potentials[0] / expected[0] - 1.0)


def every_cell(cell, somata, synapses, electrodes, arrivals):
    """Potentials (n_bins, n_electrodes) of cells that are simulated with all their input: numbers of spikes in `arrivals` (n_bins, n_cells), after delays."""
    n, capacitances, axial = len(cell.diameter), cell.capacitances, cell.axial()
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = -(axial + np.diag(capacitances / cell.tau_m)) / capacitances[:, None]
    total = 0.0
    for soma, spikes in zip(somata, arrivals.T, strict=True):
        system[:n, n] = synapses.shares(cell, soma[2]) / capacitances
        system[n, n] = -1.0 / synapses.tau_syn
        step, state, trace = expm(system * DT), np.zeros(n + 1), []
        for count in spikes:
            state = step @ state
            trace.append(-axial @ state[:n])
            state[n] += synapses.weight * count
        total = total + np.array(trace) @ lfp.line_source(cell.start + soma, cell.end + soma, electrodes, cell.diameter / 2.0).T
    return total


def test_kernels_predict_what_all_cells_make_together(cell):
    """Every neuron of X has a synapse on every cell of Y: for linear cells the prediction is exact."""
    rng = np.random.default_rng(2)
    somata, electrodes = lfp.disc(4, 150.0, (-50.0, 50.0), seed=3), np.array([[0, 0, 300], [50, 0, 0], [0, 20, -200.0]])
    kinds = {
        "E": lfp.Synapses(4.0, 80.0, 1.5, 1.2, [(150.0, 250.0, 0.25), (-200.0, 100.0, 0.75)], soma=False),
        "I": lfp.Synapses(4.0, -300.0, 4.0, 0.8, [(-60.0, 60.0, 1.0)]),
    }
    spikes, expected = {}, 0.0
    for k, (name, synapses) in enumerate(kinds.items()):
        steps, gids = rng.integers(1, 401, 60), rng.integers(1, 11, 60)
        spikes[name] = npl.results.Spikes(steps * DT, gids + 10 * k, stop=40.0, resolution=DT)
        arrive = np.zeros((400, len(somata)))
        late = steps + round(synapses.delay / DT) - 1
        np.add.at(arrive, late[late < 400], 1.0)
        expected = expected + every_cell(cell, somata, synapses, electrodes, arrive)
    kernels = {name: lfp.kernel(cell, somata, synapses, electrodes, length=40.0) for name, synapses in kinds.items()}
    times, found = lfp.predict(kernels, spikes)
    assert np.allclose(times, DT * np.arange(1, 401)) and found.shape == (400, 3)
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max() and np.abs(expected).max() > 0.1

    online, parts = lfp.Online(kernels, DT), []
    for time in (0.1, 3.0, 3.0, 17.5, 40.0):
        parts.append(online.update({"E": spikes["E"].select(stop=time), "I": spikes["I"].select(start=online.time, stop=time).times}, time))
        assert online.time == pytest.approx(time)
    assert [len(part) for part in parts] == [1, 29, 0, 145, 225]
    assert np.abs(np.concatenate(parts) - found).max() < 1e-11 * np.abs(found).max()


@pytest.mark.parametrize("dt", [0.1, 0.5])
def test_a_running_network_has_the_potentials_that_are_predicted_afterwards(cell, dt):
    net = npl.Network(seed=2, threads=1)
    groups = {name: net.create("iaf_psc_exp", n, I_e=npl.uniform(400.0, 900.0)) for name, n in (("E", 40), ("I", 10))}
    records = {name: net.record(group) for name, group in groups.items()}
    kernels = {
        name: lfp.kernel(cell, [[20.0, 0.0, 0.0]], lfp.Synapses(10.0, w), [0.0, 200.0], dt=dt) for name, w in (("E", 50.0), ("I", -200.0))
    }
    online, parts = lfp.Online(kernels, dt), []
    net.every(1.5, lambda net: parts.append(online.update(records, net.time)))
    net.run(60.0)
    times, found = lfp.predict(kernels, records, dt)
    assert len(records["E"]) > 50 and len(records["I"]) > 10 and times[-1] == pytest.approx(60.0)
    assert np.abs(np.concatenate(parts) - found).max() < 1e-11 * np.abs(found).max()


def test_delays_are_averaged_over(cell):
    def made(delay):
        return lfp.kernel(cell, [[30.0, 0.0, 0.0]], lfp.Synapses(10.0, 50.0, 2.0, delay), [0.0, 200.0], length=30.0)

    mixed = made([1.0, 1.0, 1.0, 3.5])
    assert np.allclose(mixed, 0.75 * made(1.0) + 0.25 * made(3.5), rtol=1e-12, atol=0.0)
    assert not mixed[:11].any() and mixed[11:].all(axis=1).all()
    later = made(0.0)
    assert np.allclose(made(1.0)[10:], later[:-10])


def test_synapses_are_spread_by_area(cell):
    everywhere = lfp.Synapses(1.0, 1.0).shares(cell, -300.0)
    assert np.allclose(everywhere, cell.areas / cell.areas.sum())
    some = lfp.Synapses(1.0, 1.0, places=[(-90.0, 0.0, 0.4), (-320.0, -280.0, 0.6)], soma=False).shares(cell, -300.0)
    middle = 0.5 * (cell.start + cell.end)[:, 2] - 300.0
    assert some[middle > -90.0].sum() == pytest.approx(0.4) and some.sum() == pytest.approx(1.0) and some[0] == 0.0


def test_what_is_refused(cell):
    somata, synapses, electrodes = [[0.0, 0.0, 0.0]], lfp.Synapses(1.0, 1.0), [0.0]
    kernels = {"E": np.ones((5, 1))}
    for error, text, call in (
        (npl.errors.BadParameter, "diameter", lambda: lfp.ball_and_stick(diameter=0.0)),
        (npl.errors.BadParameter, "apical", lambda: lfp.ball_and_stick(apical=-1.0)),
        (npl.errors.BadParameter, "parent", lambda: lfp.Cell(cell.start, cell.end, cell.diameter, cell.parent + 1)),
        (npl.errors.BadLength, "start", lambda: lfp.Cell(cell.start[1:], cell.end, cell.diameter, cell.parent)),
        (npl.errors.BadLength, "somata", lambda: lfp.kernel(cell, np.zeros((0, 3)), synapses, electrodes)),
        (npl.errors.BadLength, "electrodes", lambda: lfp.kernel(cell, somata, synapses, [[0.0, 0.0]])),
        (npl.errors.BadParameter, "dt", lambda: lfp.kernel(cell, somata, synapses, electrodes, dt=0.0)),
        (npl.errors.BadParameter, "places", lambda: lfp.Synapses(1.0, 1.0, places=[(0.0, 10.0, 0.5)]).shares(cell, 0.0)),
        (npl.errors.BadParameter, "places", lambda: lfp.Synapses(1.0, 1.0, places=[(900.0, 950.0, 1.0)]).shares(cell, 0.0)),
        (npl.errors.BadParameter, "delay", lambda: lfp.kernel(cell, somata, lfp.Synapses(1.0, 1.0, delay=-1.0), electrodes)),
        (npl.errors.BadParameter, "tau_syn", lambda: lfp.kernel(cell, somata, lfp.Synapses(1.0, 1.0, 0.0), electrodes)),
        (npl.errors.BadParameter, "weight = nan", lambda: lfp.kernel(cell, somata, lfp.Synapses(1.0, np.nan), electrodes)),
        (npl.errors.BadParameter, "n = 0", lambda: lfp.disc(0, 100.0)),
        (npl.errors.UnknownName, "'F'.*'E'", lambda: lfp.Online(kernels, 1.0).update({"F": [1.0]}, 1.0)),
        (npl.errors.BadParameter, "time = 1.5", lambda: lfp.Online(kernels, 1.0).update({"E": [1.0]}, 1.5)),
        (npl.errors.BadParameter, "spikes of E = 2", lambda: lfp.Online(kernels, 1.0).update({"E": [2.0]}, 1.0)),
        (npl.errors.BadLength, "kernels", lambda: lfp.Online({}, 1.0)),
        (npl.errors.BadLength, "kernel of I", lambda: lfp.Online(kernels | {"I": np.ones((5, 2))}, 1.0)),
        (npl.errors.BadParameter, "also of E", lambda: lfp.predict(kernels, {})),
    ):
        with pytest.raises(error, match=text):
            call()
    spikes = npl.results.Spikes([1.0], [1], stop=5.0)
    with pytest.raises(npl.errors.BadParameter, match="same time"):
        lfp.predict(kernels | {"I": np.ones((5, 1))}, {"E": spikes, "I": spikes.select(stop=3.0)})
