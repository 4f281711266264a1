# SPDX-License-Identifier: Apache-2.0
"""A graph of NIR step by step, by the equations of its nodes (Pedersen et al. 2024): forward Euler, all variables of a node from the step before."""

import numpy as np


class Reference:
    """Every step asks each node for its value; a node that is asked for while it is computed (a loop) gives its value of the step before."""

    def __init__(self, graph, dt):
        self.graph, self.dt = graph, dt
        self.before = {name: [a for a, b in graph.edges if b == name] for name in graph.nodes}

    def run(self, x):
        self.state = {}
        self.sent = {}  # value of each node in the step before
        output = next(name for name, node in self.graph.nodes.items() if type(node).__name__ == "Output")
        found = []
        for now in x:
            self.now, self.known, self.open = np.asarray(now, float), {}, set()
            found.append(self.value(output))
            for name in self.graph.nodes:
                self.value(name)
            self.sent = dict(self.known)
        return np.array(found)

    def value(self, name):
        if name in self.known:
            return self.known[name]
        node = self.graph.nodes[name]
        if name in self.open:
            return self.sent.get(name, np.zeros(node.output_type["output"]))
        self.open.add(name)
        arriving = self.now if type(node).__name__ == "Input" else sum(self.value(each) for each in self.before[name])
        self.known[name] = getattr(self, f"_{type(node).__name__.lower()}")(name, node, arriving)
        return self.known[name]

    def _input(self, name, node, x):
        return x

    _output = _input

    def _flatten(self, name, node, x):
        return np.reshape(x, -1)

    def _linear(self, name, node, x):
        return node.weight @ x

    def _affine(self, name, node, x):
        return node.weight @ x + node.bias

    def _delay(self, name, node, x):
        """x of `delay` before, 0 before the beginning."""
        past = self.state.setdefault(name, [])
        past.append(x)
        steps = np.broadcast_to(np.rint(node.delay / self.dt).astype(int), np.shape(x))
        return np.array([past[-1 - k][i] if k < len(past) else 0.0 for i, k in enumerate(steps)])

    def _conv2d(self, name, node, x):
        weight, (sx, sy), (px, py), (dx, dy) = node.weight, node.stride, node.padding, node.dilation
        outputs, inputs, kx, ky = weight.shape
        padded = np.pad(x, ((0, 0), (px, px), (py, py)))
        nx = (padded.shape[1] - dx * (kx - 1) - 1) // sx + 1
        ny = (padded.shape[2] - dy * (ky - 1) - 1) // sy + 1
        y = np.zeros((outputs, nx, ny))
        for o in range(outputs):
            first = o // (outputs // int(node.groups)) * inputs
            for i in range(nx):
                for j in range(ny):
                    window = padded[first : first + inputs, i * sx : i * sx + dx * kx : dx, j * sy : j * sy + dy * ky : dy]
                    y[o, i, j] = (window[:, :kx, :ky] * weight[o]).sum() + node.bias[o]
        return y

    def _sumpool2d(self, name, node, x):
        (kx, ky), (sx, sy), (px, py) = node.kernel_size, node.stride, node.padding
        padded = np.pad(x, ((0, 0), (px, px), (py, py)))
        nx, ny = (padded.shape[1] - kx) // sx + 1, (padded.shape[2] - ky) // sy + 1
        return np.array([[[c[i * sx : i * sx + kx, j * sy : j * sy + ky].sum() for j in range(ny)] for i in range(nx)] for c in padded])

    def _lif(self, name, node, x):
        v = self.state.get(name, np.broadcast_to(node.v_leak, np.shape(x)))
        v = v + self.dt / node.tau * (node.v_leak - v + node.r * x)
        z = v > node.v_threshold
        self.state[name] = np.where(z, node.v_reset, v)
        return z.astype(float)

    def _li(self, name, node, x):
        v = self.state.get(name, np.broadcast_to(node.v_leak, np.shape(x)))
        self.state[name] = v + self.dt / node.tau * (node.v_leak - v + node.r * x)
        return self.state[name]

    def _cubalif(self, name, node, x):
        v, current = self.state.get(name, (np.broadcast_to(node.v_leak, np.shape(x)), np.zeros(np.shape(x))))
        v = v + self.dt / node.tau_mem * (node.v_leak - v + node.r * current)
        current = current + self.dt / node.tau_syn * (node.w_in * x - current)
        z = v > node.v_threshold
        self.state[name] = (np.where(z, node.v_reset, v), current)
        return z.astype(float)
