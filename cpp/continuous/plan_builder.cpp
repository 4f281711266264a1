// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "continuous/plan.hpp"

namespace npl::continuous {

/// Counts, then fills (law 3). Counting finds what the least bytes are that hold sources and weights exactly, so each is written once.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::size_t n) : n_(n) {}

  void count(std::uint32_t target, int slot, Delay delay, std::uint32_t source, double weight) {
    const std::size_t key = std::size_t{delay} * most_slots + static_cast<std::size_t>(slot);
    if (key >= known_.size()) known_.resize(key + most_slots, none);
    if (known_[key] == none) {
      known_[key] = static_cast<std::uint32_t>(found_.size());
      found_.push_back({std::vector<std::uint32_t>(n_), weight});
      plan_.sections_.push_back({delay, slot, {}, {}});
    }
    Found& f = found_[known_[key]];
    ++f.next[target];
    f.last = std::max(f.last, source);
    f.equal = f.equal && weight == f.weight;
    f.is_float = f.is_float && static_cast<double>(static_cast<float>(weight)) == weight;
  }
  void place() {
    for (std::size_t s = 0; s < found_.size(); ++s) make_room(plan_.sections_[s], found_[s]);
  }
  void add(std::uint32_t target, int slot, Delay delay, std::uint32_t source, double weight) {
    Found& f = found_[known_[std::size_t{delay} * most_slots + static_cast<std::size_t>(slot)]];
    const std::uint32_t at = f.next[target]++;
    if (f.sources16)
      f.sources16[at] = static_cast<std::uint16_t>(source);
    else
      f.sources32[at] = source;
    if (f.floats)
      f.floats[at] = static_cast<float>(weight);
    else if (f.doubles)
      f.doubles[at] = weight;
  }
  Plan finish() {
    for (Plan::Section& s : plan_.sections_) order_equals(s);
    std::sort(plan_.sections_.begin(), plan_.sections_.end(),
              [](const auto& a, const auto& b) { return std::tie(a.delay, a.slot) < std::tie(b.delay, b.slot); });
    return std::move(plan_);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// What is known of the connections of a section, then where they go.
  struct Found {
    std::vector<std::uint32_t> next;  ///< [targets] connections, then the place of the next one
    double weight;                    ///< of the first connection
    std::uint32_t last = 0;           ///< greatest source
    bool equal = true, is_float = true;
    std::uint16_t* sources16 = nullptr;
    std::uint32_t* sources32 = nullptr;
    float* floats = nullptr;
    double* doubles = nullptr;  ///< neither this nor floats: one weight for all
  };

  static void make_room(Plan::Section& section, Found& f) {
    std::uint32_t next = 0;
    for (std::uint32_t t = 0; t < f.next.size(); ++t) {
      const std::uint32_t n = f.next[t];
      if (n == 0) continue;
      section.target.push_back(t), section.begin.push_back(next);
      f.next[t] = next;
      next += n;
    }
    section.begin.push_back(next);
    if (f.last <= UINT16_MAX)
      f.sources16 = section.source.emplace<std::vector<std::uint16_t>>(next).data();
    else
      f.sources32 = section.source.emplace<std::vector<std::uint32_t>>(next).data();
    if (f.equal)
      section.weight = std::vector<double>{f.weight};
    else if (f.is_float)
      f.floats = section.weight.emplace<std::vector<float>>(next).data();
    else
      f.doubles = section.weight.emplace<std::vector<double>>(next).data();
  }
  /// Several connections of a pair come from several tables or rows: by weight.
  static void order_equals(Plan::Section& s) {
    std::visit(
        [&](const auto& source, auto& weight) {
          if (weight.size() < source.size()) return;  // one for all
          for (std::size_t t = 0; t < s.target.size(); ++t)
            for (std::uint32_t k = s.begin[t], end; k < s.begin[t + 1]; k = end) {
              for (end = k + 1; end < s.begin[t + 1] && source[end] == source[k];) ++end;
              if (end > k + 1) std::sort(weight.begin() + k, weight.begin() + end);
            }
        },
        s.source, s.weight);
  }

  std::size_t n_;
  std::vector<std::uint32_t> known_;  ///< [delays x slots] section
  std::vector<Found> found_;          ///< [sections]
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
  for_all([](PlanBuilder& b, auto... connection) { b.count(connection...); });
  for (PlanBuilder& b : builders) b.place();
  for_all([](PlanBuilder& b, auto... connection) { b.add(connection...); });
  std::vector<Plan> plans;
  for (PlanBuilder& b : builders) plans.push_back(b.finish());
  return plans;
}

}  // namespace npl::continuous
