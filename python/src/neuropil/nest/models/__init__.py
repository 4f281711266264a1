# SPDX-License-Identifier: Apache-2.0
"""Models by their names in NEST: what of them the kernel simulates, and keys that only NEST has."""
