# SPDX-License-Identifier: Apache-2.0
"""Recorders of NEST, which are nodes there, made of the recordings of the kernel; and where their data go."""
