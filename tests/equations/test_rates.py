# SPDX-License-Identifier: Apache-2.0
"""Rate neurons and binary neurons from equations, beside built-in ones and theory."""

import numpy as np
import pytest
from scipy.linalg import expm

import neuropil as npl
from equations.compiled import COMPILER
from neuropil.equations.errors import EquationError, UnitError
from neuropil.errors import BadParameter, BadType, NeuropilError

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")
NUMBERS = {"tau": 10.0, "mu": "0.5 1", "g": "1.2 1"}
LINEAR = "dr/dt = (-r + mu + g*I_rate)/tau : 1"
TANH = "dr/dt = (-r + mu + tanh(g*I_rate))/tau : 1"


def trace(model, name, duration=50.0, threads=1, n=20, **parameters):
    """Of a network with delayed and instantaneous connections."""
    net = npl.Network(seed=4, threads=threads)
    cells = net.create(model, n, **parameters)
    net.connect(cells, cells, npl.fixed_indegree(5), weight=0.1, delay=1.0, synapse="rate_connection_delayed")
    net.connect(cells, cells, npl.fixed_indegree(3), weight=-0.05, synapse="rate_connection_instantaneous")
    record = net.record(cells, [name], interval=0.1)
    net.run(duration, progress=False)
    return np.asarray(record.data()[name])


@needs_compiler
@pytest.mark.parametrize(
    ("equations", "twin", "integrator"),
    [(LINEAR, "lin_rate_ipn", "exact"), (TANH, "tanh_rate_ipn", "exponential_euler"), (LINEAR, "lin_rate_ipn", "exponential_euler")],
)
def test_networks_follow_built_in_ones(equations, twin, integrator):
    name = f"own_{twin}_{integrator}"
    model = npl.neuron(name, equations, rate="r", parameters=NUMBERS, integrator="auto" if equations == TANH else integrator)
    assert model.integrator == integrator
    start = {"rate": npl.uniform(0.0, 1.0)}
    found, expected = trace(model, "r", r=start["rate"]), trace(twin, "rate", mu=0.5, g=1.2, sigma=0.0, **start)
    assert np.ptp(expected) > 0.5
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(trace(model, "r", threads=2, r=start["rate"]), found)


@needs_compiler
def test_the_signs_of_weights():
    text = "dr/dt = (-r + mu + g*(I_rate_ex + 2*I_rate_in))/tau : 1"
    model = npl.neuron("own_rate_signs", text, rate="r", parameters=NUMBERS)
    net = npl.Network(seed=1)
    source = net.create("lin_rate_ipn", 1, mu=0.0, sigma=0.0, rate=1.0, tau=1e9)
    cells = net.create(model, 2, mu=0.0)
    for cell, weights in ((0, (0.5, 0.25)), (1, (0.5, -0.25))):
        for weight in weights:
            net.connect(source, cells[cell : cell + 1], npl.all_to_all(), weight=weight, delay=0.1, synapse="rate_connection_delayed")
    record = net.record(cells, ["r"], interval=0.1)
    net.run(200.0, progress=False)
    np.testing.assert_allclose(np.asarray(record.data()["r"])[-1], [1.2 * 0.75, 0.0], atol=1e-6)


@needs_compiler
def test_two_variables_follow_the_matrix_exponential():
    text = "dr/dt = (-r - a + mu)/tau : 1\nda/dt = (b*r - a)/tau_a : 1"
    parameters = {"tau": 10.0, "tau_a": 80.0, "b": "2 1", "mu": "1 1"}
    model = npl.neuron("own_rate_adapting", text, rate="r", parameters=parameters)
    assert model.integrator == "exact"
    net = npl.Network(seed=1)
    record = net.record(net.create(model, 1), ["r", "a"], interval=0.1)
    net.run(60.0, progress=False)
    step = expm(0.1 * np.array([[-0.1, -0.1, 0.1], [2.0 / 80.0, -1.0 / 80.0, 0.0], [0.0] * 3]))
    state = np.array([0.0, 0.0, 1.0])
    for r, a in zip(*(np.asarray(record.data()[name])[:, 0] for name in ("r", "a")), strict=True):
        state = step @ state
        np.testing.assert_allclose([r, a], state[:2], rtol=1e-11, atol=1e-13)


@needs_compiler
def test_noise_is_that_of_an_ornstein_uhlenbeck_process():
    text = "dr/dt = (-r + mu)/tau + sigma*sqrt(2/tau)*xi : 1"
    model = npl.neuron("own_rate_noise", text, rate="r", parameters={"tau": 5.0, "mu": "1 1", "sigma": "0.3 1"})
    found = []
    for threads in (1, 2):
        net = npl.Network(seed=2, threads=threads)
        record = net.record(net.create(model, 400), ["r"], interval=0.1)
        net.run(120.0, progress=False)
        found.append(np.asarray(record.data()["r"]))
    np.testing.assert_array_equal(found[0], found[1])
    late = found[0][400:]
    assert np.mean(late) == pytest.approx(1.0, abs=0.01)
    assert np.std(late) == pytest.approx(0.3, rel=0.03)
    centred = late - np.mean(late)
    assert np.mean(centred[50:] * centred[:-50]) / np.var(late) == pytest.approx(np.exp(-1.0), abs=0.03)


