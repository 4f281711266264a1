# SPDX-License-Identifier: Apache-2.0
"""The same networks on other simulators; each module is a program that prints one JSON object."""
