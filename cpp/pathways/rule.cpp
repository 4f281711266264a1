// SPDX-License-Identifier: Apache-2.0
/// Pathway of synapses with state or random numbers of their own (synapses/rule.hpp), at steps or at moments. Only their tables have the
/// columns for it. What is due in a step is updated in few calls of the rule, however short rows are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/learner.hpp"
#include "pathways/recording.hpp"
#include "pathways/seen_spikes.hpp"

namespace npl::pathways {
namespace {

using synapses::offset_of;
using synapses::stamp_of;
using synapses::time_of;
using tables::RowCursor;

/// @tparam Time of spikes: Step, or Moment for targets that spike between grid points
template <class Time>
class RulePathway : public Queued<RulePathway<Time>, RuleEntry<Time>> {
 public:
  using Entry = RuleEntry<Time>;
  using Base = Queued<RulePathway, Entry>;
  using Trace = synapses::TraceOf<Time>;
  using typename Base::Fired;

  RulePathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice)
      : Base(std::move(table), slice),
        key_(rng::Key::of(slice.seed, rng::Purpose::synapse, static_cast<std::uint64_t>(table_->spec->order))) {}

  std::uint64_t deliver(Step step, const Inputs& inputs) override {
    return deliver_noting(step, inputs, [](const RowCursor&, auto&&) {});
  }

  void spike(std::span<const Fired> fired) {
    spikes_.clear();
    for (const Fired& f : fired) spikes_.push_back({f.row, taken(time_of<Time>(f.step + 1, f.offset))});
    rule().spike(spikes_, {table_->pre_last.data(), table_->pre_values.data()});
    this->for_fired(fired, [this](std::size_t k, const Fired& f) {
      Entry e{this->first_run(f), time_of<Time>(f.step + 1, f.offset), f.row, spikes_[k].before};
      if (e.before.last == f.step + 1) e.before.repeat = repeats(f.step, e);
      this->put(f.step, e);
    });
  }

  using Base::oldest_needed;
  Step oldest_needed(const Trace* trace, Step now) const override {
    const auto [pair, triplet] = slice_.template posts<Time>();
    if (trace ? trace != pair && trace != triplet : !slice_.histories) return INT32_MAX;
    return oldest_spike(now) - calendar_.steps() + (on_grid ? 1 : 0);  // moments lie up to a step before their stamps
  }
  Step oldest_heard(Step now) const override { return slice_.volume ? oldest_spike(now) : now; }

  /// Skips synapses with a spike in flight or a recent one: their next presynaptic spike updates them.
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

  void bring(const Flight& spike, const Inputs& inputs) override {
    synapses::RunAt<Time> run = shared_run();
    run.brought = true;
    add({{spike.at, 0, 0, 1}, time_of<Time>(spike.stamp(), spike.offset), table_->row_of(spike.at), spike.before}, spike.due);
    update(run, inputs, [](const RowCursor&, auto&&) {});
  }

  void states(std::string_view name, std::span<const std::uint32_t> synapses, StateTime when, double* out) const override {
    if (!slice_.volume) return Pathway::states(name, synapses, when, out);
    std::vector<char> asked(table_->n_synapses());
    for (const std::uint32_t i : synapses) asked[i] = 1;
    std::vector<Flight> flying = this->in_flight(asked, when.now);
    std::stable_sort(flying.begin(), flying.end(), [](const Flight& a, const Flight& b) { return a.at < b.at; });
    for (std::size_t k = 0; k < synapses.size(); ++k) out[k] = state_at(name, synapses[k], spikes_to(synapses[k], flying), when);
  }

 protected:
  using Base::calendar_, Base::slice_, Base::table_;

  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_rule_pathway(std::move(table), slice_);
  }
  template <class Noted>
  std::uint64_t deliver_noting(Step step, const Inputs& inputs, Noted&& noted) {
    synapses::RunAt<Time> run = shared_run();
    if constexpr (on_grid)
      if (rule().asks_arrivals()) run.arrived = seen_spikes(run.post, *table_, calendar_.at(step), step);
    const std::uint64_t events = this->walk(step, [&](const Entry& e) {
      if (n_due_ + e.at.length > together) update(run, inputs, noted);
      add(e, step);
    });
    update(run, inputs, noted);
    return events;
  }

