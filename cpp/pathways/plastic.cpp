// SPDX-License-Identifier: Apache-2.0
/// Pathway of plasticity rules that process whole runs: their state is stored per source row and per target, not per synapse.
#include "pathways/due_rows.hpp"
#include "pathways/recording.hpp"
#include "pathways/seen_spikes.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;

class Plastic : public Queued<Plastic, PlasticEntry> {
 public:
  using Queued::Queued;

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::span<const Fired> fired) {
    std::array<synapses::RowFired, batch> spikes;
    for (std::size_t k = 0; k < fired.size(); ++k) spikes[k] = {fired[k].row, fired[k].step + 1};
    rule().spike({spikes.data(), fired.size()}, table_->pre_last.data(), table_->pre_values.data());
    for_fired(fired, [&](std::size_t k, const Fired& f) { put(f.step, {first_run(f), f.step + 1, spikes[k].before}); });
  }

  Step oldest_needed(const synapses::PostTrace* trace, Step now) const override {
    if (!trace || trace != slice_.post) return INT32_MAX;
    Step oldest = now;  // rules with a postsynaptic trace have one value per row: the presynaptic trace
    const auto ask = [&](const synapses::PreTrace& pre, Step stamp) {
      oldest = std::min(oldest, pre.trace > 0.0 || rule().meets_all() ? std::abs(pre.last) : stamp);
    };
    for (std::size_t row = 0; row < table_->pre_last.size(); ++row) ask({table_->pre_last[row], table_->pre_values[row]}, now);
    calendar_.for_each(0, [&](Step, const PlasticEntry& e) { ask(e.before, e.stamp); });
    return oldest - calendar_.steps() + 1;
  }

  void bring(const Flight& spike, const Inputs& inputs) override {
    process({{spike.at, 0, 0, 1}, spike.stamp(), {spike.before.last, spike.before.value[0]}}, spike.due, inputs, nullptr);
  }

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_plastic(std::move(table), slice_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    const synapses::PostArrivals* arrived = seen_spikes(slice_.post, *table_, calendar_.at(step), step);
    DueRows rows;
    const auto update = [&] {
      rows.size() == 1 ? process(rows[0], step, inputs, arrived) : rows.process(*table_, run_of(rows[0], step, inputs, arrived));
      for (const PlasticEntry& e : rows)
        noted(e.at, [&](std::uint32_t k) { return rule().share_sent(e.before) * table_->weight(e.at.position + k); });
      rows.clear();
    };
    const std::uint64_t events = walk(step, [&](const PlasticEntry& e) {
      if (!rows.fits(e)) update();
      rows.add(e);
    });
    if (rows.size() > 0) update();
    return events;
  }

 private:
  const synapses::RowRule& rule() const { return table_->spec->plasticity->as<synapses::RowRule>(); }

  /// Updates the weights of one run and adds them to the sums.
  void process(const PlasticEntry& e, Step due, const Inputs& in, const synapses::PostArrivals* arrived) {
    rule().process(run_of(e, due, in, arrived));
  }
  synapses::PlasticRun run_of(const PlasticEntry& e, Step due, const Inputs& in, const synapses::PostArrivals* arrived) {
    tables::EdgeTable& t = *table_;
    const std::uint32_t i = e.at.position;
    const Step delay = due + 1 - e.stamp - 2 * rule().axonal.common;
    return {e.at.length, &t.target[i], t.stored_weights(i), e.stamp,    e.before,         delay,
            slice_.post, in.sums,      in.to_fixed,         in.largest, t.spec->counts(), arrived};
  }
};

}  // namespace

std::unique_ptr<Pathway> make_plastic(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Plastic>(std::move(table), slice);
}

}  // namespace npl::pathways
