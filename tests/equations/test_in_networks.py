# SPDX-License-Identifier: Apache-2.0
"""Models from equations in networks: spikes of built-in twins, threads, checkpoints, trials."""

import pickle

import numpy as np
import pytest
from examples.published_models import MODELS
from scipy.integrate import solve_ivp

import neuropil as npl
from equations.compiled import COMPILER
from equations.test_generated import OTHERS
from neuropil.equations.errors import EquationError
from neuropil.errors import BadParameter, IllegalConnection

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")


@pytest.fixture(scope="module")
def models():
    return {name: npl.neuron(name, **arguments) for name, arguments in (MODELS | OTHERS).items()}


def network(model, threads=1, weights=(87.0, -200.0), n=60, **parameters):
    """A driven recurrent network, with its spikes and potentials."""
    net = npl.Network(seed=5, threads=threads)
    cells = net.create(model, n, **parameters)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=weights[0])
    net.connect(cells, cells, npl.fixed_indegree(10), weight=weights[1], delay=1.5)
    return net, net.record(cells), net.record(cells, ["V_m"], interval=0.1)


def results(net, spikes, trace, duration=200.0):
    net.run(duration, progress=False)
    data = spikes.data()
    return np.asarray(data.times), np.asarray(data.gids), np.asarray(trace.data()["V_m"])


@pytest.mark.parametrize(
    ("name", "twin", "weights", "parameters"),
    [
        ("eq_psc_exp", "iaf_psc_exp", (87.0, -200.0), {"I_e": 200.0}),
        ("eq_psc_alpha", "iaf_psc_alpha", (60.0, -100.0), {"tau_syn_in": 5.0}),
        ("eq_psc_delta", "iaf_psc_delta", (0.3, -1.0), {"t_ref": 0.0}),
    ],
)
def test_networks_of_twins_have_the_same_bits(models, name, twin, weights, parameters):
    I_e = npl.uniform(0.0, 300.0)
    found = results(*network(models[name], weights=weights, **{"I_e": I_e} | parameters))
    expected = results(*network(twin, weights=weights, **{"I_e": I_e} | parameters))
    assert len(expected[0]) > 100
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_current_that_no_equation_has_is_refused():
    net = npl.Network()
    cells = net.create(npl.neuron("without_current", "dV/dt = -V/ms : mV (receptor)", threshold="V > 3*mV", reset="V = 0*mV"), 2)
    with pytest.raises(IllegalConnection, match="without_current takes no current from a dc_generator"):
        net.stimulate(cells, npl.dc(amplitude=100.0))


def test_solver_models_follow_their_twin(models):
    """Adaptive exponential neurons: spikes at the same steps until rounding counts."""
    weights = (6.0, -4.0)
    found, expected = (results(*network(m, weights=weights, t_ref=2.0, I_e=300.0), 60.0) for m in (models["eq_aeif"], "aeif_cond_exp"))
    assert len(expected[0]) > 50
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert np.median(np.abs(found[2] - expected[2])) < 1e-3


DRIVEN = {"eq_aeif": ((6.0, -4.0), {"I_e": 900.0}), "adaptive": ((600.0, -20.0), {}), "eq_psc_exp": ((87.0, -20.0), {})}


@pytest.mark.parametrize("name", DRIVEN)
def test_threads_do_not_count(models, name):
    weights, parameters = DRIVEN[name]
    one, two = (results(*network(models[name], threads, weights, **parameters), 50.0) for threads in (1, 2))
    assert len(one[0]) > 10
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_noise_is_of_the_neuron_and_the_seed(models):
    def values(threads, seed):
        net = npl.Network(seed=seed, threads=threads)
        cells = net.create(models["noisy_rk4"], 20)
        trace = net.record(cells, ["x"], interval=1.0)
        net.run(20.0, progress=False)
        return np.asarray(trace.data()["x"])

    first = values(1, 1)
    assert len(np.unique(first[-1])) == 20
    np.testing.assert_array_equal(first, values(2, 1))
    assert not np.any(first[-1] == values(1, 2)[-1])


@pytest.mark.parametrize(
    ("integrator", "calculus", "drift"), [("euler", "Ito", 0.0), ("rk4", "Stratonovich", 1.0), ("exponential_euler", "Stratonovich", 1.0)]
)
def test_geometric_brownian_motion_has_the_mean_of_its_calculus(integrator, calculus, drift):
    sigma, duration, n = 0.1, 50.0, 10000
    motion = npl.neuron(
        f"motion_{integrator}", "dx/dt = mu*x + sigma*x*xi : 1", parameters={"mu": "0.01 1/ms", "sigma": "0.1 1/ms**0.5"}, initial={"x": 1.0},
        integrator=integrator,
    )  # fmt: skip
    assert f"noise that is multiplied by a variable\n  {calculus}" in motion.summary()
    net = npl.Network(seed=3, threads=1)
    cells = net.create(motion, n)
    net.run(duration, progress=False)
    x = np.asarray(cells.x)
    mean = np.exp((0.01 + drift * sigma**2 / 2) * duration)
    assert np.mean(x) == pytest.approx(mean, abs=4 * np.std(x) / np.sqrt(n))
    other = np.exp((0.01 + (1 - drift) * sigma**2 / 2) * duration)
    assert abs(np.mean(x) - other) > 8 * np.std(x) / np.sqrt(n)


