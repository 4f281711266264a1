# SPDX-License-Identifier: Apache-2.0
"""`python -m neuropil.sonata simulation_config.json`: as `neuropil sonata`, for scripts; it needs no package of the command line and starts faster."""

import argparse

from . import run


def main() -> None:
    """Runs a simulation and writes its results."""
    parser = argparse.ArgumentParser(prog="python -m neuropil.sonata", description="Run a network of point neurons from files of SONATA.")
    parser.add_argument("config", help="simulation_config.json of SONATA")
    parser.add_argument("--threads", type=int, help="number of threads; default: all cores")
    parser.add_argument("--seed", type=int, help="seed of all random numbers; default: that of the configuration")
    given = parser.parse_args()
    simulation = run(given.config, threads=given.threads, seed=given.seed)
    if simulation.net.rank == 0:
        for note in simulation.notes:
            print(f"ignored: {note}")


if __name__ == "__main__":
    main()
