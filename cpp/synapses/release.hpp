// SPDX-License-Identifier: Apache-2.0
/// Short-term plasticity with parameters that differ from synapse to synapse: the synapses of a row in vectors.
#pragma once
#include <span>

#include "synapses/rule.hpp"
#include "synapses/short_term.hpp"
#include "synapses/varied_parameters.hpp"

namespace npl::synapses {

template <class ShortTerm>
struct Release {
  static constexpr std::uint32_t capacity = 128, vector = 8;
  using Columns = ParameterColumns<ShortTerm::parameters, capacity>;
  using Kept = double[ShortTerm::values][capacity];
  using Part = PartAt<Step>;

  NPL_INLINE static void run(const VariedParameters* given, const RunAt<Step>* r, double dt) {
    std::uint32_t longest = 0;
    for (const Part& p : r->parts) longest = std::max(longest, p.n);
    Columns columns(*given, std::min(capacity, padded(longest)));
    double* sent = r->sent;
    for (const Part& p : r->parts) {
      const double ms = static_cast<double>(p.stamp - std::max<Step>(p.before.last, 0)) * dt;
      p.before.last <= 0 ? release<true>(*given, *r, p, ms, columns, sent) : release<false>(*given, *r, p, ms, columns, sent);
      sent += p.n;
    }
  }

 private:
  template <bool First>
  NPL_INLINE static void release(const VariedParameters& given, const RunAt<Step>& r, const Part& p, double ms, Columns& columns,
                                 double* sent) {
    alignas(64) Kept kept;
    alignas(64) double share[capacity];
    for (std::uint32_t begin = 0; begin < p.n; begin += capacity) {
      const std::uint32_t n = std::min(capacity, p.n - begin);
      double* values = r.values + std::size_t{p.first + begin} * ShortTerm::values;
      const double* own = r.varied + std::size_t{p.first + begin} * given.width();
      const std::uint32_t next = std::min(capacity, p.n - begin - n);
      prefetch_lines(own + n * given.width(), next * given.width() * sizeof *own);  // few lines are in cache: rows are far apart
      prefetch_lines(values + n * ShortTerm::values, next * ShortTerm::values * sizeof *values);
      columns.take(own, n);
      split_columns<ShortTerm::values>(values, n, kept);
      each<First>(columns, padded(n), ms, kept, share);
      join_columns<ShortTerm::values>(kept, n, values);
      send(p.weight.from(begin), share, {sent + begin, n});
      if constexpr (amplifies<ShortTerm>)
        for (std::uint32_t k = begin; k < begin + n; ++k) *r.largest = std::max(*r.largest, size_of_sent(sent[k]));
    }
  }
  /// @param n whole vectors: entries beyond the synapses are padding
  template <bool First>
  NPL_INLINE static void each(const Columns& columns, std::uint32_t n, double ms, Kept& kept, double* share) {
    for (std::uint32_t k = 0; k < n; ++k) {
      double own[ShortTerm::values];
      for (std::size_t v = 0; v < ShortTerm::values; ++v) own[v] = kept[v][k];
      share[k] = ShortTerm(columns.of(k).data()).release(ms, First, own);
      for (std::size_t v = 0; v < ShortTerm::values; ++v) kept[v][k] = own[v];
    }
  }
  NPL_INLINE static void send(StoredWeights weight, const double* share, std::span<double> sent) {
    weight.load(sent.data(), static_cast<std::uint32_t>(sent.size()));
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = share[k] * sent[k];
  }
  static constexpr std::uint32_t padded(std::uint32_t n) { return (n + vector - 1) & ~(vector - 1); }
};

}  // namespace npl::synapses
