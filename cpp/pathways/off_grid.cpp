// SPDX-License-Identifier: Apache-2.0
/// Pathway with sub-step offsets: its targets take off-grid spikes, or its delays are not whole steps (docs/adr/0010-precise-spikes.md).
/// Static synapses.
#include "pathways/recording.hpp"

namespace npl::pathways {
namespace {

class OffGrid : public Queued<OffGrid, OffGridEntry> {
 public:
  using Queued::Queued;

  std::uint64_t deliver(Step step, const Inputs& in) override {
    return deliver_noting(step, in, [](auto&&...) {});
  }

  void spike(std::span<const Fired> fired) {
    for_fired(fired, [this](std::size_t, const Fired& f) { queue_row(first_run(f), f.step, f.offset); });
  }
  void queue_row(const tables::RowCursor& at, Step step, double offset) {
    offset += table_->spec->sub_step_delay;
    const double h = table_->spec->resolution;
    const bool step_before = offset >= h;
    put(step - step_before, {at, step_before ? offset - h : offset});
  }
  void resume(const Requeued& r) { queue_row(first_run(r.row), r.step, r.before.value[0]); }

  /// Sets the offsets of arrival and of emission; the latter inverts the arithmetic of queue_row().
  void note_offset(const OffGridEntry& e, InFlight& f) const {
    const double emitted = emission(e);
    f.offset = e.offset;
    f.before.value[0] = emitted < 0.0 ? emitted + table_->spec->resolution : emitted;
    f.stamp += emitted < 0.0;
  }

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_off_grid(std::move(table), slice_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& in, Noted&& noted) {
    const tables::EdgeTable& t = *table_;
    return walk(step, [&](const OffGridEntry& e) {
      for (std::uint32_t i = e.at.position; i < e.at.position + e.at.length; ++i) {
        if (t.spec->off_grid)
          in.events->push_back({t.target[i], t.spec->receptor, e.offset, t.spec->counts() ? 1.0 : t.weight(i)});
        else  // targets on the grid: the spike takes effect at the end of its step
          in.sums[t.target[i]] += t.spec->counts() ? 1 : round_to_fixed(t.weight(i) * in.to_fixed);
      }
      noted(e.at, [&](std::uint32_t k) { return t.weight(e.at.position + k); }, emission(e) < 0.0);
    });
  }

 private:
  /// Offset at which the spike was emitted; negative: it arrives a step before its delay in whole steps.
  double emission(const OffGridEntry& e) const { return e.offset - table_->spec->sub_step_delay; }
};

}  // namespace

std::unique_ptr<Pathway> make_off_grid(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<OffGrid>(std::move(table), slice);
}

}  // namespace npl::pathways
