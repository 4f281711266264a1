# SPDX-License-Identifier: Apache-2.0
"""Both simulators in turn: neuropil, NEST, neuropil, NEST, ... so that a machine that drifts treats both alike."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from bench import programs
from bench.report import Section


@dataclass
class Settings:
    """What the command line asks for."""

    output: Path
    quick: bool = False
    repeats: int = 3
    threads: int = field(default_factory=programs.cores)
    peers: bool = True
    other_peers: bool = True  # those that are not NEST
    say: object = print
    resume: bool = False  # growth: cells that an interrupted run left in `output` are not measured again
    measure: bool = False  # race: run the full-scale microcircuit here


@dataclass
class Side:
    """One simulator's program with its options; `peer`: module in bench/peers, else a job of neuropil; `layer`: that module on neuropil.nest."""

    program: str
    options: dict
    peer: bool = False
    layer: bool = False

    def run(self, folder: Path) -> dict:
        start = programs.run_layer if self.layer else programs.run_peer if self.peer else programs.run_neuropil
        return start(self.program, self.options, folder)

    def command(self) -> list[str]:
        if self.layer:
            return programs.layer_command(self.program, self.options)
        return (
            programs.peer_command(self.program, self.options)
            if self.peer
            else programs.neuropil_command(self.program, self.options, Path("DIR"))
        )


def measure(section: Section, settings: Settings, sides: dict[str, Side]) -> dict[str, list[dict]]:
    """Runs every side `repeats` times in turn; a side that fails is noted and left out from then on."""
    runs: dict[str, list[dict]] = {name: [] for name in sides}
    broken: set[str] = set()
    for repeat in range(settings.repeats):
        for name, side in sides.items():
            if name in broken:
                continue
            folder = settings.output / section.name / f"{name}-{repeat}"
            try:
                settings.say(f"{section.name}: {name}, {repeat + 1} of {settings.repeats}")
                load = os.getloadavg()[0]
                runs[name].append(side.run(folder) | {"load_before": load})
            except (programs.RunError, OSError, ValueError) as error:
                section.errors.append(str(error))
                broken.add(name)
    for side in sides.values():
        section.commands.append(programs.shown(side.command()))
    section.runs |= runs
    return runs


def column(runs: list[dict], *names: str) -> list[float]:
    """Sum of the named fields, for each run."""
    return [float(sum(run[name] for name in names)) for run in runs]
