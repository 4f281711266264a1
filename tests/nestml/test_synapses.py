# SPDX-License-Identifier: Apache-2.0
"""Synapses in NESTML: beside the same rule event by event, in `neuropil.nest`, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest

import neuropil.nest as nest
from equations.compiled import COMPILER
from equations.test_synapses_in_networks import network, sent, trains
from neuropil.nestml import NestmlError, load
from neuropil.nestml.loading import load_text
from neuropil.own_models.modules import make_module

FILE = Path(__file__).parent / "synapses" / "gated.nestml"
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")


def test_the_rule_that_a_file_becomes():
    model = load(FILE)
    assert model.parameters == {"tau": 20.0, "window": 0.03, "step": 2.5, "limit": 120.0}
    assert model.units["window"] == "s"
    assert {v.name: v.kind for v in model.rule.variables} == {
        "trace": "pre", "last": "pre", "count": "pre", "open": "post", "tired": "pre",
    }  # fmt: skip
    assert "w >= 0" in model.summary()


def by_events(pre, post, w=50.0, delay=1.5):
    """What is sent. Times in ms; spikes of the target come after the delay, and first where times are equal."""
    trace, last, count, is_open, tired, now, found = 0.0, -1000.0, 0, True, 0.5, 0.0, []
    events = sorted([(t, 1) for t in pre] + [(round(t + delay, 9), 0) for t in post])
    for time, of_source in events:
        trace *= math.exp(-(time - now) / 20.0)
        tired = 0.25 + (tired - 0.25) * math.exp(-(time - now) / 50.0)
        now = time
        if of_source:
            trace, last, count, tired = trace + 1.0, time, count + 1, tired + 0.125
            found.append(w * tired if tired < 0.75 else 0.0)
            tired -= 0.0 if tired < 0.75 else 0.25
        elif time - last < 30.0 and is_open:
            w = min(w + 5.0 * (1.0 - w / 120.0) * trace, 120.0)
            is_open = count % 3 != 1
        else:
            w *= 0.9375 if time - last < 60.0 else 1.0
            is_open = True
    return found


@needs_compiler
def test_a_synapse_does_what_its_file_says():
    model, every = load(FILE), []
    for seed in range(2):
        net, record, pre, post = network(model, seed, threads=1)
        net.run(500.0, progress=False)
        times = [trains(spikes.data(), np.round(np.asarray(spikes.data().steps) * 0.1, 9)) for spikes in (pre, post)]
        for (source, target), weights in sent(record).items():
            expected = by_events(times[0][source], times[1].get(target, []))
            np.testing.assert_allclose(weights, expected[: len(weights)], rtol=1e-11)
            every += expected
    assert len(every) > 1500
    assert 0 < every.count(0.0) < len(every) / 2
    assert np.std([x for x in every if x]) > 1.0


@needs_compiler
def test_a_module_for_nest():
    make_module("of_synapses", [FILE])
    nest.ResetKernel()
    nest.Install("of_synapses")
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "gated", "weight": 30.0, "step": 1.0})
    found = nest.GetConnections(synapse_model="gated")
    assert found.get(["step", "window", "tired", "open"]) == {
        "step": [1.0] * 2,
        "window": [0.03] * 2,
        "tired": [0.5] * 2,
        "open": [1.0] * 2,
    }


PLAIN = """model rule:
    state:
        w real = 1.
        x real = 0.
    parameters:
        tau ms = 20 ms
    equations:
        x' = -x / tau
    input:
        pre_spikes <- spike
        post_spikes <- spike
    output:
        spike
    onReceive(post_spikes):
        w += x
    onReceive(pre_spikes):
        x += 1.
        emit_spike(w)
    update:
        integrate_odes()
"""
REFUSED = [
    ("        w += x\n", "        w += x * resolution()\n", 15, r"resolution\(\)"),
    ("        w += x\n", "        w += post_spikes\n", 15, "spikes in an expression"),
    ("        w += x\n", "        integrate_odes()\n", 15, r"integrate_odes\(\) in a synapse"),
    ("        w += x\n", "        emit_spike(w)\n", 16, "a second block onReceive that sends"),
    ("        w += x\n", "        tau = 3 ms\n", 15, "'tau' is no state"),
    ("        w += x\n", "        y real\n", 15, "needs a value"),
    ("        w += x\n", "        if w:\n            w += x\n", 15, "no condition"),
    ("        w += x\n", "        while w > 1:\n            w -= x\n", 15, "while"),
    ("        emit_spike(w)\n", "        emit_spike(w)\n        emit_spike(w)\n", 19, "a second emit_spike"),
    ("        emit_spike(w)\n", "        emit_spike(w, x * ms)\n", 18, "a delay that changes"),
    ("        emit_spike(w)\n", "        emit_spike()\n", 18, "without a weight"),
    ("        integrate_odes()\n", "        integrate_odes(w)\n", 20, "for all variables"),
    ("        integrate_odes()\n", "        integrate_odes()\n        w += x\n", 21, "behind integrate_odes"),
    ("    update:\n        integrate_odes()\n", "", 8, "must call integrate_odes"),
    ("x' = -x / tau", "x' = -x / tau + w / ms", 8, "w may stand in"),
    ("x' = -x / tau", "x'' = -x / tau**2", 8, "higher order"),
    (
        "    output:",
        "        mod_spikes <- spike\n    onReceive(mod_spikes):\n        x += 1\n    output:",
        4,
        "third factor and by others",
    ),
    ("    output:", "    onCondition(w > 3):\n        w = 3\n    output:", 12, "onCondition"),
]


@pytest.mark.parametrize(("old", "new", "line", "problem"), REFUSED, ids=[f"{new.strip()[:30]}" for _, new, _, _ in REFUSED])
def test_refusals_name_the_line(old, new, line, problem):
    assert old in PLAIN
    with pytest.raises(NestmlError, match=problem) as error:
        load_text(PLAIN.replace(old, new), "rule.nestml")
    assert error.value.line == line
    assert str(error.value).startswith(f"rule.nestml, line {line}: ")


def test_a_name_of_a_built_in_model_gets_an_ending():
    assert load_text(PLAIN, "rule.nestml").name == "rule"
    assert load_text(PLAIN.replace("model rule", "model stdp_synapse"), "rule.nestml").name == "stdp_synapse_nestml"
