# SPDX-License-Identifier: Apache-2.0
"""CPU time of a closed loop per ms of biological time: `net.every(1.0, f)` beside a run without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.report import Row, Section
from bench.sides import Settings

SIZES = (10, 1000)  # neurons that are read and set
GOAL = 20.0  # us
Function = Callable[[Any], object]


def run(settings: Settings) -> Section:
    section = Section("closed_loop", "A closed loop: CPU time per call each ms, beyond a run without it", peer="")
    for n in SIZES:
        for name in loops(*network(n)):
            section.rows.append(Row(f"{n} neurons: {name}", "us", [beyond(n, name, settings) for _ in range(settings.repeats)]))
    return section


def network(n: int) -> tuple[Any, Any, Any]:
    """A network, n of its neurons, which spike at about 10 /s, and a record of their spikes."""
    import neuropil as npl

    net = npl.Network(resolution=0.1, seed=1, threads=1)
    nodes = net.create("iaf_psc_exp", n, I_e=npl.normal(380.0, 5.0))
    return net, nodes, net.record(nodes)


def loops(net: Any, nodes: Any, record: Any) -> dict[str, Function]:
    """What is called each ms."""

    def both(net: Any) -> None:
        nodes.I_e = 380.0 + record.counts(net.time - 1.0)

    def one(net: Any) -> None:
        nodes.I_e = 380.0 + float(record.counts(net.time - 1.0).sum())

    return {
        "nothing": lambda net: None,
        "number of spikes": lambda net: len(record),
        "spikes of each neuron": lambda net: record.counts(net.time - 1.0),
        "potentials": lambda net: nodes.V_m,
        "one current for all": lambda net: setattr(nodes, "I_e", 380.0),
        "spikes of each in, one current out": one,
        "spikes of each in, a current for each out": both,
    }


def beyond(n: int, name: str, settings: Settings) -> float:
    """us per call more than without the function."""
    steps = 200 if settings.quick else 4000
    net, nodes, record = network(n)
    without = _seconds(net, steps)
    call = net.every(1.0, loops(net, nodes, record)[name])
    net.run(10.0)
    took = _seconds(net, steps)
    call.cancel()
    return max(0.0, 1e6 * (took - np.minimum(without, _seconds(net, steps))) / steps)


def _seconds(net: Any, steps: int) -> float:
    begin = time.process_time()
    net.run(float(steps), progress=False)
    return time.process_time() - begin
