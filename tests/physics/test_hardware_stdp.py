# SPDX-License-Identifier: Apache-2.0
"""stdp_facetshw_synapse against its rules, written down anew from Pfeil et al. (2012): random spikes, look-up tables, bits and cycles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import neuropil as npl

H, DELAY, MS = 0.1, 1.2, 400.0
PRE, POST = 5, 3


def _exceeds(c: float, a: float, tl: float, th: float, bits: list[int]) -> bool:
    left = [tl] + [c] * bits[2] + [a] * bits[1]
    right = [th] + [c] * bits[0] + [a] * bits[3]
    return bool(np.mean(left) > np.mean(right))


def _weights(pre: NDArray[np.float64], post: NDArray[np.float64], w: float, number: int, p: dict[str, Any]) -> list[float]:
    """What the synapse sends at each of its source's spikes (ms)."""
    unit = p["Wmax"] / 15.0
    drivers = -(-p["no_synapses"] // p["synapses_per_driver"])
    due = number // p["synapses_per_driver"] * p["driver_readout_time"]
    c, a, last, sent = p["a_causal"], 0.0, 0.0, []
    for t in pre:
        if t > due + 1e-9:
            entry = int(np.floor(w / unit + 0.5))
            answers = tuple(_exceeds(c, a, p["a_thresh_tl"], p["a_thresh_th"], p[f"configbit_{k}"]) for k in range(2))
            if any(answers):
                table = {(True, False): 0, (False, True): 1, (True, True): 2}[answers]
                entry = p[f"lookuptable_{table}"][entry]
                c, a = (0.0 if reset else x for x, reset in zip((c, a), p["reset_pattern"][2 * table :], strict=False))
            w = entry * unit
            while due < t - 1e-9:
                due += drivers * p["driver_readout_time"]
        heard = post[(post + DELAY > last + 1e-9) & (post + DELAY <= t + 1e-9)] + DELAY
        if len(heard):
            c += np.exp(-(heard[0] - last) / p["tau_plus"])
            a += np.exp(-(t - heard[-1]) / p["tau_minus_stdp"])
        sent.append(w)
        last = t
    return sent


def _drawn(rng: np.random.Generator) -> dict[str, Any]:
    bits = {name: rng.integers(0, 2, n).tolist() for name, n in (("configbit_0", 4), ("configbit_1", 4), ("reset_pattern", 6))}
    return {
        "tau_plus": rng.uniform(5.0, 40.0),
        "tau_minus_stdp": rng.uniform(5.0, 40.0),
        "Wmax": rng.uniform(10.0, 100.0),
        "driver_readout_time": float(rng.choice([5.0, 15.0])),
        "synapses_per_driver": int(rng.choice([3, 4, 50])),
        "no_synapses": PRE * POST,
        "a_thresh_tl": rng.uniform(0.0, 2.0),
        "a_thresh_th": rng.uniform(0.0, 2.0),
        "a_causal": rng.uniform(0.0, 1.0),
        **bits,
        **{f"lookuptable_{k}": rng.integers(0, 16, 16).tolist() for k in range(3)},
    }


def _native(p: dict[str, Any]) -> dict[str, Any]:
    """Arrays as the kernel's numbered scalars."""
    found = {key: value for key, value in p.items() if not isinstance(value, list)}
    return found | {f"{key}_{k + 1}": float(x) for key, value in p.items() if isinstance(value, list) for k, x in enumerate(value)}


def _trains(rng: np.random.Generator) -> list[NDArray[np.float64]]:
    return [np.unique(np.round(rng.uniform(1.0, MS - 10.0, rng.integers(3, 50)), 1)) for _ in range(PRE + POST)]


def _run(p: dict[str, Any], trains: list[NDArray[np.float64]], w: float, threads: int = 1, numbers: Any = None) -> npl.results.WeightRecord:
    net = npl.Network(resolution=H, threads=threads)
    parrots = net.create("parrot_neuron", PRE + POST)
    for node, train in zip(parrots, trains, strict=True):
        net.connect(net.create("spike_generator", spike_times=train), node, delay=1.0)
    given = _native(p) | {"synapse_id": np.arange(PRE * POST, dtype=float) if numbers is None else numbers}
    synapse = npl.synapse("stdp_facetshw_synapse", **given)
    record = net.record_weights()
    net.connect(
        parrots[:PRE], parrots[PRE:], weight=w, delay=DELAY, synapse=synapse, receptor=1, weight_recorder=record, double_weights=True
    )
    net.run(MS)
    return record


@pytest.mark.parametrize("seed", range(25))
def test_weights_follow_the_rules(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, trains = _drawn(rng), _trains(rng)
    w = rng.uniform(0.0, p["Wmax"])
    data = _run(p, trains, w)
    for s in range(PRE):
        for t in range(POST):
            mine = (data.source == s + 1) & (data.target == PRE + t + 1)
            number = int(t * PRE + s)  # the order of the rule: all sources of a target
            expected = _weights(trains[s] + 1.0, trains[PRE + t] + 1.0, w, number, p)
            np.testing.assert_allclose(data.weight[mine][np.argsort(data.times[mine])], expected, rtol=1e-6)


def test_threads_change_no_bit() -> None:
    rng = np.random.default_rng(99)
    p, trains = _drawn(rng) | {"synapses_per_driver": 4}, _trains(rng)
    found = [_run(p, trains, 20.0, threads) for threads in (1, 3)]
    order = [np.lexsort((x.target, x.source, x.times)) for x in found]
    assert found[0].weight[order[0]].tobytes() == found[1].weight[order[1]].tobytes()
    assert len(set(found[0].weight.tolist())) > 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"lookuptable_0_3": 16.0},
        {"lookuptable_1_1": 1.5},
        {"configbit_0_1": 2.0},
        {"reset_pattern_6": -1.0},
        {"synapses_per_driver": 0.0},
        {"no_synapses": 1.5},
        {"synapse_id": -1.0},
        {"tau_plus": 0.0},
        {"driver_readout_time": 0.0},
        {"Wmax": 0.0},
    ],
)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    net = npl.Network(resolution=H)
    cells = net.create("iaf_psc_exp", 2)
    with pytest.raises(npl.errors.BadParameter):
        net.connect(cells, cells, synapse=npl.synapse("stdp_facetshw_synapse", **wrong))
    assert len(net.projections) == 0
