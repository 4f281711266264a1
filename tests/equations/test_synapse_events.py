# SPDX-License-Identifier: Apache-2.0
"""Settable rules: their variables can be set while a network runs, and numpy carries out the same events."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.equations.carrying_out import carried_out
from neuropil.equations.deferred import after_step
from neuropil.equations.parsing import read_assignments
from neuropil.equations.synapse_events import EARLY, EPOCH, LAST, LATE, SETTLED, set_name
from neuropil.equations.synapse_history import NO_SPIKES, Events, Spikes, after_events, events_at, values_at
from neuropil.errors import BadParameter

LINES = ["dx/dt = -x/tau_plus (pre)", "dy/dt = (0.2 - y)/tau_minus (post)"]
RULE = {
    "on_pre": "w -= lr*y; x += 1",
    "on_post": "w += lr*x; y += 1",
    "bounds": ("0", "Wmax"),
    "parameters": {"tau_plus": 20.0, "tau_minus": 25.0, "lr": 2.0, "Wmax": 60.0},
}
SENT, SEEN = np.array([31, 90, 300, 412, 700, 701]), np.array([15, 44, 185, 296, 460, 650, 810])  # steps of 0.1 ms


def model(name, **options):
    return npl.synapse_model(name, *LINES, **RULE | options)


def pair(synapse, delay=1.0, **options):
    """A network with one plastic synapse between parrots: spikes of the source at SENT, of the target at SEEN."""
    net = npl.Network(seed=1, threads=1)
    source, target = net.create("parrot_neuron", 1), net.create("parrot_neuron", 1)
    for cells, steps in ((source, SENT), (target, SEEN)):
        net.connect(net.create("spike_generator", 1, spike_times=(steps - 10) * 0.1), cells, weight=1.0, delay=1.0)
    port = {"receptor": 1}  # spikes that parrots do not repeat
    return net, net.connect(source, target, weight=30.0, delay=delay, synapse=synapse(**options), double_weights=True, **port)


@pytest.mark.parametrize("delay", [0.1, 1.3, 4.0])
def test_same_as_the_rule_that_is_not_settable(delay):
    found = []
    for k, settable in enumerate((False, True)):
        net, synapses = pair(model(f"settable_{k}", settable=settable), delay)
        net.run(90.0)
        found.append((synapses.weight[0], synapses["x"][0]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def values_of(made, synapses=1, **given):
    """Parameters and variables of a settable rule as numpy takes them."""
    values = {
        name: np.full(synapses, value)
        for name, value in (made.parameters | {"w": 30.0, LAST: 0.0, EPOCH: 0.0, "x": 0.0, "y": 0.0} | given).items()
    }
    assert {set_name("x"), set_name(LAST), SETTLED, LATE, EARLY} <= values.keys()
    return values


@pytest.mark.parametrize("axonal", [0.0, 1.9])
def test_numpy_carries_out_the_events_of_the_kernel(axonal):
    """Also spikes of the target before the first one of the source, however long the axonal delay is."""
    made = model("settable_numpy", settable=True)
    net, synapses = pair(made, 2.0, axonal_delay=axonal)
    net.run(90.0)
    reached = SEEN + 20 - 2 * round(axonal / 0.1)  # of the target, in the time of the source without its delay
    reached = reached[reached <= SENT[-1]]
    order = np.lexsort((np.append(np.ones(len(SENT)), np.zeros(len(reached))), np.append(SENT, reached)))  # spikes of the target first
    events = Events(np.zeros(len(order), np.int64), np.append(SENT, reached)[order], order < len(SENT))
    values = values_of(made)
    sent, after = after_events(made.rule, values, events, 0.1)
    np.testing.assert_allclose(synapses.weight[0], values["w"][0], rtol=1e-12)
    np.testing.assert_allclose(synapses["x"][0], values["x"][0], rtol=1e-12)
    assert sent[events.is_pre].min() > 0.0 and not sent[~events.is_pre].any()
    np.testing.assert_array_equal(after["x"][-1], values["x"][0])


def test_variables_are_set():
    made = model("settable_set", settable=True)
    net, synapses = pair(made, last_set=[0.0], x_set=[0.0], settled=[0.0])
    net.run(45.0)
    synapses.set(x_set=5.0, y_set=1.0, last_set=45.0, settled=45.0)
    assert (synapses["x"][0], synapses["y"][0], synapses["last"][0]) == (5.0, 1.0, 45.0)
    values = values_of(made, w=synapses.weight[0], x=5.0, y=1.0, last=45.0, settled=45.0, epoch=45.0)
    net.run(45.0)
    reached = SEEN[4:6] + 10  # of the target, by the delay
    after_events(made.rule, values, events_at((0 * SENT[4:], SENT[4:]), (0 * reached, reached)), 0.1)
    for name, value in {"x": synapses["x"], "y": synapses["y"], "w": synapses.weight, "last": synapses["last"]}.items():
        np.testing.assert_allclose(value, values[name], rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("lines", "options", "reason"),
    [
        (["gain = lr*x"], {"on_post": "w += gain; y += 1"}, "a rule with parts"),
        ([], {"between": "w += lr*elapsed/ms"}, "a rule with between"),
        ([], {"on_pre": "w += random_uniform(0, lr); x += 1; w -= y"}, "a rule with random numbers"),
        (["dlast/dt = 0 (pre)"], {"on_pre": "last = 1; w -= lr*y*last; x += 1"}, "the name last"),
        (["dx_set/dt = 0 (pre)"], {"on_pre": "x_set = 1; w -= lr*y*x_set; x += 1"}, "the name x_set"),
    ],
)
def test_refused(lines, options, reason):
    with pytest.raises(BadParameter, match=reason):
        npl.synapse_model("settable_refused", *LINES, *lines, **RULE | options, settable=True)


def test_events_are_sorted():
    spikes = Spikes(np.array([2, 0, 2, 1, 2]), np.array([7, 1, 3, 4, 5]))
    which, steps = spikes.of(np.array([2, 0, 3]), np.array([4, 0, 0]))
    assert (which.tolist(), steps.tolist()) == ([0, 0, 1], [5, 7, 1])
    assert [len(each) for each in NO_SPIKES.of(np.array([1, 2]), 0)] == [0, 0]
    events = events_at((np.array([1, 0]), np.array([5, 5])), (np.array([0, 1, 0]), np.array([5, 2, 9])))
    assert events.synapse.tolist() == [0, 0, 0, 1, 1]
    assert events.step.tolist() == [5, 5, 9, 2, 5]
    assert events.is_pre.tolist() == [True, False, False, False, True]
    after = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert values_at(np.array([5, 6, 10]), np.array([0.0, -1.0]), after, events).tolist() == [[0.0, 4.0], [2.0, 5.0], [3.0, 5.0]]


def test_statements_by_numpy():
    done = read_assignments("a = b + 1; b *= a; c -= 1", "reset")
    values = {"a": np.zeros(2), "b": np.array([2.0, 3.0]), "c": np.ones(2)}
    assert {k: v.tolist() for k, v in carried_out(done, values).items()} == {"a": [3.0, 4.0], "b": [6.0, 12.0], "c": [0.0, 0.0]}
    some = carried_out(done, values, np.array([True, False]))
    assert {k: v.tolist() for k, v in some.items()} == {"a": [3.0, 0.0], "b": [6.0, 3.0], "c": [0.0, 1.0]}


def test_what_a_step_leaves_to_the_next_one():
    """By numpy: spikes that arrived, then the reset; held variables of refractory neurons take no spikes."""
    made = npl.neuron(
        "settable_cell",
        "dv/dt = -v/tau : 1 (receptor)\ndu/dt = -u/tau : 1",
        threshold="v > 1",
        reset="u += v; v = 0",
        refractory="t_ref",
        parameters={"tau": 10.0, "t_ref": 2.0},
    ).description
    values = {"v": np.array([1.5, 0.2, 0.3]), "u": np.zeros(3), "last_spike": np.array([30.0, 12.0, 9.0]), "t_ref": 2.0}
    after = after_step(made, values, {"v": np.full(3, 0.1), "u": np.full(3, 0.5)}, 30, 0.1)
    assert after["free"].tolist() == [False, False, True]
    np.testing.assert_allclose(after["v"], [0.0, 0.2, 0.4])
    np.testing.assert_allclose(after["u"], [2.0, 0.5, 0.5])
