// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "connect/count_tree.hpp"
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// Draws N edges between random pairs. Accepts no arrays: the in-degrees are random.
class FixedTotalNumber final : public PairRule {
 public:
  explicit FixedTotalNumber(const RuleContext& c) : PairRule(c) {
    const auto pairs = static_cast<unsigned __int128>(n_pre()) * n_post() - excluded_pairs();
    if (!multapses_ && pairs < most_edges)
      check_count("N", c.params.count("N"), static_cast<std::uint64_t>(pairs), ", the pairs there are without multapses");
    else
      check_count("N", c.params.count("N"), pairs > 0 ? std::min(most_edges >> 31, n_post()) << 31 : 0, "");
    n_ = static_cast<std::uint64_t>(c.params.count("N"));
    const auto split = multapses_ ? CountTree::Split::with_replacement : CountTree::Split::without_replacement;
    counts_ = std::make_unique<CountTree>(key_, n_, split, n_post(), n_pre(), without());
  }

  double expected_edges() const override { return static_cast<double>(n_); }
  Spread spread() const override { return {.kind = multapses_ ? Spread::Kind::repeated : Spread::Kind::pairs}; }
  std::int64_t array_length() const override { return -1; }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const std::int64_t self = excluded(target);
    const std::uint64_t n = counts_->at(static_cast<std::uint64_t>(target)).count;
    const TargetDraw draw{key_, gid(target), n, n_pre() - (self >= 0), self, 0};
    multapses_ ? draw_with_replacement(draw, batch, sink) : draw_without_replacement(draw, batch, sink);
  }

  void edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const override {
    if (!draws_together()) return Rule::edges_of(targets, scratch, sink);
    std::uint64_t counts[TargetBatch::capacity];
    counts_of(targets, scratch.in_degrees, counts);
    edges_by_replacement(targets, scratch, sink, [&](std::size_t i) { return counts[i]; }, [](std::size_t) { return 0; });
  }

  bool in_degrees(std::span<const std::int64_t> positions, std::uint8_t* to) const override {
    CountTree::Share shares[CountTree::most_at_once];
    if (!draws_together()) return false;
    while (!positions.empty()) {
      const auto some = positions.first(std::min(positions.size(), CountTree::most_at_once));
      counts_->at_each(some, shares);
      for (std::size_t i = 0; i < some.size(); ++i) to[some[i]] = static_cast<std::uint8_t>(std::min<std::uint64_t>(shares[i].count, many));
      positions = positions.subspan(some.size());
    }
    return true;
  }

 private:
  static_assert(TargetBatch::capacity <= CountTree::most_at_once);

  /// @param known in-degrees by position, or null
  void counts_of(const TargetBatch& targets, const std::uint8_t* known, std::uint64_t* counts) const {
    bool all = known != nullptr;
    for (std::size_t i = 0; all && i < targets.n; ++i) counts[i] = known[targets.position[i]], all = counts[i] != many;
    if (all) return;
    CountTree::Share shares[TargetBatch::capacity];
    counts_->at_each({targets.position, targets.n}, shares);
    for (std::size_t i = 0; i < targets.n; ++i) counts[i] = shares[i].count;
  }

  bool draws_together() const {
    return multapses_ && static_cast<double>(n_) <= few_edges * static_cast<double>(n_post()) && n_pre() >> 32 == 0;
  }

  /// Targets with an excluded autapse: one candidate source less.
  std::optional<Subset> without() const {
    if (autapses_) return {};
    return Subset(post_, pre_);
  }

  std::uint64_t n_;
  std::unique_ptr<CountTree> counts_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(fixed_total_number, FixedTotalNumber, "N edges between random pairs of source and target.", no_rows(), count("N", "edges in all"),
         autapses(), multapses())
