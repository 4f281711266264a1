// SPDX-License-Identifier: Apache-2.0
// Law 3, for each mechanism, in dry runs: from create to the end of a run, rank 17 of 10^6 allocates what it would as one of 10^3 with as
// many nodes each. It stores and gathers nothing of the others.
#include <gtest/gtest.h>

#include "comm/dry_run.hpp"
#include "small.hpp"

namespace npl::sim {

/// Bytes that were ever allocated. Defined in test_allocations.cpp.
std::uint64_t bytes_allocated();

}  // namespace npl::sim

namespace npl::sim::test_law3 {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr std::int64_t own = 20;  ///< nodes of each population on a rank

/// A network of n nodes per population.
struct Share {
  Network net;
  std::int64_t n;

  explicit Share(int ranks) : net(settings(ranks)), n(own * ranks) {}
  static Settings settings(int ranks) {
    Settings s{0.1, 7, 1, 0};
    s.comm = comm::dry_run(ranks, 17);
    s.slices = 2;
    s.exchange.strategy = "nbx";
    return s;
  }
  Gid cells(const char* model = "iaf_psc_exp", const Values& values = {{"I_e", {400.0}}}) { return net.create(model, n, values); }
  void join(Gid pre, Gid post, const char* synapse = "static_synapse", std::vector<std::pair<std::string, double>> parameters = {}) {
    ConnectCall c = call(nodes(pre, n), nodes(post, n), "fixed_indegree", 20.0, 1.0);
    c.rule_params = {{"indegree", 5}};
    c.synapse = synapse, c.synapse_params = std::move(parameters);
    net.connect(c);
  }
  void pair(Gid pre, Gid post, double weight = 20.0, const char* synapse = "static_synapse") {
    ConnectCall c = call(nodes(pre, n), nodes(post, n), "one_to_one", weight, 1.0);
    c.synapse = synapse;
    net.connect(c);
  }
};

void plain(Share& s) {
  const Gid cells = s.cells();
  s.join(cells, cells);
}
void plastic(Share& s) {
  const Gid cells = s.cells();
  for (const char* rule : {"stdp_synapse", "stdp_triplet_synapse", "tsodyks2_synapse", "calcium_synapse"}) s.join(cells, cells, rule);
}
void generators(Share& s) {
  const Gid cells = s.cells();
  s.pair(s.net.create("poisson_generator", s.n, {{"rate", {5000.0}}}), cells);
  s.pair(s.net.create("dc_generator", s.n, {{"amplitude", {100.0}}}), cells, 1.0);
  s.pair(s.net.create("spike_generator", s.n, {}), cells);
}
void plastic_drives(Share& s) { s.pair(s.net.create("poisson_generator", s.n, {{"rate", {5000.0}}}), s.cells(), 20.0, "stdp_synapse"); }
void changed_generators(Share& s) {
  const Gid cells = s.cells(), noise = s.net.create("poisson_generator", s.n, {});
  s.pair(noise, cells);
  s.net.build(nullptr);
  s.net.set({noise, noise + s.n - 1}, {{"rate", {3000.0}}});
}
void recorders(Share& s) {
  const Gid cells = s.cells();
  s.join(cells, cells);
  s.net.record_spikes(nodes(cells, s.n), 0, 1 << 30);
  s.net.record_binned(nodes(cells, s.n), "rate", 10);
  s.net.record_state({cells, cells + s.n - 1}, {"V_m"}, {1, 0});
  s.net.record_spikes(nodes(s.net.create("poisson_generator", s.n, {{"rate", {100.0}}}), s.n), 0, 1 << 30);
}
void weights(Share& s) {
  const Gid cells = s.cells();
  ConnectCall c = call(nodes(cells, s.n), nodes(cells, s.n), "fixed_indegree", 20.0, 1.0);
  c.rule_params = {{"indegree", 5}};
  c.synapse = "stdp_synapse", c.recorder = s.net.record_weights(nullptr, nullptr);
  s.net.connect(c);
}
void third_factor(Share& s) {
  const Gid cells = s.cells(), transmitter = s.net.create("volume_transmitter", 1, {});
  s.net.connect(call(nodes(cells, 4), nodes(transmitter, 1), "all_to_all", 1.0, 1.0));
  s.join(cells, cells, "stdp_dopamine_synapse", {{"volume_transmitter", static_cast<double>(transmitter)}});
}
void histories(Share& s) {
  const Gid cells = s.cells("aeif_psc_delta_clopath", {{"I_e", {700.0}}});
  s.join(cells, cells, "clopath_synapse");
}
void rates(Share& s) {
  const Gid cells = s.cells("lin_rate_ipn", {});
  s.join(cells, cells, "rate_connection_delayed");
}
void off_grid(Share& s) {
  const Gid cells = s.cells("iaf_psc_exp_ps");
  s.join(cells, cells), s.join(cells, cells, "stdp_synapse");
}
void drawn_values(Share& s) {
  const Gid cells = s.net.create("iaf_psc_exp", s.n, {}, {{"V_m", clipped_normal(-60.0, 4.0, -70.0, -56.0), 1}});
  ConnectCall c = call(nodes(cells, s.n), nodes(cells, s.n), "pairwise_bernoulli", 0.0, 0.0);
  c.rule_params = {{"p", 5.0 / static_cast<double>(s.n)}};
  c.weight = clipped_normal(20.0, 4.0, 0.0, 100.0), c.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
  s.net.connect(c);
}

void gap_junctions(Share& s) {
  const Gid cells = s.cells("hh_psc_alpha_gap", {{"I_e", {300.0}}});
  ConnectCall both = call(nodes(cells, s.n), nodes(cells, s.n), "explicit", 2.0, 0.1);
  both.rule_params = connect::listing({17, 18}, {18, 17});
  both.synapse = "gap_junction";
  s.net.connect(both);
}
void eprop(Share& s) {
  const Gid cells = s.cells("eprop_iaf_adapt", {{"I_e", {450.0}}});
  s.join(cells, cells, "eprop_synapse");
}
void astrocytes(Share& s) {
  const Gid cells = s.cells("aeif_cond_alpha_astro", {{"I_e", {700.0}}}), glia = s.cells("astrocyte_lr_1994", {});
  s.join(cells, glia, "tsodyks_synapse"), s.join(glia, cells, "sic_connection");
}
void edited(Share& s) {
  plastic(s);
  s.net.build(nullptr);
  const Handles all = s.net.connections(nullptr, nullptr, "stdp_synapse");
  s.net.edit(weights_of(all, {30.0}));
  ConnectionEdits e{all};
  e.delay = {7};
  s.net.edit(e);
}

void removed(Share& s) {
  plastic(s);
  s.net.run(5, nullptr);
  const Handles all = s.net.connections(nullptr, nullptr, "stdp_triplet_synapse");
  ConnectionEdits e{all};
  e.remove = true;
  s.net.edit(e);
}
/// Kinds of their own: other parameters and labels.
void relabeled(Share& s) {
  plastic(s);
  s.net.run(5, nullptr);
  const Handles all = s.net.connections(nullptr, nullptr, "stdp_synapse");
  ConnectionEdits e{all};
  e.parameters = {{"lambda", {0.02}}}, e.label = {7};
  s.net.edit(e);
}

/// Synapses form in the first update, and some go later.
void grown(Share& s) {
  const Gid cells = s.cells();
  const auto all = nodes(cells, s.n);
  s.net.set_calcium(all, {{"tau_Ca", {50.0}}});
  s.net.set_elements(
      all, {{"axon", "linear", {{"growth_rate", {-0.5}}, {"z", {4.0}}}}, {"spine", "linear", {{"growth_rate", {0.0}}, {"z", {3.0}}}}});
  GrowCall call{"axon", "spine", true, true, {}};
  call.synapses.weight = constant(10.0), call.synapses.delay = constant(1.0), call.synapses.label = 1;
  s.net.grow(call);
  s.net.set_updates(10, true);
}

struct Case {
  const char* name;
  void (*make)(Share&);
};

class Law3 : public testing::TestWithParam<Case> {};

TEST_P(Law3, ARankOfAMillionAllocatesAsOneOfAThousand) {
  const auto allocated = [&](int ranks) {
    const std::uint64_t before = bytes_allocated();
    Share s(ranks);
    GetParam().make(s);
    s.net.run(40, nullptr);
    return static_cast<double>(bytes_allocated() - before);
  };
  const double few = allocated(1000), many = allocated(1000000);
  EXPECT_GT(few, 0.0);
  EXPECT_LE(many, 1.25 * few + 65536.0) << few;
}

INSTANTIATE_TEST_SUITE_P(All, Law3,
                         testing::Values(Case{"plain", plain}, Case{"plastic", plastic}, Case{"generators", generators},
                                         Case{"plastic_drives", plastic_drives}, Case{"changed_generators", changed_generators},
                                         Case{"recorders", recorders}, Case{"weights", weights}, Case{"third_factor", third_factor},
                                         Case{"histories", histories}, Case{"rates", rates}, Case{"off_grid", off_grid},
                                         Case{"drawn_values", drawn_values}, Case{"gap_junctions", gap_junctions}, Case{"eprop", eprop},
                                         Case{"astrocytes", astrocytes}, Case{"edited", edited}, Case{"removed", removed},
                                         Case{"relabeled", relabeled}, Case{"grown", grown}),
                         [](const auto& info) { return std::string(info.param.name); });

#endif

}  // namespace
}  // namespace npl::sim::test_law3
