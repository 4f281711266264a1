// SPDX-License-Identifier: Apache-2.0
/// A small network with something of everything, shared by the tests of one rank and of several.
#pragma once
#include <tuple>

#include "connect/listed.hpp"
#include "sim/network.hpp"

namespace npl::sim {

inline connect::NodeSet nodes(Gid first, std::int64_t n) { return connect::NodeSet({{first, n, 1}}); }

inline rng::ValueSpec constant(double value) {
  rng::ValueSpec s;
  s.a = value;
  return s;
}

inline rng::ValueSpec clipped_normal(double mean, double sd, double min, double max) {
  rng::ValueSpec s;
  s.kind = rng::Kind::normal;
  s.a = mean, s.b = sd;
  s.limit = rng::Limit::clip;
  s.min = min, s.max = max;
  return s;
}

inline ConnectCall call(connect::NodeSet pre, connect::NodeSet post, const std::string& rule, double weight, double delay) {
  ConnectCall c;
  c.pre = std::move(pre);
  c.post = std::move(post);
  c.rule = rule;
  c.weight = constant(weight);
  c.delay = constant(delay);
  return c;
}

inline ConnectionEdits weights_of(const Handles& at, std::vector<double> weights) {
  ConnectionEdits e;
  static_cast<Handles&>(e) = at;
  e.weight = std::move(weights);
  return e;
}

/// Neurons that fire, Poisson input, static and plastic synapses, all recorded.
struct Small {
  Network net;
  int spikes, trace;
  Gid first;

  explicit Small(Settings settings) : net(settings) {
    first = net.create("iaf_psc_exp", 60, {{"I_e", {380.0}}});
    const Gid poisson = net.create("poisson_generator", 1, {{"rate", {5000.0}}});
    const Gid more = net.create("iaf_psc_delta", 17, {{"I_e", {400.0}}});
    net.connect(call(nodes(poisson, 1), nodes(first, 60), "all_to_all", 40.0, 0.2));
    ConnectCall random = call(nodes(first, 60), nodes(first, 60), "fixed_indegree", 0, 0);
    random.rule_params = {{"indegree", 10}};
    random.weight = clipped_normal(0.0, 40.0, -100.0, 100.0);
    random.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
    net.connect(random);
    ConnectCall plastic = random;
    plastic.weight = constant(30.0);
    plastic.synapse = "stdp_synapse";
    net.connect(plastic);
    ConnectCall onto = call(nodes(first, 60), nodes(more, 17), "pairwise_bernoulli", 0.4, 0.3);
    onto.rule_params = {{"p", 0.2}};
    net.connect(onto);
    spikes = net.record_spikes(connect::NodeSet({{first, 60, 1}, {more, 17, 1}}), 0, 1 << 30);
    trace = net.record_state({first, first + 59, first + 7}, {"V_m", "I_syn_ex"}, {3, 0});
  }
  auto result() const { return std::tuple(net.spikes(spikes), net.samples(trace).values, net.connections(nullptr, nullptr, "").weight); }
};

}  // namespace npl::sim
