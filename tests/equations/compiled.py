# SPDX-License-Identifier: Apache-2.0
"""Compiles model files without the kernel, several in one go, and runs single neurons of them."""

import ctypes
import shutil
import subprocess

import numpy as np

from architecture.sources import CPP, ROOT

TESTS = ROOT / "tests"
STUBS = TESTS / "equations/stubs"
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{STUBS}", f"-I{CPP}", f"-I{TESTS}"]
COMPILER = shutil.which("g++")


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Run(ctypes.Structure):
    _fields_ = (
        [("steps", ctypes.c_size_t), ("h", ctypes.c_double)]
        + [(name, ctypes.POINTER(ctypes.c_double)) for name in ("parameters", "state", "spikes", "currents", "trace", "counts")]
        + [("gid", ctypes.c_uint64), ("seed", ctypes.c_uint64)]
    )


class Compiled:
    """A model of a shared object."""

    def __init__(self, library, name):
        self.name, self._library = name, library
        self.parameters, self.initial = self._fields("parameters"), self._fields("state")

    def _fields(self, what):
        function = getattr(self._library, f"{what}_{self.name}")
        function.restype = ctypes.c_size_t
        names, values = (ctypes.c_char_p * 200)(), np.zeros(200)
        n = function(names, pointer(values))
        return dict(zip((name.decode() for name in names[:n]), values[:n].tolist(), strict=True))

    def run(self, steps, h=0.1, spikes=None, currents=None, receptors=1, initial=None, gid=1, seed=1, **parameters):
        """State after each step, by name, and the number of spikes in it as "spikes"."""
        assert set(parameters) <= set(self.parameters)
        assert set(initial or {}) <= set(self.initial)
        values = np.array([parameters.get(name, value) for name, value in self.parameters.items()])
        state = np.array([(initial or {}).get(name, value) for name, value in self.initial.items()])
        spikes = np.zeros((steps, receptors)) if spikes is None else np.ascontiguousarray(spikes, float).reshape(steps, -1)
        currents = np.ascontiguousarray(np.broadcast_to(0.0 if currents is None else currents, steps), float)
        trace, counts = np.zeros((steps, len(state))), np.zeros(steps)
        arrays = [pointer(a) for a in (values, state, spikes, currents, trace, counts)]
        getattr(self._library, f"run_{self.name}")(ctypes.byref(Run(steps, h, *arrays, gid, seed)))
        return dict(zip(self.initial, trace.T, strict=True)) | {"spikes": counts}

    def slopes(self, state, current=0.0, **parameters):
        """Slopes of the variables of a model for the solver."""
        values, y, out = self._given(state, parameters)
        getattr(self._library, f"slopes_{self.name}")(pointer(y), pointer(y), pointer(values), ctypes.c_double(current), pointer(out))
        return out

    def whole(self, state, current=0.0, **parameters):
        """The same for whole steps with synapses followed exactly, whose own slopes are 0; None where the model has no such steps."""
        values, y, out = self._given(state, parameters)
        function = getattr(self._library, f"whole_{self.name}")
        function.restype = ctypes.c_bool
        return out if function(pointer(y), pointer(values), ctypes.c_double(current), pointer(out)) else None

    def _given(self, state, parameters):
        values = np.array([parameters.get(name, value) for name, value in self.parameters.items()])
        y = np.array([state.get(name, value) for name, value in self.initial.items()])
        return values, y, np.zeros(len(y))


def compiled(folder, sources, *flags):
    """Name -> Compiled, of model files as texts."""
    text = '#include "model/propagators.cpp"\n#include "base/sine.cpp"\n#include "equations/harness.hpp"\n' + "\n".join(sources.values())
    (folder / "models.cpp").write_text(text)
    command = [COMPILER, *FLAGS, *flags, "-shared", "-o", folder / "models.so", folder / "models.cpp"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    library = ctypes.CDLL(str(folder / "models.so"))
    return {name: Compiled(library, name) for name in sources}


def built_in(name, struct):
    """The file of a built-in model, registered by the harness instead."""
    text = (CPP / "nodes/models" / f"{name}.cpp").read_text()
    return text[: text.rindex('\n#include "nodes/')] + f"\nNPL_NEURON(builtin_{name}, {struct})\n"
