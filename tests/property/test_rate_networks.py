# SPDX-License-Identifier: Apache-2.0
"""Rate networks against loops over their equations, and the linear one against its stationary state."""

import numpy as np
import pytest

from lowlevel import array, connect, floats, gids, kernel, rows

H = 0.1
LINEAR = ("g", "g_ex", "g_in", "theta_ex", "theta_in")


def recorded(net, first, n, name="rate"):
    return net.record_state(gids(first, n), [name], 1, 0)


def courses(net, recorder, n):
    return np.asarray(net.samples(recorder)[1]).reshape(-1, n)


def linear_steps(params, start, edges, steps):
    """Rates after each step. `edges`: (source, target, weight, delay in steps), by loops over the equations of Hahne et al. 2017."""
    n = len(start)
    X, sent, out = np.array(start, float), [], []
    tau, lam, mu, g = (np.broadcast_to(params.get(k, d), n) for k, d in (("tau", 10.0), ("lambda", 1.0), ("mu", 0.0), ("g", 1.0)))
    for t in range(steps):
        sent.append(X.copy())
        drive = np.zeros(n)
        for source, target, weight, delay in edges:
            if t >= delay:
                drive[target] += weight * sent[t - delay][source]
        decay = np.exp(-lam * H / tau)
        force = np.where(lam > 0, (1 - decay) / np.where(lam > 0, lam, 1.0), H / tau)
        X = decay * X + force * (mu + g * drive)
        out.append(X.copy())
    return np.array(out)


def random_edges(rng, n, count, longest):
    return list(
        zip(
            rng.integers(0, n, count),
            rng.integers(0, n, count),
            rng.normal(0, 0.3, count),
            rng.integers(1, longest + 1, count),
            strict=True,
        )
    )


def network(edges, n=11, rates=None, settings=None, model="lin_rate_ipn", synapse="rate_connection_delayed", **params):
    net = kernel(H, **(settings or {}))
    first = net.create(model, n, floats(sigma=0.0, **params))
    if rates is not None:
        net.set(gids(first, n), floats(rate=rates))
    if edges:
        source, target, weight, delay = map(np.array, zip(*edges, strict=True))
        connect(
            net, rows(first, n), rows(first, n), "explicit", sources=source.astype(np.int64), targets=target.astype(np.int64),
            weight=array(weight), delay=array(delay * H), synapse=synapse,
        )  # fmt: skip
    return net, first


@pytest.mark.parametrize("settings", [{}, {"threads": 2, "block_size": 3}, {"threads": 3, "block_size": 2, "layout": "words"}], ids=str)
def test_delayed_connections_by_brute_force(settings):
    rng = np.random.default_rng(1)
    edges, start = random_edges(rng, 11, 60, 17), rng.normal(0, 1, 11)
    values = {
        "tau": rng.uniform(5, 20, 11),
        "lambda": np.r_[0.0, rng.uniform(0.5, 2, 10)],
        "mu": rng.normal(0, 1, 11),
        "g": rng.uniform(0.5, 1, 11),
    }
    net, first = network(edges, rates=start, settings=settings, **values)
    at = recorded(net, first, 11)
    net.run(150, None)
    np.testing.assert_allclose(courses(net, at, 11), linear_steps(values, start, edges, 150), rtol=1e-12, atol=1e-13)


def test_stationary_state_of_a_linear_network():
    """X = (lambda - g W)^-1 mu."""
    rng = np.random.default_rng(2)
    edges = random_edges(rng, 8, 20, 5)
    W = np.zeros((8, 8))
    for source, target, weight, _ in edges:
        W[target, source] += weight
    mu = rng.normal(0, 1, 8)
    assert np.abs(np.linalg.eigvals(0.8 * W)).max() < 1.0
    net, first = network(edges, n=8, tau=1.0, mu=mu, g=0.8)
    net.run(3000, None)
    np.testing.assert_allclose(net.get(gids(first, 8), "rate"), np.linalg.solve(np.eye(8) - 0.8 * W, mu), rtol=1e-9)
