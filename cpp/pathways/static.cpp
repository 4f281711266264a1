// SPDX-License-Identifier: Apache-2.0
/// Pathway of static synapses: adds the weights of due runs to the sums.
#include <limits>

#include "pathways/recording.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;
using tables::Weights;

class Static : public Queued<Static, StaticEntry> {
 public:
  using Queued::Queued;

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::uint32_t row, Step step, double) { put(step, {first_run(row)}); }
  void resume(const Requeued& r) { spike(r.row, r.step, 0.0); }

 protected:
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& in, Noted&& noted) {
    const tables::EdgeTable& t = *table_;
    const double to_fixed = in.to_fixed;
    const auto same_for_all = [&](Fixed each) { return add(step, in.sums, noted, [each](std::uint32_t) { return each; }); };
    if (t.spec->counts()) return same_for_all(1);
    if (t.spec->weights == Weights::uniform) return same_for_all(round_to_fixed(t.spec->uniform * to_fixed));
    if (t.spec->weights == Weights::f64)
      return add(step, in.sums, noted, [to_fixed, w = t.weight64.data()](std::uint32_t i) { return round_to_fixed(w[i] * to_fixed); });
    if (to_fixed > std::numeric_limits<float>::max())  // weights below 10^-25
      return add(step, in.sums, noted,
                 [to_fixed, w = t.weight32.data()](std::uint32_t i) { return round_to_fixed(static_cast<double>(w[i]) * to_fixed); });
    return add(step, in.sums, noted, [scale = static_cast<float>(to_fixed), w = t.weight32.data()](std::uint32_t i) {
      return static_cast<Fixed>(std::llrintf(w[i] * scale));
    });
  }

 private:
  /// Adds value(i) to the sum of the target for every due synapse i; returns the number of events.
  template <class Noted, class Value>
  std::uint64_t add(Step step, Fixed* sums, Noted& noted, Value value) {
    const std::uint16_t* target = table_->target.data();
    return walk(step, [&, sums, target, value](const StaticEntry& e) {
      for (std::uint32_t i = e.at.position; i < e.at.position + e.at.length; ++i) sums[target[i]] += value(i);
      noted(e.at, [&](std::uint32_t k) { return table_->weight(e.at.position + k); });
    });
  }
};

}  // namespace

std::unique_ptr<Pathway> make_static(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Static>(std::move(table), slice);
}

}  // namespace npl::pathways
