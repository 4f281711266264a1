// SPDX-License-Identifier: Apache-2.0
/// Pathway of synapses with state or random numbers of their own (synapses/single.hpp). Only their tables have the columns for it.
#include <cmath>

#include "base/learner.hpp"
#include "pathways/queued_single.hpp"
#include "pathways/recording.hpp"
#include "pathways/seen_spikes.hpp"

namespace npl::pathways {
namespace {

using tables::RowCursor;

class Stateful : public QueuedSingle<Stateful, StatefulEntry> {
 public:
  using QueuedSingle::QueuedSingle;

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::uint32_t row, Step step, double) {
    StatefulEntry e{first_run(row), step + 1, row, {}};
    const bool again = table_->pre_last[row] == e.stamp;
    e.before = rule().source_spike(e.stamp, table_->pre_last[row], table_->source_values(row));
    put_counted(step, e, again);
  }
  void resume(const Requeued& r) { put_counted(r.step, {first_run(r.row), r.step + 1, r.row, r.before}, true); }

  Step oldest_needed(const synapses::PostTrace* trace, Step now) const override {
    if (trace ? trace != slice_.post && trace != slice_.post_triplet : !slice_.histories) return INT32_MAX;
    return oldest_spike(now) - calendar_.steps() + 1;
  }

  /// Synapses with a spike on its way, and those that have had one lately, learn with the next one.
  void catch_up(Step now) override {
    if (!slice_.histories || !rule().catches_up()) return;
    for (std::uint32_t row = 0; row < table_->n_rows(); ++row) {
      if (table_->pre_last[row] == 0) continue;
      auto [i, end] = table_->rows[row];
      while (i < end) {
        const Delay delay = table_->delay_of(row, i);
        std::uint32_t n = 1;
        while (i + n < end && table_->delay_of(row, i + n) == delay) ++n;
        catch_up_run(row, i, n, now, false);
        i += n;
      }
    }
  }
  void learn(std::uint32_t synapse, Step now, bool settles) override {
    if (slice_.histories && rule().catches_up()) catch_up_run(table_->row_of(synapse), synapse, 1, now, settles);
  }

  Step oldest_heard(Step now) const override { return slice_.volume ? oldest_spike(now) : now; }

  void bring(const InFlight& spike, const Inputs& inputs) override {
    process({{spike.synapse, 0, 0, 1}, spike.stamp, table_->row_of(spike.synapse), spike.before}, spike.due, inputs, nullptr, true);
  }

  void states(std::string_view name, std::span<const std::uint32_t> synapses, StateTime when, double* out) const override {
    if (!slice_.volume || (name != "c" && name != "n" && name != "weight")) return Pathway::states(name, synapses, when, out);
    std::vector<char> asked(table_->n_synapses());
    for (const std::uint32_t i : synapses) asked[i] = 1;
    std::vector<InFlight> flying = in_flight(asked, when.now);
    std::stable_sort(flying.begin(), flying.end(), [](const InFlight& a, const InFlight& b) { return a.synapse < b.synapse; });
    for (std::size_t k = 0; k < synapses.size(); ++k) out[k] = state_at(name, synapses[k], spikes_to(synapses[k], flying), when);
  }

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_stateful(std::move(table), slice_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    const bool asks = rule().asks_arrivals();
    const synapses::PostArrivals* arrived = asks ? seen_spikes(slice_.post, *table_, calendar_.at(step), step) : nullptr;
    return walk(step, [&](const StatefulEntry& e) {
      process(e, step, inputs, arrived);
      noted(e.at, [&](std::uint32_t k) { return sent_[k]; });
    });
  }

  /// Spikes on their way to a synapse. @param flying sorted by synapse
  static std::span<const InFlight> spikes_to(std::uint32_t synapse, std::span<const InFlight> flying) {
    const auto first = std::partition_point(flying.begin(), flying.end(), [=](const InFlight& f) { return f.synapse < synapse; });
    const auto last = std::partition_point(first, flying.end(), [=](const InFlight& f) { return f.synapse == synapse; });
    return {first, last};
  }

