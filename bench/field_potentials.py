# SPDX-License-Identifier: Apache-2.0
"""CPU time of field potentials from spikes: a kernel, a prediction of many spikes, and an update of a closed loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.analysis_tools import spikes
from bench.report import Row, Section
from bench.sides import Settings

SPIKES, NEURONS, CELLS, CONTACTS = 10_000_000, 10_000, 1000, 16


def run(settings: Settings) -> Section:
    from neuropil.analysis import lfp

    part = 100 if settings.quick else 1
    cell, somata = lfp.ball_and_stick(apical=500.0, basal=150.0), lfp.disc(CELLS // part, 500.0, (-600.0, -500.0))
    contacts, synapses = np.linspace(-1500.0, 0.0, CONTACTS), lfp.Synapses(1000.0, 50.0, 2.0, 0.1 * np.arange(1, 41))
    section = Section("field_potentials", f"Field potentials at {CONTACTS} contacts: CPU time", peer="")

    def made(dt: float) -> Any:
        return lfp.kernel(cell, somata, synapses, contacts, dt=dt)

    kernels = {dt: made(dt) for dt in (0.1, 1.0)}
    data = spikes(SPIKES // part, NEURONS // part)
    last = data.select(start=data.stop - 1.0)
    section.rows += [
        Row(
            f"kernel of {len(somata)} cells of {len(cell.diameter)} compartments, 40 delays, 0.1 ms",
            "s",
            _seconds(settings, lambda: made(0.1)),
        ),
        Row(
            f"{len(data):.0e} spikes in {data.duration / 1e3:g} s, in steps of 1 ms",
            "s",
            _seconds(settings, lambda: lfp.predict({"E": kernels[1.0]}, {"E": data}, 1.0)),
        ),
    ]
    for electrodes in (1, CONTACTS):

        def update(n: int = electrodes) -> None:
            online = lfp.Online({"E": kernels[1.0][:, :n]}, 1.0)
            for k in range(1000):
                online.update({"E": last.times - last.start + k}, k + 1.0)

        each = [1e3 * seconds for seconds in _seconds(settings, update)]
        section.rows.append(Row(f"an update of 1 ms with {len(last)} spikes, {electrodes} contact{'s'[: electrodes - 1]}", "us", each))
    return section


def _seconds(settings: Settings, call: Callable[[], object]) -> list[float]:
    """CPU time of each repetition: a shared machine lets it wait."""
    found = []
    for _ in range(settings.repeats):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return found
