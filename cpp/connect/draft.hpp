// SPDX-License-Identifier: Apache-2.0
/// A table while it is being made: counters per source, then cursors into rows, then rows sorted by delay.
#pragma once
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "connect/buckets.hpp"
#include "connect/projection.hpp"

namespace npl::connect {

class Draft {
 public:
  /// Sources of the table lie in [lowest, highest]; delays likewise [steps].
  Draft(const deliver::TableSpec& spec, Gid lowest, Gid highest, Delay lowest_delay, Delay highest_delay);

  /// Pass 1: source has one more synapse.
  NPL_INLINE void count(Gid source) { ++slots_[static_cast<std::size_t>(source - lowest_)]; }
  /// After pass 1: rows get their places and the columns their exact size. Throws BadParameter beyond 2^32 - 1 synapses.
  void place();
  /// Pass 2: one edge; its weight in the precision of the table.
  template <class W>
  NPL_INLINE void add(Gid source, Local target, Delay delay, W weight) {
    const Edge<W> edge{static_cast<std::uint32_t>(source - lowest_), static_cast<std::uint16_t>(target), delay, weight};
    std::get<Buckets<W>>(buckets_).add(edge, [this](const Edge<W>* edges, std::uint32_t n) { write(edges, n); });
  }
  /// After pass 2: rows sorted by delay, delays encoded, as it takes least space or as wanted; the finished table, or null when it has no synapse.
  std::unique_ptr<deliver::EdgeTable> finish(std::optional<deliver::Layout> wanted = {});

  deliver::Weights weights() const { return table_->spec->weights; }

 private:
  /// Edges to their rows.
  template <class W>
  void write(const Edge<W>* edges, std::uint32_t n);
  void empty_buckets();
  deliver::Layout best_layout() const;
  void sort_rows();
  template <class DelayAt>
  void encode_runs(DelayAt&& delay_at);
  void encode_runs();
  void encode_words();
  Delay delay_at(std::uint32_t i) const;

  Gid lowest_;
  Delay lowest_delay_, highest_delay_;
  std::unique_ptr<deliver::EdgeTable> table_;
  Buffer<std::uint32_t> slots_;            ///< per possible source: its count, then its cursor
  Buffer<std::uint8_t> narrow_delay_;      ///< delay - lowest, when the range fits a byte
  Buffer<Delay> wide_delay_;
  std::uint16_t* target_ = nullptr;
  std::uint8_t* narrow_ = nullptr;
  Delay* wide_ = nullptr;
  float* weight32_ = nullptr;
  double* weight64_ = nullptr;
  std::variant<Buckets<NoWeight>, Buckets<float>, Buckets<double>> buckets_;
};

template <class W>
void Draft::write(const Edge<W>* edges, std::uint32_t n) {
  const Delay base = narrow_ ? lowest_delay_ : Delay{0};
  for (std::uint32_t i = 0; i < n; ++i) {
    const Edge<W>& e = edges[i];
    const std::uint32_t at = slots_[e.slot]++;
    target_[at] = e.target;
    if (narrow_) narrow_[at] = static_cast<std::uint8_t>(e.delay - base);
    if (wide_) wide_[at] = e.delay;
    if constexpr (std::is_same_v<W, float>) weight32_[at] = e.weight;
    if constexpr (std::is_same_v<W, double>) weight64_[at] = e.weight;
  }
}

}  // namespace npl::connect
