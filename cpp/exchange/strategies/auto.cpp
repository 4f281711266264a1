// SPDX-License-Identifier: Apache-2.0
/// Times several strategies and keeps the fastest. All candidates are made at once and used in turn, so that slow changes of the load
/// affect all of them alike. After `trials` exchanges with each (the first of each warms up and does not count) one allreduce(max) of all
/// times gives all ranks the same table: the time of an exchange is that of its slowest rank, that of a candidate the median of its
/// exchanges. The others are released. Time is that spent inside start and finish, so what a candidate hides behind computation counts for
/// it. Candidates are the strategies whose files say so (Tried); each gets the options that it knows. Memory: that of all candidates at
/// first.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "exchange/strategy_base.hpp"

namespace npl::exchange {
namespace {

constexpr int trials = 6;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// @param shared_nodes has some node several ranks?
bool is_candidate(const StrategyInfo& info, bool shared_nodes) {
  return info.is.tried == Tried::always || (info.is.tried == Tried::on_shared_nodes && shared_nodes);
}

class Auto final : public StrategyBase {
 public:
  static constexpr Knows knows{.buffer = true, .conservation = true};
  Auto(comm::Communicator& comm, const Partners& partners, const Options& options) : StrategyBase(comm, partners, options, knows) {
    const bool shared_nodes = some_node_has_several();
    for (const StrategyInfo* info : strategies()) {
      if (!is_candidate(*info, shared_nodes)) continue;
      names_.push_back(info->name);
      tried_.push_back(info->make(comm, partners, options_for(info->is.knows)));
    }
    seconds_.resize(tried_.size() * trials);
  }

  void start(const Outgoing& out) override {
    const double begin = now();
    current().start(out);
    spent_ = now() - begin;
    count();
  }

  void finish(Incoming& in) override {
    const double begin = now();
    current().finish(in);
    spent_ += now() - begin;
    if (tried_.size() > 1) {
      seconds_[exchanges_++] = spent_;
      if (exchanges_ == seconds_.size()) choose();
    }
    count();
  }

  std::string choice() const override { return choice_; }

 private:
  Strategy& current() { return *tried_[exchanges_ % tried_.size()]; }

  bool some_node_has_several() {
    std::int64_t most = static_cast<std::int64_t>(comm_.share(1)->ranks().size());
    comm_.allreduce({&most, 1}, comm::Op::max);
    return most > 1;
  }

  Options options_for(Knows knows) const {
    Options o = options_;
    if (!knows.buffer) o.buffer_bytes = 0;
    if (!knows.conservation) o.conservation = Conservation::allreduce;
    return o;
  }

  // Median over all trials but the first; of a trial, the time of the slowest rank.
  double score(std::size_t candidate) const {
    std::vector<double> times;
    for (int t = 1; t < trials; ++t) times.push_back(seconds_[t * tried_.size() + candidate]);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

  void choose() {
    comm_.allreduce(seconds_, comm::Op::max);
    ++over_.rounds;
    std::vector<double> scores;
    for (std::size_t i = 0; i < tried_.size(); ++i) scores.push_back(score(i));
    const std::size_t best = std::min_element(scores.begin(), scores.end()) - scores.begin();
    choice_ = describe(scores, best);
    std::unique_ptr<Strategy> kept = std::move(tried_[best]);
    for (const auto& s : tried_)
      if (s) add(over_, s->counts());
    tried_.clear();
    tried_.push_back(std::move(kept));
    exchanges_ = 0;
  }

  std::string describe(const std::vector<double>& scores, std::size_t best) const {
    std::string text = names_[best] + " (";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      char time[32];
      std::snprintf(time, sizeof time, " %.1f us", scores[i] * 1e6);
      text += (i ? ", " : "") + names_[i] + time;
    }
    return text + ")";
  }

  static void add(Counts& sum, const Counts& c) {
    sum.messages += c.messages, sum.rounds += c.rounds;
    sum.bytes_sent += c.bytes_sent, sum.bytes_received += c.bytes_received;
    sum.words_sent += c.words_sent, sum.words_received += c.words_received;
  }

  void count() {
    counts_ = over_;
    for (const auto& s : tried_) add(counts_, s->counts()), counts_.buffer_bytes += s->counts().buffer_bytes;
  }

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Strategy>> tried_;  // only the chosen one in the end
  std::vector<double> seconds_;                   // by trial, then candidate
  double spent_ = 0;
  std::size_t exchanges_ = 0;
  Counts over_;  // of released candidates
  std::string choice_ = "not yet chosen";
};

/// All that are tried are there at first, each with a copy of the records; one copy is counted with the rest of the exchange. Nodes are
/// taken to have one rank.
double auto_bytes(const Load& l) {
  double bytes = 0, copies = -1;
  for (const StrategyInfo* info : strategies())
    if (is_candidate(*info, false)) bytes += info->is.bytes(l), ++copies;
  return bytes + copies * l.records * l.record_bytes;
}

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(auto, Auto, "times the directed strategies on the first exchanges, keeps the fastest",
             {.knows = Auto::knows, .bytes = &auto_bytes})
