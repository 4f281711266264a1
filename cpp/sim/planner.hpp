// SPDX-License-Identifier: Apache-2.0
/// The memory model for what was described.
#pragma once
#include "sim/planning.hpp"
#include "sim/report.hpp"

namespace npl::sim {

class Planner : Part {
 public:
  Planner(Context& context, const Populations& populations, const Description& description, const Recorders& recorders,
          const Report& report)
      : Part(context), populations_(populations), description_(description), recorders_(recorders), report_(report) {}

  /// For this rank: with what is built already ("built", part of "total"). Not collective.
  Forecast plan() const;
  /// For what was described and not yet built, on other machines. Not collective.
  std::vector<Forecast> plan(const std::vector<Machine>& machines) const;
  Machine machine() const;  ///< where this network is
  /// Throws TooLarge when what is described will not fit, before anything is allocated. Collective.
  void check_build() const;
  /// Bytes of this rank by term. Not collective.
  std::map<std::string, std::uint64_t> memory() const { return report_.memory(); }

 private:
  Outline outline() const;
  double build_needs() const;

  const Populations& populations_;
  const Description& description_;
  const Recorders& recorders_;
  const Report& report_;
};

}  // namespace npl::sim
