# SPDX-License-Identifier: Apache-2.0
"""Stores what NEST gives for the protocols and networks of this folder: python tests/peers/refresh.py [traces] [defaults] [brunel] [microcircuit] [plastic]"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
sys.path.insert(0, str(HERE.parent))


def traces() -> None:
    from peers import protocols
    from peers.simulators import Nest

    arrays = {}
    for name, protocol in protocols.ALL.items():
        found = protocol(Nest)
        arrays |= {f"{name}:{key}": value for key, value in found.items()}
        print(name, {key: value.shape for key, value in found.items()} if len(found) < 8 else len(found))
    np.savez_compressed(DATA / "traces.npz", **arrays)


def defaults() -> None:
    """Default values of parameters and state, and the recordables, of every model, synapse and device that neuropil has."""
    from peers import protocols
    from peers.simulators import Nest

    nest = Nest().nest
    models = [
        *protocols.CASES,
        "parrot_neuron",
        "ignore_and_fire",
        "static_synapse",
        "stdp_synapse",
        "stdp_pl_synapse_hom",
        "poisson_generator",
        "spike_generator",
        "dc_generator",
        "step_current_generator",
        "noise_generator",
    ]
    kept = {}
    for model in models:
        found = nest.GetDefaults(model)
        kept[model] = {
            key: value for key, value in sorted(found.items()) if type(value) in (float, int, bool) and not key.startswith("num_")
        }
        kept[model]["recordables"] = [str(name) for name in found.get("recordables", [])]
    (DATA / "defaults.json").write_text(json.dumps({"nest": nest.__version__, "models": kept}, indent=1) + "\n")


def network(name: str) -> None:
    from peers import networks

    networks.refresh(DATA, name)


def main(argv: list[str]) -> None:
    DATA.mkdir(exist_ok=True)
    parts = {"traces": traces, "defaults": defaults} | {name: lambda n=name: network(n) for name in ("brunel", "microcircuit", "plastic")}
    for name in argv or parts:
        begin = time.perf_counter()
        parts[name]()
        print(f"{name}: {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
