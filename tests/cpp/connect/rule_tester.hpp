// SPDX-License-Identifier: Apache-2.0
/// Runs rules and lists their edges.
#pragma once
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "connect/listed.hpp"
#include "connect/rule.hpp"

namespace npl::connect {

struct MadeEdge {
  std::int64_t source, target;  ///< positions
  std::uint32_t weight_word, delay_word;
  std::uint64_t index;
  auto operator<=>(const MadeEdge&) const = default;
};

inline NodeSet nodes(Gid first, std::int64_t n, std::int64_t stride = 1) { return NodeSet({{first, n, stride}}); }

/// A number of edges, a probability and flags, of which a rule is given those that it has.
struct Params {
  std::int64_t n = -1;
  bool allow_autapses = true, allow_multapses = true;
  double p = -1.0;
};
inline Params params(std::int64_t n = -1, bool autapses = true, bool multapses = true) { return {n, autapses, multapses}; }
inline Params probability(double p, bool autapses = true) { return {-1, autapses, true, p}; }

/// The parameters of this rule. Lists: those given.
inline RuleParams params_of(const std::string& rule, const Params& given, RuleParams lists = {}) {
  for (const RuleParam& q : find_rule(rule).parameters) {
    if (q.type == ParamType::count) lists.set(q.name, given.n);
    if (q.type == ParamType::probability) lists.set(q.name, given.p);
    if (q.name == std::string("allow_autapses")) lists.set(q.name, given.allow_autapses);
    if (q.name == std::string("allow_multapses")) lists.set(q.name, given.allow_multapses);
  }
  return lists;
}

/// What a rule is made from.
struct Ingredients {
  NodeSet pre, post;
  rng::Key key;
  Params params;
  RuleParams lists;
};

inline Ingredients context(NodeSet pre, NodeSet post, Params p, std::uint64_t seed = 1) {
  return {std::move(pre), std::move(post), rng::Key::of(seed, rng::Purpose::connect, 0), p, {}};
}
inline Ingredients context(NodeSet pre, NodeSet post, RuleParams lists, std::uint64_t seed = 1) {
  return {std::move(pre), std::move(post), rng::Key::of(seed, rng::Purpose::connect, 0), {}, std::move(lists)};
}
inline std::unique_ptr<Rule> make(const std::string& rule, const Ingredients& c) {
  return find_rule(rule).make({c.pre, c.post, c.key, params_of(rule, c.params, c.lists)});
}

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
inline std::vector<MadeEdge> all_edges(const std::string& rule, const Ingredients& c) {
  return edges_of(*make(rule, c), first_positions(c.post.size()));
}

}  // namespace npl::connect
