// SPDX-License-Identifier: Apache-2.0
#include "continuous/plan.hpp"

#include <algorithm>
#include <numeric>

namespace npl::continuous {
namespace {

constexpr std::size_t lanes = 8;
using Half [[gnu::vector_size(lanes / 2 * sizeof(double))]] = double;  // an array of partial sums would be kept in memory, not in registers

/// The sum of n products. The connections are those of one target; partial sums are combined in a fixed order.
template <bool Uniform, class Column, class Weight>
NPL_INLINE double dot(const Column* source, const Weight* weight, std::size_t n, const double* values) {
  const auto product = [&](std::size_t k)
                           __attribute__((always_inline)) { return static_cast<double>(weight[Uniform ? 0 : k]) * values[source[k]]; };
  if (n == 1) return 0.0 + product(0);  // as below
  if (n == 2) return (0.0 + product(0)) + (0.0 + product(1));
  Half low{}, high{};
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    low += Half{product(k), product(k + 1), product(k + 2), product(k + 3)};
    high += Half{product(k + 4), product(k + 5), product(k + 6), product(k + 7)};
  }
  double sum[lanes] = {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
  for (std::size_t j = 0; k + j < n; ++j) sum[j] += product(k + j);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/// Connections of targets side by side.
template <class Column, class Weight>
struct View {
  std::size_t targets;
  const std::uint32_t *target, *begin;
  const Column* source;
  const Weight* weight;
};

template <bool Uniform>
struct AddLoop {
  template <class Column, class Weight>
  NPL_INLINE static void run(const View<Column, Weight>* view, const double* values, double* out) {
    const View<Column, Weight> v = *view;
    for (std::size_t t = 0; t < v.targets; ++t) {
      const std::uint32_t at = v.begin[t];
      out[v.target[t]] += dot<Uniform>(v.source + at, v.weight + (Uniform ? 0 : at), v.begin[t + 1] - at, values);
    }
  }
};

}  // namespace

void Plan::add_section(const Section& s, const double* values, double* out) {
  std::visit(
      [&]<class Column, class Weight>(const std::vector<Column>& source, const std::vector<Weight>& weight) {
        const View<Column, Weight> view{s.target.size(), s.target.data(), s.begin.data(), source.data(), weight.data()};
        weight.size() == 1 ? Dispatch<AddLoop<true>>::run(&view, values, out) : Dispatch<AddLoop<false>>::run(&view, values, out);
      },
      s.source, s.weight);
}

void Plan::add_all(const double* values, double* out) const {
  for (const Section& s : sections_) add_section(s, values, out);
}

void Plan::add(Step step, const Course& course, std::size_t devices, const nodes::Group& group, const nodes::TakenGain* gain,
               double* const* out) {
  for (const Section& s : sections_) {
    const std::size_t sent = step < s.delay ? std::min(devices, course.sources()) : 0;
    if (sent == course.sources()) continue;
    const double* values = course.row(step - s.delay);
    if (gain && !group.uniform()) {
      add_with_gains(s, values, sent, group, *gain, out[s.slot]);
      continue;
    }
    if (gain && gain->applies(group.derived_of(0, nullptr))) {
      changed_.resize(course.sources());
      std::fill_n(changed_.begin(), sent, 0.0);
      gain->apply(group.derived_of(0, nullptr), values + sent, changed_.data() + sent, changed_.size() - sent);
      values = changed_.data();
    }
    add_section(s, values, out[s.slot]);
  }
}

/// Each target has a gain of its own.
void Plan::add_with_gains(const Section& s, const double* values, std::size_t sent, const nodes::Group& group, const nodes::TakenGain& gain,
                          double* out) {
  std::visit([&](const auto& source, const auto& weight) { add_with_gains(s, source, weight, values, sent, group, gain, out); }, s.source,
             s.weight);
}

template <class Column, class Weight>
void Plan::add_with_gains(const Section& s, const std::vector<Column>& sources, const std::vector<Weight>& weights, const double* values,
                          std::size_t sent, const nodes::Group& group, const nodes::TakenGain& gain, double* out) {
  derived_.resize(group.model().n_derived);
  std::vector<Column> place;
  const bool uniform = weights.size() == 1;
  for (std::size_t t = 0; t < s.target.size(); ++t) {
    const std::size_t at = s.begin[t], n = s.begin[t + 1] - at;
    const double* derived = group.derived_of(s.target[t], derived_.data());
    const Weight* weight = weights.data() + (uniform ? 0 : at);
    const Column* source = sources.data() + at;
    const double* of = values;
    if (gain.applies(derived)) {
      changed_.resize(2 * n), place.resize(n);
      for (std::size_t k = 0; k < n; ++k) changed_[n + k] = values[source[k]];
      gain.apply(derived, changed_.data() + n, changed_.data(), n);
      for (std::size_t k = 0; k < n; ++k)
        if (source[k] < sent) changed_[k] = 0.0;
      std::iota(place.begin(), place.end(), Column{0});
      of = changed_.data(), source = place.data();
    }
    out[s.target[t]] += uniform ? dot<true>(source, weight, n, of) : dot<false>(source, weight, n, of);
  }
}

std::size_t Plan::bytes() const {
  std::size_t total = (derived_.capacity() + changed_.capacity()) * sizeof(double);
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  for (const Section& s : sections_) total += of(s.target) + of(s.begin) + std::visit(of, s.source) + std::visit(of, s.weight);
  return total;
}

}  // namespace npl::continuous
