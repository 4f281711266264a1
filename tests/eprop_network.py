# SPDX-License-Identifier: Apache-2.0
"""The networks of eprop_reference.py in the kernel."""

from __future__ import annotations

import numpy as np

from eprop_reference import Eprop
from lowlevel import array, connect, floats, gids, kernel, rows

SURROGATES = ["piecewise_linear", "exponential", "fast_sigmoid_derivative", "arctan_derivative"]


def task(kind, seed, n_in=5, n_rec=4, n_out=2, scale=1.0, **how):
    """A network of either kind (Eprop, Events) with random weights."""
    rng = np.random.default_rng(seed)
    weights = [rng.normal(*size) for size in ((0.4, 0.5, (n_rec, n_in)), (0.0, 0.3, (n_rec, n_rec)), (0.0, 0.5, (n_out, n_rec)))]
    return kind(*(scale * w for w in weights), rng.normal(0, 1, (n_rec, n_out)), **{"limits": (-20.0, 20.0)} | how)


def data(p, steps, rate, seed=4):
    """Stamps at which inputs arrive, and targets."""
    rng = np.random.default_rng(seed)
    inputs = (rng.random((steps + 9, p.W_in.shape[1])) < rate).astype(float)
    inputs[:5] = 0.0
    return inputs, rng.normal(0, 1, (steps + 9, p.W_out.shape[0]))


def names(p):
    """Models of recurrent neurons, readouts, synapses and learning signals."""
    adapts = "_adapt" if p.adapt_beta else ""
    if isinstance(p, Eprop):
        end = "_bsshslm_2020"
        return f"eprop_iaf{adapts}{end}", f"eprop_readout{end}", f"eprop_synapse{end}", f"eprop_learning_signal_connection{end}"
    return f"eprop_iaf{'_psc_delta' * p.holds}{adapts}", "eprop_readout", "eprop_synapse", "eprop_learning_signal_connection"


def neuron_parameters(p, h):
    shared = {"C_m": 1.0, "E_L": 0.0, "V_th": p.V_th, "tau_m": p.tau_m, "t_ref": p.t_ref * h, "c_reg": p.c_reg, "f_target": p.f_target / h}
    shared |= {"surrogate_gradient_height": p.height, "surrogate_gradient_width": p.width}
    shared |= {"adapt_beta": p.adapt_beta, "adapt_tau": p.adapt_tau} if p.adapt_beta else {}
    out = {"C_m": 1.0, "tau_m": p.tau_out}
    if isinstance(p, Eprop):
        intervals = {
            "update_interval": p.interval * h,
            "learning_window": p.window * h,
            "reset_on_update": p.reset,
            "regular_spike_arrival": p.regular,
        }
        return shared | intervals | {"surrogate_gradient_function": SURROGATES.index(p.surrogate)}, out | intervals | {"loss": p.entropy}
    cutoff = {"eprop_isi_trace_cutoff": p.cutoff * h if p.cutoff < 10**9 else np.inf}
    return shared | cutoff | {"kappa": p.kappa, "kappa_reg": p.kappa_reg} | ({"V_reset": p.V_reset} if p.holds else {}), out | cutoff


def synapse_parameters(p):
    found = {"adam": p.adam, "batch_size": p.batch, "eta": p.eta, "Wmin": p.limits[0], "Wmax": p.limits[1], "epsilon": p.epsilon}
    found |= {"beta_1": p.betas[0], "beta_2": p.betas[1]}
    found |= {"tau_m_readout": p.tau_filter, "average_gradient": p.average} if isinstance(p, Eprop) else {"optimize_each_step": p.each_step}
    return {name: float(value) for name, value in found.items()}


def built(p, inputs, target, window=None, net=None, delay=1):
    """The kernel, and the first nodes of its parts. h = 1 ms, as in the reference.

    inputs : arrivals in each step, which were sent so many steps of `delay` before
    """
    net = net or kernel(1.0)
    h = 1.0
    (n_rec, n_in), n_out = p.W_in.shape, p.W_out.shape[0]
    recurrent, readout, synapse, signal = names(p)
    of_rec, of_out = neuron_parameters(p, h)
    rec, out = net.create(recurrent, n_rec, floats(**of_rec)), net.create(readout, n_out, floats(**of_out))
    net.set(gids(rec, n_rec), floats(V_m=0.0))
    spikes, relays = net.create("spike_generator", n_in, {}), net.create("parrot_neuron", n_in, {})
    for k in range(n_in):
        arrivals = np.repeat(np.arange(len(inputs)), inputs[:, k].astype(int))
        net.set(np.array([spikes + k]), {}, {"spike_times": (arrivals - 1.0 - delay) * h})
    rates = net.create("step_rate_generator", n_out + 1, {})
    for k in range(n_out + (window is not None)):
        values = target[2:, k] if k < n_out else window[2:]
        net.set(np.array([rates + k]), {}, {"amplitude_times": np.arange(1.0, len(target) - 1) * h, "amplitude_values": values})
    connect(net, rows(spikes, n_in), rows(relays, n_in), "one_to_one", delay=h)
    for pre, n, post, m, w in ((relays, n_in, rec, n_rec, p.W_in), (rec, n_rec, rec, n_rec, p.W_rec), (rec, n_rec, out, n_out, p.W_out)):
        plastic = {"synapse": synapse, "synapse_params": synapse_parameters(p), "doubles": True}
        connect(net, rows(pre, n), rows(post, m), weight=array(w.ravel()), delay=delay * h if pre == relays else h, **plastic)
    connect(net, rows(out, n_out), rows(rec, n_rec), weight=array(p.feedback.ravel()), delay=h, synapse=signal, doubles=True)
    connect(net, rows(rates, n_out), rows(out, n_out), "one_to_one", delay=h, synapse="rate_connection_delayed", receptor=1)
    if isinstance(p, Eprop) and p.entropy:
        told = {"synapse": "rate_connection_delayed", "receptor": 0, "allow_autapses": False}
        connect(net, rows(out, n_out), rows(out, n_out), delay=h, **told)
    if window is not None:
        connect(net, rows(rates + n_out), rows(out, n_out), delay=h, synapse="rate_connection_delayed", receptor=0)
    return net, {"in": relays, "rec": rec, "out": out}


def weights(net, p, parts):
    """As p.W."""
    n_rec, n_in = p.W_in.shape
    ends = {"in": (parts["in"], n_in, parts["rec"], n_rec), "rec": (parts["rec"], n_rec, parts["rec"], n_rec)}
    ends["out"] = (parts["rec"], n_rec, parts["out"], p.W_out.shape[0])
    found = {}
    for kind, (pre, n, post, m) in ends.items():
        c = net.connections(rows(pre, n), rows(post, m), names(p)[2])
        found[kind] = np.full((m, n), np.nan)
        found[kind][c["target"] - post, c["source"] - pre] = c["weight"]
    return found
