// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/memory.hpp"

namespace npl::sim {
namespace {

constexpr double spare = 64e6;  ///< bytes of the machine that a growing run leaves free

/// Bytes that a vector may need before the next look: those of a copy if it is nearly full, else its unused capacity, at most its size.
template <class T>
double soon(const std::vector<T>& v) {
  const auto size = static_cast<double>(v.size() * sizeof(T)), room = static_cast<double>(v.capacity() * sizeof(T));
  return 4 * size > 3 * room ? room : std::min(0.75 * room - size, size);
}

}  // namespace

MemoryWatch::MemoryWatch(const Slices& slices, const MemoryBudget& budget)
    : budget_(budget),
      spike_recorders_(slices.empty() ? 0 : slices.front()->spike_tracks().size()),
      state_recorders_(slices.empty() ? 0 : slices.front()->state_tracks().size()),
      parts_(slices.size()) {
  if (budget_.limit <= 0) return;  // with a limit the run begins with a look
  for (const auto& s : slices) measure(*s);
}

void MemoryWatch::measure(Slice& slice) {
  Part& part = parts_[slice.id()];
  const unsigned asked = asked_.load(std::memory_order_relaxed);
  const std::lock_guard lock(part.mutex);
  part.bytes.resize(kinds());
  const std::size_t flight = kinds() - 2;
  const double before = part.bytes[flight] + part.bytes[flight + 1];
  std::fill(part.bytes.begin(), part.bytes.end(), 0.0);
  part.reserve = 0;
  add(slice, part.bytes, part.reserve);
  part.reserve += 2 * std::max(0.0, part.bytes[flight] + part.bytes[flight + 1] - before);
  part.measured = asked;
}

void MemoryWatch::add(Slice& slice, std::vector<double>& bytes, double& reserve) const {
  const Slice::Bytes all = slice.bytes();
  for (std::size_t k = 0; k < spike_recorders_; ++k) {
    const record::SpikeTrack& track = *slice.spike_tracks()[k];
    bytes[k] += static_cast<double>(track.bytes());
    reserve += track.spikes().visit([](const auto& list) { return soon(list); }) + soon(track.offsets());
  }
  for (std::size_t k = 0; k < state_recorders_; ++k) {
    const record::StateTrack& track = *slice.state_tracks()[k];
    bytes[spike_recorders_ + k] += static_cast<double>(track.bytes());
    reserve += soon(track.values());
  }
  double& weights = bytes[spike_recorders_ + state_recorders_];
  for (const auto& p : slice.pathways())
    if (p->log()) {
      weights += static_cast<double>(p->log()->bytes());
      reserve += soon(p->log()->notes);
    }
  for (const std::string& kind : Components::binned_kinds()) {
    const Binned& binned = slice.binned(kind);
    bytes[bytes.size() - 3] += static_cast<double>(binned.bytes());
    for (const Bins& b : binned.all()) reserve += soon(b.sums);
  }
  bytes[bytes.size() - 2] += static_cast<double>(all.in_flight);
  bytes.back() += static_cast<double>(all.traces);
}

std::string MemoryWatch::name(std::size_t kind) const {
  if (kind < spike_recorders_) return "recorded spikes of recorder " + std::to_string(kind);
  kind -= spike_recorders_;
  if (kind < state_recorders_) return "recorded state variables of recorder " + std::to_string(kind);
  kind -= state_recorders_;
  const char* const others[] = {"recorded weights", "recorded bins", "spikes in flight", "postsynaptic spikes kept for plasticity"};
  return others[kind];
}

std::vector<double> MemoryWatch::sums(double* reserve) {
  std::vector<double> all(kinds());
  for (Part& p : parts_) {
    const std::lock_guard lock(p.mutex);
    for (std::size_t k = 0; k < p.bytes.size(); ++k) all[k] += p.bytes[k];
    *reserve += p.reserve;
  }
  return all;
}

std::optional<TooLarge> MemoryWatch::look(double now, double exchange) {
  double reserve = 0;
  std::vector<double> all = sums(&reserve);
  asked_.fetch_add(1, std::memory_order_relaxed);
  all[all.size() - 2] += exchange;
  const double growing = std::accumulate(all.begin(), all.end(), 0.0);
  const auto largest = static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
  const auto error = [&](double needed, double left) {
    char time[32];
    std::snprintf(time, sizeof time, "%.10g ms", now);
    return TooLarge(
        "run (stopped at " + std::string(time) + "): " + name(largest) + " have grown to " + size_text(all[largest]) + "; the network",
        needed, left);
  };
  if (budget_.limit > 0 && budget_.fixed + growing > budget_.limit) return error(budget_.fixed + growing, budget_.limit);
  if (!budget_.by_machine || growing <= 0) return std::nullopt;
  const double left = available_memory(), needed = budget_.ranks_on_node * (reserve + std::min(growing, spare));
  if (needed > left) return error(needed, left);
  return std::nullopt;
}

double MemoryWatch::growing_bytes(const Slices& slices) {
  MemoryWatch all(slices, {.limit = 1});
  double reserve = 0;
  const auto sums = all.sums(&reserve);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace npl::sim
