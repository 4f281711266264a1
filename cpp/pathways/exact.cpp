// SPDX-License-Identifier: Apache-2.0
/// Pathway of plasticity rules whose targets spike between grid points (synapses/exact.hpp).
#include <cmath>

#include "pathways/queued_single.hpp"
#include "pathways/recording.hpp"
#include "synapses/exact.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;

class Exact : public QueuedSingle<Exact, ExactEntry> {
 public:
  using QueuedSingle::QueuedSingle;

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::uint32_t row, Step step, double offset) {
    ExactEntry e{first_run(row), step + 1, row, {}, offset};
    const bool again = table_->pre_last[row] == e.stamp;
    e.before = rule().exact_spike(moment_of(e), table_->pre_last[row], table_->source_values(row));
    put_counted(step, e, again);
  }
  void resume(const Requeued& r) { put_counted(r.step, {first_run(r.row), r.step + 1, r.row, r.before, r.offset}, true); }
  void note_offset(const ExactEntry& e, InFlight& f) const { f.offset = e.offset; }

  using Queued::oldest_needed;
  Step oldest_needed(const synapses::ExactTrace* trace, Step now) const override {
    if (trace != slice_.exact_post && trace != slice_.exact_triplet) return INT32_MAX;
    return oldest_spike(now) - calendar_.steps();  // a step earlier than on the grid: spikes lie up to a step before their stamps
  }

  void bring(const InFlight& spike, const Inputs& inputs) override {
    process({{spike.synapse, 0, 0, 1}, spike.stamp, table_->row_of(spike.synapse), spike.before, spike.offset}, spike.due, inputs);
  }

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_exact(std::move(table), slice_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    return walk(step, [&](const ExactEntry& e) {
      process(e, step, inputs);
      noted(e.at, [&](std::uint32_t k) { return sent_[k]; });
    });
  }

 private:
  const synapses::ExactPlasticity& rule() const { return *QueuedSingle::rule().exact(); }
  /// When rules take the spike to have been.
  synapses::Moment moment_of(const ExactEntry& e) const { return {e.stamp, slice_.sources_on_grid ? 0.0 : e.offset}; }

  /// Updates the synapses of one run, and lists what they transmit.
  void process(const ExactEntry& e, Step due, const Inputs& in) {
    const tables::EdgeTable& t = *table_;
    const std::uint32_t i = e.at.position, n = e.at.length;
    for_parts(e, due, [&](const auto& part, Step delay) { rule().process_exact(run_of(e, part, delay, in)); });
    for (std::uint32_t k = 0; k < n; ++k)
      if (!std::isnan(sent_[k])) in.events->push_back({t.target[i + k], t.spec->receptor, e.offset, t.spec->counts() ? 1.0 : sent_[k]});
  }
  /// Synapses begin .. end - 1 of the run. @param delay dendritic, less axonal
  synapses::ExactRun run_of(const ExactEntry& e, std::pair<std::uint32_t, std::uint32_t> of, Step delay, const Inputs& in) {
    tables::EdgeTable& t = *table_;
    const auto [begin, end] = of;
    const std::uint32_t first = e.at.position + begin;
    const bool draws = !t.nth.empty();
    return {end - begin,
            &t.target[first],
            weights_of(first, end - begin),
            moment_of(e),
            delay,
            &e.before,
            slice_.exact_post,
            slice_.exact_triplet,
            t.row_source[e.row],
            draws ? gid_.data() + begin : nullptr,
            draws ? &t.nth[first] : nullptr,
            values_of(first),
            t.varied(first),
            sent_.data() + begin,
            in.largest,
            key_};
  }
};

}  // namespace

std::unique_ptr<Pathway> make_exact(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Exact>(std::move(table), slice);
}

}  // namespace npl::pathways
