# SPDX-License-Identifier: Apache-2.0
"""Trains the network of digits.nir: `python -m nir_tests.train_digits FILE` from tests/, half a minute, numpy alone.

Input: a digit of 5 x 7 pixels with noise; pixels that are on spike in half of the steps. 40 CubaLIF, then 10 LI: the one with the highest mean
potential is the answer. Backpropagation through time with the derivative of a fast sigmoid in place of that of the threshold, by Adam.
"""

import itertools
import sys

import numpy as np

FONT = """
01110 00100 01110 01110 00010 11111 00110 11111 01110 01110
10001 01100 10001 10001 00110 10000 01000 00001 10001 10001
10011 00100 00001 00001 01010 11110 10000 00010 10001 10001
10101 00100 00010 00110 10010 00001 11110 00100 01110 01111
11001 00100 00100 00001 11111 00001 10001 01000 10001 00001
10001 00100 01000 10001 00010 10001 10001 01000 10001 00010
01110 01110 11111 01110 00010 01110 01110 01000 01110 01100
"""
DT, STEPS, HIDDEN = 1e-3, 20, 40
TAU_SYN, TAU_MEM, TAU_OUT = 4e-3, 8e-3, 8e-3
KEPT_SYN, KEPT_MEM, KEPT_OUT = 1 - DT / TAU_SYN, 1 - DT / TAU_MEM, 1 - DT / TAU_OUT
R = 4.0


def pictures():
    """The ten digits, bool of shape (10, 35)."""
    rows = [line.split() for line in FONT.strip().splitlines()]
    return np.array([[pixel == "1" for row in rows for pixel in row[digit]] for digit in range(10)])


def samples(rng, n):
    """Input spikes, int64 of shape (n, steps, 35), and the digits, of shape (n,)."""
    digits = rng.integers(0, 10, n)
    on = pictures()[digits] ^ (rng.random((n, 35)) < 0.05)
    return (rng.random((n, STEPS, 35)) < np.where(on, 0.5, 0.02)[:, None]).astype(np.int64), digits


def forward(p, x):
    """Mean potentials of the output (n, 10), and what `gradients` needs: potentials and spikes of the hidden neurons."""
    n = len(x)
    v, current, out, total = np.zeros((n, HIDDEN)), np.zeros((n, HIDDEN)), np.zeros((n, 10)), np.zeros((n, 10))
    potentials, spikes = [], []
    for step in range(STEPS):
        v = KEPT_MEM * v + (1 - KEPT_MEM) * R * current
        current = KEPT_SYN * current + (1 - KEPT_SYN) * (x[:, step] @ p["w1"].T + p["b1"])
        z = (v > 1.0).astype(float)
        potentials.append(v)
        spikes.append(z)
        v = np.where(z > 0, 0.0, v)
        out = KEPT_OUT * out + (1 - KEPT_OUT) * (z @ p["w2"].T + p["b2"])
        total += out / STEPS
    return total, potentials, spikes


def gradients(p, x, digits):
    """Of the cross entropy, by parameter."""
    mean, potentials, spikes = forward(p, x)
    chance = np.exp(mean - mean.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    chance[np.arange(len(x)), digits] -= 1.0
    by_total = chance / len(x)
    found = {key: np.zeros_like(value) for key, value in p.items()}
    by_out, by_v, by_current = np.zeros_like(by_total), np.zeros((len(x), HIDDEN)), np.zeros((len(x), HIDDEN))
    for step in reversed(range(STEPS)):
        by_out = KEPT_OUT * by_out + by_total / STEPS
        found["w2"] += (1 - KEPT_OUT) * by_out.T @ spikes[step]
        found["b2"] += (1 - KEPT_OUT) * by_out.sum(0)
        by_z = (1 - KEPT_OUT) * by_out @ p["w2"]
        by_input = (1 - KEPT_SYN) * by_current  # of the current at the end of this step
        found["w1"] += by_input.T @ x[:, step]
        found["b1"] += by_input.sum(0)
        by_v = by_v * (1.0 - spikes[step]) + by_z / (1.0 + 5.0 * np.abs(potentials[step] - 1.0)) ** 2
        by_current = KEPT_SYN * by_current + (1 - KEPT_MEM) * R * by_v
        by_v = KEPT_MEM * by_v
    return found


def train(seed=1, rounds=1500):
    """Parameters after training."""
    rng = np.random.default_rng(seed)
    p = {"w1": rng.normal(0, 0.5, (HIDDEN, 35)), "b1": np.zeros(HIDDEN), "w2": rng.normal(0, 0.5, (10, HIDDEN)), "b2": np.zeros(10)}
    first, second = ({key: np.zeros_like(value) for key, value in p.items()} for _ in range(2))
    for k in range(1, rounds + 1):
        for key, slope in gradients(p, *samples(rng, 64)).items():
            first[key] = 0.9 * first[key] + 0.1 * slope
            second[key] = 0.999 * second[key] + 0.001 * slope**2
            p[key] -= 5e-3 * first[key] / (1 - 0.9**k) / (np.sqrt(second[key] / (1 - 0.999**k)) + 1e-8)
    return p


def graph(p):
    """The network as a graph of NIR, with weights of 4 bytes."""
    import nir

    p = {key: value.astype(np.float32) for key, value in p.items()}
    ones, outputs = np.ones(HIDDEN), np.ones(10)
    hidden = nir.CubaLIF(TAU_SYN * ones, TAU_MEM * ones, R * ones, 0 * ones, ones, 0 * ones, ones)
    nodes = {
        "input": nir.Input({"input": np.array([35])}),
        "first": nir.Affine(p["w1"], p["b1"]),
        "hidden": hidden,
        "second": nir.Affine(p["w2"], p["b2"]),
        "potential": nir.LI(TAU_OUT * outputs, outputs, 0 * outputs),
        "output": nir.Output({"output": np.array([10])}),
    }
    names = list(nodes)
    return nir.NIRGraph(nodes, list(itertools.pairwise(names)))


if __name__ == "__main__":
    import nir

    trained = train()
    nir.write(sys.argv[1], graph(trained))
    x, digits = samples(np.random.default_rng(99), 1000)
    print(f"{(forward(trained, x)[0].argmax(1) == digits).mean():.3f} of 1000 new samples are right")
