// SPDX-License-Identifier: Apache-2.0
/// Communication alone, after "Building Brain Circuits" (2020): every rank sends `size` bytes to a fraction of the other ranks, again and
/// again; no computation, no data dependence. mpiexec -n N exchange_only CASES: a case per line of the file CASES,
///   strategy phases fraction size partners buffers milliseconds
/// fraction: of the other ranks, rounded up. partners: fixed (the next ones, known to the strategy) or random (others in each iteration;
/// the strategy knows only that anybody may send to anybody). buffers: reused, or fresh (what is sent and what is received lie in memory
/// that is new in each iteration). A strategy that is not directed sends its `size` bytes once, to all.
/// Rank 0 prints a line of JSON per case: seconds of an iteration (the slowest rank's; quartiles over iterations), seconds of set-up, and
/// messages, bytes and rounds of one iteration, summed over ranks: exact.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "comm/world.hpp"
#include "exchange/strategy.hpp"

namespace {

using namespace npl;
using comm::Communicator, exchange::Counts, exchange::Incoming, exchange::Outgoing, exchange::Partners;

constexpr int warm_up = 3, least_iterations = 5, most_iterations = 300;

struct Case {
  std::string strategy;
  int phases;
  double fraction;
  std::size_t size;
  std::string partners, buffers;
  double milliseconds;
};

std::vector<Case> read_cases(const char* path) {
  std::vector<Case> all;
  std::ifstream file(path);
  for (Case c; file >> c.strategy >> c.phases >> c.fraction >> c.size >> c.partners >> c.buffers >> c.milliseconds;) all.push_back(c);
  return all;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int count_of(const Case& c, int ranks) { return std::clamp(static_cast<int>(std::ceil(c.fraction * (ranks - 1))), 1, ranks - 1); }

/// Whom the strategy is told of: the next ranks, or all.
Partners partners_of(const Case& c, const Communicator& comm) {
  Partners p;
  const int n = comm.size(), k = c.partners == "random" ? n - 1 : count_of(c, n);
  for (int i = 1; i <= k; ++i) p.destinations.push_back((comm.rank() + i) % n), p.sources.push_back((comm.rank() + n - i) % n);
  std::ranges::sort(p.destinations);
  std::ranges::sort(p.sources);
  return p;
}

class Run {
 public:
  Run(Communicator& comm, const Case& c)
      : comm_(comm), case_(c), partners_(partners_of(c, comm)), random_(static_cast<unsigned>(comm.rank())) {
    const double begin = now();
    const exchange::StrategyInfo& info = exchange::find_strategy(c.strategy);
    directed_ = info.is.directed;
    strategy_ = info.make(comm, partners_, {.record_bytes = 8, .phases = c.phases});
    setup_ = now() - begin;
    chosen_.resize(partners_.destinations.size());
    std::iota(chosen_.begin(), chosen_.end(), 0);
  }

  void print() {
    double first = 0;
    for (int i = 0; i < warm_up; ++i) first = iteration();
    comm_.allreduce(std::span<double>(&first, 1), comm::Op::max);
    const int n = std::clamp(static_cast<int>(case_.milliseconds * 1e-3 / first), least_iterations, most_iterations);
    const Counts before = strategy_->counts();
    std::vector<double> seconds;
    for (int i = 0; i < n; ++i) seconds.push_back(iteration());
    comm_.allreduce(std::span<double>(seconds), comm::Op::max);
    comm_.allreduce(std::span<double>(&setup_, 1), comm::Op::max);
    report(before, std::move(seconds));
  }

 private:
  double iteration() {
    if (case_.partners == "random") std::ranges::shuffle(chosen_, random_);
    comm_.barrier();
    const double begin = now();
    if (case_.buffers == "fresh") {
      Outgoing out;
      Incoming in;
      exchange_once(out, in);
    } else {
      exchange_once(out_, in_);
    }
    return now() - begin;
  }

  void exchange_once(Outgoing& out, Incoming& in) {
    out.begin.assign(directed_ ? partners_.destinations.size() + 1 : 2, 0);
    if (directed_)
      for (int i = 0; i < count_of(case_, comm_.size()); ++i) out.begin[chosen_[i] + 1] = case_.size;
    else
      out.begin[1] = case_.size;
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.data.resize(out.begin.back());
    strategy_->start(out);
    strategy_->finish(in);
  }

  void report(const Counts& before, std::vector<double> seconds) {
    const Counts& after = strategy_->counts();
    std::int64_t sums[] = {static_cast<std::int64_t>(after.messages - before.messages),
                           static_cast<std::int64_t>(after.bytes_sent - before.bytes_sent),
                           static_cast<std::int64_t>(after.rounds - before.rounds), static_cast<std::int64_t>(after.buffer_bytes)};
    comm_.allreduce(std::span<std::int64_t>(sums), comm::Op::sum);
    if (comm_.rank() != 0) return;
    std::ranges::sort(seconds);
    const auto n = static_cast<double>(seconds.size());
    const auto quantile = [&](double q) { return seconds[static_cast<std::size_t>(q * (n - 1))]; };
    std::printf(
        "{\"strategy\": \"%s\", \"phases\": %d, \"fraction\": %g, \"count\": %d, \"size\": %zu, \"partners\": \"%s\", \"buffers\": \"%s\", "
        "\"ranks\": %d, \"iterations\": %zu, \"seconds\": [%.3e, %.3e, %.3e], \"setup_s\": %.3e, \"messages\": %.6g, \"bytes\": %.8g, "
        "\"rounds\": %.6g, \"buffer_bytes\": %lld}\n",
        case_.strategy.c_str(), case_.phases, case_.fraction, count_of(case_, comm_.size()), case_.size, case_.partners.c_str(),
        case_.buffers.c_str(), comm_.size(), seconds.size(), quantile(0.25), quantile(0.5), quantile(0.75), setup_,
        static_cast<double>(sums[0]) / n, static_cast<double>(sums[1]) / n, static_cast<double>(sums[2]) / n,
        static_cast<long long>(sums[3]));
    std::fflush(stdout);
  }

  Communicator& comm_;
  const Case case_;
  const Partners partners_;
  std::mt19937 random_;
  bool directed_ = true;
  std::unique_ptr<exchange::Strategy> strategy_;
  std::vector<std::size_t> chosen_;  // positions in partners_.destinations, the first ones get something
  double setup_ = 0;
  Outgoing out_;
  Incoming in_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Case> cases = argc == 2 ? read_cases(argv[1]) : std::vector<Case>();
  try {
    const auto world = comm::world();
    if (cases.empty()) comm::abort_job(2, "usage: mpiexec -n N exchange_only FILE; no case in FILE");
    if (world->size() < 2) comm::abort_job(2, "at least 2 ranks are needed");
    for (const Case& c : cases) Run(*world, c).print();
  } catch (const std::exception& error) {
    comm::abort_job(3, error.what());
  }
}
