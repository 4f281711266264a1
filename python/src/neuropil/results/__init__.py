# SPDX-License-Identifier: Apache-2.0
"""What a simulation leaves: spikes, traces, weights."""
