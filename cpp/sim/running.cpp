// SPDX-License-Identifier: Apache-2.0
/// run(): the time loop. An interval is at most the minimal delay long; within it slices are independent, after it spikes are exchanged:
/// between the threads of a rank through shared memory, between ranks by a strategy. With groups of ranks (levels.hpp) a part of a window is
/// at most the minimal delay of the group long, and all ranks exchange at the end of the window and of the run.
#include <algorithm>

#include "sim/fingerprint.hpp"
#include "sim/runner.hpp"

namespace npl::sim {
namespace {

constexpr Step interval_without_connections = 16;
constexpr double poll_every = 0.05;       // [s]
constexpr Step intervals_per_control = 16, windows_per_control = 4;  // how often ranks agree on a wish to stop, where nothing else needs to be agreed on

}  // namespace

/// One run of all threads. Thread 0 is the caller: it polls and talks to the other ranks.
class Runner::Loop {
 public:
  Loop(Runner& net, Step until, const Poll& poll) : net_(net), begin_(net.step_), until_(until), poll_(poll), limit_(until), window_from_(begin_), two_(net.levels_.two()), timers_(static_cast<std::size_t>(net.threads())), met_(timers_.size(), net.agreed_largest_) {
    for (const auto& s : net.slices_)
      for (const auto& p : s->pathways()) plastic_ |= p->table().spec->plasticity != nullptr;
    if (net_.ranks() == 1) return;
    std::int64_t any = plastic_;
    net_.comm_->allreduce(std::span<std::int64_t>(&any, 1), comm::Op::max);
    plastic_ = any != 0;
  }

  /// Whoever fails here (memory, a message that makes no sense) would leave threads and ranks waiting at their barriers: it ends the job.
  void thread(int t) {
    try {
      steps(t);
    } catch (const std::exception& e) {
      net_.comm_->abort(1, std::string("in the time loop: ") + e.what());
    }
  }

  /// Keeps what the next run has to know.
  void leave() {
    if (!net_.exchanger_.active()) net_.agreed_largest_ = met_[0];
  }
  const std::vector<PhaseTimer<RunPhase>>& timers() const { return timers_; }

 private:
  void steps(int t) {
    int parity = 0;
    for (Step from = net_.step_; from < limit_.load(std::memory_order_acquire); parity ^= 1) {
      const Step to = end_of_part(from);
      net_.for_own_slices(t, [&](Slice& s) { s.advance(from, to, parity, settled(from), timers_[at(t)]); });
      if (two_) keep(t, parity);
      if (t == 0) poll(to);
      synchronize(t);
      net_.exchanger_.active() ? exchange(t, parity, from, to) : schedule_own(t, parity);
      if (to % net_.control_interval() == 0) adopt_scales(t, parity);
      timers_[at(t)].lap(RunPhase::schedule);
      from = to;
      if (t != 0) continue;
      net_.now_ = to;
      if (net_.settings_.count_intervals) count_interval(parity, meets_all(to));
    }
    if (net_.exchanger_.active()) complete(t);
  }

  static std::size_t at(int thread) { return static_cast<std::size_t>(thread); }
  /// Ranks agree only at the ends of whole intervals, so that it does not matter how a run is split; on scales where they change.
  Step agreement_interval() const { return plastic_ ? net_.control_interval() : two_ ? net_.levels_.window() : net_.interval(); }
  /// Do all ranks exchange spikes at the end of this part?
  bool meets_all(Step to) const { return !two_ || net_.levels_.ends_window(to) || to == until_; }

  Step end_of_part(Step from) const {
    if (!two_) return std::min(net_.end_of_part(from), until_);
    const Step agreement = plastic_ ? (from / net_.control_interval() + 1) * net_.control_interval() : until_;
    return std::min({net_.levels_.end_of_part(from), agreement, until_});
  }

  /// What was emitted before this step has been scheduled when a part that begins with `from` is done.
  Step settled(Step from) const {
    if (two_) return std::max(begin_, from / net_.levels_.window() * net_.levels_.window());
    return net_.halved() ? from - net_.longest_part() : from;
  }

  void keep(int t, int parity) {
    net_.for_own_slices(t, [&](Slice& s) { net_.levels_.keep(s, parity); });
    timers_[at(t)].lap(RunPhase::collocate);
  }

