# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: neuropil side by side with its peers. `./run bench` calls bench.run.main()."""
