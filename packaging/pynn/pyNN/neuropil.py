# SPDX-License-Identifier: Apache-2.0
"""`import pyNN.neuropil as sim`: this file is installed into the folder of PyNN, which looks for simulators there."""

import sys

import neuropil.pynn

sys.modules[__name__] = neuropil.pynn
