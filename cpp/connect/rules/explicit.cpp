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

/// Edges listed by the user as positions in the two sets. Arrays: one value per edge in the order of the list. With own_targets each rank
/// lists only the edges of its own targets, so that no rank stores the whole list. Results depend only on the order of the edges within
/// each target.
class Explicit final : public PairRule {
 public:
  explicit Explicit(const RuleContext& c) : PairRule(c) {
    const auto& list = c.params.edges("list");
    list ? take(list) : take(c.params.positions("sources"), c.params.positions("targets"));
    expected_ = c.params.flag("own_targets") && c.edges_of_all_ranks >= 0 ? c.edges_of_all_ranks : static_cast<double>(n_edges());
  }

  double expected_edges() const override { return expected_; }
  Spread spread() const override { return {.kind = Spread::Kind::listed, .degrees = list_ ? degrees(list_->source) : degrees(sources_)}; }
  std::int64_t array_length() const override { return static_cast<std::int64_t>(n_edges()); }

  /// Large files are connected slice by slice: most slices have no edges onto these targets.
  void edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const override {
    if (!list_ || list_->meets(targets.position[0], targets.position[targets.n - 1])) Rule::edges_of(targets, scratch, sink);
  }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const auto [begin, end] = list_ ? list_->of(target) : places(target);
    in_batches(end - begin, batch, sink, [&, begin = begin](std::uint64_t k) {
      list_ ? std::copy_n(list_->source.data() + begin + k, batch.n, batch.source)
            : std::copy_n(sources_.data() + begin + k, batch.n, batch.source);
      fill_words(key_, gid(target), k, batch);
      if (batch.wants_index) index(begin + k, batch);
    });
  }

 private:
  using List = std::vector<std::int64_t>;

  std::size_t n_edges() const { return list_ ? list_->size() : sources_.size(); }

  void take(std::shared_ptr<const EdgeList> list) {
    check_positions("targets", list->target, post_.size());
    if (const auto most = list->source.empty() ? 0 : *std::max_element(list->source.begin(), list->source.end());
        most >= n_pre() && list->size())
      throw BadParameter("sources", static_cast<double>(most), "positions from 0 to " + std::to_string(n_pre() - 1));
    list_ = std::move(list);
  }

  void take(const List& sources, const List& targets) {
    if (sources.size() != targets.size()) throw BadLength("targets", targets.size(), sources.size());
    check_positions("sources", sources, pre_.size());
    check_positions("targets", targets, post_.size());
    list_ = ascending_edges(sources, targets);
    if (!list_) sort(sources, targets);
  }

  /// Index of the first edge of a target and one past its last.
  std::pair<std::uint64_t, std::uint64_t> places(std::int64_t target) const {
    const auto [first, last] = std::equal_range(targets_.begin(), targets_.end(), target);
    return {static_cast<std::uint64_t>(first - targets_.begin()), static_cast<std::uint64_t>(last - targets_.begin())};
  }

  /// Stable sort by target.
  void sort(const List& sources, const List& targets) {
    order_.resize(targets.size());
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint64_t a, std::uint64_t b) { return targets[a] < targets[b]; });
    sources_.reserve(order_.size());
    targets_.reserve(order_.size());
    for (std::uint64_t i : order_) {
      sources_.push_back(static_cast<std::uint64_t>(sources[i]));
      targets_.push_back(targets[i]);
    }
  }

  /// Sets value_index: indices in the user's list of the edges from sorted index `first` on.
  void index(std::size_t first, EdgeBatch& batch) const {
    if (list_) return fill_index(first, batch);
    std::copy_n(order_.data() + first, batch.n, batch.value_index);
  }

  /// Number of sources by out-degree.
  template <class Sources>
  std::map<std::int64_t, double> degrees(const Sources& sources) const {
    std::map<std::int64_t, double> found;
    if (n_pre() <= 4 * sources.size()) {
      std::vector<std::uint32_t> count(n_pre(), 0);
      for (auto s : sources) ++count[static_cast<std::size_t>(s)];
      for (std::uint32_t n : count)
        if (n > 0) ++found[n];
      return found;
    }
    Sources sorted = sources;  // few edges, many possible sources: no array over all sources
    std::sort(sorted.begin(), sorted.end());
    for (auto first = sorted.begin(); first != sorted.end();) {
      const auto last = std::upper_bound(first, sorted.end(), *first);
      ++found[last - first];
      first = last;
    }
    return found;
  }

  double expected_;                       ///< edges of all ranks
  std::shared_ptr<const EdgeList> list_;  ///< of edges in the order of targets; null: the vectors below hold them
  std::vector<std::uint64_t> sources_;    ///< sorted by target
  std::vector<std::int64_t> targets_;
  std::vector<std::uint64_t> order_;  ///< index of each edge in the user's list
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(explicit, Explicit, "Exactly the listed edges, given as positions in the two sets.", no_rows(),
         positions("sources", "positions in the set of sources"), positions("targets", "positions in the set of targets, as many"),
         flag("own_targets", false, "every rank lists the edges of its own targets, and no others"),
         edges("list", "takes the place of sources and targets"))
