# SPDX-License-Identifier: Apache-2.0
"""Ranks: how many there are, how programs are launched on them, how nodes and spikes are spread over them."""
