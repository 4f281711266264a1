// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "continuous/plan.hpp"

namespace npl::continuous {

/// Counts, then fills (law 3).
class PlanBuilder {
 public:
  explicit PlanBuilder(std::size_t n) : n_(n) {}

  void count(std::uint32_t target, int slot, Delay delay) {
    const std::size_t key = std::size_t{delay} * most_slots + static_cast<std::size_t>(slot);
    if (key >= known_.size()) known_.resize(key + most_slots, none);
    if (known_[key] == none) {
      known_[key] = static_cast<std::uint32_t>(counts_.size());
      counts_.emplace_back(n_);
      plan_.sections_.push_back({delay, slot, {}, {}});
    }
    ++counts_[known_[key]][target];
  }
  void place() {
    for (std::size_t s = 0; s < counts_.size(); ++s) {
      Plan::Section& section = plan_.sections_[s];
      std::uint32_t next = 0;
      for (std::uint32_t t = 0; t < n_; ++t) {
        const std::uint32_t n = counts_[s][t];
        if (n == 0) continue;
        section.target.push_back(t), section.begin.push_back(next);
        counts_[s][t] = next;
        next += n;
      }
      section.begin.push_back(next);
      sources(section).resize(next), weights(section).resize(next);
    }
  }
  void add(std::uint32_t target, int slot, Delay delay, std::uint32_t source, double weight) {
    const std::uint32_t s = known_[std::size_t{delay} * most_slots + static_cast<std::size_t>(slot)];
    Plan::Section& section = plan_.sections_[s];
    const std::uint32_t at = counts_[s][target]++;
    sources(section)[at] = source, weights(section)[at] = weight;
  }
  Plan finish() {
    for (Plan::Section& s : plan_.sections_) order_equals(s), narrow(s);
    std::sort(plan_.sections_.begin(), plan_.sections_.end(),
              [](const auto& a, const auto& b) { return std::tie(a.delay, a.slot) < std::tie(b.delay, b.slot); });
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// Several connections of a pair come from several tables or rows: by weight.
  static void order_equals(Plan::Section& s) {
    for (std::size_t t = 0; t < s.target.size(); ++t)
      for (std::uint32_t k = s.begin[t], end; k < s.begin[t + 1]; k = end) {
        for (end = k + 1; end < s.begin[t + 1] && sources(s)[end] == sources(s)[k];) ++end;
        if (end > k + 1) std::sort(weights(s).begin() + k, weights(s).begin() + end);
      }
  }
  /// Keeps what is equal once, and the rest in the least bytes that are exact.
  static void narrow(Plan::Section& s) {
    const std::vector<std::uint32_t>& source = sources(s);
    if (std::ranges::all_of(source, [](std::uint32_t k) { return k <= UINT16_MAX; }))
      s.source = std::vector<std::uint16_t>(source.begin(), source.end());
    const std::vector<double>& weight = weights(s);
    const auto is_float = [](double w) { return static_cast<double>(static_cast<float>(w)) == w; };
    if (std::ranges::all_of(weight, [&](double w) { return w == weight.front(); }))
      s.weight = std::vector<double>{weight.front()};
    else if (std::ranges::all_of(weight, is_float))
      s.weight = std::vector<float>(weight.begin(), weight.end());
  }
  static std::vector<std::uint32_t>& sources(Plan::Section& s) { return std::get<0>(s.source); }
  static std::vector<double>& weights(Plan::Section& s) { return std::get<0>(s.weight); }

  std::size_t n_;
  std::vector<std::uint32_t> known_;                ///< [delays x slots] section
  std::vector<std::vector<std::uint32_t>> counts_;  ///< [sections][targets] connections, then the place of the next one
  Plan plan_;
};

namespace {

/// A row of a table.
struct Row {
  Gid source;
  std::uint32_t table, row;
};

std::vector<Row> rows_by_source(std::span<const tables::EdgeTable* const> tables) {
  std::vector<Row> rows;
  for (std::uint32_t t = 0; t < tables.size(); ++t)
    tables[t]->sources.for_each([&](std::uint32_t row, Gid gid) { rows.push_back({gid, t, row}); });
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return std::tie(a.source, a.table, a.row) < std::tie(b.source, b.table, b.row); });
  return rows;
}

}  // namespace

std::vector<Plan> make_plans(std::span<const tables::EdgeTable* const> tables, std::span<const Stretch> groups,
                             const std::function<std::uint32_t(Gid)>& column_of) {
  std::vector<PlanBuilder> builders;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place;  // [nodes of the slice] group, index in it
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    builders.emplace_back(groups[g].n);
    place.resize(std::max(place.size(), groups[g].first + groups[g].n));
    for (std::uint32_t k = 0; k < groups[g].n; ++k) place[groups[g].first + k] = {g, k};
  }
  const std::vector<Row> rows = rows_by_source(tables);
  const auto for_all = [&](auto&& f) {
    for (const Row& r : rows) {
      const tables::EdgeTable& t = *tables[r.table];
      const std::uint32_t column = column_of(r.source);
      t.for_row(r.row, [&](std::uint32_t i, Delay delay) {
        const auto [g, target] = place[t.target[i]];
        const double weight = t.weight(i);
        if (!t.spec->synapse->continuous->factors) return f(builders[g], target, slot_of(t.spec->receptor, weight), delay, column, weight);
        for (int k = 0; const double factor : t.spec->parameters)
          f(builders[g], target, slot_of(k++, weight * factor), delay, column, weight * factor);
      });
    }
  };
  for_all([](PlanBuilder& b, std::uint32_t target, int slot, Delay delay, std::uint32_t, double) { b.count(target, slot, delay); });
  for (PlanBuilder& b : builders) b.place();
  for_all([](PlanBuilder& b, std::uint32_t target, int slot, Delay delay, std::uint32_t column, double weight) {
    b.add(target, slot, delay, column, weight);
  });
  std::vector<Plan> plans;
  for (PlanBuilder& b : builders) plans.push_back(b.finish());
  return plans;
}

}  // namespace npl::continuous