  void poll(Step to) {
    if (!poll_ || seconds_now() - polled_ < poll_every) return;
    polled_ = seconds_now();
    const auto start = static_cast<std::uint64_t>(net_.step_);
    if (poll_("simulating", static_cast<std::uint64_t>(to) - start, static_cast<std::uint64_t>(until_) - start)) return;
    stop_ = true;
    if (net_.ranks() == 1) limit_.store(to, std::memory_order_release);
  }

  void synchronize(int t) {
    timers_[at(t)].start();
    net_.team_.barrier();
    timers_[at(t)].lap(RunPhase::wait);
  }

  /// Thread 0 sends and receives while the others schedule the spikes of this rank.
  void exchange(int t, int parity, Step from, Step to) {
    const bool all = meets_all(to);
    if (t == 0) {
      if (two_) net_.levels_.exchange(net_.slices_, parity, from, to);
      if (all) exchange_all(parity, from, to);
      if (to % agreement_interval() == 0) control(to, parity);
      timers_[0].lap(RunPhase::exchange);
    }
    schedule_own(t, parity);
    timers_[at(t)].lap(RunPhase::schedule);
    synchronize(t);
    net_.for_own_slices(t, [&](Slice& s) {
      if (two_) net_.levels_.schedule(s);
      if (all) net_.exchanger_.schedule(s);
      if (two_ && all) net_.levels_.forget(s);
    });
  }

  void exchange_all(int parity, Step from, Step to) {
    PhaseTimer<RunPhase>& timer = timers_[0];
    if (net_.settings_.count_intervals) net_.comm_->barrier(), timer.lap(RunPhase::wait);  // tells waiting from exchange, as Hines et al. do
    net_.exchanger_.finish();
    timer.lap(RunPhase::exchange);
    two_ ? net_.exchanger_.start(net_.levels_.kept(), window_from_) : net_.exchanger_.start(net_.slices_, parity, from, to);
    window_from_ = to;
    timer.lap(RunPhase::collocate);
    if (!net_.halved()) net_.exchanger_.finish();
  }

  void schedule_own(int t, int parity) {
    net_.for_own_slices(t, [&](Slice& s) {
      for (auto& other : net_.slices_) s.schedule(other->outbox(parity));
    });
  }

  Largest largest_weights(int parity) const {
    Largest largest{};
    for (auto& s : net_.slices_)
      for (std::size_t r = 0; r < largest.size(); ++r) largest[r] = std::max(largest[r], s->outbox(parity).largest[r]);
    return largest;
  }

  /// What was met until the end of one control interval changes the scales at the end of the next one: by then all ranks know it.
  void adopt_scales(int t, int parity) {
    const bool alone = !net_.exchanger_.active();
    const Largest known = alone ? met_[at(t)] : net_.agreed_largest_;
    if (alone) met_[at(t)] = largest_weights(parity);
    net_.for_own_slices(t, [&](Slice& s) { s.rescale(known); });
  }

  /// Agreement of all ranks on the largest weights and on stopping, begun at the end of one interval and known at the end of the next.
  void control(Step to, int parity) {
    finish_control(to);
    if (!plastic_ && to / agreement_interval() % (two_ ? windows_per_control : intervals_per_control) != 0) return;
    const Largest largest = largest_weights(parity);
    std::copy(largest.begin(), largest.end(), control_.begin());
    control_.back() = stop_;
    agreeing_ = true;
    request_ = net_.comm_->iallreduce(std::span<double>(control_), comm::Op::max);
  }

  void finish_control(Step to) {
    if (!std::exchange(agreeing_, false)) return;
    net_.comm_->wait(request_);
    std::copy_n(control_.begin(), max_receptors, net_.agreed_largest_.begin());
    if (control_.back() == 0.0) return;
    const Step window = two_ ? net_.levels_.window() : 1;
    limit_.store(std::min((to + window - 1) / window * window, until_), std::memory_order_release);  // what is kept has been sent by then
  }

  /// Brings what is still on its way when the run ends.
  void complete(int t) {
    net_.team_.barrier();  // others may still read what came last and what was agreed on
    if (t == 0) finish_control(net_.now_);
    if (!net_.halved()) return;
    if (t == 0) net_.exchanger_.finish();
    net_.team_.barrier();
    net_.for_own_slices(t, [&](Slice& s) { net_.exchanger_.schedule(s); });
  }

