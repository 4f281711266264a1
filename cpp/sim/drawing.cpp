// SPDX-License-Identifier: Apache-2.0
/// draw_edges(): edges of a rule as arrays, for callers that compute weights and delays from source and target and then connect explicitly.
#include <memory>

#include "base/error.hpp"
#include "sim/description.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {
namespace {

constexpr int key_bits = 22;  ///< bits of a key for the index of an edge of its target

class EdgeList final : public connect::EdgeSink {
 public:
  explicit EdgeList(DrawnEdges& out) : out_(out) {}
  void start(std::int64_t target) { target_ = target, count_ = 0; }
  void take(const connect::EdgeBatch& batch) override {
    const auto n = static_cast<std::int64_t>(batch.n);
    if ((count_ + n - 1) >> key_bits)
      throw BadParameter("edges of a target", static_cast<double>(count_ + n), "at most 2^22 where values are evaluated edge by edge");
    out_.source.insert(out_.source.end(), batch.source, batch.source + n);
    out_.target.insert(out_.target.end(), batch.n, target_);
    const std::size_t before = out_.key.size();
    out_.key.resize(before + batch.n);
    for (std::int64_t k = 0; k < n; ++k) out_.key[before + static_cast<std::size_t>(k)] = target_ << key_bits | (count_ + k);
    if (batch.wants_index) out_.index.insert(out_.index.end(), batch.value_index, batch.value_index + n);
    count_ += n;
  }

 private:
  DrawnEdges& out_;
  std::int64_t target_ = 0, count_ = 0;
};

}  // namespace

DrawnEdges Description::draw_edges(const connect::NodeSet& pre, const connect::NodeSet& post, const std::string& rule,
                                   const connect::RuleParams& params) const {
  for (const auto& [set, name] : {std::pair{&pre, "pre"}, std::pair{&post, "post"}}) {
    if (set->size() == 0) throw BadParameter(name, "an empty collection", "at least one node");
    populations_.of(set->lowest(), name), populations_.of(set->highest(), name);
  }
  const rng::Key key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(progress_.projections));
  const auto drawn = connect::find_rule(rule).make({pre, post, key, params});
  check_memory(drawn->expected_edges() / ranks() * 3 * sizeof(std::int64_t), "draw_edges");
  DrawnEdges edges;
  for (auto* column : {&edges.source, &edges.target, &edges.key})
    column->reserve(static_cast<std::size_t>(drawn->expected_edges() / ranks()));
  EdgeList list(edges);
  const auto batch = std::make_unique<connect::EdgeBatch>();
  batch->with_words = false;
  batch->wants_index = drawn->array_length() >= 0;
  for (std::int64_t t = 0; t < post.size(); ++t) {
    if (ranks() > 1 && populations_.rank_of(post[t]) != rank()) continue;
    list.start(t);
    drawn->edges(t, *batch, list);
  }
  return edges;
}

}  // namespace npl::sim