  /// What a synapse will be when all spikes have arrived; nothing changes.
  /// @param flying spikes on their way to it, in order
  double state_at(std::string_view name, std::uint32_t i, std::span<const InFlight> flying, StateTime when) const {
    const std::uint32_t row = table_->row_of(i);
    synapses::PreValues now{
        table_->pre_last[row], {table_->pre_values[std::size_t{row} * tables::Columns::values_per_row(*table_->spec)]}, 0};
    double weight = table_->weight(i), c = table_->synapse_values[i];
    synapses::SingleEvent at{0,    0,           table_->target[i], 0,    table_->delay_of(row, i), 0,
                             &now, slice_.post, nullptr,           key_, slice_.histories,         slice_.volume};
    for (const InFlight& spike : flying) {
      if (spike.stamp > when.spikes) {
        now = spike.before;
        break;
      }
      at.stamp = spike.stamp, at.before = &spike.before;
      rule().advance(at, true, weight, &c);
    }
    at.stamp = when.time, at.before = &now;
    if (when.time > now.last || now.last == 0) rule().advance(at, false, weight, &c);
    if (name != "n") return name == "c" ? c : weight;
    return slice_.volume->at(when.time) + rule().state("n", nullptr, nullptr, nullptr).value_or(0.0) * slice_.volume->decay()(when.time);
  }

 private:
  /// @param n synapses of a row with one delay, from i on
  void catch_up_run(std::uint32_t row, std::uint32_t i, std::uint32_t n, Step now, bool settles) {
    const Step last = table_->pre_last[row], delay = table_->delay_of(row, i);
    if (last == 0 || !(settles ? rule().settles(last + delay, now, delay) : last + delay <= now - learning_quiet)) return;
    const synapses::PreValues before{last, {*table_->source_values(row)}, 0};
    synapses::SingleRun run = run_of(i, {0, n}, row, now - delay, delay, before, nullptr, nullptr);
    run.settles = settles;
    rule().catch_up(run);
  }
  /// Updates the synapses of one run and adds the transmitted weights to the sums.
  void process(const StatefulEntry& e, Step due, const Inputs& in, const synapses::PostArrivals* arrived, bool brought = false) {
    for_parts(e, due, [&](const auto& part, Step delay) {
      synapses::SingleRun run = run_of(e.at.position, part, e.row, e.stamp, delay, e.before, &in, arrived);
      run.brought = brought;
      rule().process_each(run);
    });
  }
  /// Synapses i + begin .. i + end - 1. @param delay dendritic, less axonal @param in null: nothing is sent
  synapses::SingleRun run_of(std::uint32_t i, std::pair<std::uint32_t, std::uint32_t> of, std::uint32_t row, Step stamp, Step delay,
                             const synapses::PreValues& before, const Inputs* in, const synapses::PostArrivals* arrived) {
    const auto [begin, end] = of;
    tables::EdgeTable& t = *table_;
    const std::uint32_t first = i + begin, n = end - begin;
    const synapses::PlasticRun run{n,
                                   &t.target[first],
                                   weights_of(first, n),
                                   stamp,
                                   {},
                                   delay,
                                   slice_.post,
                                   in ? in->sums : nullptr,
                                   in ? in->to_fixed : 0.0,
                                   in ? in->largest : nullptr,
                                   t.spec->counts(),
                                   arrived};
    const std::uint16_t* nth = t.nth.empty() ? nullptr : &t.nth[first];
    return {run,
            &before,
            slice_.post_triplet,
            t.row_source[row],
            nth ? gid_.data() + begin : nullptr,
            nth,
            values_of(first),
            t.varied(first),
            sent_.data() + begin,
            key_,
            slice_.histories,
            slice_.volume,
            t.source_values(row),
            t.pre_last[row]};
  }
};

}  // namespace

std::unique_ptr<Pathway> make_stateful(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return make_recorded<Stateful>(std::move(table), slice);
}

}  // namespace npl::pathways
