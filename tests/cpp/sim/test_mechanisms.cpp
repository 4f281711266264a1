// SPDX-License-Identifier: Apache-2.0
// Networks of what ranks and threads share beside spikes, or keep beside state: one result, for the sanitizers to watch.
#include <gtest/gtest.h>

#include "areas.hpp"

namespace npl::sim::test_mechanisms {
namespace {

using Result = std::vector<std::vector<double>>;

/// A network, and what it did.
struct Made {
  Network net;
  int spikes = -1;
  Gid watched = 1;
  std::int64_t n = 1;
  std::vector<const char*> states, synapses;

  explicit Made(Settings s) : net(std::move(s)) {}

  Gid driven(const char* model, std::int64_t count, const Values& values, double weight, double rate = 5000.0, int receptor = 0) {
    const Gid noise = net.create("poisson_generator", 1, {{"rate", {rate}}}), first = net.create(model, count, values);
    ConnectCall drive = call(nodes(noise, 1), nodes(first, count), "all_to_all", weight, 0.2);
    drive.receptor = receptor;
    net.connect(drive);
    return first;
  }
  void join(Gid pre, std::int64_t n_pre, Gid post, std::int64_t n_post, const char* synapse, double weight, double delay,
            std::vector<std::pair<std::string, double>> parameters = {}, int receptor = 0) {
    ConnectCall c = call(nodes(pre, n_pre), nodes(post, n_post), "fixed_indegree", weight, delay);
    c.rule_params = {{"indegree", 4}};
    c.synapse = synapse, c.synapse_params = std::move(parameters), c.receptor = receptor;
    net.connect(c);
    synapses.push_back(synapse);
  }
  void watch(Gid first, std::int64_t count, std::vector<const char*> names) {
    watched = first, n = count, states = std::move(names);
    spikes = net.record_spikes(nodes(first, count), 0, 1 << 30);
  }
  Result result() {
    Result found;
    std::vector<Gid> gids;
    for (std::int64_t k = 0; k < n; ++k) gids.push_back(watched + k);
    for (const char* name : states) found.push_back(net.get(gids, name));
    for (const char* synapse : synapses) {
      const ConnectionColumns c = net.connections(nullptr, nullptr, synapse);
      found.push_back(c.weight);
      found.emplace_back(c.source.begin(), c.source.end()), found.emplace_back(c.target.begin(), c.target.end());
    }
    for (const Spike& s : net.spikes(spikes)) found.push_back({static_cast<double>(s.gid), static_cast<double>(s.step)});
    return found;
  }
};

void gap_junctions(Made& m) {
  const Gid cells = m.driven("hh_psc_alpha_gap", 12, {{"I_e", {300.0}}}, 40.0);
  ConnectCall both = call(nodes(cells, 12), nodes(cells, 12), "explicit", 2.0, 0.1);
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t k = 0; k < 12; ++k)
    for (const std::int64_t other : {(k + 1) % 12, (k + 11) % 12}) sources.push_back(k), targets.push_back(other);
  both.rule_params = connect::listing(sources, targets);
  both.synapse = "gap_junction";
  m.net.connect(both);
  m.join(cells, 12, cells, 12, "stdp_synapse", 20.0, 0.7);
  m.watch(cells, 12, {"V_m", "Act_n"});
}

void rates(Made& m) {
  const Gid inputs = m.net.create("lin_rate_ipn", 14, {{"sigma", {0.3}}}), outputs = m.net.create("lin_rate_opn", 9, {{"mu", {0.5}}});
  m.join(inputs, 14, outputs, 9, "rate_connection_delayed", 0.3, 0.9);
  m.join(outputs, 9, inputs, 14, "rate_connection_delayed", -0.2, 0.4);
  m.join(inputs, 14, inputs, 14, "rate_connection_instantaneous", 0.1, 0.1);
  m.watch(inputs, 23, {"rate"});
}

void astrocytes(Made& m) {
  const Gid cells = m.driven("aeif_cond_alpha_astro", 11, {{"I_e", {700.0}}}, 4.0);
  const Gid glia = m.net.create("astrocyte_lr_1994", 5, {{"delta_IP3", {0.4}}, {"Ca_astro", {0.3}}});
  m.join(cells, 11, glia, 5, "tsodyks_synapse", 1.0, 0.5);
  m.join(glia, 5, cells, 11, "sic_connection", 5.0, 0.6);
  m.watch(cells, 11, {"V_m", "I_SIC"});
}

void growth(Made& m) {
  const Gid cells = m.driven("iaf_psc_exp", 21, {{"I_e", {370.0}}}, 30.0);
  m.net.set_calcium(nodes(cells, 21), {{"tau_Ca", {50.0}}, {"beta_Ca", {0.05}}});
  m.net.set_elements(nodes(cells, 21), {{"axon", "linear", {{"growth_rate", {0.1}}, {"eps", {0.04}}, {"z", {3.0}}}},
                                        {"spine", "gaussian", {{"growth_rate", {0.08}}, {"eta", {0.01}}, {"eps", {0.1}}, {"z", {2.0}}}}});
  GrowCall synapses{"axon", "spine", false, false, {}};
  synapses.synapses.synapse = "stdp_synapse";
  synapses.synapses.weight = constant(10.0), synapses.synapses.delay = constant(1.1), synapses.synapses.label = 1;
  m.net.grow(synapses);
  m.net.set_updates(40, true);
  m.synapses = {"stdp_synapse"};
  m.watch(cells, 21, {"V_m"});
}

void eprop(Made& m) {
  const Gid cells = m.driven("eprop_iaf_adapt", 13, {{"I_e", {450.0}}}, 2.0), out = m.net.create("eprop_readout", 3, {});
  const Gid target = m.net.create("step_rate_generator", 1, {}), window = m.net.create("step_rate_generator", 1, {});
  for (const Gid g : {target, window}) m.net.set({g}, {}, {{"amplitude_times", {1.0}}, {"amplitude_values", {1.0}}});
  m.join(cells, 13, cells, 13, "eprop_synapse", 0.5, 0.1);
  m.join(cells, 13, out, 3, "eprop_synapse", 0.5, 0.1, {{"adam", 1.0}});
  m.join(out, 3, cells, 13, "eprop_learning_signal_connection", 0.7, 0.1);
  int receptor = 0;
  for (const Gid g : {window, target}) m.join(g, 1, out, 3, "rate_connection_delayed", 1.0, 0.1, {}, receptor++);
  m.watch(cells, 13, {"V_m", "learning_signal", "surrogate_gradient"});
}

void compartments(Made& m) {
  const Gid cells = m.driven("cm_default[-1,0,1;0:AMPA,2:NMDA]", 9, {{"gbar_Na_0", {30.0}}, {"gbar_K_0", {8.0}}}, 0.05, 5000.0, 1);
  m.join(cells, 9, cells, 9, "stdp_synapse", 0.02, 0.8, {}, 2);
  m.watch(cells, 9, {"v_comp0", "v_comp2"});
}

void third_factor(Made& m) {
  const Gid cells = m.driven("iaf_psc_exp", 15, {{"I_e", {375.0}}}, 30.0), transmitter = m.net.create("volume_transmitter", 1, {});
  ConnectCall pool = call(nodes(cells, 4), nodes(transmitter, 1), "all_to_all", 1.0, 0.5);
  m.net.connect(pool);
  m.join(cells, 15, cells, 15, "stdp_dopamine_synapse", 20.0, 0.9, {{"volume_transmitter", static_cast<double>(transmitter)}});
  m.watch(cells, 15, {"V_m"});
}

void histories(Made& m) {
  const Gid cells = m.driven("aeif_psc_delta_clopath", 13, {{"I_e", {700.0}}, {"A_LTP", {1e-2}}, {"A_LTD", {5e-3}}}, 0.6);
  const Gid two = m.driven("pp_cond_exp_mc_urbanczik", 5, {{"phi_max", {0.3}}}, 1.0, 3000.0, 1);
  m.join(cells, 13, cells, 13, "clopath_synapse", 2.0, 0.8);
  m.join(cells, 13, two, 5, "urbanczik_synapse", 2.0, 1.3, {{"eta", 0.02}}, 3);
  m.watch(cells, 13, {"V_m"});
}

struct Case {
  const char* name;
  void (*make)(Made&);
};

class Mechanisms : public testing::TestWithParam<Case> {};

TEST_P(Mechanisms, give_one_result) {
  const auto run = [&](Settings settings) {
    settings.seed = 7;
    Made m(std::move(settings));
    GetParam().make(m);
    for (const int piece : {130, 1, 169}) m.net.run(piece, nullptr);
    return m.result();
  };
  const Result expected = run({0.1, 7, 1, 0});
  EXPECT_GT(expected.size(), std::string_view(GetParam().name) == "rates" ? 6u : 12u);
  EXPECT_EQ(run({0.1, 7, 3, 4}), expected);
  for (const int ranks : {2, 3})
    expect_no_errors(on_ranks(ranks, [&](auto comm) {
      Settings s{0.1, 7, 2, 4};
      s.comm = std::move(comm);
      EXPECT_EQ(run(std::move(s)), expected) << ranks;
    }));
}

INSTANTIATE_TEST_SUITE_P(All, Mechanisms,
                         testing::Values(Case{"gap_junctions", gap_junctions}, Case{"rates", rates}, Case{"astrocytes", astrocytes},
                                         Case{"growth", growth}, Case{"eprop", eprop}, Case{"compartments", compartments},
                                         Case{"third_factor", third_factor}, Case{"histories", histories}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace npl::sim::test_mechanisms
