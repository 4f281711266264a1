// SPDX-License-Identifier: Apache-2.0
/// How a network is to be built and run, and the values that calls bring.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "tables/edge_table.hpp"
#include "rng/distribution.hpp"
#include "sim/router.hpp"

namespace npl::sim {

/// Called about every 50 ms by the caller's thread; returns false to stop at the end of the interval. done/total in edges or steps.
using Poll = std::function<bool(const char* phase, std::uint64_t done, std::uint64_t total)>;

struct Settings {
  double resolution = 0.1;  ///< [ms]
  std::uint64_t seed = 1;
  int threads = 1;
  int slices = 0;                                 ///< at least as many slices as this, worked on by the threads; 0: one per thread
  std::int64_t block_size = 0;                    ///< most nodes per slice, 0: as many as fit
  std::optional<tables::Layout> layout = {};     ///< of all synapse tables, for tests; none: chosen per table
  std::optional<bool> sorted = {};                ///< how all tables are made, for tests; none: chosen per table
  std::shared_ptr<comm::Communicator> comm = {};  ///< none: a single rank
  std::string distribution = "round_robin";
  std::vector<std::int32_t> rank_map = {};                 ///< for the distribution by_map
  std::vector<std::pair<std::string, double>> areas = {};  ///< for the distribution by_area: names, and their shares of the ranks
  ExchangeSettings exchange = {};
  bool count_intervals = false;  ///< record times and traffic of every interval
  bool keep_sources = true;      ///< false: after the first run drop the gids of sources on other ranks (directed exchange only);
                                 ///< queries and later connections are then refused
  bool force = false;            ///< build and run also what will not fit into the memory of the machine
  double memory_limit = 0;       ///< most bytes that the network may take on this rank; 0: what the machine has
  int counting = 0;              ///< > 0: number of ranks to plan for; calls are checked and noted, nothing is built
};

/// Named values of a call: one value for all nodes or one per node.
using Values = std::vector<std::pair<std::string, std::vector<double>>>;

/// Drawn values of nodes. The value of a node is a function of (seed, stream, gid): every rank draws for its own nodes only.
struct NodeDraw {
  std::string name;
  rng::ValueSpec spec;
  std::uint64_t stream;
};

}  // namespace npl::sim
