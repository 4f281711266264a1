// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

void check_positions(const char* name, const std::vector<std::int64_t>& positions, std::int64_t size) {
  const auto bad = std::find_if(positions.begin(), positions.end(), [=](std::int64_t p) { return p < 0 || p >= size; });
  if (bad == positions.end()) return;
  throw BadParameter(std::string(name) + "[" + std::to_string(bad - positions.begin()) + "]", std::to_string(*bad),
                     "a position from 0 to " + std::to_string(size - 1));
}

/// The edges that the user lists as positions in the two sets. Arrays: one value per edge in the order of the list. With own_targets the
/// list holds those of this rank's nodes alone: what a rank keeps is its share. The order within a target is all that results depend on.
class Explicit final : public PairRule {
 public:
  explicit Explicit(const RuleContext& c) : PairRule(c) {
    const auto &sources = c.params.sources, &targets = c.params.targets;
    if (sources.size() != targets.size()) throw BadLength("targets", targets.size(), sources.size());
    check_positions("sources", sources, pre_.size());
    check_positions("targets", targets, post_.size());
    expected_ = c.params.own_targets && c.params.edges_of_all_ranks >= 0 ? c.params.edges_of_all_ranks : static_cast<double>(targets.size());
    order_.resize(targets.size());
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint64_t a, std::uint64_t b) { return targets[a] < targets[b]; });
    for (std::uint64_t i : order_) {
      sources_.push_back(static_cast<std::uint64_t>(sources[i]));
      targets_.push_back(targets[i]);
    }
    count_degrees(sources);
  }

  double expected_edges() const override { return expected_; }
  Spread spread() const override { return {.kind = Spread::Kind::listed, .degrees = degrees_}; }
  std::int64_t array_length() const override { return static_cast<std::int64_t>(order_.size()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const auto [first, last] = std::equal_range(targets_.begin(), targets_.end(), target);
    const auto begin = static_cast<std::size_t>(first - targets_.begin());
    in_batches(static_cast<std::uint64_t>(last - first), batch, sink, [&](std::uint64_t k) {
      std::copy_n(sources_.data() + begin + k, batch.n, batch.source);
      fill_words(key_, gid(target), k, batch);
      if (batch.wants_index) std::copy_n(order_.data() + begin + k, batch.n, batch.value_index);
    });
  }

 private:
  void count_degrees(std::vector<std::int64_t> sources) {
    std::sort(sources.begin(), sources.end());
    for (auto first = sources.begin(); first != sources.end();) {
      const auto last = std::upper_bound(first, sources.end(), *first);
      ++degrees_[last - first];
      first = last;
    }
  }

  std::map<std::int64_t, double> degrees_;  ///< sources by number of edges
  double expected_;                         ///< edges of all ranks
  std::vector<std::uint64_t> sources_;  ///< sorted by target
  std::vector<std::int64_t> targets_;
  std::vector<std::uint64_t> order_;  ///< place of each edge in the user's list
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(explicit, Explicit, "Exactly the listed edges, given as positions in the two sets.", "sources", "targets", "own_targets")
