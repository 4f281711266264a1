// SPDX-License-Identifier: Apache-2.0
/// Memory, times and counters of a network.
#pragma once
#include "sim/connections.hpp"
#include "sim/routes.hpp"

namespace npl::sim {

class Report : Part {
 public:
  Report(Context& context, const Connections& connections, const Routes& routes)
      : Part(context), connections_(connections), routes_(routes) {}

  /// Bytes of this rank by term; "total" is their sum. Not collective.
  std::map<std::string, std::uint64_t> memory() const;
  /// Seconds by phase. Not collective.
  const std::map<std::string, double>& timers() const { return timers_; }
  /// Load of this rank: neurons, synapses, spikes, events; seconds of compute, exchange and wait; bytes sent and held. Not collective.
  std::map<std::string, double> load() const;
  /// Spikes of the neurons of this rank. Not collective.
  std::uint64_t own_spikes() const;
  /// Counters summed over all ranks (exchanges: maximum over ranks). Collective.
  std::map<std::string, std::uint64_t> counters() const;
  /// The values of all ranks, in order of ranks. Collective.
  std::vector<double> gather(const std::vector<double>& mine) const;

 private:
  const Connections& connections_;
  const Routes& routes_;
};

}  // namespace npl::sim
