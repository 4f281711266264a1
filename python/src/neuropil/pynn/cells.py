# SPDX-License-Identifier: Apache-2.0
"""Standard cell types of PyNN as models of the kernel. PyNN has nF, nA and uS, the kernel pF, pA and nS."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from pyNN.parameters import ArrayParameter
from pyNN.standardmodels import build_translations, cells

from .. import Nodes
from .errors import Unavailable, refuse
from .simulator import state
from .stores import DrivenCells, KernelCells, Store, TrainCells

__all__ = [
    "EIF_cond_alpha_isfa_ista",
    "EIF_cond_exp_isfa_ista",
    "GIF_cond_exp",
    "HH_cond_exp",
    "IF_cond_alpha",
    "IF_cond_exp",
    "IF_cond_exp_gsfa_grr",
    "IF_curr_alpha",
    "IF_curr_delta",
    "IF_curr_exp",
    "IF_facets_hardware1",
    "Izhikevich",
    "SpikeSourceArray",
    "SpikeSourceGamma",
    "SpikeSourceInhGamma",
    "SpikeSourcePoisson",
    "SpikeSourcePoissonRefractory",
]

MILLI = 1e-3  # nA per pA, uS per nS
Quantities = Mapping[str, tuple[str, float]]  # PyNN's name: the kernel's name, and PyNN's unit per unit of the kernel

_V = {"v": ("V_m", 1.0)}
_CURRENTS = {**_V, "isyn_exc": ("I_syn_ex", MILLI), "isyn_inh": ("I_syn_in", MILLI)}
_CONDUCTANCES = {**_V, "gsyn_exc": ("g_ex", MILLI), "gsyn_inh": ("g_in", MILLI)}


class KernelModel:
    """A cell type that the kernel simulates.

    states : what has an initial value; recorded : what can be recorded beside spikes
    """

    kernel_model: str
    precise_model = ""
    store: ClassVar[type[Store]] = KernelCells
    states: Quantities = MappingProxyType({})
    more_recorded: ClassVar[Quantities] = MappingProxyType({})
    extra_parameters: Mapping[str, float] = MappingProxyType({})
    implied: Mapping[str, Any] = MappingProxyType({})  # initial values that follow from parameters: a number, or the name of a parameter
    conductance_based: Any
    receptor_types: Any

    @property
    def model(self) -> str:
        """The model of the kernel: with spikes between time steps, where `setup` was told so and there is one."""
        return self.precise_model if state.precise and self.precise_model else self.kernel_model

    @property
    def recorded(self) -> Quantities:
        """What can be recorded beside spikes."""
        return {**self.states, **self.more_recorded}

    def receptor(self, receptor_type: str) -> tuple[int | str, float]:
        """What `connect` takes for a receptor, and the kernel's weight for a weight of 1. The sign of a weight chooses among two receptors."""
        factor = 1.0 if getattr(self, "voltage_based_synapses", False) else 1.0 / MILLI
        return 0, -factor if self.conductance_based and receptor_type == "inhibitory" else factor

    def tau_syn(self, cells: Any, receptor_type: str) -> Any:
        """Time constants of the synaptic current of cells of this type."""
        names = {"excitatory": ("tau_syn_E", "tau_syn_ex"), "inhibitory": ("tau_syn_I", "tau_syn_in")}.get(receptor_type, ())
        for name in names:
            if name in cells.celltype.get_parameter_names():
                return np.asarray(cells.get(name, gather=True), np.float64)
        refuse("TsodyksMarkramSynapse", f"needs targets with a time constant of the synaptic current; {type(self).__name__} has none")

    def to_kernel(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of the kernel by native ones."""
        return {**values, **self.extra_parameters}

    def from_kernel(self, name: str, nodes: Nodes) -> Any:
        """Values of a native parameter."""
        return np.array(nodes.get(name))


_REST = (
    ("v_rest", "E_L"),
    ("tau_refrac", "t_ref"),
    ("v_thresh", "V_th"),
    ("v_reset", "V_reset"),
    ("i_offset", "I_e", 1000.0),
)
INTEGRATE = (*_REST, ("tau_m", "tau_m"), ("cm", "C_m", 1000.0))
_TIMES = (("tau_syn_E", "tau_syn_ex"), ("tau_syn_I", "tau_syn_in"))
_REVERSALS = (("e_rev_E", "E_ex"), ("e_rev_I", "E_in"))
# nS and pF. cm counts as computed, so that tau_m stays what it is when cm is set.
_LEAK = (("tau_m", "g_L", "cm/tau_m*1000.0", "C_m/g_L"), ("cm", "C_m", "cm*1000.0", "C_m/1000.0"))


class IF_curr_alpha(KernelModel, cells.IF_curr_alpha):
    __doc__ = cells.IF_curr_alpha.__doc__
    translations = build_translations(*INTEGRATE, *_TIMES)
    kernel_model, precise_model, states = "iaf_psc_alpha", "iaf_psc_alpha_ps", _CURRENTS
    recordable = ("spikes", *_CURRENTS)


class IF_curr_exp(KernelModel, cells.IF_curr_exp):
    __doc__ = cells.IF_curr_exp.__doc__
    translations = build_translations(*INTEGRATE, *_TIMES)
    kernel_model, precise_model, states = "iaf_psc_exp", "iaf_psc_exp_ps", _CURRENTS
    recordable = ("spikes", *_CURRENTS)


class IF_curr_delta(KernelModel, cells.IF_curr_delta):
    __doc__ = cells.IF_curr_delta.__doc__
    translations = build_translations(*INTEGRATE)
    kernel_model, precise_model, states = "iaf_psc_delta", "iaf_psc_delta_ps", _V
    voltage_based_synapses = True


class IF_cond_alpha(KernelModel, cells.IF_cond_alpha):
    __doc__ = cells.IF_cond_alpha.__doc__
    translations = build_translations(*_REST, *_LEAK, *_TIMES, *_REVERSALS)
    kernel_model, states = "iaf_cond_alpha", _CONDUCTANCES


class IF_cond_exp(KernelModel, cells.IF_cond_exp):
    __doc__ = cells.IF_cond_exp.__doc__
    translations = build_translations(*_REST, *_LEAK, *_TIMES, *_REVERSALS)
    kernel_model, states = "iaf_cond_exp", _CONDUCTANCES


class IF_cond_exp_gsfa_grr(KernelModel, cells.IF_cond_exp_gsfa_grr):
    __doc__ = cells.IF_cond_exp_gsfa_grr.__doc__
    translations = build_translations(
        *_REST, *_LEAK, *_TIMES, *_REVERSALS,
        ("tau_sfa", "tau_sfa"), ("e_rev_sfa", "E_sfa"), ("q_sfa", "q_sfa"), ("tau_rr", "tau_rr"), ("e_rev_rr", "E_rr"), ("q_rr", "q_rr"),
    )  # fmt: skip
    kernel_model, states = "iaf_cond_exp_sfa_rr", {**_CONDUCTANCES, "g_s": ("g_sfa", 1.0), "g_r": ("g_rr", 1.0)}


class IF_facets_hardware1(KernelModel, cells.IF_facets_hardware1):
    __doc__ = cells.IF_facets_hardware1.__doc__
    translations = build_translations(
        ("v_reset", "V_reset"), ("v_rest", "E_L"), ("v_thresh", "V_th"), ("e_rev_I", "E_in"), ("g_leak", "g_L"), *_TIMES
    )
    kernel_model, states = "iaf_cond_exp", _CONDUCTANCES
    extra_parameters: Mapping[str, float] = {"C_m": 200.0, "t_ref": 1.0, "E_ex": 0.0}


class HH_cond_exp(KernelModel, cells.HH_cond_exp):
    __doc__ = cells.HH_cond_exp.__doc__
    translations = build_translations(
        ("gbar_Na", "g_Na", 1000.0), ("gbar_K", "g_K", 1000.0), ("g_leak", "g_L", 1000.0), ("cm", "C_m", 1000.0), ("v_offset", "V_T"),
        ("e_rev_Na", "E_Na"), ("e_rev_K", "E_K"), ("e_rev_leak", "E_L"), ("i_offset", "I_e", 1000.0), *_TIMES, *_REVERSALS,
    )  # fmt: skip
    kernel_model, states = "hh_cond_exp_traub", {**_CONDUCTANCES, "m": ("Act_m", 1.0), "h": ("Inact_h", 1.0), "n": ("Act_n", 1.0)}
    receptor_types = ("excitatory", "inhibitory")
    recordable = ("spikes", *states)


ADAPTIVE = (
    ("tau_refrac", "t_ref"),
    ("v_spike", "V_peak"),
    ("v_reset", "V_reset"),
    ("v_rest", "E_L"),
    *_LEAK,
    ("i_offset", "I_e", 1000.0),
    ("a", "a"),
    ("b", "b", 1000.0),
    ("delta_T", "Delta_T"),
    ("tau_w", "tau_w"),
    ("v_thresh", "V_th"),
)
_ADAPTED = {**_CONDUCTANCES, "w": ("w", MILLI)}


class EIF_cond_alpha_isfa_ista(KernelModel, cells.EIF_cond_alpha_isfa_ista):
    __doc__ = cells.EIF_cond_alpha_isfa_ista.__doc__
    translations = build_translations(*ADAPTIVE, *_TIMES, *_REVERSALS)
    kernel_model, states = "aeif_cond_alpha", _ADAPTED


class EIF_cond_exp_isfa_ista(KernelModel, cells.EIF_cond_exp_isfa_ista):
    __doc__ = cells.EIF_cond_exp_isfa_ista.__doc__
    translations = build_translations(*ADAPTIVE, *_TIMES, *_REVERSALS)
    kernel_model, states = "aeif_cond_exp", _ADAPTED


class Izhikevich(KernelModel, cells.Izhikevich):
    __doc__ = cells.Izhikevich.__doc__
    translations = build_translations(("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"), ("i_offset", "I_e", 1000.0))
    kernel_model, states = "izhikevich", {**_V, "u": ("U_m", 1.0)}
    voltage_based_synapses = True


_KERNELS = {"tau_eta": ("tau_stc", 1.0), "a_eta": ("q_stc", MILLI), "tau_gamma": ("tau_sfa", 1.0), "a_gamma": ("q_sfa", 1.0)}


class GIF_cond_exp(KernelModel, cells.GIF_cond_exp):
    __doc__ = cells.GIF_cond_exp.__doc__
    translations = build_translations(
        ("v_rest", "E_L"), *_LEAK, ("tau_refrac", "t_ref"), ("v_reset", "V_reset"), ("i_offset", "I_e", 1000.0),
        ("delta_v", "Delta_V"), ("v_t_star", "V_T_star"), ("lambda0", "lambda_0"), *_TIMES, *_REVERSALS, *((name, name) for name in _KERNELS),
    )  # fmt: skip
    kernel_model, states = "gif_cond_exp", _CONDUCTANCES
    implied: Mapping[str, Any] = MappingProxyType({"v_t": "v_t_star", "i_eta": 0.0})
    more_recorded: ClassVar[Quantities] = {"i_eta": ("I_stc", MILLI), "v_t": ("E_sfa", 1.0)}

    def to_kernel(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The kernel has a parameter for each of up to four kernels of the threshold and of the current."""
        plain = {name: value for name, value in values.items() if name not in _KERNELS}
        for name, (native, unit) in _KERNELS.items():
            if name in values:
                given = np.atleast_1d(values[name])
                rows = np.array([cell.value for cell in given], np.float64) / unit
                plain |= {f"{native}_{k + 1}": rows[:, k] if len(rows) > 1 else float(rows[0, k]) for k in range(rows.shape[1])}
                plain[f"n_{native.split('_')[1]}"] = rows.shape[1]
        return plain

    def from_kernel(self, name: str, nodes: Nodes) -> Any:
        if name not in _KERNELS:
            return super().from_kernel(name, nodes)
        native, unit = _KERNELS[name]
        n = int(nodes.get(f"n_{native.split('_')[1]}")[0])
        rows = np.stack([nodes.get(f"{native}_{k + 1}") for k in range(n)], axis=1) * unit
        found = np.empty(len(rows), dtype=object)
        found[:] = [ArrayParameter(row) for row in rows]
        return found


class SpikeSourceInhGamma(Unavailable, cells.SpikeSourceInhGamma):
    __doc__ = cells.SpikeSourceInhGamma.__doc__


class SpikeSourceArray(KernelModel, cells.SpikeSourceArray):
    __doc__ = cells.SpikeSourceArray.__doc__
    translations = build_translations(("spike_times", "spike_times"))
    store: ClassVar[type[Store]] = TrainCells


class _Driven(KernelModel):
    """Cells that repeat trains of a device. silent : parameters with which the device sends nothing."""

    store: ClassVar[type[Store]] = DrivenCells
    device: str
    precise_device = ""
    silent: ClassVar[Mapping[str, float]] = {"rate": 0.0}

    def device_values(self, given: Mapping[str, float]) -> dict[str, float]:
        """Parameters of the device."""
        return dict(given)


_WINDOW = (("start", "start"), ("duration", "duration"))


class SpikeSourcePoisson(_Driven, cells.SpikeSourcePoisson):
    __doc__ = cells.SpikeSourcePoisson.__doc__
    translations = build_translations(("rate", "rate"), *_WINDOW)
    device, precise_device = "poisson_generator", "poisson_generator_ps"


class SpikeSourcePoissonRefractory(_Driven, cells.SpikeSourcePoissonRefractory):
    __doc__ = cells.SpikeSourcePoissonRefractory.__doc__
    translations = build_translations(("rate", "rate"), ("tau_refrac", "dead_time"), *_WINDOW)
    device = "ppd_sup_generator"


class SpikeSourceGamma(_Driven, cells.SpikeSourceGamma):
    __doc__ = cells.SpikeSourceGamma.__doc__
    translations = build_translations(("alpha", "alpha"), ("beta", "beta"), *_WINDOW)
    device = "gamma_sup_generator"

    def device_values(self, given: Mapping[str, float]) -> dict[str, float]:
        """Intervals have the mean alpha / beta."""
        return {"gamma_shape": given["alpha"], "rate": given["beta"] / given["alpha"]}