@pytest.mark.parametrize(
    ("slope", "found"),
    [
        ("-x + xi*sqrt(ms)", False),
        ("-(x + a*xi*sqrt(ms))", False),
        ("(a + y)*xi*sqrt(ms)", False),
        ("x*xi*sqrt(ms)", True),
        ("(p + 1)*(x - xi*sqrt(ms))", True),
        ("where(x > 0, xi*sqrt(ms), 0)", True),
    ],
)
def test_multiplicative_noise_is_found(slope, found):
    lines = f"dx/dt = ({slope})/ms : 1\np = x**2\ny = a + 1"
    model = npl.neuron("noisy_x", lines, parameters={"a": "1 1"}, integrator="rk4")
    assert model.description.has_multiplicative_noise == found
    assert ("Stratonovich" in model.summary()) == found


def test_checkpoints_go_on(models, tmp_path):
    weights, parameters = DRIVEN["eq_aeif"]
    net, spikes, trace = network(models["eq_aeif"], weights=weights, **parameters)
    net.run(20.0, progress=False)
    net.save(tmp_path / "net.npc", extra={"records": (spikes, trace)})
    again = npl.load(tmp_path / "net.npc", progress=False)
    expected, found = results(net, spikes, trace, 30.0), results(again, *again.extra["records"], 30.0)
    assert len(expected[0]) > 10
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_receptors_are_ports(models):
    ports = npl.neuron("ports", "dV_m/dt = (a + b - V_m)/ms : mV\nda/dt = -a/ms : mV (receptor)\ndb/dt = -b/ms : mV (receptor)")
    net = npl.Network(seed=1, threads=1)
    cells = net.create(ports, 2)
    source = net.stimulate(cells, npl.spike_train([1.0]), weight=3.0, receptor=2)
    trace = net.record(cells, ["a", "b"], interval=0.1)
    net.run(3.0, progress=False)
    data = trace.data()
    assert source is not None
    assert np.max(data["b"]) == 3.0
    assert np.max(np.abs(data["a"])) == 0.0


FITZHUGH_NAGUMO = "dv/dt = (v - v**3/3 - w + I_stim/pA)/ms : 1\ndw/dt = (v + a - b*w)/tau : 1"


def test_a_model_with_a_current_only_takes_no_spikes():
    """FitzHugh 1961: it oscillates with a current of 0.5."""
    model = npl.neuron("fitzhugh", FITZHUGH_NAGUMO, threshold="v > 1", parameters={"a": "0.7 1", "b": "0.8 1", "tau": 12.5})
    assert model.receptors == {}
    assert "connections with spikes are refused" in model.summary()
    net = npl.Network(seed=1, threads=1)
    cells, source = net.create(model, 2), net.create("iaf_psc_exp", 2)
    net.stimulate(cells[:1], npl.dc(amplitude=0.5))
    spikes, trace = net.record(cells), net.record(cells, ["v"], interval=0.1)
    for refused in (
        lambda: net.connect(source, cells, weight=1.0, delay=1.0),
        lambda: net.connect(cells, cells, weight=1.0, delay=1.0),
        lambda: net.stimulate(cells, npl.poisson(rate=100.0), weight=1.0),
    ):
        with pytest.raises(IllegalConnection, match=r"fitzhugh takes no spikes.* no line of its equations has the flag \(receptor\)"):
            refused()
    net.connect(cells, source, weight=1.0, delay=1.0)  # its own spikes are sent
    net.run(200.0, progress=False)
    data = spikes.data()
    assert set(np.asarray(data.gids)) == {cells.gids[0]}
    expected = solve_ivp(
        lambda _, y: [y[0] - y[0] ** 3 / 3 - y[1] + 0.5, (y[0] + 0.7 - 0.8 * y[1]) / 12.5], (0.0, 200.0), [0.0, 0.0], rtol=1e-9, atol=1e-9,
        t_eval=np.arange(2001) * 0.1,
    ).y[0]  # fmt: skip
    passed = np.flatnonzero((expected[1:] > 1.0) & (expected[:-1] <= 1.0)) * 0.1
    assert len(data.times) == len(passed) > 3
    np.testing.assert_allclose(np.diff(data.times)[1:], np.diff(passed)[1:], rtol=0, atol=0.11)  # the current begins after a delay
    assert np.max(trace.data()["v"]) == pytest.approx(np.max(expected), abs=0.01)


