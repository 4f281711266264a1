# SPDX-License-Identifier: Apache-2.0
"""Results that are equal to the bit, with all that is known about them."""


def same_spikes(a, b):
    for name in ("times", "gids", "offsets", "watched"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x.dtype, x.tobytes()) == (y.dtype, y.tobytes()), name
    assert (a.start, a.stop, a.resolution, a.seed, a.off_grid) == (b.start, b.stop, b.resolution, b.seed, b.off_grid)
    if a.resolution is not None:
        assert a.steps.tobytes() == b.steps.tobytes()


def same_trace(a, b):
    for name in ("times", "values", "watched"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes()), name
    assert (a.names, a.units, a.interval, a.resolution, a.seed) == (b.names, b.units, b.interval, b.resolution, b.seed)


def same_weights(a, b):
    for name in ("times", "source", "target", "weight", "delay", "receptor"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x.dtype, x.tobytes()) == (y.dtype, y.tobytes()), name
    assert (a.resolution, a.seed) == (b.resolution, b.seed)
