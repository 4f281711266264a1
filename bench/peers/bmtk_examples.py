# SPDX-License-Identifier: Apache-2.0
"""Networks for bmtk's PointNet like those of its tutorials, made by its builder, and run by it on NEST.

`python -m bench.peers.bmtk_examples build NAME FOLDER SEED` writes FOLDER/config.json; `... run CONFIG` simulates. The seed decides who is
connected to whom, own weights and delays, and the input spikes; the simulations have no randomness.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

EXC = {"I_e": 0.0, "tau_m": 44.9, "C_m": 239.0, "t_ref": 3.0, "E_L": -78.0, "V_th": -43.0, "V_reset": -55.0}
INH = {"I_e": 0.0, "tau_m": 22.2, "C_m": 180.0, "t_ref": 3.0, "E_L": -82.0, "V_th": -35.0, "V_reset": -50.0}
DURATION = 3000.0


def iclamp(builder: Any, folder: Path, seed: int) -> dict[str, Any]:
    """20 cells without connections, of which ten get currents."""
    net = cells(builder, 10, 10)
    net.build()
    net.save_nodes(output_dir=str(folder / "network"))
    clamp = {"input_type": "current_clamp", "module": "IClamp", "amp": 400.0 + 10.0 * seed, "delay": 500.0, "duration": 1000.0}
    return {"clamp": clamp | {"node_set": {"population": "cortex", "node_id": list(range(0, 20, 2))}}}


def external(builder: Any, folder: Path, seed: int) -> dict[str, Any]:
    """120 cells that 100 virtual nodes drive."""
    net = cells(builder, 100, 20)
    net.build()
    net.save_nodes(output_dir=str(folder / "network"))
    return drive(builder, folder, net, seed, n=100, p=0.3, weight=150.0)


def recurrent(builder: Any, folder: Path, seed: int) -> dict[str, Any]:
    """450 cells, excitatory and inhibitory, with numbers of synapses, and weights and delays of their own, driven by 100 virtual nodes."""
    rng, net = np.random.RandomState(seed), cells(builder, 360, 90)

    def synapses(source: Any, target: Any) -> int | None:
        return int(rng.randint(1, 4)) if rng.rand() < 0.1 else None

    for pre, post, weight, delay in (("e", "e", 3.0, 2.0), ("e", "i", 6.0, 1.0), ("i", "e", -15.0, 1.5)):
        options = {"syn_weight": weight, "delay": delay, "dynamics_params": "static.json", "model_template": "static_synapse"}
        net.add_edges(source={"ei": pre}, target={"ei": post}, connection_rule=synapses, **options)
    some = net.add_edges(
        source={"ei": "i"},
        target={"ei": "i"},
        connection_rule=lambda source, target: 1 if rng.rand() < 0.1 else None,
        dynamics_params="static.json",
        model_template="static_synapse",
    )
    some.add_properties("syn_weight", rule=lambda *ends: -10.0 - rng.rand(), dtypes=float)
    some.add_properties("delay", rule=lambda *ends: 1.0 + 0.1 * rng.randint(0, 9), dtypes=float)
    net.build()
    net.save(output_dir=str(folder / "network"))
    return drive(builder, folder, net, seed, n=100, p=0.3, weight=150.0)


def plastic(builder: Any, folder: Path, seed: int) -> dict[str, Any]:
    """100 cells whose excitatory synapses learn from spikes."""
    rng, net = np.random.RandomState(seed), cells(builder, 80, 20)
    options = {"syn_weight": 10.0, "delay": 1.5, "dynamics_params": "stdp.json", "model_template": "stdp_synapse"}
    net.add_edges(source={"ei": "e"}, connection_rule=lambda source, target: 1 if rng.rand() < 0.2 else None, **options)
    net.build()
    net.save(output_dir=str(folder / "network"))
    return drive(builder, folder, net, seed, n=50, p=0.3, weight=250.0)


EXAMPLES: dict[str, Callable[[Any, Path, int], dict[str, Any]]] = {f.__name__: f for f in (iclamp, external, recurrent, plastic)}


def cells(builder: Any, excitatory: int, inhibitory: int) -> Any:
    """The population cortex, without edges."""
    net = builder("cortex")
    for n, ei, model in ((excitatory, "e", "iaf_psc_alpha"), (inhibitory, "i", "iaf_psc_exp")):
        net.add_nodes(N=n, ei=ei, model_type="point_neuron", model_template=f"nest:{model}", dynamics_params=f"{ei}.json")
    return net


def drive(builder: Any, folder: Path, net: Any, seed: int, n: int, p: float, weight: float) -> dict[str, Any]:
    """Virtual nodes with Poisson spikes, connected to a part of the cells."""
    import h5py

    rng, outside = np.random.RandomState(1000 + seed), builder("external")
    outside.add_nodes(N=n, model_type="virtual")
    options = {"syn_weight": weight, "delay": 1.0, "dynamics_params": "static.json", "model_template": "static_synapse"}
    outside.add_edges(target=net.nodes(), connection_rule=lambda source, target: 1 if rng.rand() < p else None, **options)
    outside.build()
    outside.save(output_dir=str(folder / "network"))
    counts = rng.poisson(20.0 * DURATION / 1000.0, n)
    with h5py.File(folder / "spikes.h5", "w") as file:
        file["spikes/external/node_ids"] = np.repeat(np.arange(n), counts)
        file["spikes/external/timestamps"] = rng.uniform(1.0, DURATION, counts.sum())
    return {"spikes": {"input_type": "spikes", "module": "sonata", "input_file": "$BASE/spikes.h5", "node_set": "external"}}


def build(name: str, folder: Path, seed: int) -> Path:
    """Writes an example; returns the path of its configuration."""
    from bmtk.builder.networks import NetworkBuilder

    (folder / "network").mkdir(parents=True, exist_ok=True)
    for key, given in {"e": EXC, "i": INH, "static": {}, "stdp": {"lambda": 0.01, "Wmax": 40.0}}.items():
        (folder / f"{key}.json").write_text(json.dumps(given))
    inputs = EXAMPLES[name](NetworkBuilder, folder, seed)
    files = sorted(path.name for path in (folder / "network").glob("*.h5"))

    def entries(kind: str) -> list[dict[str, str]]:
        names = [file.removesuffix(f"_{kind}s.h5") for file in files if file.endswith(f"_{kind}s.h5")]
        return [
            {f"{kind}s_file": f"$BASE/network/{each}_{kind}s.h5", f"{kind}_types_file": f"$BASE/network/{each}_{kind}_types.csv"}
            for each in names
        ]

    report = {
        "module": "multimeter_report",
        "variable_name": "V_m",
        "sections": "soma",
        "cells": {"population": "cortex", "node_id": [0, 11]},
    }
    config = {
        "manifest": {"$BASE": str(folder.resolve())},
        "target_simulator": "NEST",
        "run": {"tstop": DURATION, "dt": 0.1},
        "inputs": inputs,
        "components": {"point_neuron_models_dir": "$BASE", "synaptic_models_dir": "$BASE"},
        "output": {"log_file": "log.txt", "output_dir": "$BASE/output", "spikes_file": "spikes.h5", "overwrite_output_dir": True},
        "reports": {"potential": report | {"file_name": "potential.h5"}},
        "networks": {"nodes": entries("node"), "edges": entries("edge")},
    }
    path = folder / "config.json"
    path.write_text(json.dumps(config, indent=1))
    return path


def run(config: str) -> None:
    """Simulates with bmtk on NEST."""
    from bmtk.simulator import pointnet

    found = pointnet.Config.from_json(config)
    found.build_env()
    network = pointnet.PointNetwork.from_config(found)
    pointnet.PointSimulator.from_config(found, network).run()


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        run(sys.argv[2])
