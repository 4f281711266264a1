// SPDX-License-Identifier: Apache-2.0
/// Runs rules and lists their edges.
#pragma once
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "connect/rule.hpp"

namespace npl::connect {

struct MadeEdge {
  std::int64_t source, target;  ///< positions
  std::uint32_t weight_word, delay_word;
  std::uint64_t index;
  auto operator<=>(const MadeEdge&) const = default;
};

inline NodeSet nodes(Gid first, std::int64_t n, std::int64_t stride = 1) { return NodeSet({{first, n, stride}}); }

/// Parameters n and p suitable for the rule of this name; flags as given.
inline RuleParams params(std::int64_t n = -1, bool autapses = true, bool multapses = true) {
  RuleParams p;
  p.n = n;
  p.allow_autapses = autapses;
  p.allow_multapses = multapses;
  return p;
}
inline RuleParams probability(double p, bool autapses = true) {
  RuleParams r = params(-1, autapses);
  r.p = p;
  return r;
}

inline RuleContext context(NodeSet pre, NodeSet post, RuleParams p, std::uint64_t seed = 1) {
  return {std::move(pre), std::move(post), rng::Key::of(seed, rng::Purpose::connect, 0), std::move(p)};
}
inline std::unique_ptr<Rule> make(const std::string& rule, const RuleContext& c) { return find_rule(rule).make(c); }

class Collect final : public EdgeSink {
 public:
  void take(const EdgeBatch& b) override {
    for (std::size_t i = 0; i < b.n; ++i)
      edges.push_back({static_cast<std::int64_t>(b.source[i]), target, b.with_words ? b.weight_word[i] : 0,
                       b.with_words ? b.delay_word[i] : 0, b.wants_index ? b.value_index[i] : 0});
  }
  std::int64_t target = 0;
  std::vector<MadeEdge> edges;
};

/// The edges of the given targets, in order.
inline std::vector<MadeEdge> edges_of(const Rule& rule, const std::vector<std::int64_t>& targets, bool words = true, bool index = true) {
  auto batch = std::make_unique<EdgeBatch>();
  batch->with_words = words;
  batch->wants_index = index;
  Collect sink;
  for (const std::int64_t t : targets) {
    sink.target = t;
    rule.edges(t, *batch, sink);
  }
  return sink.edges;
}
inline std::vector<std::int64_t> first_positions(std::int64_t n) {
  std::vector<std::int64_t> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  return p;
}
inline std::vector<MadeEdge> all_edges(const std::string& rule, const RuleContext& c) {
  return edges_of(*make(rule, c), first_positions(c.post.size()));
}

}  // namespace npl::connect
