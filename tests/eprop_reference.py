# SPDX-License-Identifier: Apache-2.0
"""E-prop in intervals (Bellec et al. 2020) in numpy: a network that is stepped, and gradients that are summed up anew, over all steps of an interval, for
each source and each update. Times of arrival are stamps [steps]; those in which intervals begin are NEST's."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FIRST = {"in": 3, "rec": 3, "out": 4}  # end of the first step of the first interval, by kind of connection


@dataclass
class Eprop:
    """Parameters, and the weights to begin with: [targets, sources]."""

    W_in: np.ndarray
    W_rec: np.ndarray
    W_out: np.ndarray
    feedback: np.ndarray  # [recurrent, readouts]
    interval: int = 20
    window: int = 20
    reset: bool = True
    tau_m: float = 10.0
    tau_out: float = 8.0
    tau_filter: float = 8.0
    V_th: float = 0.9
    height: float = 0.3
    width: float = 1.0
    surrogate: str = "piecewise_linear"
    t_ref: int = 0
    regular: bool = True
    adapt_beta: float = 0.0
    adapt_tau: float = 100.0
    c_reg: float = 0.0
    f_target: float = 10.0
    average: bool = False
    entropy: bool = False  # loss of cross entropy
    adam: bool = False
    batch: int = 1
    eta: float = 1e-3
    etas: tuple[tuple[int, float], ...] = ()  # (steps done, learning rate from then on)
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    limits: tuple[float, float] = (-100.0, 100.0)
    W: dict[str, np.ndarray] = field(init=False)

    def slope(self, x: np.ndarray) -> np.ndarray:
        x = np.abs(x) / self.width
        shapes = {
            "piecewise_linear": np.maximum(0.0, 1.0 - x),
            "exponential": np.exp(-x),
            "fast_sigmoid_derivative": (1.0 + x) ** -2,
            "arctan_derivative": 1.0 / (1.0 + x**2),
        }
        return self.height * shapes[self.surrogate]

    def run(self, steps: int, inputs: np.ndarray, target: np.ndarray) -> None:
        """`inputs` [stamp, source]: 1 where a spike arrives at recurrent neurons; `target` [stamp, readout]."""
        n_rec, n_out = self.W_rec.shape[0], self.W_out.shape[0]
        self.W = {"in": self.W_in.copy(), "rec": self.W_rec.copy(), "out": self.W_out.copy()}
        self.arrived = {kind: np.zeros((steps + 9, w.shape[1])) for kind, w in self.W.items()}
        self.done = {kind: np.zeros(w.shape[1], int) for kind, w in self.W.items()}
        self.kept = {kind: [np.zeros_like(w) for _ in range(3)] for kind, w in self.W.items()}
        shape = (steps + 9, n_rec)
        self.V, self.psi, self.spikes, self.L = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.Y, self.error = np.zeros((steps + 9, n_out)), np.zeros((steps + 9, n_out))
        decay, leak = np.exp(-1.0 / self.tau_m), np.exp(-1.0 / self.tau_out)
        gain, gain_out = (1.0, 1.0) if self.regular else (1.0 - decay, 1.0 - leak)
        V, A, Y, quiet = np.zeros(n_rec), np.zeros(n_rec), np.zeros(n_out), np.zeros(n_rec, int)
        for t in range(1, steps + 1):
            begins, begins_out = (t >= first and (t - first) % self.interval == 0 for first in (3, 4))
            z = self.spikes[t - 1]
            self.L[t] = self.feedback @ self.error[t - 1]
            came = {"in": inputs[t] * (not begins), "rec": z * (not begins), "out": z}
            for kind, spikes in came.items():
                self.arrived[kind][t] = spikes * (not (kind == "out" and begins_out))
                for source in np.flatnonzero(spikes):
                    self._update(kind, source, t)
            if begins and self.reset:
                V, A, z, quiet = 0.0 * V, 0.0 * A, 0.0 * z, 0 * quiet
            V = decay * V + gain * (self.W["in"] @ came["in"] + self.W["rec"] @ came["rec"]) - z * self.V_th
            A = np.exp(-1.0 / self.adapt_tau) * A + z
            threshold = self.V_th + self.adapt_beta * A
            self.psi[t] = np.where(quiet > 0, 0.0, self.slope(V - threshold))
            self.spikes[t] = (threshold <= V) & (quiet == 0)
            quiet = np.maximum(quiet - 1, 0)
            quiet[self.spikes[t] > 0] = max(self.t_ref - 1, 0)
            if t > 4 and (t - 5) % self.interval >= self.interval - self.window:
                self.error[t] = (np.exp(Y) / np.exp(Y).sum() if self.entropy else Y) - target[t]
            Y = leak * (0.0 * Y if begins_out and self.reset else Y) + gain_out * (self.W["out"] @ came["out"])
            self.V[t], self.Y[t] = V, Y

    def _update(self, kind: str, source: int, now: int) -> None:
        """Weights of a source that spikes change by all intervals that have ended since its last spike."""
        for nth in range(self.done[kind][source] + 1, (now - FIRST[kind] - 1) // self.interval + 1):
            total, first, second = (kept[:, source] for kept in self.kept[kind])
            total += self._gradient(kind, source, nth, now)
            if nth % self.batch == 0:
                g, n = total / self.batch, nth // self.batch
                total[:] = 0.0
                eta = self.rate((nth - 1) * self.interval + FIRST[kind])
                change = eta * g
                if self.adam:
                    b1, b2 = self.betas
                    first[:], second[:] = b1 * first + (1 - b1) * g, b2 * second + (1 - b2) * g**2
                    change = eta * np.sqrt(1 - b2**n) / (1 - b1**n) * first / (np.sqrt(second) + self.epsilon)
                self.W[kind][:, source] = np.clip(self.W[kind][:, source] - change, *self.limits)
            self.done[kind][source] = nth

    def rate(self, begin: int) -> float:
        """Learning rate of an interval that begins with a step."""
        return ([self.eta] + [eta for since, eta in self.etas if begin > since])[-1]

    def _gradient(self, kind: str, source: int, nth: int, now: int) -> np.ndarray:
        steps = range((nth - 1) * self.interval + FIRST[kind], nth * self.interval + FIRST[kind])
        z = 0.0
        if kind == "out":
            g = np.zeros(self.error.shape[1])
            for t in steps:
                z = np.exp(-1.0 / self.tau_out) * z + self.arrived[kind][t, source]
                g += self.error[t + 1] * z
            g *= 1.0 if self.regular else 1.0 - np.exp(-1.0 / self.tau_out)
            return g / self.window if self.average else g
        n_rec = self.psi.shape[1]
        g, a, filtered, total = np.zeros(n_rec), np.zeros(n_rec), np.zeros(n_rec), np.zeros(n_rec)
        decay, kappa, rho = np.exp(-1.0 / self.tau_m), np.exp(-1.0 / self.tau_filter), np.exp(-1.0 / self.adapt_tau)
        for t in steps:
            z = decay * z + self.arrived[kind][t, source]
            e = self.psi[t] * (z - self.adapt_beta * a)
            a = self.psi[t] * z + (rho - self.psi[t] * self.adapt_beta) * a
            filtered = kappa * filtered + (1.0 - kappa) * e
            total += e
            if t + 3 <= now:  # the signal of the last step comes after the first spikes of the next interval
                g += self.L[t + 3] * filtered
        rate = self.spikes[steps.start : steps.stop].sum(0) / self.interval
        g += self.c_reg * (rate - self.f_target * 1e-3) * total / self.interval
        g *= 1.0 if self.regular else 1.0 - decay
        return g / self.window if self.average else g


@dataclass
class Events:
    """Event-driven e-prop (Korcsak-Gorzo et al. 2025): weights of a source change when it spikes, by the gradient of the steps since it did before."""

    W_in: np.ndarray
    W_rec: np.ndarray
    W_out: np.ndarray
    feedback: np.ndarray
    holds: bool = False  # the potential is reset at a spike, and held
    V_reset: float = -0.2
    tau_m: float = 10.0
    tau_out: float = 8.0
    V_th: float = 0.9
    height: float = 0.3
    width: float = 1.0
    t_ref: int = 1
    adapt_beta: float = 0.0
    adapt_tau: float = 100.0
    kappa: float = 0.8
    kappa_reg: float = 0.9
    c_reg: float = 0.0
    f_target: float = 10.0
    cutoff: int = 10**9
    each_step: bool = True
    adam: bool = False
    batch: int = 1
    eta: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    limits: tuple[float, float] = (-100.0, 100.0)
    W: dict[str, np.ndarray] = field(init=False)

    def run(self, steps: int, inputs: np.ndarray, target: np.ndarray, window: np.ndarray) -> None:
        """As Eprop.run; `window` [stamp]: what multiplies readout and target."""
        n_rec, n_out = self.W_rec.shape[0], self.W_out.shape[0]
        self.W = {"in": self.W_in.copy(), "rec": self.W_rec.copy(), "out": self.W_out.copy()}
        self.arrived = {kind: np.zeros((steps + 9, w.shape[1])) for kind, w in self.W.items()}
        self.last = {kind: np.zeros(w.shape[1], int) for kind, w in self.W.items()}
        self.optimized = {kind: np.zeros(w.shape[1], int) for kind, w in self.W.items()}
        self.traces = {kind: np.zeros((4, *w.shape)) for kind, w in self.W.items()}  # z, a, filtered e, filtered e for the rate
        self.kept = {kind: np.zeros((3, *w.shape)) for kind, w in self.W.items()}
        shape = (steps + 9, n_rec)
        self.psi, self.spikes, self.L, self.mean = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.error = np.zeros((steps + 9, n_out))
        decay, leak = np.exp(-1.0 / self.tau_m), np.exp(-1.0 / self.tau_out)
        V, A, Y, quiet = np.zeros(n_rec), np.zeros(n_rec), np.zeros(n_out), np.zeros(n_rec, int)
        for t in range(1, steps + 1):
            z = self.spikes[t - 1]
            self.L[t] = self.feedback @ self.error[t - 1]
            for kind, spikes in {"in": inputs[t], "rec": z, "out": z}.items():
                self.arrived[kind][t] = spikes
                for source in np.flatnonzero(spikes):
                    self._update(kind, source, t)
            new = decay * V + self.W["in"] @ inputs[t] + self.W["rec"] @ z
            V = np.where(quiet > 0, V, new) if self.holds else new
            A = np.exp(-1.0 / self.adapt_tau) * A + z
            above = V - (self.V_th + self.adapt_beta * A)
            self.psi[t] = np.where(quiet > self.holds, 0.0, self.height * np.maximum(0.0, 1.0 - np.abs(above) / self.width))
            fires = (above >= 0) & (quiet == 0)
            V = np.where(fires, self.V_reset if self.holds else V - self.V_th, V)
            quiet = np.where(fires, self.t_ref - (not self.holds), np.maximum(quiet - 1, 0))
            self.spikes[t] = fires
            self.mean[t] = self.kappa_reg * self.mean[t - 1] + (1 - self.kappa_reg) * fires
            Y = leak * Y + self.W["out"] @ z
            self.error[t] = (Y - target[t]) * window[t]

    def _update(self, kind: str, source: int, now: int) -> None:
        before, self.last[kind][source] = self.last[kind][source], now
        if not before:
            return
        z, a, e, r = (trace[:, source] for trace in self.traces[kind])
        decay, kappa = np.exp(-1.0 / (self.tau_out if kind == "out" else self.tau_m)), 0.0 if kind == "out" else self.kappa
        rho, beta = np.exp(-1.0 / self.adapt_tau), 0.0 if kind == "out" else self.adapt_beta
        gradients = []
        for k, t in enumerate(range(before - 1, now - 1)):
            if k >= self.cutoff:
                z *= decay
                a *= rho
                e *= kappa
                r *= self.kappa_reg
                continue
            z[:] = decay * z + self.arrived[kind][t, source]
            psi = 1.0 if kind == "out" else self.psi[t]
            eligible = psi * (z - beta * a)
            a[:] = psi * z + (rho - psi * beta) * a
            e[:] = kappa * e + eligible
            r[:] = self.kappa_reg * r + (1 - self.kappa_reg) * eligible
            signal = self.error[t] if kind == "out" else self.L[t + 2]
            rate = 0.0 if kind == "out" else self.c_reg * (self.mean[t] - self.f_target * 1e-3) * r
            gradients.append((t, signal * e + rate))
        if not self.each_step:
            done, self.optimized[kind][source] = self.optimized[kind][source], now - 2
            gradients = [(t, sum(g for _, g in gradients) if t == done + 1 else 0.0 * z) for t in range(done + 1, now - 1)]
        for t, g in gradients:
            self._optimize(kind, source, t, g)

    def _optimize(self, kind: str, source: int, t: int, gradient: np.ndarray) -> None:
        total, first, second = (kept[:, source] for kept in self.kept[kind])
        total += gradient
        if t % self.batch:
            return
        g, n = total / self.batch, t // self.batch
        total[:] = 0.0
        change = self.eta * g
        if self.adam:
            b1, b2 = self.betas
            first[:], second[:] = b1 * first + (1 - b1) * g, b2 * second + (1 - b2) * g**2
            change = self.eta * np.sqrt(1 - b2**n) / (1 - b1**n) * first / (np.sqrt(second) + self.epsilon)
        self.W[kind][:, source] = np.clip(self.W[kind][:, source] - change, *self.limits)