  /// Times of this run and counts since the strategy was made.
  Interval counted() const {
    const PhaseTimer<RunPhase>& timer = timers_[0];
    const exchange::Counts c = net_.exchanged();
    const double computing = timer[RunPhase::deliver] + timer[RunPhase::devices] + timer[RunPhase::update] + timer[RunPhase::record];
    return {computing, timer[RunPhase::wait], timer[RunPhase::collocate], timer[RunPhase::exchange], timer[RunPhase::schedule], 0,
            c.words_sent, c.words_received, c.bytes_sent, c.bytes_received, c.messages, c.rounds, c.buffer_bytes};
  }

  /// What this interval took and moved, on this rank. Others may be in the next interval already, which leaves this outbox alone.
  void count_interval(int parity, bool ends) {
    for (const auto& s : net_.slices_) spikes_ += s->outbox(parity).spikes.size();
    if (!ends) return;
    Interval now = counted();
    now.spikes = std::exchange(spikes_, 0);
    net_.intervals_.push_back({now.compute - before_.compute, now.wait - before_.wait, now.collocate - before_.collocate, now.exchange - before_.exchange,
                               now.deliver - before_.deliver, now.spikes, now.words_sent - before_.words_sent,
                               now.words_received - before_.words_received, now.bytes_sent - before_.bytes_sent, now.bytes_received - before_.bytes_received,
                               now.messages - before_.messages, now.rounds - before_.rounds, now.buffer_bytes});
    before_ = now;
  }

  Runner& net_;
  const Step begin_, until_;
  const Poll& poll_;
  std::atomic<Step> limit_;
  Step window_from_;  ///< spikes before this step have gone to all ranks
  const bool two_;
  std::vector<PhaseTimer<RunPhase>> timers_;
  std::vector<Largest> met_;  ///< by thread, of the last interval; where there is one rank only
  std::array<double, max_receptors + 1> control_{};
  comm::Request request_ = 0;
  bool plastic_ = false, stop_ = false, agreeing_ = false;
  double polled_ = seconds_now();
  Interval before_ = counted();
  std::uint64_t spikes_ = 0;  ///< of the interval that is counted now
};

/// Nothing is sent without connections, but thread 0 looks up now and then.
Step Runner::interval() const {
  const Delay min_delay = parts_.description.min_delay();
  return min_delay ? min_delay : interval_without_connections;
}
/// Depends on delays only, not on who exchanges when (law 1); no window of levels is longer, so plastic ranks meet no more often for it.
Step Runner::control_interval() const { return std::max(interval(), (parts_.description.max_delay() + interval() - 1) / interval() * interval()); }
bool Runner::halved() const { return settings_.exchange.halves && exchanger_.active() && interval() > 1; }
Step Runner::longest_part() const { return halved() ? (interval() + 1) / 2 : interval(); }
Step Runner::end_of_part(Step from) const {
  const Step begin = from / interval() * interval();
  return from < begin + longest_part() ? begin + longest_part() : begin + interval();
}

Step Runner::run(Step steps, const Poll& poll) {
  together("run", [&] {
    if (steps < 0) throw BadParameter("steps", static_cast<double>(steps), "at least 0");
    if (steps > INT32_MAX - step_) throw BadParameter("steps", static_cast<double>(steps), "such that the network stays below 2^31 steps");
  }, fingerprint_of(steps));
  build(poll);
  const double start = seconds_now();
  const Step first = step_;
  now_ = first;
  Loop loop(*this, step_ + steps, poll);
  team_.run([&](int thread) { loop.thread(thread); });
  loop.leave();
  step_ = now_;
  add_run_timers(loop.timers(), seconds_now() - start);
  return step_ - first;
}

void Runner::add_run_timers(const std::vector<PhaseTimer<RunPhase>>& timers, double wall) {
  static constexpr const char* names[] = {"run_deliver", "run_devices", "run_update", "run_record", "run_schedule", "run_wait", "run_collocate", "run_exchange"};
  for (std::size_t k = 0; k < static_cast<std::size_t>(RunPhase::count_); ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<RunPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
  timers_["run"] += wall;
}

}  // namespace npl::sim
