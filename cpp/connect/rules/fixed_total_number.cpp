// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "connect/count_tree.hpp"
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// N edges between random pairs. No arrays: the number of edges of a target is random.
class FixedTotalNumber final : public PairRule {
 public:
  explicit FixedTotalNumber(const RuleContext& c) : PairRule(c) {
    check_sizes(most_per_target);
    const std::uint64_t pairs = n_pre() * n_post() - excluded_pairs();
    if (!multapses_)
      check_count("N", c.params.n, pairs, ", the pairs there are without multapses");
    else
      check_count("N", c.params.n, pairs > 0 ? n_post() << 31 : 0, "");
    n_ = static_cast<std::uint64_t>(c.params.n);
    const auto split = multapses_ ? CountTree::Split::with_replacement : CountTree::Split::without_replacement;
    counts_ = std::make_unique<CountTree>(key_, n_, split, n_post(), n_pre(), targets_in_pre());
  }

  double expected_edges() const override { return static_cast<double>(n_); }
  std::int64_t array_length() const override { return -1; }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const std::int64_t self = excluded(target);
    const std::uint64_t n = counts_->count(static_cast<std::uint64_t>(target));
    const TargetDraw draw{key_, gid(target), n, n_pre() - (self >= 0), self, 0};
    multapses_ ? draw_with_replacement(draw, batch, sink) : draw_without_replacement(draw, batch, sink);
  }

 private:
  std::vector<std::uint32_t> targets_in_pre() const {
    std::vector<std::uint32_t> positions;
    if (excluded_pairs() == 0) return positions;
    for (std::int64_t t = 0; t < post_.size(); ++t)
      if (excluded(t) >= 0) positions.push_back(static_cast<std::uint32_t>(t));
    return positions;
  }

  std::uint64_t n_;
  std::unique_ptr<CountTree> counts_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(fixed_total_number, FixedTotalNumber, "N edges between random pairs of source and target.", "N", "allow_autapses",
         "allow_multapses")
