// SPDX-License-Identifier: Apache-2.0
/// Wrapper of a pathway that logs the transmitted weights, for weight recorders. It delivers as the wrapped pathway does, so recording does
/// not change results.
#pragma once
#include <cmath>

#include "base/buffer.hpp"
#include "pathways/queued.hpp"

namespace npl::pathways {

/// @tparam Base a pathway with `deliver_noting(step, inputs, noted)`, which calls noted(cursor, sent) for each run after processing it;
/// sent(k) returns the transmitted weight of the k-th synapse of the run, nan: none. A third argument says that the spike came a step
/// early.
template <class Base>
class Recording final : public Base {
 public:
  using Base::Base;

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return Base::deliver_noting(step, inputs,
                                [&](const tables::RowCursor& at, auto&& sent, bool early = false) { note(step + early, at, sent); });
  }
  WeightLog* log() override { return &log_; }

 private:
  void take_log(const Pathway& before, const tables::Places& places) override {
    const WeightLog& more = *before.log();
    log_.earlier.reserve(log_.earlier.size() + more.size());
    more.for_each(before.table(), this->slice_.nodes, [&](WeightEvent e) {
      if (e.position != tables::Places::gone) e.position = places(e.position);
      log_.earlier.push_back(e);
    });
  }
  template <class Sent>
  void note(Step step, const tables::RowCursor& at, Sent&& sent) {
    const tables::EdgeTable& t = this->table();
    if (!log_.rows.empty() && !log_.records_row(t.row_of(at.position))) return;
    const Delay delay = tables::next_delay(t, at);
    for (std::uint32_t k = 0; k < at.length; ++k) {
      const std::uint32_t i = at.position + k;
      const double weight = sent(k);
      if (std::isnan(weight) || !log_.records_target(t.target[i])) continue;
      make_room(log_.notes);
      log_.notes.push_back({weight, i, static_cast<std::int32_t>(step + 1 - delay)});
    }
  }

  WeightLog log_;
};

/// Makes a pathway, wrapped for recording if its spec has a recorder.
template <class Kind>
std::unique_ptr<Pathway> make_recorded(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  if (table->spec->recorder >= 0) return std::make_unique<Recording<Kind>>(std::move(table), slice);
  return std::make_unique<Kind>(std::move(table), slice);
}

}  // namespace npl::pathways
