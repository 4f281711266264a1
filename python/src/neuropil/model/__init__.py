# SPDX-License-Identifier: Apache-2.0
"""What a network is made of: nodes, connections, rules, distributions, synapse models, devices."""
