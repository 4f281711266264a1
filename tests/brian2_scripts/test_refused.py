# SPDX-License-Identifier: Apache-2.0
"""What neuropil cannot run is refused by name when a script calls run, and Brian2's own checks of units stay."""

import subprocess
import sys

import pytest


def leaky(b2, equations="dv/dt = -v/(10*ms) : 1", n=3, **options):
    return b2.NeuronGroup(n, equations, **{"threshold": "v > 1", "reset": "v = 0", "method": "euler", "name": "cells"} | options)


def connected(synapses):
    synapses.connect()
    return synapses


def synapses(b2, model="w : 1", target="dv/dt = -v/(10*ms) : 1", **options):
    cells = leaky(b2, target)
    return cells, connected(b2.Synapses(cells, cells, model, name="wires", **options))


def other_changes(b2):
    cells = leaky(b2, "dv/dt = -v/ms : 1\ng : 1")
    one, two = (b2.Synapses(cells, cells, on_pre=code, name=name) for code, name in (("v += g", "wires"), ("g += 1", "other")))
    return cells, connected(one), connected(two)


def summed(b2):
    cells = leaky(b2, "dv/dt = (x - v)/(10*ms) : 1\nx : 1")
    return cells, connected(b2.Synapses(cells, cells, "x_post = w : 1 (summed)\nw : 1"))


def timed(b2):
    stimulus = b2.TimedArray([1.0, 2.0], dt=1 * b2.ms)
    return (leaky(b2, "dv/dt = (stimulus(t) - v)/(10*ms) : 1", namespace={"stimulus": stimulus}),)


def operation_between(b2):
    def nothing():
        pass

    return leaky(b2), b2.NetworkOperation(nothing, when="after_thresholds", name="between")