@pytest.mark.parametrize(
    ("equations", "changes", "error", "message"),
    [
        (LINEAR, {"rate": "x"}, BadParameter, "a variable with a derivative"),
        (LINEAR, {"rate": 3}, BadType, "rate"),
        (LINEAR, {"threshold": "r > 1"}, BadParameter, "threshold"),
        (LINEAR, {"probability": "0.5"}, BadParameter, "equations"),
        (f"{LINEAR} (receptor)", {}, EquationError, "no spikes arrive at a rate neuron"),
        (f"{LINEAR}\nr += weight : on_spike(ex)", {}, EquationError, "no spikes arrive at a rate neuron"),
        (LINEAR, {"integrator": "rkf45"}, BadParameter, "integrator"),
        (LINEAR, {"parameters": {**NUMBERS, "I_rate_ex": 1.0}}, BadParameter, "I_rate_ex"),
        ("dr/dt = (-r + mu + g*I_stim/pA)/tau : 1", {}, EquationError, "I_stim"),
        ("dr/dt = (-r + mu + g*xi_a*sqrt(ms) + g*xi_b*sqrt(ms))/tau : 1", {}, BadParameter, "xi"),
        ("dr/dt = (-r + mu*mV + g*I_rate)/tau : 1", {}, UnitError, "unit"),
    ],
)
def test_what_cannot_be_is_refused(equations, changes, error, message):
    with pytest.raises(error, match=message):
        npl.neuron("refused", equations, **{"rate": "r", "parameters": NUMBERS, **changes})


@needs_compiler
def test_rate_neurons_take_no_spikes_and_no_currents():
    net = npl.Network(seed=1)
    cells = net.create(npl.neuron("own_rate_alone", LINEAR, rate="r", parameters=NUMBERS), 2)
    with pytest.raises(NeuropilError):
        net.connect(cells, net.create("iaf_psc_exp", 1), npl.all_to_all(), weight=1.0, delay=1.0, synapse="rate_connection_delayed")
        net.run(1.0, progress=False)


GINZBURG = "c_1*h + c_2/(1 + exp(-2*c_3*(h - theta)))"


def binary_results(model, weight, threads=1, **parameters):
    net = npl.Network(seed=4, threads=threads)
    cells = net.create(model, 60, tau_m=5.0, **parameters)
    net.connect(cells, cells, npl.fixed_indegree(8), weight=weight, delay=1.0)
    spikes, record = net.record(cells), net.record(cells, ["h", "S"], interval=1.0)
    net.run(200.0, progress=False)
    data = spikes.data()
    return np.asarray(data.times), np.asarray(data.gids), np.asarray(record.data()["h"]), np.asarray(record.data()["S"])


@needs_compiler
@pytest.mark.parametrize(
    ("twin", "probability", "weight", "parameters"),
    [
        ("ginzburg_neuron", GINZBURG, 0.5, {"theta": 1.0, "c_1": 0.01, "c_2": 0.8, "c_3": 0.7}),
        ("mcculloch_pitts_neuron", "where(h > theta, 1, 0)", -0.5, {"theta": -1.2}),
    ],
)
def test_binary_neurons_have_the_bits_of_built_in_ones(twin, probability, weight, parameters):
    model = npl.neuron(f"own_{twin}", probability=probability, parameters=parameters)
    assert model.parameters == {"tau_m": 10.0, **parameters}
    expected = binary_results(twin, weight, **parameters)
    assert len(expected[0]) > 50
    for threads in (1, 2):
        for ours, theirs in zip(binary_results(model, weight, threads), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("probability", "parameters", "error", "message"),
    [
        ("h", {}, UnitError, r"probability has \[1\], but 'h' has \[mV\]"),
        ("h/theta + xi*sqrt(ms)", {"theta": 1.0}, EquationError, "white noise"),
        ("h/theta + dt/ms", {"theta": 1.0}, BadParameter, "dt"),
        ("h/theta", {"theta": 0.0}, BadParameter, "theta"),
        ("h/theta", {"theta": 1.0, "tau_m": 3.0}, BadParameter, "tau_m"),
        ("h/theta + x", {"theta": 1.0}, EquationError, "unknown name 'x'"),
        ('1; system("x")', {}, EquationError, "no part of the language|operator"),
        (3, {}, BadType, "probability"),
        ("0.5*erfc(h/mV)", {}, EquationError, "unknown function 'erfc'"),
    ],
)
def test_probabilities_that_cannot_be_are_refused(probability, parameters, error, message):
    with pytest.raises(error, match=message):
        npl.neuron("refused", probability=probability, parameters=parameters)


def test_a_binary_model_has_a_summary_and_no_check():
    model = npl.neuron("steep", probability="1/(1 + exp(-(h - theta)/width))", parameters={"theta": "1 mV", "width": 0.2})
    text = model.summary()
    for part in ("steep: ", "1 / (1 + exp(-(h - theta) / width))", "tau_m = 10 ms", "theta = 1 mV", "width = 0.2 mV", "[mV]"):
        assert part in text
    with pytest.raises(BadParameter, match="a binary neuron has no solver"):
        model.check(current=1.0)
