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
    for_fired(fired, [this](std::size_t, const Fired& f) {
      Flight flight{.sent = f.step, .emission = f.offset};
      note_arrival(flight);
      put(flight.sent, {first_run(f), flight.offset});
    });
  }
  /// From its emission.
  void note_arrival(Flight& f) const {
    const double offset = f.emission + table_->spec->sub_step_delay, h = table_->spec->resolution;
    const Step emitted = f.emitted();
    f.early = offset >= h;
    f.sent = emitted - f.early, f.offset = f.early ? offset - h : offset;
  }
  /// Inverts the arithmetic of note_arrival().
  void note_emission(Flight& f) const {
    const double emitted = emission(f.offset);
    f.early = emitted < 0.0;
    f.emission = f.early ? emitted + table_->spec->resolution : emitted;
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
          add_wrapping(in.sums[t.target[i]], t.spec->counts() ? 1 : round_to_fixed(t.weight(i) * in.to_fixed));
      }
      noted(e.at, [&](std::uint32_t k) { return t.weight(e.at.position + k); }, emission(e.offset) < 0.0);
    });
  }

 private:
  /// Offset at which a spike was emitted that arrives at this one; negative: it arrives a step before its delay in whole steps.
  double emission(double offset) const { return offset - table_->spec->sub_step_delay; }
};

}  // namespace

std::unique_ptr<Pathway> make_off_grid(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<OffGrid>(std::move(table), slice);
}

}  // namespace npl::pathways