 private:
  using Part = synapses::PartAt<Time>;
  static constexpr bool on_grid = std::is_same_v<Time, Step>;
  static constexpr std::uint32_t together = 256;  ///< synapses that are updated in one call, unless a row has more

  const synapses::RuleOver<Time>& rule() const { return table_->spec->plasticity->template as<synapses::RuleOver<Time>>(); }
  /// When the rule takes a spike to have been.
  Time taken(const Time& sent) const { return time_of<Time>(stamp_of(sent), slice_.sources_on_grid ? 0.0 : offset_of(sent)); }

  /// The oldest spike that a synapse goes on from with the next one. @param now where a row has none yet
  Step oldest_spike(Step now) const {
    Step oldest = now;
    const bool all = rule().meets_all();
    const auto ask = [&](Step last, Step stamp) { oldest = std::min(oldest, last > 0 || all ? std::abs(last) : stamp); };
    for (std::int32_t last : table_->pre_last) ask(last, now);
    calendar_.for_each(0, [&](Step, const Entry& e) { ask(e.before.last, stamp_of(e.sent)); });
    return oldest;
  }
  /// Number of queued spikes of the row with the same stamp.
  std::uint32_t repeats(Step step, const Entry& entry) const {
    const auto& slot = calendar_.at(step + tables::next_delay(*table_, entry.at));
    return static_cast<std::uint32_t>(std::count_if(
        slot.begin(), slot.end(), [&](const Entry& e) { return e.row == entry.row && stamp_of(e.sent) == stamp_of(entry.sent); }));
  }

  /// What all calls have in common.
  synapses::RunAt<Time> shared_run() {
    tables::EdgeTable& t = *table_;
    const auto [pair, triplet] = slice_.template posts<Time>();
    return {.post = pair,
            .post_triplet = triplet,
            .histories = slice_.histories,
            .volume = slice_.volume,
            .key = key_,
            .nodes = &slice_.nodes,
            .target = t.target.data(),
            .values = t.synapse_values.data(),
            .varied = t.parameters.data(),
            .nth = t.nth.data(),
            .source = t.row_source.data(),
            .row_last = t.pre_last.data(),
            .row_values = t.pre_values.data()};
  }
  /// Takes a run that is due: in parts with one axonal delay each.
  void add(const Entry& e, Step due) {
    const tables::EdgeTable& t = *table_;
    const synapses::Axonal& axonal = rule().axonal;
    const std::uint32_t i = e.at.position, n = e.at.length;
    spread_uniform(n);
    for (std::uint32_t begin = 0, end = n; begin < n; begin = end) {
      const Step first = axonal.of(t.varied(i + begin));
      for (end = axonal.varies() ? begin + 1 : n; end < n && axonal.of(t.varied(i + end)) == first;) ++end;
      parts_.push_back(
          {i + begin, end - begin, e.row, due + 1 - stamp_of(e.sent) - 2 * first, taken(e.sent), e.before, weights_of(i + begin)});
    }
    due_.push_back({e.at, e.sent});
    n_due_ += n;
  }
  /// Updates the synapses of all runs that have been taken, and delivers what they transmit.
  template <class Noted>
  void update(synapses::RunAt<Time>& run, const Inputs& in, Noted&& noted) {
    if (due_.empty()) return;
    sent_.resize(n_due_);
    run.parts = parts_, run.sent = sent_.data(), run.largest = in.largest;
    rule().process(run);
    const double* sent = sent_.data();
    for (const Due& d : due_) {
      transmit(d, sent, in);
      noted(d.at, [sent](std::uint32_t k) { return sent[k]; });
      sent += d.at.length;
    }
    parts_.clear(), due_.clear(), n_due_ = 0;
  }
  struct Due {
    RowCursor at;
    Time sent;
  };
  /// @param sent [of the run] nan: nothing
  void transmit(const Due& d, const double* sent, const Inputs& in) const {
    const tables::EdgeTable& t = *table_;
    const std::uint16_t* target = &t.target[d.at.position];
    const bool counts = t.spec->counts();
    for (std::uint32_t k = 0; k < d.at.length; ++k) {
      if (std::isnan(sent[k])) continue;
      if constexpr (on_grid)
        add_wrapping(in.sums[target[k]], counts ? 1 : round_to_fixed(sent[k] * in.to_fixed));
      else
        in.events->push_back({target[k], t.spec->receptor, offset_of(d.sent), counts ? 1.0 : sent[k]});
    }
  }

