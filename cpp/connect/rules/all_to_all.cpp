// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// Connects every source to every target. Arrays: row-major, one row of n_pre values per target, with unused entries for excluded autapses.
class AllToAll final : public PairRule {
 public:
  explicit AllToAll(const RuleContext& c) : PairRule(c) {}

  double expected_edges() const override {
    return static_cast<double>(n_pre()) * static_cast<double>(n_post()) - static_cast<double>(excluded_pairs());
  }
  Spread spread() const override { return {.kind = Spread::Kind::pairs}; }
  std::int64_t array_length() const override { return array_size(n_pre(), n_post()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const std::int64_t self = excluded(target);
    if (self < 0) return run(target, 0, n_pre(), batch, sink);
    run(target, 0, static_cast<std::uint64_t>(self), batch, sink);
    run(target, static_cast<std::uint64_t>(self) + 1, n_pre(), batch, sink);
  }

 private:
  void run(std::int64_t target, std::uint64_t begin, std::uint64_t end, EdgeBatch& batch, EdgeSink& sink) const {
    in_batches(end - begin, batch, sink, [&](std::uint64_t k) {
      std::iota(batch.source, batch.source + batch.n, begin + k);
      fill_words(key_, gid(target), begin + k, batch);
      fill_index(static_cast<std::uint64_t>(target) * n_pre() + begin + k, batch);
    });
  }
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(all_to_all, AllToAll, "Every source connects to every target.", rows("n_post", "n_pre"), autapses())
