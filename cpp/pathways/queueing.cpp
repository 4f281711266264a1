// SPDX-License-Identifier: Apache-2.0
#include "pathways/queueing.hpp"

#include <bit>
#include <cmath>

#include "base/math.hpp"
#include "pathways/entries.hpp"
#include "pathways/scatter_queue.hpp"
#include "pathways/target_bits.hpp"
#include "pathways/window_sums.hpp"

namespace npl::pathways {
namespace {

// Measured (`./run bench populations`). A run in the calendar costs as much as 6 to 12 scattered events, the more the larger the network;
// of few runs per row, the row costs more than they do. A window must stay in the L2 cache, with a piece of each row that pays its entry;
// of small tables the queued events stay there, too. Of a large table a row is not in cache: to read it once is faster, even if it has but
// one synapse (events of 1 to 3 synapses per row: 55 instead of 110 ns).
constexpr double longest_run = 10, fewest_runs = 3, large_table = 200e3, shortest_run = 3, window_bytes = 704 * 1024, piece = 12,
                 enough = 64, small_table = 200e3;

/// Synapses per row and step of delay, if the delays of a row are spread evenly. Of n = x m synapses over m steps, m (1 - e^-x) runs have
/// delays of their own; r - 1 / r inverts r = x / (1 - e^-x) to within 6 %.
double density(double per_run) { return per_run - 1 / per_run; }

double event_bytes(const tables::TableSpec& spec) {
  if (spec.counts() || spec.weights == tables::Weights::uniform) return sizeof(Event<NoWeight>);
  if (spec.weights == tables::Weights::coded) return sizeof(Event<tables::Code>);
  return spec.weights == tables::Weights::f32 ? sizeof(Event<float>) : sizeof(Event<double>);
}

/// Expected bytes of the bits with which crowded steps are delivered. Tables whose rows are one run have one delay.
double bit_bytes(const tables::TableSpec& spec, const TableCounts& t, double rate) {
  const bool may_have = (spec.counts() || spec.weights == tables::Weights::uniform) && t.runs == t.rows &&
                        TargetBits::are_small(t.synapses, t.rows, t.nodes) && TargetBits::are_fast(rate * t.synapses, t.nodes);
  return may_have ? TargetBits::expected_bytes(t.synapses, t.rows, t.nodes) : 0.0;
}

}  // namespace

Queueing queueing_of(const TableCounts& t) {
  if (t.synapses >= longest_run * t.runs) return {};
  const bool far = t.synapses >= large_table && t.synapses < shortest_run * t.runs;
  if (t.runs < fewest_runs * t.rows && !far) return {};
  const double each_step = density(t.synapses / t.runs);
  const double fitting = window_bytes / (t.nodes * sizeof(Fixed)), wanted = enough / each_step;
  const unsigned steps = std::bit_floor(static_cast<unsigned>(std::min({fitting, std::max(wanted, 2.0), 256.0})));
  if (t.synapses < small_table || steps < 2 || steps * each_step < piece) return {Queueing::By::events};
  return {Queueing::By::windows, steps};
}

double queued_bytes(const tables::TableSpec& spec, const TableCounts& t, double rate, double longest_delay) {
  const Queueing queueing = queueing_of(t);
  const double slots = math::power_of_two_from(longest_delay + 2.0);
  const auto entries = [slots](double due, double bytes) { return slots * math::power_of_two_from(due + 3 * std::sqrt(due)) * bytes; };
  if (queueing.by == Queueing::By::runs) return entries(rate * std::max(t.runs, t.rows), sizeof(StaticEntry)) + bit_bytes(spec, t, rate);
  const double rows = entries(rate * t.rows, sizeof(std::uint32_t));
  if (queueing.by == Queueing::By::events) return rows + ScatterQueue::expected_bytes(rate * t.synapses, longest_delay, event_bytes(spec));
  return rows + WindowSums::expected_bytes(t.nodes, queueing.window, rate * t.rows, longest_delay);
}

}  // namespace npl::pathways