REFUSED = {
    "on_post alone": (lambda b2: synapses(b2, on_post="w += 1"), r"wires: synapses that change need one on_pre, and take one on_post at most"),
    "two on_pre": (lambda b2: synapses(b2, on_pre={"a": "v += w", "b": "w *= 2"}), r"wires: synapses that change need one on_pre"),
    "on_post that reaches the source": (lambda b2: synapses(b2, on_pre="v_post += w", on_post="v_pre += 1"), r"wires: on_post may change variables of the synapse only\n    v_pre \+= 1"),
    "a delay of on_post": (lambda b2: synapses(b2, on_pre="v_post += w", on_post="w += 1", delay={"post": 1 * b2.ms}), r"wires: a delay of on_post is not supported"),
    "on_post before on_pre": (lambda b2: (pair := synapses(b2, on_pre="v_post += w", on_post="w += 1"), setattr(pair[1].post, "order", -2))[0], r"wires: another order than first on_pre, then on_post"),
    "nothing added": (lambda b2: synapses(b2, on_pre="w += 1"), r"wires: on_pre that adds nothing to the target"),
    "two variables of the target": (lambda b2: synapses(b2, target="dv/dt = -v/ms : 1\ndx/dt = -x/ms : 1", on_pre="v += w; x += w; w += 1"), r"wires: on_pre may add to .* one if synapses change"),
    "clock-driven variables": (lambda b2: synapses(b2, "dw/dt = -w/ms : 1 (clock-driven)", on_pre="v_post += w"), r"wires_stateupdater: StateUpdater is not supported"),
    "coupled variables": (lambda b2: synapses(b2, "dw/dt = -w/ms : 1 (event-driven)\ndx/dt = (w - x)/ms : 1 (event-driven)", on_pre="v_post += x; w += 1"), r"wires: .*x/dt depends on own_w"),
    "the potential in a rule": (lambda b2: synapses(b2, on_pre="v_post += w; w += v_post"), r"wires: what is added depends on 'v' of cells, which changes"),
    "random numbers in a rule": (lambda b2: synapses(b2, on_pre="v_post += w; w += rand()"), r"unknown function 'rand'"),
    "the time in a rule": (lambda b2: synapses(b2, on_pre="v_post += w; w = t/ms"), r"wires: 't' is not supported here"),
    "integers that change": (lambda b2: synapses(b2, "n : integer", on_pre="v_post += 1; n += 1"), r"wires: 'n' changes: only floating-point numbers"),
    "a parameter that another synapse changes": (other_changes, r"wires: what is added depends on 'g' of cells, which changes"),
    "monitors of static synapses": (lambda b2: (*(pair := synapses(b2, on_pre="v += w")), b2.StateMonitor(pair[1], "w", record=True, name="watch")), r"watch: 'w' of wires cannot be recorded: only variables that change are"),
    "an operation behind a monitor": (lambda b2: (cells := leaky(b2), b2.StateMonitor(cells, "v", record=True, name="a"), b2.NetworkOperation(lambda: None, name="b")), r"b: an operation between a StateMonitor and the step"),
    "set by a synapse": (lambda b2: synapses(b2, on_pre="v_post = w"), r"wires: on_pre may add to variables of the target only"),
    "a changing increment": (lambda b2: synapses(b2, on_pre="v_post += v_pre"), r"what is added depends on 'v' of cells, which changes"),
    "a random increment": (lambda b2: synapses(b2, on_pre="v_post += rand()"), r"unknown function 'rand'"),
    "a summed variable": (summed, r"(the flags|this line is|SummedVariableUpdater is) not supported"),
    "the time": (lambda b2: (leaky(b2, "dv/dt = (sin(t/ms) - v)/(10*ms) : 1"),), r"cells: 't' is not supported here\n    dv/dt = "),
    "a TimedArray": (timed, r"cells: .*unknown function 'stimulus'"),
    "another method": (lambda b2: (leaky(b2, method="rk2"),), r"cells: method 'rk2' is not supported; these are: exact, linear, euler"),
    "a method that does not fit": (lambda b2: (leaky(b2, "dv/dt = v**2/ms : 1", method="exact"),), r"cells: method 'exact': .*linear"),
    "noise that a variable scales": (lambda b2: (leaky(b2, "dv/dt = v*xi/ms**0.5 : 1"),), r"cells: noise that depends on a variable"),
    "not_refractory": (lambda b2: (leaky(b2, "dv/dt = -v*int(not_refractory)/ms : 1", refractory="1*ms"),), r"'not_refractory' is not supported"),
    "a modulo": (lambda b2: (leaky(b2, threshold="v % 2 > 1"),), r"cells: this is not supported: '%' is no part of the language\n    threshold='v % 2 > 1'"),
    "constant over dt": (lambda b2: (leaky(b2, "dv/dt = x/ms : 1\nx = -v : 1 (constant over dt)"),), None),
    "no equations": (lambda b2: (leaky(b2, "v : 1", reset="", threshold="v > 1"),), r"cells: a group without differential equations"),
    "a refractory period that changes": (lambda b2: (leaky(b2, refractory="v*ms"),), r"cells: a refractory period that depends on v"),
    "two time steps": (lambda b2: (leaky(b2), b2.NeuronGroup(1, "dx/dt = 1/ms : 1", dt=0.2 * b2.ms, name="other")), r"dt=.* is not supported beside"),
    "another kind": (lambda b2: (cells := leaky(b2), b2.EventMonitor(cells, "spike", name="watch")), r"watch: EventMonitor is not supported; these are: "),
    "an operation within a step": (operation_between, r"between: when='after_thresholds' is not supported"),
    "monitors of more": (lambda b2: (cells := leaky(b2), b2.SpikeMonitor(cells, variables="v", name="watch")), r"watch: variables=\['v'\]"),
    "monitors of what is hidden": (lambda b2: (cells := leaky(b2, refractory="1*ms"), b2.StateMonitor(cells, "lastspike", record=True, name="watch")), r"watch: 'lastspike' cannot be recorded"),
    "rates in time": (lambda b2: (b2.PoissonGroup(2, rates="(1 + sin(t/ms))*Hz", name="noise"),), r"noise: rates that depend on the time"),
    "rates too high": (lambda b2: (b2.PoissonGroup(2, rates=20000 * b2.Hz, name="noise"),), r"noise: rates from 20000 to 20000 Hz"),
    "Poisson input to a part": (lambda b2: (cells := leaky(b2), b2.PoissonInput(cells[1:], "v", 10, 1 * b2.Hz, 0.1)), r"poissoninput.*: a PoissonInput for a part"),
    "not active": (lambda b2: (cells := leaky(b2), setattr(cells, "active", False))[:1], r"objects that are not active"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused_by_name(on, what):
    import brian2 as b2
    from neuropil.brian2 import NotSupported

    make, message = REFUSED[what]

    def script():
        net = b2.Network(*make(b2))
        with pytest.raises(NotSupported, match=message):
            net.run(1 * b2.ms)
        assert net.t_ == 0.0

    on("neuropil", script)


def test_units_are_checked_by_brian2(on):
    import brian2 as b2

    def script():
        for options in ({"threshold": "v > 1*mV"}, {"reset": "v = 1*mV"}, {"equations": "dv/dt = -v/mV : 1"}):
            with pytest.raises(b2.DimensionMismatchError):
                b2.Network(leaky(b2, **options)).run(1 * b2.ms)

    on("neuropil", script)


def test_changes_after_the_first_run(on):
    import brian2 as b2
    from neuropil.brian2 import NotSupported

    def script():
        cells = leaky(b2)
        net = b2.Network(cells)
        net.run(1 * b2.ms)
        net.store()
        net.run(1 * b2.ms)
        net.restore()
        with pytest.raises(NotSupported, match=r"restore\(\) of a later state is not supported"):
            net.run(1 * b2.ms)
        net = b2.Network(*(pair := synapses(b2, on_pre="v_post += w")))
        net.run(1 * b2.ms)
        pair[1].delay = 2 * b2.ms
        with pytest.raises(NotSupported, match="delays cannot change after the first run"):
            net.run(1 * b2.ms)
        net = b2.Network(other := leaky(b2, name="other"))
        net.run(1 * b2.ms)
        net.add(b2.SpikeMonitor(other))
        with pytest.raises(NotSupported, match="cannot be added or removed"):
            net.run(1 * b2.ms)

    on("neuropil", script)


def test_options_of_set_device():
    import brian2 as b2
    import neuropil.brian2
    from neuropil.errors import UnknownArgument

    with pytest.raises(UnknownArgument, match="thread"):
        b2.set_device("neuropil", thread=2)
    b2.set_device("runtime")
    assert set(neuropil.brian2.__all__) == {"NeuropilDevice", "NotSupported"}


def test_it_is_not_imported_with_neuropil():
    code = "import sys, neuropil; assert not {'brian2', 'neuropil.brian2'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
