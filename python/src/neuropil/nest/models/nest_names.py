# SPDX-License-Identifier: Apache-2.0
"""Names of the models of NEST 3.10 in the order of their numbers."""

_NODE_MODELS = (
    "ac_generator dc_generator gamma_sup_generator mip_generator noise_generator inhomogeneous_poisson_generator "
    "poisson_generator poisson_generator_ps ppd_sup_generator pulsepacket_generator sinusoidal_poisson_generator "
    "spike_generator step_current_generator step_rate_generator sinusoidal_gamma_generator aeif_cond_alpha "
    "aeif_cond_alpha_astro aeif_cond_alpha_multisynapse aeif_cond_beta_multisynapse aeif_cond_exp aeif_psc_alpha aeif_psc_exp "
    "aeif_psc_delta gif_cond_exp gif_cond_exp_multisynapse glif_cond hh_cond_exp_traub hh_cond_beta_gap_traub hh_psc_alpha "
    "hh_psc_alpha_gap ht_neuron iaf_chxk_2008 iaf_cond_alpha iaf_cond_alpha_mc iaf_cond_beta iaf_cond_exp iaf_cond_exp_sfa_rr "
    "iaf_bw_2001_exact siegert_neuron amat2_psc_exp cm_default eprop_iaf_bsshslm_2020 eprop_iaf_adapt_bsshslm_2020 "
    "eprop_readout_bsshslm_2020 eprop_iaf eprop_iaf_adapt eprop_iaf_psc_delta eprop_iaf_psc_delta_adapt eprop_readout "
    "gif_psc_exp gif_psc_exp_multisynapse glif_psc glif_psc_double_alpha iaf_chs_2007 iaf_psc_alpha "
    "iaf_psc_alpha_multisynapse iaf_psc_alpha_ps iaf_psc_delta iaf_psc_delta_ps iaf_psc_exp iaf_psc_exp_htum "
    "iaf_psc_exp_multisynapse iaf_psc_exp_ps iaf_psc_exp_ps_lossless iaf_tum_2000 ignore_and_fire izhikevich mat2_psc_exp "
    "parrot_neuron parrot_neuron_ps pp_psc_delta iaf_bw_2001 aeif_psc_delta_clopath hh_psc_alpha_clopath astrocyte_lr_1994 "
    "gif_pop_psc_exp correlation_detector correlomatrix_detector correlospinmatrix_detector spike_train_injector "
    "volume_transmitter erfc_neuron ginzburg_neuron mcculloch_pitts_neuron gauss_rate_ipn rate_transformer_gauss lin_rate_ipn "
    "lin_rate_opn rate_transformer_lin sigmoid_rate_ipn rate_transformer_sigmoid sigmoid_rate_gg_1998_ipn "
    "rate_transformer_sigmoid_gg_1998 tanh_rate_ipn tanh_rate_opn rate_transformer_tanh threshold_lin_rate_ipn "
    "threshold_lin_rate_opn rate_transformer_threshold_lin multimeter voltmeter spike_recorder spin_detector weight_recorder "
    "spike_dilutor pp_cond_exp_mc_urbanczik"
)
NODE_MODELS = tuple(_NODE_MODELS.split())

VARIANTS = ("_hpc", "_lbl")  # endings of models: fewer bytes in NEST; connections carry a label
_SIZES = (
    "bernoulli_synapse:40 clopath_synapse:72 cont_delay_synapse:40 diffusion_connection:48 eprop_synapse_bsshslm_2020:136 "
    "eprop_learning_signal_connection_bsshslm_2020:32 eprop_synapse:128 eprop_learning_signal_connection:32 gap_junction:32 "
    "ht_synapse:72 jonke_synapse:48 quantal_stp_synapse:80 rate_connection_delayed:32 rate_connection_instantaneous:32 "
    "sic_connection:32 static_synapse:32 static_synapse_hom_w:24 stdp_dopamine_synapse:80 stdp_nn_pre_centered_synapse:96 "
    "stdp_nn_restr_synapse:88 stdp_nn_symm_synapse:88 stdp_pl_synapse_hom:48 stdp_synapse:96 stdp_facetshw_synapse_hom:104 "
    "stdp_synapse_hom:48 stdp_triplet_synapse:112 tsodyks2_synapse:80 tsodyks_synapse:96 tsodyks_synapse_hom:56 "
    "urbanczik_synapse:112 vogels_sprekeler_synapse:80"
)
SIZES = {  # bytes of a connection in NEST, which scripts estimate memory with
    name: int(size) for name, size in (each.split(":") for each in _SIZES.split())
}
_PLAIN_ONLY = ("connection", "connection_bsshslm_2020", "delayed", "instantaneous", "junction")  # their names end so


def _variants(name: str) -> tuple[str, ...]:
    if name.endswith(_PLAIN_ONLY):
        return (name,)
    return tuple(name + ending for ending in ("", *VARIANTS) if not (ending == "_lbl" and name.startswith("eprop")))


SYNAPSE_MODELS = tuple(name for plain in SIZES for name in _variants(plain))
