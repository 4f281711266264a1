# SPDX-License-Identifier: Apache-2.0
"""Programs that the benchmarks start under mpiexec; each reads cases from a JSON file and writes a line of JSON per case."""
