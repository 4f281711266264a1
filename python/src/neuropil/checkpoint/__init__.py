# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a network with all that decides what it does next, in files that survive any crash. See docs/concepts/checkpoint.md."""
