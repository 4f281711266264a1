// SPDX-License-Identifier: Apache-2.0
/// Pathway of plasticity rules whose targets spike between grid points (synapses/exact.hpp).
#include <algorithm>
#include <cmath>

#include "pathways/recording.hpp"
#include "synapses/exact.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;
using tables::Weights;

class Exact : public Queued<Exact, ExactEntry> {
 public:
  Exact(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice)
      : Queued(std::move(table), slice),
        key_(rng::Key::of(slice.seed, rng::Purpose::synapse, static_cast<std::uint64_t>(table_->spec->order))) {}

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::uint32_t row, Step step, double offset) {
    ExactEntry e{first_run(row), step + 1, row, {}, offset};
    const bool again = table_->pre_last[row] == e.stamp;
    e.before = rule().exact_spike(moment_of(e), table_->pre_last[row], table_->source_values(row));
    if (again) e.before.repeat = repeats(step, e);
    put(step, e);
  }
  void resume(const Requeued& r) {
    ExactEntry e{first_run(r.row), r.step + 1, r.row, r.before, r.offset};
    e.before.repeat = repeats(r.step, e);
    put(r.step, e);
  }
  void note_offset(const ExactEntry& e, InFlight& f) const { f.offset = e.offset; }

  using Queued::oldest_needed;
  Step oldest_needed(const synapses::ExactTrace* trace, Step now) const override {
    if (trace != slice_.exact_post && trace != slice_.exact_triplet) return INT32_MAX;
    Step oldest = now;
    const auto ask = [&](Step last, Step stamp) { oldest = std::min(oldest, last > 0 || rule().meets_all() ? last : stamp); };
    for (std::int32_t last : table_->pre_last) ask(last, now);
    calendar_.for_each(0, [&](Step, const ExactEntry& e) { ask(e.before.last, e.stamp); });
    return oldest - calendar_.steps();  // a step earlier than on the grid: spikes lie up to a step before their stamps
  }

  void bring(const InFlight& spike, const Inputs& inputs) override {
    process({{spike.synapse, 0, 0, 1}, spike.stamp, table_->row_of(spike.synapse), spike.before, spike.offset}, spike.due, inputs);
  }

 protected:
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    return walk(step, [&](const ExactEntry& e) {
      process(e, step, inputs);
      noted(e.at, [&](std::uint32_t k) { return sent_[k]; });
    });
  }

 private:
  const synapses::ExactPlasticity& rule() const { return *table_->spec->single()->exact(); }
  /// When rules take the spike to have been.
  synapses::Moment moment_of(const ExactEntry& e) const { return {e.stamp, slice_.sources_on_grid ? 0.0 : e.offset}; }

  /// Number of queued spikes of the row with the same stamp.
  std::uint32_t repeats(Step step, const ExactEntry& entry) const {
    const auto& slot = calendar_.at(step + tables::next_delay(*table_, entry.at));
    return static_cast<std::uint32_t>(
        std::count_if(slot.begin(), slot.end(), [&](const ExactEntry& e) { return e.row == entry.row && e.stamp == entry.stamp; }));
  }

  /// Updates the synapses of one run, and lists what they transmit.
  void process(const ExactEntry& e, Step due, const Inputs& in) {
    const tables::EdgeTable& t = *table_;
    const std::uint32_t i = e.at.position, n = e.at.length;
    sent_.resize(n), gid_.resize(n);
    for (std::uint32_t k = 0; !t.nth.empty() && k < n; ++k) gid_[k] = slice_.nodes.gid(t.target[i + k]);
    const synapses::Axonal& axonal = rule().axonal;
    for (std::uint32_t begin = 0, end = n; begin < n; begin = end) {
      const Step first = axonal.of(t.varied(i + begin));
      for (end = axonal.varies() ? begin + 1 : n; end < n && axonal.of(t.varied(i + end)) == first;) ++end;
      rule().process_exact(run_of(e, {begin, end}, due + 1 - e.stamp - 2 * first, in), t.spec->weights != Weights::f32);
    }
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
            t.synapse_values.data() + std::size_t{first} * tables::Columns::values_per_synapse(*t.spec),
            t.varied(first),
            sent_.data() + begin,
            in.largest,
            key_};
  }
  void* weights_of(std::uint32_t i, std::uint32_t n) {
    if (table_->spec->weights == Weights::f32) return &table_->weight32[i];
    if (table_->spec->weights == Weights::f64) return &table_->weight64[i];
    uniform_.assign(n, table_->spec->uniform);  // a copy: only rules that do not change weights have uniform ones
    return uniform_.data();
  }

  rng::Key key_;
  std::vector<double> uniform_, sent_;  ///< of the current run
  std::vector<Gid> gid_;
};

}  // namespace

std::unique_ptr<Pathway> make_exact(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Exact>(std::move(table), slice);
}

}  // namespace npl::pathways
