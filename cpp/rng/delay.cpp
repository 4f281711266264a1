// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <mutex>
#include <sstream>

#include "base/error.hpp"
#include "rng/delay_steps.hpp"
#include "rng/distribution.hpp"
#include "rng/quantile.hpp"
#include "rng/uniform_int.hpp"

namespace npl::rng {
namespace {

constexpr double most_steps = longest_delay;
constexpr std::uint64_t worth_a_guide = 2048;  ///< words; a search takes a few ns longer, the guide a few us

std::string text(double x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

std::string allowed_delays(double h) {
  return "between one step of the resolution (" + text(h) + " ms) and " + text(most_steps) + " steps (" + text(most_steps * h) + " ms)";
}

/// Rounds half up, as the thresholds of the sampler do; 0.35 ms are 3.5 steps of 0.1 ms, though their quotient as doubles is less.
double nearest_step(double ms, double h) { return std::floor(ms / h + (0.5 + 1e-9)); }

/// Smallest (word 0) or largest (`last`: word 2^32 - 1) delay that can be drawn [ms].
double extreme_ms(const Quantile& quantile, bool last) {
  const double near = uniform_end, far = 1.0 - uniform_end;
  return quantile.clip(quantile(last ? Tails{far, near} : Tails{near, far}));
}

/// @param probability probability(x): of a delay of at most x [ms] @param least, most the ends of what can be drawn [ms]
template <class Cdf>
StepTable table_of(Cdf&& probability, double least, double most, double h) {
  const double low = nearest_step(least, h), high = nearest_step(most, h);
  if (!(low >= 1))
    throw BadDelay("delay", low * h, allowed_delays(h) + "; this distribution reaches below, use .redraw(min=" + text(h) + ")");
  if (!(high <= most_steps))
    throw BadDelay("delay", high * h, allowed_delays(h) + "; this distribution reaches above, use .redraw(max=...)");
  std::vector<double> cdf;
  for (double step = low; step < high; ++step) cdf.push_back(probability((step + 0.5) * h));
  return {static_cast<std::uint32_t>(low), cdf, false};
}

StepTable make_table(const ValueSpec& spec, double h) {
  double value;
  if (is_single_value(spec, &value)) return {delay_steps(value, h), {}};
  if (spec.kind == Kind::uniform_int) {
    const UniformInt whole(spec);
    return table_of([&](double x) { return whole.cdf(x); }, whole.value(0), whole.value(whole.count() - 1), h);
  }
  const Quantile quantile(spec);
  return table_of([&](double x) { return quantile.cdf(x); }, extreme_ms(quantile, false), extreme_ms(quantile, true), h);
}

}  // namespace

Delay steps_or_0(double delay_ms, double h) {
  const double steps = nearest_step(delay_ms, h);
  return steps >= 1 && steps <= most_steps ? static_cast<Delay>(steps) : 0;
}

void steps_or_0(std::span<const double> delays_ms, double h, Delay* out) {
  for (std::size_t i = 0; i < delays_ms.size(); ++i) {
    const double steps = nearest_step(delays_ms[i], h);
    out[i] = static_cast<Delay>(static_cast<std::int32_t>(steps >= 1 && steps <= most_steps ? steps : 0.0));  // without a branch
  }
}

Delay delay_steps(double delay_ms, double h, const std::string& name) {
  const Delay steps = steps_or_0(delay_ms, h);
  if (!steps) throw BadDelay(name, delay_ms, allowed_delays(h));
  return steps;
}

/// The table with its guide.
struct DelaySampler::Guided {
  StepTable table;
  std::atomic<std::uint64_t> drawn{0};  ///< words before it was made
  std::atomic<bool> made{false};
  std::once_flag once;

  bool worth(std::size_t n, const StepTable& plain) {
    if (made.load(std::memory_order_acquire)) return true;
    if (drawn.fetch_add(n, std::memory_order_relaxed) + n < worth_a_guide) return false;
    std::call_once(once, [&] {
      table = plain;
      table.add_guide();
      made.store(true, std::memory_order_release);
    });
    return true;
  }
};

DelaySampler::DelaySampler(const ValueSpec& delay_ms, double resolution_ms) {
  check(delay_ms, "delay");
  if (delay_ms.bits) throw BadParameter("delay", "a coded distribution", "one without .coded(): codes are for weights");
  table_ = make_table(delay_ms, resolution_ms);
  if (table_.wants_guide()) guided_ = std::make_shared<Guided>();
}

void DelaySampler::draw(std::span<const std::uint32_t> words, Delay* out) const {
  const StepTable& table = guided_ && guided_->worth(words.size(), table_) ? guided_->table : table_;
  table.draw(words.data(), out, words.size());
}

}  // namespace npl::rng
