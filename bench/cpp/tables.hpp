// SPDX-License-Identifier: Apache-2.0
/// Projections and tables like those of the benchmark networks, for the loops of construction and delivery.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "connect/builder.hpp"

namespace npl::bench {

/// A projection by fixed in-degree with its one table.
struct Example {
  std::vector<std::unique_ptr<connect::Projection>> projections;
  std::vector<std::unique_ptr<tables::TableSpec>> specs;

  std::vector<std::unique_ptr<tables::EdgeTable>> build() const {
    std::atomic<std::uint64_t> done{0};
    PhaseTimer<connect::BuildPhase> timer;
    Residents nodes;
    nodes.add(1, Members(1, 1, projections.back()->post.highest()));
    return connect::SliceBuilder(nodes, projections, specs).build(done, timer);
  }
};

inline rng::ValueSpec constant(double value) {
  rng::ValueSpec s;
  s.a = value;
  return s;
}

inline rng::ValueSpec normal(double mean, double deviation, double least) {
  rng::ValueSpec s;
  s.kind = rng::Kind::normal;
  s.a = mean;
  s.b = deviation;
  s.limit = rng::Limit::redraw;
  s.min = least;
  return s;
}

/// @param mixed normal weights and delays 1.5 +- 0.75 ms as in the microcircuit; otherwise one weight and one delay
inline Example example(std::int64_t sources, std::int64_t targets, std::int64_t indegree, bool mixed) {
  Example e;
  auto p = std::make_unique<connect::Projection>();
  p->pre = connect::NodeSet({{1, sources, 1}});
  p->post = connect::NodeSet({{1, targets, 1}});
  const connect::RuleParams params{{"indegree", std::int64_t{indegree}}};
  p->rule = connect::find_rule("fixed_indegree").make({p->pre, p->post, rng::Key::of(1, rng::Purpose::connect, 0), params});
  p->weight = mixed ? normal(87.81, 8.781, 0.0) : constant(87.81);
  p->delay = mixed ? normal(1.5, 0.75, 0.1) : constant(1.5);
  if (mixed) p->weights = std::make_shared<const rng::Sampler>(p->weight);
  if (mixed) p->delays = std::make_shared<const rng::DelaySampler>(p->delay, 0.1);
  p->lowest_delay = mixed ? p->delays->lowest() : 15;
  p->highest_delay = mixed ? p->delays->highest() : 15;
  p->table = 0;
  e.projections.push_back(std::move(p));
  auto spec = std::make_unique<tables::TableSpec>();
  spec->synapse = &synapses::find_synapse("static_synapse");
  spec->weights = mixed ? tables::Weights::f32 : tables::Weights::uniform;
  spec->uniform = 87.81;
  e.specs.push_back(std::move(spec));
  return e;
}

}  // namespace npl::bench