@pytest.mark.parametrize("integrator", ["exact", "rkf45", "rk4", "exponential_euler", "euler"])
def test_no_integrator_needs_a_receptor(integrator):
    model = npl.neuron(
        f"passive_{integrator}", "dV/dt = (R*I_stim - V)/tau : mV", parameters={"R": "0.1 GOhm", "tau": 10.0}, integrator=integrator
    )
    net = npl.Network(seed=1, threads=1)
    cells = net.create(model, 3)
    net.stimulate(cells, npl.dc(amplitude=100.0))
    net.run(150.0, progress=False)
    np.testing.assert_allclose(cells.V, 10.0, rtol=1e-5)


def test_parameters_are_checked(models):
    net = npl.Network(seed=1, threads=1)
    with pytest.raises(BadParameter, match="a number other than 0"):
        net.create(models["eq_aeif"], 1, Delta_T=0.0)
    with pytest.raises(BadParameter, match="tau_w"):
        net.create(models["eq_aeif"], 1, tau_w=-1.0)


def test_halving_the_step_changes_nothing_of_exact_models(models):
    check = models["eq_psc_exp"].check(current=500.0)
    assert check.resolutions == (0.1, 0.05, 0.025)
    assert check.spikes[0] == check.spikes[2] > 3
    assert max(check.difference["V_m"]) < 1e-11
    assert "shift (ms)" in str(check)
    assert str(check).startswith("input: a current of 500 pA; no spikes arrive. 200 ms")
    assert not check.is_silent
    assert "Nothing happened" not in str(check)
    euler = models["eq_izhikevich"].check(current=10.0).difference["V_m"]
    assert euler[0] > 1.5 * euler[1] > 0.0
    with pytest.raises(BadParameter, match="noise"):
        models["noisy"].check()


def test_a_check_of_a_silent_neuron_says_so(models):
    check = models["eq_psc_exp"].check()
    assert check.is_silent
    assert str(check).startswith("input: a current of 0 pA")
    assert "Nothing happened" in str(check)
    assert "give current=... (pA)" in str(check)
    rate = npl.neuron("checked_rate", "dr/dt = (-r + mu + tanh(I_rate))/tau : 1", rate="r", parameters={"tau": 10.0, "mu": "0 1"})
    assert "input: no current, as no equation has I_stim or I_e" in str(rate.check())
    assert "give parameters=dict(...)" in str(rate.check())
    assert not rate.check(parameters={"mu": 0.3}).is_silent
    with pytest.raises(BadParameter, match="no equation of checked_rate has I_stim or I_e"):
        rate.check(current=3.0)


def test_rates_rise_with_the_current(models):
    rates = models["eq_psc_exp"].fi_curve([0.0, 500.0, 1000.0], duration=500.0)
    period = 2.0 - 10.0 * np.log(1 - 15.0 / 40.0)  # at 1000 pA, R = 0.04 GOhm
    assert rates[0] == 0.0
    assert rates[2] == pytest.approx(1e3 / period, rel=0.05)
    with pytest.raises(BadParameter, match="I_stim or I_e"):
        npl.neuron("m", "dV/dt = -V/ms : mV (receptor)").fi_curve([1.0])


def test_models_go_through_pickle(models):
    assert pickle.loads(pickle.dumps(models["eq_aeif"])) == models["eq_aeif"]


def test_the_time_step_and_whole_numbers_in_equations():
    """dt and steps() follow the network; floor() makes whole numbers."""
    text = """
        dx/dt = (floor(a) - x)/tau + where(steps(tau) == n, 1, 0)*dt/ms**2 : 1 (receptor)
    """
    model = npl.neuron("with_steps", text, parameters={"a": "2.7 1", "tau": 5.0, "n": "50 1"})
    assert model.integrator == "exact"
    for h, more in ((0.1, 0.1), (0.25, 0.0)):
        net = npl.Network(resolution=h, seed=1)
        record = net.record(net.create(model, 1), ["x"], interval=1.0)
        net.run(10.0, progress=False)
        t = np.arange(1, 11)
        found = np.asarray(record.data()["x"])[:, 0]
        np.testing.assert_allclose(found, (2.0 + 5.0 * more) * (1 - np.exp(-t[: len(found)] / 5.0)), rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["dx/dt = -x/ms + steps(x*ms)/ms : 1 (receptor)", "dx/dt = -x/ms + dt : 1 (receptor)", "ddt/dt = 1/ms : 1"]
)
def test_what_the_time_step_cannot_be(text):
    with pytest.raises(EquationError, match=r"follow from parameters|unit|time step"):
        npl.neuron("refused", text)
