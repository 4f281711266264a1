# SPDX-License-Identifier: Apache-2.0
"""Short ways to call the extension: what the kernel tests share."""

import hashlib

import numpy as np

import neuropil  # noqa: F401  (hands its exceptions to the extension)
from neuropil import _core


def rows(first: int, count: int = 1, stride: int = 1) -> np.ndarray:
    """A node set of one range."""
    return np.array([[first, count, stride]], np.int64)


def const(value: float) -> tuple:
    return ("constant", float(value), 0.0, "none", 0.0, 0.0, None, 0.0, 1.0, 0)


def array(values) -> tuple:
    return ("array", 0.0, 0.0, "none", 0.0, 0.0, np.ascontiguousarray(values, np.float64), 0.0, 1.0, 0)


def drawn(kind: str, a: float, b: float = 0.0, limit: str = "none", low: float = 0.0, high: float = 0.0, bits: int = 0) -> tuple:
    return (kind, a, b, limit, low, high, None, 0.0, 1.0, bits)


def floats(**values) -> dict[str, np.ndarray]:
    """Parameters as the extension takes them."""
    return {name: np.atleast_1d(np.asarray(value, np.float64)) for name, value in values.items()}


def gids(first: int, count: int = 1) -> np.ndarray:
    return np.arange(first, first + count, dtype=np.int64)


def kernel(resolution=0.1, seed=1, threads=1, block_size=0, layout="auto", **settings):
    return _core.Kernel(resolution=resolution, seed=seed, threads=threads, block_size=block_size, layout=layout, **settings)


def connect(
    net,
    pre,
    post,
    rule="all_to_all",
    *,
    weight=1.0,
    delay=1.0,
    synapse="static_synapse",
    synapse_params=None,
    doubles=False,
    recorder=-1,
    receptor=0,
    **rule_params,
):
    """Kernel.connect with defaults; numbers become constants."""
    weight, delay = (value if isinstance(value, tuple) else const(value) for value in (weight, delay))
    return net.connect(
        pre=pre,
        post=post,
        rule=rule,
        rule_params=rule_params,
        synapse=synapse,
        synapse_params=synapse_params or {},
        weight=weight,
        delay=delay,
        double_weights=doubles,
        recorder=recorder,
        receptor=receptor,
    )


def explicit(net, source, target, *, weight, delay_steps, resolution=0.1, synapse="static_synapse", synapse_params=None, doubles=True):
    """One edge per entry of the arrays of gids."""
    n = net.n_nodes
    positions = {"sources": np.asarray(source, np.int64) - 1, "targets": np.asarray(target, np.int64) - 1}
    return net.connect(
        pre=rows(1, n),
        post=rows(1, n),
        rule="explicit",
        rule_params=positions,
        synapse=synapse,
        synapse_params=synapse_params or {},
        weight=array(weight),
        delay=array(np.asarray(delay_steps) * resolution),
        double_weights=doubles,
    )


def digest(*arrays) -> str:
    """A hash of the bits of arrays (NaN, -0.0 and all)."""
    total = hashlib.blake2b(digest_size=16)
    for a in arrays:
        a = np.ascontiguousarray(a)
        total.update(f"{a.dtype}{a.shape}".encode())
        total.update(a.tobytes())
    return total.hexdigest()


def digest_of(results) -> str:
    """The same of numbers, bytes, text, and lists of these."""
    return hashlib.blake2b(repr(results).encode(), digest_size=16).hexdigest()