  synapses::StoredWeights weights_of(std::uint32_t i) {
    if (table_->spec->weights == tables::Weights::uniform) return uniform_.data();
    return table_->stored_weights(i);
  }
  /// (uniform weights) Copies for the next runs, one of them with n synapses: only rules that do not change weights have uniform ones.
  void spread_uniform(std::uint32_t n) {
    const tables::TableSpec& spec = *table_->spec;
    if (spec.weights != tables::Weights::uniform || (n <= uniform_.size() && uniform_[0] == spec.uniform)) return;
    uniform_.assign(std::max(n, together), spec.uniform);
  }

  /// @param n synapses of a row with one delay, from i on
  void catch_up_run(std::uint32_t row, std::uint32_t i, std::uint32_t n, Step now, bool settles) {
    const Step last = table_->pre_last[row], delay = table_->delay_of(row, i);
    if (last == 0 || !(settles ? rule().settles(last + delay, now, delay) : last + delay <= now - learning_quiet)) return;
    const synapses::PreValues before{last, {*table_->source_values(row)}, 0};
    const Part part{i, n, row, delay, time_of<Time>(now - delay, 0.0), before, weights_of(i)};
    synapses::RunAt<Time> run = shared_run();
    run.parts = {&part, 1}, run.settles = settles;
    rule().catch_up(run);
  }

  /// Spikes on their way to a synapse. @param flying sorted by synapse
  static std::span<const Flight> spikes_to(std::uint32_t synapse, std::span<const Flight> flying) {
    const auto first = std::partition_point(flying.begin(), flying.end(), [=](const Flight& f) { return f.at < synapse; });
    const auto last = std::partition_point(first, flying.end(), [=](const Flight& f) { return f.at == synapse; });
    return {first, last};
  }
  /// (third factor) What a synapse will be when all spikes have arrived; nothing changes.
  /// @param flying spikes on their way to it, in order
  double state_at(std::string_view name, std::uint32_t i, std::span<const Flight> flying, StateTime when) const {
    const std::uint32_t row = table_->row_of(i);
    synapses::PreValues now{
        table_->pre_last[row], {table_->pre_values[std::size_t{row} * tables::Columns::values_per_row(*table_->spec)]}, 0};
    const auto n_own = static_cast<std::ptrdiff_t>(rule().synapse_values());
    const auto begin = table_->synapse_values.begin() + static_cast<std::ptrdiff_t>(i) * n_own;
    std::vector<double> own(begin, begin + n_own);
    double weight = table_->weight(i);
    synapses::EventAt<Time> at{.local = table_->target[i],
                               .delay = table_->delay_of(row, i),
                               .before = &now,
                               .post = slice_.template posts<Time>().first,
                               .post_triplet = slice_.template posts<Time>().second,
                               .key = key_,
                               .histories = slice_.histories,
                               .volume = slice_.volume};
    for (const Flight& spike : flying) {
      if (spike.stamp() > when.spikes) {
        now = spike.before;
        break;
      }
      at.stamp = time_of<Time>(spike.stamp(), spike.offset), at.before = &spike.before;
      rule().advance(at, true, weight, own.data());
    }
    at.stamp = time_of<Time>(when.time, 0.0), at.before = &now;
    if (when.time > now.last || now.last == 0) rule().advance(at, false, weight, own.data());
    if (name == "weight") return weight;
    const double* row_values = &table_->pre_values[std::size_t{row} * tables::Columns::values_per_row(*table_->spec)];
    const double found = rule().state(name, row_values, own.data(), nullptr).value_or(std::numeric_limits<double>::quiet_NaN());
    if (name != "n" || !rule().hears().shows_n) return found;
    return slice_.volume->at(when.time) + found * slice_.volume->decay()(when.time);
  }

  rng::Key key_;
  std::vector<synapses::FiredAt<Time>> spikes_;
  std::vector<Part> parts_;  ///< of runs that have been taken
  std::vector<Due> due_;
  std::uint32_t n_due_ = 0;  ///< synapses
  std::vector<double> sent_, uniform_;
};

}  // namespace

std::unique_ptr<Pathway> make_rule_pathway(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  if (table->spec->plasticity->takes() == synapses::Takes::moments)
    return make_recorded<RulePathway<synapses::Moment>>(std::move(table), slice);
  return make_recorded<RulePathway<Step>>(std::move(table), slice);
}

}  // namespace npl::pathways
