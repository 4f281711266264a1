// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// Connects the i-th source to the i-th target. Arrays: one value per pair.
class OneToOne final : public PairRule {
 public:
  explicit OneToOne(const RuleContext& c) : PairRule(c) {
    if (n_pre() != n_post()) throw BadLength("post", n_post(), n_pre(), "the number of nodes in pre");
  }

  double expected_edges() const override {
    if (autapses_) return static_cast<double>(n_pre());
    return static_cast<double>(pre_.size() - same_at_same_position(pre_, post_));
  }
  Spread spread() const override { return {.kind = Spread::Kind::per_source}; }
  std::int64_t array_length() const override { return pre_.size(); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    if (!autapses_ && pre_[target] == post_[target]) return;
    in_batches(1, batch, sink, [&](std::uint64_t) {
      batch.source[0] = static_cast<std::uint64_t>(target);
      fill_words(key_, gid(target), 0, batch);
      fill_index(static_cast<std::uint64_t>(target), batch);
    });
  }

  void edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const override {
    EdgeBatch& batch = scratch.joined;
    std::uint64_t gids[batch_capacity], first_edge[batch_capacity] = {};
    static_assert(TargetBatch::capacity <= batch_capacity);
    batch.n = 0;
    for (std::size_t i = 0; i < targets.n; ++i) {
      const std::int64_t target = targets.position[i];
      if (!autapses_ && pre_[target] == targets.gid[i]) continue;
      gids[batch.n] = static_cast<std::uint64_t>(targets.gid[i]);
      batch.target[batch.n] = targets.local[i];
      if (batch.wants_index) batch.value_index[batch.n] = static_cast<std::uint64_t>(target);
      batch.source[batch.n++] = static_cast<std::uint64_t>(target);
    }
    if (batch.n == 0) return;
    fill_words(key_, gids, first_edge, batch);
    sink.take(batch);
  }
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(one_to_one, OneToOne, "The i-th source connects to the i-th target.", no_rows(), autapses())
