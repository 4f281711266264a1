// SPDX-License-Identifier: Apache-2.0
/// Two areas with delays of their own inside and between, plastic synapses and devices; ranks that are threads.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "small.hpp"

namespace npl::sim {

/// Runs body(communicator) as every rank, whatever it throws kept: "" or the class and text of the error.
/// @param per_node ranks of a machine; 0: all
inline std::vector<std::string> on_ranks(int n, const std::function<void(std::shared_ptr<comm::Communicator>)>& body, int per_node = 0) {
  const auto group = comm::threads(n, per_node);
  std::vector<std::string> errors(group.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < group.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        body(group[r]);
      } catch (const RankError& e) {
        errors[r] = std::string("RankError ") + e.what();
      } catch (const std::exception& e) {
        errors[r] = e.what();
      }
    });
  for (auto& t : threads) t.join();
  return errors;
}

inline void expect_no_errors(const std::vector<std::string>& errors) {
  for (const auto& e : errors) EXPECT_EQ(e, "");
}

/// Shortest delays [ms]; 0: no such synapses.
struct Delays {
  double inside, between;
  double inside_b = -1.0;  ///< of area B; below 0: as of area A
  double growth = 0.0;     ///< lambda of plastic synapses between areas that grow without bound; 0: others
  Delays(double in, double out, double in_b = -1.0, double grow = 0.0)
      : inside(in), between(out), inside_b(in_b < 0 ? in : in_b), growth(grow) {}
};

/// 48 cells each, driven so that they fire; every pathway has a static and a plastic part.
struct TwoAreas {
  Network net;
  Gid a, b;
  std::vector<int> recorders;
  int trace;

  TwoAreas(Settings settings, const Delays& d, const std::string& second = "B") : net(settings) {
    a = net.create("iaf_psc_exp", 48, {{"I_e", {400.0}}}, {}, "A");
    const Gid noise = net.create("poisson_generator", 1, {{"rate", {6000.0}}});
    b = net.create("iaf_psc_alpha", 48, {{"I_e", {420.0}}}, {}, second);
    const Gid given = net.create("spike_generator", 1, {}, {}, second);
    net.set({given}, {}, {{"spike_times", {1.0, 4.9, 5.0, 9.9, 15.0}}});
    net.connect(call(nodes(noise, 1), nodes(a, 48), "all_to_all", 40.0, 0.2));
    net.connect(call(nodes(noise, 1), nodes(b, 48), "all_to_all", 20.0, 0.1));
    path(a, a, d.inside), path(b, b, d.inside_b), path(a, b, d.between, d.growth), path(b, a, d.between);
    if (d.between > 0) net.connect(call(nodes(given, 1), nodes(a, 48), "all_to_all", 300.0, d.between));
    if (d.inside_b > 0) net.connect(call(nodes(given, 1), nodes(b, 48), "all_to_all", 200.0, d.inside_b));
    record(a, 48), record(b, 48);
    trace = net.record_state({a, b + 47, a + 7}, {"V_m"}, {3, 0});
  }
  /// Cells of both areas that come later.
  void grow() {
    const Gid late = net.create("iaf_psc_exp", 9, {{"I_e", {500.0}}}, {}, "A");
    net.connect(call(nodes(late, 9), nodes(b, 48), "all_to_all", 25.0, 5.0));
    net.connect(call(nodes(b, 48), nodes(late, 9), "all_to_all", 15.0, 6.0));
    record(late, 9);
  }
  auto result() const {
    std::vector<std::vector<Spike>> spikes;
    for (int r : recorders) spikes.push_back(net.spikes(r));
    std::vector<Spike> all;
    for (const auto& s : spikes) all.insert(all.end(), s.begin(), s.end());
    return std::tuple(all, net.samples(trace).values, net.connections(nullptr, nullptr, "").weight);
  }

 private:
  void path(Gid from, Gid to, double delay, double growth = 0.0) {
    if (delay <= 0) return;
    ConnectCall random = call(nodes(from, 48), nodes(to, 48), "fixed_indegree", 0, delay);
    random.rule_params = {{"indegree", 6}};
    random.weight = clipped_normal(0.0, 40.0, -100.0, 100.0);
    random.delay = clipped_normal(delay + 0.4, 0.5, delay, delay + 2.0);
    net.connect(random);
    ConnectCall plastic = random;
    plastic.weight = constant(30.0);
    plastic.synapse = growth > 0 ? "stdp_pl_synapse_hom" : "stdp_synapse";
    if (growth > 0) plastic.synapse_params = {{"lambda", growth}, {"alpha", 1e-6}, {"mu", 0.9}};
    net.connect(plastic);
  }
  void record(Gid first, std::int64_t n) { recorders.push_back(net.record_spikes(nodes(first, n), 0, 1 << 30)); }
};

}  // namespace npl::sim
