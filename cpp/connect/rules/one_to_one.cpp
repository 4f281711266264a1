// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// Connects the i-th source to the i-th target. Arrays: one value per pair.
class OneToOne final : public PairRule {
 public:
  explicit OneToOne(const RuleContext& c) : PairRule(c) {
    if (n_pre() != n_post()) throw BadLength("post", n_post(), n_pre());
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
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(one_to_one, OneToOne, "The i-th source connects to the i-th target.", "allow_autapses")
