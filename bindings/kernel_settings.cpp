// SPDX-License-Identifier: Apache-2.0
/// Conversion of the keyword arguments of Kernel to sim::Settings.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// Throws BadParameter for a negative number.
std::size_t to_size(const nb::handle& value, const char* name) {
  const auto n = nb::cast<std::int64_t>(value);
  if (n < 0) throw BadParameter(name, static_cast<double>(n), "at least 0");
  return static_cast<std::size_t>(n);
}

}  // namespace

std::string to_regime(const nb::handle& value) {
  const auto name = nb::cast<std::string>(value);
  exchange::find_regime(name);
  return name;
}

namespace {

sim::ExchangeSettings to_exchange(const nb::dict& given) {
  static const std::vector<std::string> known{"strategy",     "regime",       "halves",      "phases",
                                              "conservation", "buffer_bytes", "round_bytes", "local"};
  sim::ExchangeSettings s;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), name) == known.end()) throw UnknownName("option of exchange", name, known);
    if (name == "strategy") s.strategy = exchange::find_strategy(nb::cast<std::string>(value)).name;
    if (name == "local" && nb::len(value) > 0) s.local = exchange::find_strategy(nb::cast<std::string>(value)).name;
    if (name == "regime") s.regime = to_regime(value);
    if (name == "halves") s.halves = nb::cast<bool>(value);
    if (name == "phases") s.phases = nb::cast<int>(value);
    if (name == "buffer_bytes") s.buffer_bytes = to_size(value, "buffer_bytes");
    if (name == "round_bytes") s.round_bytes = std::max<std::size_t>(1, to_size(value, "round_bytes"));
    if (name == "conservation") s.conservation = exchange::find_conservation(nb::cast<std::string>(value));
  }
  if (s.phases < 1 || s.phases > 2) throw BadParameter("phases", s.phases, "1 or 2");
  return s;
}

/// Dry run: Poisson spikes of this rate [spikes/s] replace those of the neurons. @param resolution [ms]
sim::PoissonSpikes to_emulated(double rate, std::uint64_t seed, double resolution) {
  if (!(rate >= 0 && rate * resolution <= 1000.0)) throw BadParameter("rate", rate, "from 0 to one spike per step");
  return {seed, rate * resolution / 1000.0};
}

/// Sets encoding and construction method of tables, for tests: "auto", "runs", "sorted", "counted_words", ... Throws UnknownName.
void set_layout(sim::Settings& s, std::string_view name) {
  std::vector<std::string> known;
  for (std::string_view made : {"", "sorted", "counted"})
    for (std::string_view laid : {"auto", "runs", "words"}) {
      known.push_back(std::string(made) + (made.empty() ? "" : "_") + std::string(laid));
      if (name != known.back()) continue;
      if (!made.empty()) s.sorted = made == "sorted";
      if (laid != "auto") s.layout = laid == "runs" ? tables::Layout::runs : tables::Layout::words;
      return;
    }
  throw UnknownName("layout", std::string(name), known);
}

/// Returns the value; throws BadParameter unless least <= value <= most. @param allowed text of the error
std::int64_t checked(const char* name, std::int64_t value, std::int64_t least, std::int64_t most, const char* allowed) {
  if (value < least || value > most) throw BadParameter(name, static_cast<double>(value), allowed);
  return value;
}

}  // namespace

sim::Settings to_settings(const nb::dict& given) {
  Arguments a(given);
  sim::Settings s;
  s.resolution = a.get<double>("resolution");
  if (!(s.resolution >= 1e-5 && s.resolution <= 1000)) throw BadParameter("resolution", s.resolution, "from 0.00001 to 1000 ms");
  s.seed = static_cast<std::uint64_t>(checked("seed", a.get<std::int64_t>("seed"), 0, INT64_MAX, "a whole number >= 0"));
  s.threads = static_cast<int>(checked("threads", a.get<std::int64_t>("threads"), 1, 1024, "from 1 to 1024"));
  s.block_size =
      checked("block_size", a.get<std::int64_t>("block_size", 0), 0, max_slice_nodes, "from 1 to 65536, or 0 to let neuropil choose");
  set_layout(s, a.get<std::string>("layout", "auto"));
  if (const auto comm = a.maybe<std::shared_ptr<comm::Communicator>>("comm")) s.comm = *comm;
  s.distribution = a.get<std::string>("distribution", "round_robin");
  if (const auto map = a.maybe<In<std::int32_t>>("rank_map")) s.rank_map = to_vector(*map);
  s.exchange = to_exchange(a.get<nb::dict>("exchange", nb::dict()));
  s.areas = a.get<std::vector<std::pair<std::string, double>>>("areas", {});
  s.count_intervals = a.get<bool>("count_intervals", false);
  s.keep_sources = a.get<bool>("keep_sources", true);
  s.slices = static_cast<int>(checked("slices", a.get<std::int64_t>("slices", 0), 0, 65536, "from 0 to 65536"));
  s.force = a.get<bool>("force", false);
  s.strict_weights = a.get<bool>("strict_weights", true);
  s.sources_on_grid = a.get<bool>("sources_on_grid", false);
  s.adaptive_threads = a.get<bool>("adaptive_threads", false);
  s.few_slices = a.get<bool>("few_slices", false);
  s.memory_limit = a.get<double>("memory_limit", 0.0);
  if (!(s.memory_limit >= 0)) throw BadParameter("memory_limit", s.memory_limit, "at least 0 bytes");
  s.counting = static_cast<int>(checked("ranks", a.get<std::int64_t>("counting", 0), 0, INT32_MAX, "from 1 to 2^31 - 1"));
  if (const auto rate = a.maybe<double>("rate")) s.exchange.emulated = to_emulated(*rate, s.seed, s.resolution);
  a.check_all_known();
  return s;
}

}  // namespace npl::bindings
