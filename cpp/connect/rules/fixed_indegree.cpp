// SPDX-License-Identifier: Apache-2.0
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// Draws `indegree` sources for every target. Arrays: row-major, one row of `indegree` values per target.
class FixedIndegree final : public PairRule {
 public:
  explicit FixedIndegree(const RuleContext& c) : PairRule(c), indegree_(static_cast<std::uint64_t>(c.params.count("indegree"))) {
    // Number of candidate sources of the target with the fewest; a target that is not in pre has all.
    const std::uint64_t choices = n_pre() - (excluded_pairs() > 0);
    if (!multapses_ && choices < most_per_target)
      check_count("indegree", c.params.count("indegree"), choices, ", the number of sources: each is drawn at most once without multapses");
    else
      check_count("indegree", c.params.count("indegree"), choices > 0 ? most_per_target : 0, "");
  }

  double expected_edges() const override { return static_cast<double>(indegree_) * static_cast<double>(n_post()); }
  Spread spread() const override { return {.kind = multapses_ ? Spread::Kind::repeated_per_target : Spread::Kind::pairs}; }
  std::int64_t array_length() const override { return array_size(indegree_, n_post()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const std::int64_t self = excluded(target);
    const TargetDraw draw{key_, gid(target), indegree_, n_pre() - (self >= 0), self, static_cast<std::uint64_t>(target) * indegree_};
    multapses_ ? draw_with_replacement(draw, batch, sink) : draw_without_replacement(draw, batch, sink);
  }

  void edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const override {
    if (!multapses_ || indegree_ > few_edges || n_pre() >> 32) return Rule::edges_of(targets, scratch, sink);
    const auto first = [&](std::size_t i) { return static_cast<std::uint64_t>(targets.position[i]) * indegree_; };
    edges_by_replacement(targets, scratch, sink, [&](std::size_t) { return indegree_; }, first);
  }

 private:
  std::uint64_t indegree_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(fixed_indegree, FixedIndegree, "Every target gets exactly `indegree` edges from random sources.", rows("n_post", "indegree"),
         count("indegree", "edges of a target"), autapses(), multapses())
