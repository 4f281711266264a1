# SPDX-License-Identifier: Apache-2.0
"""Seconds per step of each neuron model with a potential, 500 neurons under Poisson input; the same script for NEST and for neuropil.nest; prints one JSON object.

For `python -m bench.paired OLD models`: a change of equations, loops or compiler flags that makes one model slower is seen at once.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

N, PIECE, PIECES = 500, 50.0, 8  # neurons, ms
SLOW = {"gif_pop_psc_exp", "aeif_cond_beta_multisynapse", "aeif_cond_alpha_multisynapse", "hh_psc_alpha_gap", "ht_neuron"}  # seconds each


def models(nest: Any) -> list[str]:
    """Names of the models that have a potential."""
    return [name for name in nest.node_models if name not in SLOW and "V_m" in nest.GetDefaults(name)]


def seconds(nest: Any, name: str) -> float | None:
    """The shortest time of a piece; None for models that no Poisson generator can drive."""
    nest.ResetKernel()
    neurons = nest.Create(name, N)
    noise = nest.Create("poisson_generator", params={"rate": 2000.0})
    weight = 5.0 if "cond" in name else 40.0
    for port in ({}, {"receptor_type": 1}):
        try:
            nest.Connect(noise, neurons, syn_spec={"weight": weight, **port})
            break
        except nest.NESTErrors.KernelException:
            continue
    else:
        return None
    nest.Simulate(5.0)
    found = []
    for _ in range(PIECES):
        start = time.perf_counter()
        nest.Simulate(PIECE)
        found.append(time.perf_counter() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=None, help="default: all")
    args = parser.parse_args()
    import nest

    nest.set_verbosity("M_ERROR")
    times = {f"{name}_s": seconds(nest, name) for name in args.models or models(nest)}
    print(json.dumps({name: value for name, value in times.items() if value is not None}, indent=1))


if __name__ == "__main__":
    main()
