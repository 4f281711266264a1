// SPDX-License-Identifier: Apache-2.0
/// Plastic delivery of one slice: rows of one delay that are due, postsynaptic spikes at the rate of the presynaptic ones. The first case
/// is the hpc_benchmark; the others have rare spikes, many spikes, short rows, and several delays (`arrivals` false).
#include <benchmark/benchmark.h>

#include <random>
#include <string_view>

#include "streams.hpp"
#include "synapses/row_rule.hpp"

namespace npl {
namespace {

struct Case {
  const char* synapse;
  double mu;  ///< exponents of the weight dependence
  std::size_t row = 1500;
  double rate = 10.0;  ///< spikes/s of both sides
  bool arrivals = true;
};

constexpr std::size_t n_nodes = 4500, n_rows = 9000;
constexpr Delay delay = 15;
constexpr double step_s = 1e-4;

std::unique_ptr<synapses::Plasticity> rule_of(const Case& c) {
  const auto& info = synapses::find_synapse(c.synapse);
  std::vector<double> parameters;
  for (const Field& f : info.parameters) parameters.push_back(std::string_view(f.name).starts_with("mu") ? c.mu : f.init);
  return info.prepare(parameters.data(), 0.1);
}

/// Rows with their sources, driven step by step.
class Driven {
 public:
  explicit Driven(const Case& c)
      : case_(c),
        rule_(rule_of(c)),
        post_(n_nodes, rule_->tau_minus(), 0.1),
        target_(c.row * n_rows),
        weight_(c.row * n_rows, 50.0f),
        sums_(n_nodes),
        last_(n_rows),
        trace_(n_rows) {
    for (auto& t : target_) t = static_cast<std::uint16_t>(random_() % n_nodes);
  }

  /// Spikes of a step; they are due after the delay.
  void spike() {
    std::poisson_distribution<int> posts(case_.rate * step_s * n_nodes), pres(case_.rate * step_s * n_rows);
    ++step_;
    for (int k = posts(random_); k > 0; --k) post_.add(static_cast<Local>(random_() % n_nodes), static_cast<std::int32_t>(step_));
    auto& due = due_[static_cast<std::size_t>(step_) % delay];
    due.clear();
    for (int k = pres(random_); k > 0; --k) {
      const std::size_t row = random_() % n_rows;
      due.push_back({row, step_, rule_->as<synapses::RowRule>().spike(step_, last_[row], &trace_[row])});
    }
  }
  /// Delivers what will be replaced by the next spikes; returns the number of events.
  std::size_t deliver() {
    const auto& due = due_[static_cast<std::size_t>(step_ + 1) % delay];
    if (due.empty()) return 0;
    const auto until = static_cast<std::int32_t>(due[0].stamp - delay);
    const bool all = due.size() * case_.row > n_nodes;
    const auto* seen = !case_.arrivals ? nullptr : all ? &post_.arrivals_with_traces(delay, until) : &post_.arrivals(delay, until);
    for (const Due& d : due) {
      const std::size_t i = d.row * case_.row;
      rule_->as<synapses::RowRule>().process({static_cast<std::uint32_t>(case_.row), &target_[i], &weight_[i], d.stamp, d.before, delay,
                                              &post_, sums_.data(), 0x1p30, &largest_, false, seen});
    }
    return due.size() * case_.row;
  }

 private:
  struct Due {
    std::size_t row;
    Step stamp;
    synapses::PreTrace before;
  };
  Case case_;
  std::unique_ptr<synapses::Plasticity> rule_;
  synapses::PostTrace post_;
  std::vector<std::uint16_t> target_;
  std::vector<float> weight_;
  std::vector<Fixed> sums_;
  std::vector<std::int32_t> last_;
  std::vector<double> trace_;
  std::array<std::vector<Due>, delay> due_;
  std::mt19937_64 random_{1};
  Step step_ = 0;
  double largest_ = 0.0;
};

void stdp(benchmark::State& state, const Case& c) {
  Driven driven(c);
  for (int step = 0; step < 5000; ++step) driven.spike();  // half a second of spikes to pair with
  std::size_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    driven.spike();
    state.ResumeTiming();
    events += driven.deliver();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  const double synapses = static_cast<double>(c.row) * n_rows, nodes = n_nodes;
  bench::note(state, {{"targets", "read", sizeof(std::uint16_t), synapses * sizeof(std::uint16_t)},
                      {"weights", "update", 2 * sizeof(float), synapses * sizeof(float)},
                      {"sums", "update", 2 * sizeof(Fixed), nodes * sizeof(Fixed)}});
}
BENCHMARK_CAPTURE(stdp, power_law, Case{"stdp_pl_synapse_hom", 0.4});
BENCHMARK_CAPTURE(stdp, exponents_1, Case{"stdp_synapse", 1.0});
BENCHMARK_CAPTURE(stdp, exponents_0_4, Case{"stdp_synapse", 0.4});
BENCHMARK_CAPTURE(stdp, power_law_1_Hz, Case{"stdp_pl_synapse_hom", 0.4, 1500, 1.0});
BENCHMARK_CAPTURE(stdp, power_law_50_Hz, Case{"stdp_pl_synapse_hom", 0.4, 1500, 50.0});
BENCHMARK_CAPTURE(stdp, power_law_rows_of_50, Case{"stdp_pl_synapse_hom", 0.4, 50});
BENCHMARK_CAPTURE(stdp, power_law_several_delays, Case{"stdp_pl_synapse_hom", 0.4, 1500, 10.0, false});

}  // namespace
}  // namespace npl
