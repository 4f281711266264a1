// SPDX-License-Identifier: Apache-2.0
/// Pathway of synapses with state or random numbers of their own (synapses/single.hpp). Only their tables have the columns for it.
#include <cmath>

#include "pathways/recording.hpp"
#include "pathways/seen_spikes.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;
using tables::Weights;

class Stateful : public Queued<Stateful, StatefulEntry> {
 public:
  Stateful(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice)
      : Queued(std::move(table), slice),
        key_(rng::Key::of(slice.seed, rng::Purpose::synapse, static_cast<std::uint64_t>(table_->spec->order))) {}

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::uint32_t row, Step step, double) {
    StatefulEntry e{first_run(row), step + 1, row, {}};
    const bool again = table_->pre_last[row] == e.stamp;
    e.before = rule().source_spike(e.stamp, table_->pre_last[row], table_->source_values(row));
    if (again) e.before.repeat = repeats(step, e);
    put(step, e);
  }
  void resume(const Requeued& r) {
    StatefulEntry e{first_run(r.row), r.step + 1, r.row, r.before};
    e.before.repeat = repeats(r.step, e);
    put(r.step, e);
  }

  Step oldest_needed(const synapses::PostTrace* trace, Step now) const override {
    if (trace != slice_.post && trace != slice_.post_triplet) return INT32_MAX;
    Step oldest = now;
    const auto ask = [&](Step last, Step stamp) { oldest = std::min(oldest, last > 0 || rule().meets_all() ? last : stamp); };
    for (std::int32_t last : table_->pre_last) ask(last, now);
    calendar_.for_each(0, [&](Step, const StatefulEntry& e) { ask(e.before.last, e.stamp); });
    return oldest - calendar_.steps() + 1;
  }

  void bring(const InFlight& spike, const Inputs& inputs) override {
    process({{spike.synapse, 0, 0, 1}, spike.stamp, table_->row_of(spike.synapse), spike.before}, spike.due, inputs, nullptr);
  }

 protected:
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    const bool asks = rule().asks_arrivals();
    const synapses::PostArrivals* arrived = asks ? seen_spikes(slice_.post, *table_, calendar_.at(step), step) : nullptr;
    return walk(step, [&](const StatefulEntry& e) {
      process(e, step, inputs, arrived);
      noted(e.at, [&](std::uint32_t k) { return sent_[k]; });
    });
  }

 private:
  const synapses::SinglePlasticity& rule() const { return *table_->spec->single(); }

  /// Number of queued spikes of the row with the same stamp.
  std::uint32_t repeats(Step step, const StatefulEntry& entry) const {
    const auto& slot = calendar_.at(step + tables::next_delay(*table_, entry.at));
    return static_cast<std::uint32_t>(
        std::count_if(slot.begin(), slot.end(), [&](const StatefulEntry& e) { return e.row == entry.row && e.stamp == entry.stamp; }));
  }

  /// Updates the synapses of one run and adds the transmitted weights to the sums.
  void process(const StatefulEntry& e, Step due, const Inputs& in, const synapses::PostArrivals* arrived) {
    tables::EdgeTable& t = *table_;
    const std::uint32_t i = e.at.position, n = e.at.length;
    sent_.resize(n), gid_.resize(n);
    for (std::uint32_t k = 0; !t.nth.empty() && k < n; ++k) gid_[k] = slice_.nodes.gid(t.target[i + k]);
    const synapses::PlasticRun run{
        n,       &t.target[i], weights_of(i, n), e.stamp,          {},     static_cast<Delay>(due + 1 - e.stamp), slice_.post,
        in.sums, in.to_fixed,  in.largest,       t.spec->counts(), arrived};
    double* values = t.synapse_values.data() + std::size_t{i} * tables::Columns::values_per_synapse(*t.spec);
    const std::uint16_t* nth = t.nth.empty() ? nullptr : &t.nth[i];
    rule().process_each({run, &e.before, slice_.post_triplet, t.row_source[e.row], nth ? gid_.data() : nullptr, nth, values, t.varied(i),
                         sent_.data(), key_},
                        t.spec->weights != Weights::f32);
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

std::unique_ptr<Pathway> make_stateful(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Stateful>(std::move(table), slice);
}

}  // namespace npl::pathways
