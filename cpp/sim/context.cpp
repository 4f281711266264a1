// SPDX-License-Identifier: Apache-2.0
#include "sim/context.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/memory.hpp"
#include "sim/fingerprint.hpp"
#include "sim/levels.hpp"

namespace npl::sim {
namespace {

/// Checks areas: required by by_area, refused by other distributions; shares > 0, distinct names.
void check_areas(const Settings& s, const DistributionInfo& info, bool dry) {
  if (info.wants_areas != !s.areas.empty())
    throw BadParameter("areas", s.areas.empty() ? "none" : "areas",
                       info.wants_areas ? "at least one area with the distribution by_area" : "given only with the distribution by_area");
  std::set<std::string> names;
  for (const auto& [name, share] : s.areas) {
    if (!(share > 0 && std::isfinite(share))) throw BadParameter("share of area " + name, share, "a finite number above 0");
    if (!names.insert(name).second) throw BadParameter("areas", name, "names that differ");
  }
  if (info.wants_areas && s.exchange.halves)
    throw BadParameter("halves", "true", "false with the distribution by_area, which has intervals of its own");
  if (info.wants_areas && dry) throw BadParameter("distribution", "by_area", "another one in a dry run, in which all ranks are alike");
}

/// Fingerprint of the settings that must be the same on all ranks; threads and block sizes may differ.
std::uint64_t fingerprint_of_settings(const Settings& s) {
  const ExchangeSettings& e = s.exchange;
  return fingerprint_of(s.resolution, s.seed, s.distribution, s.rank_map, s.areas, e.strategy, e.local, e.regime, std::int64_t{e.halves},
                        e.phases, static_cast<std::int64_t>(e.conservation), std::uint64_t{e.buffer_bytes}, std::int64_t{s.count_intervals},
                        std::int64_t{s.keep_sources});
}

std::unique_ptr<Distribution> chosen_distribution(const Settings& s, int ranks, bool dry) {
  const DistributionInfo& info = find_distribution(s.distribution);
  if (info.wants_map != !s.rank_map.empty())
    throw BadParameter("rank_map", s.rank_map.empty() ? "none" : "an array",
                       info.wants_map ? "an array with the distribution by_map" : "given only with the distribution by_map");
  for (std::int32_t r : s.rank_map)
    if (r < 0 || r >= ranks) throw BadParameter("rank_map", r, "from 0 to " + std::to_string(ranks - 1));
  check_areas(s, info, dry);
  return info.make(s.seed, s.rank_map, {s.areas, ranks});
}

}  // namespace

Context::Context(const Settings& s)
    : settings(s),
      guard(std::make_shared<comm::Guarded>(s.comm ? s.comm : comm::single())),
      comm(guard),
      distribution(chosen_distribution(s, ranks(), comm->mirrored())),
      agreement(*guard, ranks(), progress),
      team(s.counting ? 1 : s.threads) {
  Router(*comm, s.exchange).check();
  if (!s.exchange.local.empty()) Router(*comm, inside_groups(s.exchange)).check();
  agreement.note(fingerprint_of_settings(s));
}

/// Early check of the memory that a call needs at least, in addition to everything described before.
void Part::check_memory(double new_bytes, const std::string& what) const {
  constexpr double small = 1 << 20;  // not checked, because the system call would dominate: build checks the sum
  if (settings_.counting || settings_.force || new_bytes < small) return;
  const int here = comm_->ranks_on_node();  // all of them make the same call with about the same number of synapses
  const double needed = (pending_bytes_ + new_bytes) * here, available = available_memory();
  if (needed > available)
    throw TooLarge(here > 1 ? what + " on the " + std::to_string(here) + " ranks of this machine" : what, needed, available);
  if (settings_.memory_limit > 0) check_limit(what, pending_bytes_ + new_bytes);
}

/// Checks the memory limit set by the user.
void Part::check_limit(const std::string& what, double needed) const {
  const double limit = settings_.memory_limit;
  if (limit <= 0 || needed <= 0) return;
  double held = 0;
  for (const auto& s : slices_) held += s->bytes().total();
  const double left = std::max(0.0, limit - held);
  if (needed > left) throw TooLarge(what + " (memory_limit " + size_text(limit) + ")", needed, left);
}

void Part::require_sources(const char* what) const {
  if (!sources_kept_)
    throw IllegalConnection(std::string(what) + " is not possible after the first run of a network with keep_sources = false");
}

}  // namespace npl::sim
