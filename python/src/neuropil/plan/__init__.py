# SPDX-License-Identifier: Apache-2.0
"""What a network will take before it is built: the memory model and dry runs."""
