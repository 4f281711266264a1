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
    const std::vector<WeightEvent>& more = before.log()->events;
    log_.events.reserve(log_.events.size() + more.size());
    for (WeightEvent e : more) {
      if (e.position != tables::Places::gone) e.position = places(e.position);
      log_.events.push_back(e);
    }
  }
  template <class Sent>
  void note(Step step, const tables::RowCursor& at, Sent&& sent) {
    const tables::EdgeTable& t = this->table();
    const std::uint32_t row = t.row_of(at.position);
    if (!log_.records_row(row)) return;
    const Delay delay = tables::next_delay(t, at);
    for (std::uint32_t k = 0; k < at.length; ++k) {
      const std::uint32_t i = at.position + k;
      const double weight = sent(k);
      if (std::isnan(weight) || !log_.records_target(t.target[i])) continue;
      make_room(log_.events);
      log_.events.push_back(
          {weight, t.row_source[row], this->slice_.nodes.gid(t.target[i]), static_cast<std::int32_t>(step + 1 - delay), i, delay});
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
